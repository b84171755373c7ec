"""Columns that a table of the target has with another type than the upstream's, as somebody has made them.

Such a column holds the upstream's values (docs/exactness.md), and what a server calculates of them may be another one
all the same: 1.50 as a text is '1.5000' where the column has four digits, and label 'a' as a number is its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES, LABEL_TYPES
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token
from pkg.schema.table import Column

_FLOATS = frozenset({"float", "double"})
_TIMES = frozenset({"date", "datetime", "timestamp", "time"})
_OF_CLAUSE = frozenset({"GENERATED", "ALWAYS", "AS", "VIRTUAL", "STORED", "PERSISTENT"})
# What makes numbers of numbers, and of days, whatever digits they are kept with.
_OF_NUMBERS = frozenset({
    "+", "-", "*", "(", ")", ",", "=", "<", ">", "<=", ">=", "<>", "AND", "OR", "NOT", "IS", "NULL", "IF", "IFNULL",
    "COALESCE", "ABS", "CASE", "WHEN", "THEN", "ELSE", "END",
})  # fmt: skip
_OF_DAYS = frozenset({
    "(", ")", ",", "YEAR", "MONTH", "DAY", "DAYOFMONTH", "QUARTER", "DAYOFYEAR", "DAYOFWEEK", "WEEKDAY", "TO_DAYS",
    "LAST_DAY", "DATE",
})  # fmt: skip
_ZEROS = re.compile(r"\((\d+).*\bzerofill\b", re.ASCII)
_SCALE = re.compile(r"decimal\(\d+,(\d+)\)", re.ASCII)


def calculates_alike(above: Column, below: Column) -> bool:
    """Whether any expression over the upstream's column ``above`` has the same value over the target's ``below``."""
    signs = above.base_type not in INTEGER_TYPES or above.unsigned == below.unsigned
    return _is_alike(above, below) and signs


def reads_alike(above: Column, below: Column, tokens: Sequence[Token], result: Column, names: Collection[str]) -> bool:
    """Whether this one has, for the column ``result``: what does not ask for the form of ``above``.

    ``names``: of the columns that it reads, in small letters.
    """
    if calculates_alike(above, below):
        return True
    used = {
        one.key
        for one, behind in pairwise(tokens)
        if one.kind not in (Kind.STRING, Kind.NUMBER) and (behind.key == "(" or small(one.value) not in names)
    } - _OF_CLAUSE
    kinds = _kind(above), _kind(below)
    if kinds == ("number", "number"):
        subtracts = "-" in used and above.unsigned != below.unsigned  # which ends in an error, or does not
        return _kind(result) == "number" and used <= _OF_NUMBERS and not subtracts
    if kinds == ("time", "time") and "time" not in (above.base_type, below.base_type):
        return (_kind(result) == "number" or result.base_type == "date") and used <= _OF_DAYS
    return kinds == ("labels", "labels") and _compares_labels(above.name, tokens)


def _compares_labels(name: str, tokens: Sequence[Token]) -> bool:
    """Whether a column is only looked for among texts."""
    for at, one in enumerate(tokens):
        if not (one.is_name and small(one.value) == small(name)):
            continue
        sign = tokens[at + 1].key
        if sign == "IN":
            end = next((place for place in range(at, len(tokens)) if tokens[place].key == ")"), at)
            listed = [other for other in tokens[at + 3 : end] if other.key != ","]
        else:
            listed = list(tokens[at + 2 : at + 3]) if sign in ("=", "<>") else []
        if not listed or any(other.kind is not Kind.STRING for other in listed):
            return False
    return True


def converts_alike(above: Column, below: Column, new: Column) -> bool:
    """Whether values of both columns become the same ones where these get the type of ``new``."""
    kinds = _kind(above), _kind(below)
    if _is_alike(above, below) or kinds[1] == _kind(new) == "text":
        return True
    if _kind(new) == "text":
        return kinds == ("labels", "labels")
    return kinds[0] == kinds[1] == _kind(new)


def _kind(column: Column) -> str:
    base = column.base_type
    if base in INTEGER_TYPES or base in _FLOATS or base == "decimal":
        return "number"
    if base in _TIMES:
        return "time"
    if base in LABEL_TYPES:
        return "labels"
    return "text" if base in CHARACTER_TYPES or base in BINARY_TYPES else base


def _is_alike(above: Column, below: Column) -> bool:
    """Whether each value is the same text, and the same number."""
    one, other = above.base_type, below.base_type
    if _ZEROS.findall(above.type) != _ZEROS.findall(below.type):
        return False
    if one in INTEGER_TYPES:
        return other in INTEGER_TYPES
    if one == "decimal":
        return other == "decimal" and _SCALE.findall(above.type) == _SCALE.findall(below.type)
    if one in _FLOATS or one in ("bit", "year"):
        return one == other
    if one in _TIMES:
        return one == other and above.fsp == below.fsp
    if one in LABEL_TYPES:
        return one == other and (above.doubtful or _has_same_places(above.labels, below.labels))
    # What the target has no type for is a text there; numbers and times are not.
    return _kind(above) != "text" or _kind(below) not in ("number", "time", "labels")


def _has_same_places(above: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Whether a label is the same number in both; one that the target lacks is refused as a value."""
    return all(label not in below or below.index(label) == place for place, label in enumerate(above))
