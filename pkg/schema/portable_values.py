"""What an expression's value is, as far as servers treat it alike: its kind, and which kinds meet in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, TEXT_TYPES
from pkg.schema.expression_tree import Literal
from pkg.schema.table import Column


class Kind(Enum):
    """What a value is, as far as it matters here."""

    NULL = "NULL"
    INTEGER = "an integer"
    YEAR = "a YEAR"
    BIT = "bits"
    DECIMAL = "a DECIMAL"
    DOUBLE = "a DOUBLE"
    TEXT = "a text"
    LABEL = "an ENUM or SET"
    BYTES = "bytes"
    DATE = "a day"
    DATETIME = "a moment"
    TIME = "a time"
    JSON = "JSON"
    INTERVAL = "an interval"


@dataclass(frozen=True, slots=True)
class Value:
    """``digits`` of a second or behind the point; ``literal`` is the text of one."""

    kind: Kind
    digits: int = 0
    literal: str | None = None
    has_text: bool = True  # it becomes the same text everywhere
    is_column: bool = False  # a text, as it stands in a row
    is_of_document: bool = False  # a text that was taken out of JSON
    has_collation: bool = True  # a text that compares by the collation of a column, or is a literal
    has_column: bool = False  # there is a text of the row in it …
    collations: frozenset[str] = frozenset()  # … by whose collation it compares; or by that of several
    is_huge: bool = False  # an integer that may exceed 64 bits with a sign
    is_small: bool = False  # a DECIMAL column whose digits before the point fit into 64 bits
    is_roomy: bool = False  # a DECIMAL of a written size, digits before the point among it: TiDB has room for its text
    is_narrow: bool = False  # an integer column whose type, as INT(3), says fewer digits than it holds
    may_be_minus_zero: bool = False  # a DECIMAL that MariaDB may have as -0.0, which is not equal to 0 there
    is_numeral: bool = False  # a text that is made of integers, so that all collations compare it alike
    is_of_label: bool = False  # an integer made of a label's number, which MySQL and TiDB calculate as a double


class NotKnown(ValueError):
    """Why it is not known that the value is the same."""


NULL = Value(Kind.NULL)
INTEGER = Value(Kind.INTEGER)
FLAG = Value(Kind.INTEGER)
DOUBLE = Value(Kind.DOUBLE, has_text=False)
TEXT = Value(Kind.TEXT)
BYTES = Value(Kind.BYTES)
MADE_TEXT = Value(Kind.TEXT, has_collation=False)
DATE = Value(Kind.DATE)
EXACT = frozenset({Kind.INTEGER, Kind.DECIMAL})
NUMBERS = EXACT | {Kind.DOUBLE}
TEXTS = frozenset({Kind.TEXT, Kind.LABEL})
MOMENTS = frozenset({Kind.DATE, Kind.DATETIME})
_OF_DOCUMENT = "utf8mb4_bin"  # the collation of what is taken out of JSON
_DIGITS_WITH_SIGN = 18  # so many always fit into 64 bits with a sign
_WIDTHS = {"tinyint": 4, "smallint": 6, "mediumint": 9, "int": 11, "bigint": 20}  # with a sign
_NUMERAL = re.compile(r"-?\d{1,18}|[^\d.+-]*", re.ASCII)  # what is no number is 0
_SIGNS = re.compile(r"[\d:./-]*", re.ASCII)
_ALIKE = re.compile(r"\d+([-:./ ]\d+)*", re.ASCII)  # the same text, whatever the collation, or another one
_LITERALS_OF = {
    Kind.DATE: re.compile(r"\d{4}-\d\d-\d\d", re.ASCII),
    Kind.DATETIME: re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?)?", re.ASCII),
    Kind.TIME: re.compile(r"\d\d:\d\d:\d\d", re.ASCII),
    Kind.INTEGER: _NUMERAL,
    Kind.BYTES: re.compile(r"[\x20-\x7e]*"),
}
_WHOLE_MOMENTS = {
    Kind.DATE: _LITERALS_OF[Kind.DATE],
    Kind.DATETIME: re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII),
    Kind.TIME: _LITERALS_OF[Kind.TIME],
}


def of_literal(node: Literal) -> Value:
    if node.kind == "null":
        return NULL
    if node.kind == "truth":
        return FLAG
    if node.kind == "bytes":
        return Value(Kind.BYTES, literal=node.text)
    if node.kind == "string":
        return Value(Kind.TEXT, literal=node.text)
    if node.kind == "number":
        if "e" in node.text.lower():
            return replace(DOUBLE, literal=node.text)
        digits = len(node.text.partition(".")[2])
        if "." in node.text:
            return Value(Kind.DECIMAL, digits, node.text)
        return replace(INTEGER, literal=node.text, is_huge=len(node.text) > _DIGITS_WITH_SIGN)
    return Value({"DATE": Kind.DATE, "TIME": Kind.TIME}.get(node.kind, Kind.DATETIME), literal=node.text)


def of_column(column: Column) -> Value:
    base = column.base_type
    if base in INTEGER_TYPES:
        is_huge = base == "bigint" and column.unsigned
        has_text = "zerofill" not in column.type.lower()
        return Value(Kind.INTEGER, has_text=has_text, is_huge=is_huge, is_narrow=_is_narrow(column))
    if base == "decimal":
        sizes = re.match(r"\w+\((\d+)(?:,\s*(\d+))?", column.type, re.ASCII)
        size, digits = (int(sizes[1]), int(sizes[2] or 0)) if sizes else (10, 0)
        has_text = "zerofill" not in column.type.lower()
        is_small, is_roomy = size - digits <= _DIGITS_WITH_SIGN, size > digits
        return Value(Kind.DECIMAL, digits, has_text=has_text, is_small=is_small, is_roomy=is_roomy)
    if base in ("datetime", "timestamp"):
        return Value(Kind.DATETIME, column.fsp)
    if base == "time":
        return Value(Kind.TIME, column.fsp)
    if base in ("float", "double"):
        return DOUBLE
    if column.labels:
        return Value(Kind.LABEL, has_column=True, collations=_collation(column))
    if base in BINARY_TYPES or (base in TEXT_TYPES and column.charset == "binary"):
        return BYTES
    if base in TEXT_TYPES:
        return replace(TEXT, is_column=True, has_column=True, collations=_collation(column))
    kinds = {"year": Kind.YEAR, "bit": Kind.BIT, "date": Kind.DATE, "json": Kind.JSON}
    if base not in kinds:
        raise NotKnown(f"a column of type {column.type}")
    return Value(kinds[base])


def _is_narrow(column: Column) -> bool:
    width = re.match(r"\w+\((\d+)\)", column.type, re.ASCII)
    return width is not None and int(width[1]) < _WIDTHS[column.base_type] - column.unsigned


def _collation(column: Column) -> frozenset[str]:
    return frozenset({column.collation or ""})


def is_text(value: Value) -> bool:
    """Whether it is a text, or becomes the same one everywhere."""
    if value.kind in (Kind.JSON, Kind.BIT, Kind.DOUBLE, Kind.BYTES, Kind.INTERVAL):
        return False
    return value.has_text


def named(value: Value) -> str:
    return repr(value.literal) if value.literal is not None else value.kind.value


def is_condition(value: Value) -> bool:
    return value.kind in NUMBERS | {Kind.NULL}


def is_comparable(one: Value, other: Value) -> bool:
    """Whether servers compare the two in the same way."""
    kinds = {one.kind, other.kind}
    if Kind.NULL in kinds:
        return True
    if kinds <= NUMBERS or kinds <= TEXTS or kinds <= MOMENTS:
        return True
    if len(kinds) == 1:
        return one.kind in (Kind.TIME, Kind.YEAR, Kind.BYTES)
    for value, literal in ((one, other), (other, one)):
        if literal.literal is not None and literal.kind is Kind.TEXT:
            pattern = _LITERALS_OF.get(value.kind)
            if pattern is not None:
                return pattern.fullmatch(literal.literal) is not None
        if value.kind is Kind.LABEL and literal.kind is Kind.INTEGER:
            return literal.literal is not None
        if value.kind is Kind.BIT and literal.kind is Kind.INTEGER:
            return True
        if value.kind is Kind.YEAR and literal.kind is Kind.INTEGER:
            return literal.literal is not None and len(literal.literal) == 4
    return False


def mixes_signs(values: Sequence[Value]) -> bool:
    """Whether integers beyond 64 bits with a sign stand among such as may be negative: MySQL's IN and CASE mix them up.

    18446744073709551615 IN (-1) is true there.
    """
    may_be_negative = (one.kind is Kind.INTEGER and not one.is_huge and one.literal is None for one in values)
    return any(one.is_huge for one in values) and any(may_be_negative)


def compares_by_rows(values: Sequence[Value]) -> bool:
    """Whether texts among them compare by a collation of the table, or are alike in all.

    Else it is the session's at the time of the statement, or of the row, or of the server's start.
    """
    texts = [one for one in values if one.kind in TEXTS]
    if not all(one.has_collation for one in values):
        return False
    collations = frozenset[str]().union(*(one.collations for one in texts))
    if len(texts) < 2 or collations:
        return len(collations) < 2
    return all(_ALIKE.fullmatch(one.literal) if one.literal is not None else one.is_numeral for one in texts)


def is_numeral(value: Value) -> bool:
    """Whether its text has digits and signs alone, no letters and no blanks."""
    if value.kind is Kind.TEXT and value.literal is not None:
        return _SIGNS.fullmatch(value.literal) is not None
    return value.kind is Kind.INTEGER or value.is_numeral


def by_code_points(values: Iterable[Value]) -> bool:
    """Whether texts of the row among them compare by nothing else.

    One whose own collation was taken away (CONVERT … USING) does not, though a collation beside it is such.
    """
    return all(
        (one.collations or not one.has_column) and all(name.endswith("_bin") for name in one.collations)
        for one in values
    )


def made_of(found: Value, values: Sequence[Value], collation: str | None) -> Value:
    """A text with what is known of its parts; ``collation``: its own, "" where it has none of theirs, None: theirs."""
    if found.kind not in TEXTS:
        return found
    texts = [one for one in values if one.kind in TEXTS]
    if collation is not None:
        collations = frozenset({collation} if collation else ())
    else:
        of_document = {_OF_DOCUMENT} if found.is_of_document else ()
        collations = frozenset[str](of_document).union(*(one.collations for one in texts))
    return replace(found, has_column=any(one.has_column for one in texts), collations=collations)


def common(values: Sequence[Value]) -> Value | None:
    """What one of ``values`` is, whichever it may be; None where servers make different types of them."""
    known = _as_moments([one for one in values if one.kind is not Kind.NULL])
    if not known:
        return NULL
    kinds = {one.kind for one in known}
    digits = {one.digits for one in known}
    is_one_kind = len(kinds) == 1 and len(digits) == 1
    has_text = is_one_kind and all(one.has_text for one in known)
    if kinds <= NUMBERS and Kind.DECIMAL in kinds and any(one.is_narrow for one in known):
        return None
    if kinds <= NUMBERS:
        signs = {one.is_huge for one in known}  # TiDB makes a DECIMAL of integers with and without one
        is_integer = kinds == {Kind.INTEGER} and len(signs) == 1
        kind = Kind.INTEGER if is_integer else Kind.DECIMAL if kinds <= EXACT else Kind.DOUBLE
        is_roomy = all(one.is_roomy for one in known)
        return Value(kind, max(digits), has_text=has_text, is_huge=True in signs, is_roomy=is_roomy)
    if kinds <= MOMENTS:
        return Value(Kind.DATE if kinds == {Kind.DATE} else Kind.DATETIME, max(digits), has_text=has_text)
    if Kind.BYTES in kinds:
        return BYTES if all(one.kind is Kind.BYTES or one.literal == "" for one in known) else None
    if Kind.TEXT in kinds or kinds == {Kind.LABEL}:
        return TEXT if all(map(is_text, known)) else None
    return replace(known[0], literal=None, has_text=has_text) if is_one_kind else None


def _as_moments(values: Sequence[Value]) -> list[Value]:
    """``values``, of which texts that write a whole moment are such, where all others are of that kind."""
    kinds = {one.kind for one in values if one.literal is None or one.kind is not Kind.TEXT}
    pattern = _WHOLE_MOMENTS.get(next(iter(kinds))) if len(kinds) == 1 else None
    if pattern is None or not all(pattern.fullmatch(one.literal or "") for one in values if one.kind is Kind.TEXT):
        return list(values)
    kind = next(iter(kinds))
    return [replace(one, kind=kind, has_text=False) if one.kind is Kind.TEXT else one for one in values]
