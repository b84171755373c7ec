"""Changes of a column's type: which of them are known to make the same values on servers of all kinds.

Of texts and bytes that become numbers or moments it is known of plain ones.  Servers differ in fractions (some cut,
some round, MariaDB a TEXT otherwise than a VARCHAR), blanks, signs, exponents, separators and what follows a number.
All else is refused.  Measured by `./dev soak conversions`.
"""

from __future__ import annotations

from typing import Final

from pkg.schema.charset import UNICODE_SETS, charset_name
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES, LABEL_TYPES
from pkg.schema.lexer import quote_string
from pkg.schema.table import Column

_WHOLE = "-?(0|[1-9][0-9]{{0,19}})"
_YEAR = "0{{1,4}}|[0-9]{{2}}|19[1-9][0-9]|190[1-9]|20[0-9][0-9]|21[0-4][0-9]|215[0-5]"
_DAY = "[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}"
_CLOCK = "[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}"
_TEXT = "CONVERT({c} USING utf8mb4)"
_ASCII = "HEX({c}) REGEXP '^([0-7][0-9A-F])*$'"
_NUMBERS = ("integer", "decimal", "double")
_KINDS: Final = {  # of types, and what each may become
    "integer": (*_NUMBERS, "text", "bytes", "bit", "year", "labels"),
    "decimal": (*_NUMBERS, "text", "bytes"),
    "double": (*_NUMBERS, "text", "bytes"),
    "bit": ("bit", "integer", "decimal", "bytes"),
    "year": ("year", "integer", "decimal", "text", "bytes"),
    "date": ("date", "moment", "text", "bytes", "integer"),
    "time": ("time", "moment", "text", "bytes", "integer"),
    "moment": ("moment", "date", "time", "text", "bytes", "integer"),
    "text": ("text", "bytes", *_NUMBERS, "year", "date", "time", "moment", "labels", "json", "address"),
    "bytes": ("bytes", "text", *_NUMBERS, "year", "date", "time", "moment"),
    "labels": ("labels", "text", "bytes", "integer"),
    "json": ("json", "text"),
    "address": ("address", "text"),
}
_KIND_OF: Final = {
    **dict.fromkeys(INTEGER_TYPES, "integer"), **dict.fromkeys(CHARACTER_TYPES, "text"), "double": "double",
    **dict.fromkeys(BINARY_TYPES, "bytes"), **dict.fromkeys(LABEL_TYPES, "labels"), "float": "double",
    **dict.fromkeys(("datetime", "timestamp"), "moment"), **dict.fromkeys(("uuid", "inet4", "inet6"), "address"),
}  # fmt: skip
Other = tuple[str, str]  # why values become other ones, and a condition with ``{c}`` for the column


def is_known(old: Column, new: Column) -> bool:
    """Whether servers make the same values of such a change, as far as nothing else is said of them."""
    kinds = (_KIND_OF.get(one.base_type, one.base_type) for one in (old, new))
    before, after = kinds
    return before == after or after in _KINDS.get(before, ())


def unlike_text(old: Column, new: Column, *, cuts: bool) -> Other | None:
    """A text or bytes that become a number or a moment; ``cuts``: the upstream's session cuts fractions."""
    if old.base_type not in CHARACTER_TYPES | BINARY_TYPES:
        return None
    plain = _plain(new, cuts)
    if plain is None:
        return None
    reason = f"servers read texts as {new.base_type.upper()} in different ways, but for plain ones"
    matches = f"{_TEXT} REGEXP '^({plain})$' AND {_TEXT} NOT LIKE '%\n'"
    return reason, f"{{c}} IS NOT NULL AND NOT COALESCE({matches}, 0)"


def unlike_labels(old: Column, new: Column) -> Other | None:
    """A text that becomes an ENUM or SET: one that looks like a number may be a label's place."""
    if old.base_type not in CHARACTER_TYPES or new.base_type not in LABEL_TYPES:
        return None
    labels = ", ".join(quote_string(label) for label in new.labels).replace("{", "{{").replace("}", "}}")
    where = f"{_TEXT} REGEXP '^[[:space:]]*[-+0-9]' AND CAST({_TEXT} AS BINARY) NOT IN ({labels})"
    return "servers take a number for a label in different ways", where


def unlike_document(old: Column, new: Column) -> Other | None:
    """A document that becomes a text: TiDB writes numbers with a fraction otherwise, and names in another order."""
    if old.base_type != "json" or new.base_type not in CHARACTER_TYPES:
        return None
    return "servers write documents in different ways", "CONCAT({c}) REGEXP '[0-9][.eE]|\":.*\":'"


def unlike_bytes(old: Column, new: Column) -> Other | None:
    """Bytes that become a text: the target's text may be in another character set."""
    charset = charset_name(new.charset or "")
    if old.base_type not in BINARY_TYPES or new.base_type not in CHARACTER_TYPES or charset.startswith("utf8"):
        return None
    where = "{c} <> ''" if charset in UNICODE_SETS else f"NOT {_ASCII}"
    return f"bytes are other characters of {charset} in the target", where


def _plain(new: Column, cuts: bool) -> str | None:
    """A regular expression for what the type's values are alike of; None: all are."""
    base = new.base_type
    fraction = f"([.][0-9]{{{{1,{new.fsp if cuts else 6}}}}})?" if new.fsp or not cuts else ""
    if base in INTEGER_TYPES:
        return _WHOLE
    return {
        "year": _YEAR,
        "date": f"{_DAY}( {_CLOCK})?",
        "datetime": f"{_DAY}( {_CLOCK}{fraction})?",
        "timestamp": f"{_DAY}( {_CLOCK}{fraction})?",
        "time": f"-?[0-9]?{_CLOCK}{fraction}",
        "bit": "",
    }.get(base)
