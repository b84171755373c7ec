"""Of each column the expressions, one for the upstream and one for the target, that are equal when its values are.

Pure.  What may be written in two ways is brought to one form: text to its UTF-8 bytes, numbers to their digits,
floats to decimals, fractions of seconds to one length.  What is long is taken by its CRC32.  What two servers
cannot bring to one form is compared by its shape, or left out, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pkg.schema.table import Column

_DECIMALS: Final = frozenset(("decimal", "numeric", "dec", "fixed"))
_FAMILIES: Final = (  # a type that is none of these is a family of its own
    ("integer", frozenset(("tinyint", "smallint", "mediumint", "int", "integer", "bigint", "bool", "boolean"))),
    ("decimal", _DECIMALS),
    ("float", frozenset(("float", "double", "real"))),
    ("text", frozenset(("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"))),
    ("bytes", frozenset(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"))),
    ("named", frozenset(("uuid", "inet4", "inet6"))),
    ("moment", frozenset(("datetime", "timestamp"))),
    ("geometry", frozenset((
        "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
        "geometrycollection", "geomcollection",
    ))),
)  # fmt: skip
_UTF8: Final = frozenset(("utf8mb4", "utf8mb3", "utf8", "ascii", "binary"))
_NUMBERS: Final = frozenset(("integer", "decimal", "float", "rounded"))
_STRINGS: Final = frozenset(("text", "bytes"))

_STEP: Final = 40  # powers of ten from one scale of a float to the next: 17 digits fit a DECIMAL(65,30) anywhere in it
_LEAST, _MOST = -10, 30  # powers of ten between which a float is taken as it is
_SINGLE: Final = 4
_BEHIND_ROUNDED: Final = 6  # digits by which a value shows that a target has rounded it
_SINGLE_SCALES: Final = 1
_DOUBLE_SCALES: Final = 7  # values below 1e-290 lose digits


@dataclass(frozen=True, slots=True)
class Form:
    """What of a column's type matters here."""

    family: str
    charset: str = ""
    digits: int = 0  # behind the point; of a float: whether it has four bytes
    padded: bool = False  # with zeros, when it is shown
    nullable: bool = True
    labels: tuple[str, ...] = ()  # of a SET with a label '', which texts do not say


@dataclass(frozen=True, slots=True)
class Part:
    """One column in both SELECT lists; a note says what is not compared of it, no expressions: nothing is."""

    upstream: str = ""
    downstream: str = ""
    note: str = ""


def form_of(column: Column) -> Form:
    charset = (column.charset or "").lower()
    labels = column.labels if column.base_type == "set" and "" in column.labels else ()
    return _form(_family(column), charset, _digits(column), "zerofill" in column.type, column.nullable, labels)


def mapped_form(*, is_text: bool) -> Form:
    """Of what a column mapping makes of a value."""
    return _form("text" if is_text else "integer", "utf8mb4" if is_text else "", 0, False, True)


_form = lru_cache(maxsize=1024)(Form)  # few objects: they travel to executors by the thousand


def _digits(column: Column) -> int:
    if column.base_type in _DECIMALS or _family(column) == "rounded":
        inside = column.type.partition("(")[2].partition(")")[0]
        return int(inside.partition(",")[2] or 0)
    return _SINGLE if column.base_type == "float" else column.fsp


def _family(column: Column) -> str:
    kind = column.base_type
    if kind in ("double", "real") and "," in column.type:
        return "rounded"
    return next((family for family, kinds in _FAMILIES if kind in kinds), kind)


def part_of(value: str, name: str, up: Form, down: Form, flavors: tuple[str, str]) -> Part:
    """``value`` is what the upstream selects for the target's column ``name``; ``flavors`` are the two servers'."""
    one = _both(value, name, up, down, flavors)
    if one.upstream and (up.nullable or down.nullable):
        return Part(f"IFNULL({one.upstream}, 'N')", f"IFNULL({one.downstream}, 'N')", one.note)
    return one


def _both(value: str, name: str, up: Form, down: Form, flavors: tuple[str, str]) -> Part:
    families = {up.family, down.family}
    if up.labels and up.labels == down.labels[: len(up.labels)]:
        return Part(f"CAST({value} AS UNSIGNED)", f"CAST({name} AS UNSIGNED)")
    if "json" in families:
        return _documents(value, name, up, down, flavors)
    if families == {"vector"}:
        return _vectors(value, name, flavors)
    if families == {"geometry"}:
        return Part(f"CRC32(HEX({value}))", f"CRC32(HEX({name}))")
    up_number, down_number = _number(up), _number(down)
    if up_number in _NUMBERS and down_number in _NUMBERS:
        return _numbers(value, name, up, down)
    if _is_time(up) and _is_time(down):
        return _times(value, name, up, down)
    if (_text(value, up) and _text(name, down)) and (families & (_STRINGS | {"named"})):
        return Part(_text(value, up), _text(name, down))
    return Part(note=f"{name} is not compared: {up.family} upstream, {down.family} in the target")


# -- numbers


def _number(form: Form) -> str:
    return "integer" if form.family in ("bit", "year") else form.family


def _numbers(value: str, name: str, up: Form, down: Form) -> Part:
    kinds = {_number(up), _number(down)}
    if "rounded" in kinds:  # DOUBLE(12,3): its last bit may be another one than that of the number that it shows
        digits = up.digits if up.family == "rounded" else min(down.digits + _BEHIND_ROUNDED, 30)
        return Part(_decimal(value, digits), _decimal(name, digits))
    if kinds == {"float"}:
        is_single = up.digits == down.digits == _SINGLE
        return Part(_float(value, is_single=is_single), _float(f"{name} * 1e0", is_single=is_single))
    if "float" in kinds:
        return Part(_decimal(value, 30), _decimal(name, 30))
    if kinds == {"integer"}:
        return Part(_integer(value, up), _integer(name, down))
    digits = max(up.digits, down.digits)
    if kinds == {"decimal"} and up.digits == down.digits and not (up.padded or down.padded):
        return Part(value, name)
    return Part(_decimal(value, digits), _decimal(name, digits))


def _integer(value: str, form: Form) -> str:
    if form.family == "year":
        return f"{value} + 0"
    return f"CAST({value} AS UNSIGNED)" if form.padded or form.family == "bit" else value


def _decimal(value: str, digits: int) -> str:
    return f"CAST({value} AS DECIMAL(65,{digits}))"


def _float(value: str, *, is_single: bool) -> str:
    """A float's digits.

    Servers write the same float in several ways, some not to its last digit; as a DECIMAL it has all of them.
    What is too large or too small for one is scaled first, by a multiplication that all servers round alike.
    """
    scales = _SINGLE_SCALES if is_single else _DOUBLE_SCALES
    size = f"ABS({value})"
    cases = [f"WHEN {size} >= 1e{_LEAST} AND {size} < 1e{_MOST} THEN 1e0"]
    cases += [f"WHEN {size} < 1e{_LEAST - _STEP * (n - 1)} THEN 1e{_STEP * n}" for n in range(scales, 0, -1)]
    cases += [f"WHEN {size} >= 1e{_MOST + _STEP * (n - 1)} THEN 1e-{_STEP * n}" for n in range(scales, 0, -1)]
    return _decimal(f"{value} * CASE {' '.join(cases)} END", 30)


# -- times


def _is_time(form: Form) -> bool:
    return form.family in ("date", "time", "moment")


def _times(value: str, name: str, up: Form, down: Form) -> Part:
    if (up.family == "time") != (down.family == "time"):
        return Part(note=f"{name} is not compared: {up.family} upstream, {down.family} in the target")
    has_hours = {up.family, down.family} == {"date", "moment"}
    digits = max(up.digits, down.digits)
    return Part(_time(value, up, digits, has_hours), _time(name, down, digits, has_hours))


def _time(value: str, form: Form, digits: int, has_hours: bool) -> str:
    tail = " 00:00:00" if has_hours and form.family == "date" else ""
    if digits > form.digits:
        tail += ("" if form.digits else ".") + "0" * (digits - form.digits)
    return f"CONCAT({value}, '{tail}')" if tail else value


# -- text and bytes


def _text(value: str, form: Form) -> str:
    """The CRC32 of the value's text in UTF-8, or of its bytes; "" where it has neither."""
    if form.family == "text":
        return f"CRC32({value})" if form.charset in _UTF8 else f"CRC32(CONVERT({value} USING utf8mb4))"
    if form.family == "bytes":
        return f"CRC32({value})"
    if form.family == "named":
        return f"CRC32(CAST({value} AS CHAR))"
    if _is_time(form):
        return f"CRC32({value})"
    return f"CRC32({_integer(value, form)})" if _number(form) in ("integer", "decimal") else ""


# -- documents and vectors


def _documents(value: str, name: str, up: Form, down: Form, flavors: tuple[str, str]) -> Part:
    if up.family == down.family == "json" and flavors[0] == flavors[1]:
        return Part(f"CRC32(CAST({value} AS CHAR))", f"CRC32(CAST({name} AS CHAR))")
    if up.family == "json" and down.family in _STRINGS:  # the text is copied as it is
        return Part(f"CRC32(CAST({value} AS CHAR))", _text(name, down))
    if down.family == "json" and up.family in (*_STRINGS, "json"):
        note = f"{name} is compared by the shape of its documents alone: servers write JSON in several ways"
        return Part(_shape(value), _shape(name), note)
    return Part(note=f"{name} is not compared: {up.family} upstream, {down.family} in the target")


def _shape(value: str) -> str:
    return f"CONCAT_WS(':', JSON_TYPE({value}) IN ('OBJECT', 'ARRAY'), JSON_LENGTH({value}), JSON_DEPTH({value}))"


def _vectors(value: str, name: str, flavors: tuple[str, str]) -> Part:
    if flavors[0] == flavors[1] != "tidb":
        return Part(f"CRC32(HEX({value}))", f"CRC32(HEX({name}))")
    note = f"{name} is compared by the number of its dimensions alone: servers write vectors in several ways"
    return Part(_dimensions(value, flavors[0]), _dimensions(name, flavors[1]), note)


def _dimensions(value: str, flavor: str) -> str:
    return f"VEC_DIMS({value})" if flavor == "tidb" else f"LENGTH({value}) DIV 4"
