"""Whether two columns of two servers have different defaults, as far as all servers write them alike."""

from __future__ import annotations

import re
from decimal import Decimal

from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.lexer import string_value
from pkg.schema.table import Column

_COMPARED = INTEGER_TYPES | {"char", "varchar"}  # a server writes others, such as labels, in its own way
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d{1,40}", re.ASCII)


def is_another_default(ours: Column, theirs: Column) -> bool:
    """Of columns that are there on both ends.  Values count of integers and short texts only."""
    one, other = (None if (column.default or "NULL").upper() == "NULL" else column.default for column in (ours, theirs))
    if one is None or other is None:
        return one is not other
    is_compared = ours.base_type == theirs.base_type and ours.base_type in _COMPARED
    if not is_compared or not one[:1] == other[:1] == "'":
        return False
    pair = _text(one), _text(other)
    is_rounded = ours.base_type in INTEGER_TYPES and not all(isinstance(value, int) for value in pair)
    return not is_rounded and pair[0] != pair[1]


def _text(literal: str) -> str | Decimal | int:
    """A constant as its column holds it; servers write numbers of one value in several ways."""
    text = string_value(literal).rstrip(" ")
    if _INTEGER.fullmatch(text):
        return int(text)
    return Decimal(text) if _NUMBER.fullmatch(text) else text
