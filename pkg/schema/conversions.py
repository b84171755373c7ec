"""Changes of a column's type that make other values of the rows on another server, though all of them take the change.

Tried on MariaDB 10.11, MySQL 9.7 and TiDB 8.5: each kind of type into each other one, with values of many kinds.  What
is not named here is the same, or an error of the target.  What a session that is not strict cuts: cut_values.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pkg.binlog.charset import single_byte_table
from pkg.schema.alter import ChangeColumn, ConvertCharset
from pkg.schema.charset import MAX_BYTES, WIDE_SETS, charset_name
from pkg.schema.column_forms import converts_alike
from pkg.schema.column_types import BINARY_TYPES, DIGITS_OF_DOUBLE, INTEGER_TYPES, TEXT_TYPES, fixed_digits
from pkg.schema.cut_values import becomes_moment, takes_former_default, takes_moment
from pkg.schema.known_conversions import Other, is_known, unlike_bytes, unlike_document, unlike_labels, unlike_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.mapping import is_rounded_again
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

_LABELS = frozenset({"enum", "set"})
_TEXTS = TEXT_TYPES - _LABELS
_FRACTIONS = frozenset({"decimal", "float", "double"})
_DAYS = frozenset({"date", "datetime", "timestamp"})
_TIMES = _DAYS | {"time"}
_ANY = "{c} IS NOT NULL"
_ALL_CHARACTERS = ("utf8mb4", "utf16", "utf16le", "utf32", "gb18030")
_ALL_DIGITS = 99  # of a number whose type does not say
_WITH_DECIMALS = re.compile(r"\((\d+),\s*(\d+)\)", re.ASCII)
_TEXT = "CONVERT({c} USING utf8mb4)"
_ADDRESSES = {  # types of MariaDB that are texts elsewhere, and when such a text is one that the type shows
    "uuid": f"{_TEXT} COLLATE utf8mb4_bin REGEXP '^[0-9a-f]{{{{8}}}}(-[0-9a-f]{{{{4}}}}){{{{3}}}}-[0-9a-f]{{{{12}}}}$'",
    "inet4": f"CAST(INET_NTOA(INET_ATON({_TEXT})) AS BINARY) = CAST({_TEXT} AS BINARY)",
    "inet6": (
        f"LENGTH(INET6_ATON({_TEXT})) = 16 "
        f"AND CAST(INET6_NTOA(INET6_ATON({_TEXT})) AS BINARY) = CAST({_TEXT} AS BINARY)"
    ),
}


@dataclass(frozen=True, slots=True)
class Conversion:
    """A column whose values become others in the target; ``where``: the rows of the target with such values."""

    column: str
    reason: str
    where: str


def other_conversions(
    ddl: Ddl,
    before: Table | None,
    after: Table | None,
    present: Table,
    flavors: tuple[str, str],
    *,
    cuts: bool,
    strict: bool = True,
) -> Iterator[Conversion]:
    """``before`` and ``after``: the table upstream, as far as it is tracked; ``present``: the target's before it.

    ``flavors``: the upstream's and the target's.  ``cuts``: the upstream's session cuts fractions of seconds;
    ``strict``: it refuses characters that a set lacks.
    """
    for old_name, new_name in _changed(ddl, present):
        there = present.column(old_name)
        new = after.column(new_name) if after is not None else None
        if there is None or new is None:
            continue
        old = before.column(old_name) if before is not None else None
        if flavors[1] == "tidb" and becomes_moment(there, new) and not takes_moment(there, new):
            reason = f"TiDB gives NULL the moment at which it converts the row ({(old or there).type} → {new.type})"
            yield Conversion(new.name, reason, f"{quote_name(there.name)} IS NULL")
        known = old or there
        if takes_former_default(known, there, new, flavors):
            reason = (
                f"MariaDB gives NULL the former default ({known.default}), or 0 where it copies the table, and others 0"
            )
            yield Conversion(new.name, reason, f"{quote_name(there.name)} IS NULL")
        found: list[Other | None] = []
        if old is not None and there.base_type != new.base_type and not converts_alike(old, there, new):
            found.append((f"it is a {there.type} there", "{c} IS NOT NULL"))
        if not strict and flavors[1] == "tidb":
            found.append(replaced_characters(known, new))
        if not new.generated:
            found.append(_kept_digits(known, new, flavors[1]))
        if flavors[0] != flavors[1] and not cuts:
            found.append(_past_end(known, new))
        if there.base_type != new.base_type:  # else an earlier run may have changed it
            found += _otherwise(known, there, new, flavors, cuts)
        for reason, where in filter(None, found):
            yield Conversion(new.name, f"{reason} ({known.type} → {new.type})", where.format(c=quote_name(there.name)))


def _changed(ddl: Ddl, present: Table) -> Iterator[tuple[str, str]]:
    changed = [(one.old, one.column.name) for one in ddl.alterations if isinstance(one, ChangeColumn)]
    yield from changed
    if any(isinstance(one, ConvertCharset) for one in ddl.alterations):
        names = {small(old) for old, _ in changed}
        yield from ((column.name, column.name) for column in present.columns if small(column.name) not in names)


def dated_times(ddl: Ddl, present: Table | None) -> Iterator[str]:
    """Columns of the target's table that a statement makes moments of times, which get the present day."""
    times = {small(one.name) for one in present.columns if one.base_type == "time"} if present is not None else set()
    for one in ddl.alterations:
        if isinstance(one, ChangeColumn) and small(one.old) in times and one.column.type.base in _DAYS:
            yield one.column.name


def replaced_characters(old: Column, new: Column) -> Other | None:
    """Texts with characters that their new set lacks: the upstream writes ``?`` for them, and TiDB keeps them.

    The reason, and a condition with ``{c}`` for the column; None where the new set has all characters of the old one.
    """
    charset = charset_name(new.charset or "binary")
    kept = (charset_name(old.charset or "binary"), "binary", *_ALL_CHARACTERS)
    if old.base_type not in (*TEXT_TYPES, "json") or new.base_type not in _TEXTS or charset in kept:
        return None
    held = "".join(_ranges(charset))
    is_lacking = f"CONVERT({{c}} USING utf8mb4) COLLATE utf8mb4_bin REGEXP '[^{held}]'"
    return f"TiDB keeps characters that {charset} lacks", is_lacking if held else "LENGTH({c}) <> CHAR_LENGTH({c})"


def _kept_digits(old: Column, new: Column, flavor: str) -> Other | None:
    """Numbers that a DOUBLE(M,D) rounds and cuts, and the DOUBLE that it is in such a target does not."""
    shown, behind = fixed_digits(new.type)
    if not is_rounded_again(flavor, new.type) or old.base_type in INTEGER_TYPES:
        return None
    has = _WITH_DECIMALS.search(old.type)
    digits, decimals = (int(has[1]), int(has[2])) if has is not None else (_ALL_DIGITS, _ALL_DIGITS)
    if behind >= DIGITS_OF_DOUBLE:  # by which digits that a DOUBLE shows become others
        condition = f"{{c}} <> FLOOR({{c}}) OR ABS({{c}}) >= 1e{shown - behind}"
    elif decimals > behind or digits - decimals > shown - behind:
        condition = f"{{c}} <> ROUND({{c}}, {behind}) OR ABS({{c}}) >= 1e{shown - behind}"
    else:
        return None
    return f"the target has a DOUBLE, which rounds nothing to {behind} decimals", condition


def _past_end(old: Column, new: Column) -> Other | None:
    """Moments that are rounded to one that the type does not have."""
    moments = ("datetime", "timestamp")
    if old.base_type not in moments or new.base_type not in moments or new.fsp >= old.fsp:
        return None
    last = "2038-01-19 03:14:07" if "timestamp" in (old.base_type, new.base_type) else "9999-12-31 23:59:59"
    return "servers round the last moment of the type in different ways", f"{{c}} > '{last}'"


def _ranges(charset: str) -> Iterator[str]:
    """The set's characters as ranges of a regular expression; none of a set with too many."""
    table = single_byte_table(charset)
    if charset in ("utf8mb3", "ucs2"):
        yield _range(0, 0xFFFF)
    elif table is not None:
        points = sorted({ord(one.decode()) for one in table if one})
        starts = [point for point in points if point - 1 not in points]
        ends = [point for point in points if point + 1 not in points]
        yield from map(_range, starts, ends)


def _range(start: int, end: int) -> str:
    """With braces doubled, for str.format."""
    first, last = (rf"\\x{{{{{point:x}}}}}" for point in (start, end))
    return first if start == end else f"{first}-{last}"


def _otherwise(old: Column, there: Column, new: Column, flavors: tuple[str, str], cuts: bool) -> Iterator[Other | None]:
    """What makes other values of one change, each for the rows of its condition."""
    yield _as_bytes(old, there, new)
    if flavors[0] != flavors[1]:
        yield from _among(old, new, flavors, cuts)


def _as_bytes(old: Column, there: Column, new: Column) -> Other | None:
    """Texts that become bytes, and bytes that become texts, where the target's text is in another character set."""
    if old.base_type in _TEXTS and new.base_type in BINARY_TYPES:
        above, below = charset_name(old.charset or ""), charset_name(there.charset or "")
        if above != below and not {above, below} <= {"utf8mb3", "utf8mb4", "ascii"}:
            where = "{c} <> ''" if above in WIDE_SETS else "LENGTH({c}) <> CHAR_LENGTH({c})"
            return f"the bytes of {above} text are other ones in {below}", where
    return None


def _among(old: Column, new: Column, flavors: tuple[str, str], cuts: bool) -> Iterator[Other | None]:
    found = [
        *_of_numbers(old, new, flavors, cuts),
        _as_address(old, new),
        unlike_text(old, new, cuts=cuts),
        unlike_bytes(old, new),
        unlike_labels(old, new),
        unlike_document(old, new),
        _in_tidb(old, new) if flavors[1] == "tidb" else _padded(old, new),
    ]
    if new.base_type == "json" and old.base_type != "json" and flavors == ("mysql", "mariadb"):
        found.append(("MariaDB's JSON is the text that was there, MySQL's has each name once, and in order", _ANY))
    if not any(found) and not is_known(old, new):
        found.append(("it is not known that servers make the same values of it", _ANY))
    yield from found


def _as_address(old: Column, new: Column) -> Other | None:
    if new.base_type not in _ADDRESSES or old.base_type == new.base_type:
        return None
    is_text = old.base_type in _TEXTS or old.base_type in _ADDRESSES
    return (
        f"MariaDB writes each {new.base_type.upper()} in one way, and what is none as NULL or zeros; the target "
        "keeps the text",
        f"{{c}} IS NOT NULL AND NOT COALESCE({_ADDRESSES[new.base_type] if is_text else 0}, 0)",
    )


def _of_numbers(old: Column, new: Column, flavors: tuple[str, str], cuts: bool) -> Iterator[Other]:
    from_number = old.base_type in INTEGER_TYPES | _FRACTIONS
    if from_number and new.base_type in _LABELS and flavors != ("mariadb", "tidb"):
        yield "one server takes a number for a label's text, another for its place", _ANY
    if old.base_type in _FRACTIONS and new.base_type in _TIMES:
        yield "servers read a time out of a number with a fraction in different ways", _ANY
    if old.base_type in ("float", "double") and new.base_type in INTEGER_TYPES:
        yield "servers cut large numbers with a fraction in different ways", "ABS({c}) > 9e15"
    is_wide = new.base_type == "bigint" or (new.base_type in INTEGER_TYPES and _is_unsigned(new))
    if old.base_type == "decimal" and is_wide:
        yield "servers cut large numbers with a fraction in different ways", "ABS({c}) > 18446744073709551615"
    # MariaDB and TiDB make a day of a moment without its fraction, in every mode; MySQL rounds, unless a mode says no.
    rounds_days = flavors[0] == "mysql" or (flavors[1] == "mysql" and not cuts)
    if old.fsp and (new.base_type in (*INTEGER_TYPES, "bit") or (new.base_type == "date" and rounds_days)):
        yield "servers round the fraction of a second in different ways", "MICROSECOND({c}) <> 0"


def _is_unsigned(column: Column) -> bool:
    return column.unsigned or "zerofill" in column.type.lower()


def _padded(old: Column, new: Column) -> Other | None:
    """MySQL alone keeps the blanks behind a CHAR that only gets another character set."""
    is_narrow = new.base_type == "binary" and old.base_type == "char" and MAX_BYTES.get(old.charset or "", 1) == 1
    if is_narrow and old.length == new.length:
        return "MySQL fills a CHAR with blanks, MariaDB with zero bytes", f"CHAR_LENGTH({{c}}) < {old.length}"
    return None


def _in_tidb(old: Column, new: Column) -> Other | None:
    base, to_text = old.base_type, new.base_type in _TEXTS | BINARY_TYPES
    if to_text and "zerofill" in old.type.lower():
        return "TiDB writes a text without the zeros of ZEROFILL", _ANY
    if base == "float" and (to_text or new.base_type == "json"):
        whole = "" if new.base_type == "json" else " AND ({c} <> ROUND({c}) OR ABS({c}) >= 1000000)"
        return "TiDB writes more digits of a FLOAT", f"{{c}} IS NOT NULL{whole}"
    if base == "double" and to_text:
        return "TiDB writes exponents of a DOUBLE in another way", "ABS({c}) >= 1e14 OR ({c} <> 0 AND ABS({c}) < 1e-4)"
    if base == "time" and new.base_type in _DAYS:
        return "TiDB adds the time to the present day", _ANY
    if base == "year" and to_text:
        return "TiDB writes the year 0000 as 0", "{c} = 0"
    if base == "bit" and new.base_type.endswith(("text", "blob")):
        return "TiDB writes a BIT as a number", _ANY
    return None
