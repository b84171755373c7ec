"""SQL literals of the decoder as text for people and as values for JSON."""

from __future__ import annotations

import re
from typing import Any

from pkg.binlog.column_plan import ColumnPlan, Kind

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"0": "\0"}
_INTEGERS = frozenset({Kind.INT, Kind.BIT, Kind.YEAR})
_FLOATS = frozenset({Kind.DOUBLE, Kind.FLOAT})


def shown(literal: bytes, limit: int | None) -> str:
    """For people; a long one is cut to `limit` characters and says how long it is."""
    text = literal.decode("utf-8", "backslashreplace")
    if limit is None or len(text) <= limit:
        return text
    if text.startswith("x'"):
        return f"{text[:limit]}…' ({(len(text) - 3) // 2:,} bytes)"
    return f"{text[:limit]}…' ({len(unquoted(text)):,} characters)"


def unquoted(text: str) -> str:
    """The characters that a text literal stands for."""
    inner = text[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), inner) if "\\" in inner else inner


def as_json(literal: bytes, plan: ColumnPlan) -> Any:
    """Numbers as numbers, decimals as text that loses nothing, bytes as {"hex": …}."""
    if literal == b"NULL":
        return None
    text = literal.decode("utf-8", "backslashreplace")
    if text.startswith("'"):
        return unquoted(text)
    if text.startswith("x'"):
        return {"hex": text[2:-1]}
    if plan.kind in _INTEGERS:
        return int(text)
    return float(text) if plan.kind in _FLOATS else text
