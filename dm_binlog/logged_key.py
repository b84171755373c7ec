"""The primary key that a table map names with binlog_row_metadata = FULL.

`pkg.binlog.table_map` reads all that decoding needs; which columns name a row matters to people only.
"""

from __future__ import annotations

_SIMPLE_KEY, _KEY_WITH_PREFIXES = 8, 9


def logged_key(body: bytes) -> tuple[int, ...]:
    """Ordinals of its columns; () when the event does not say.  The body was parsed before, so it is sound."""
    at = body[0] + 2
    at += body[at] + 2
    columns, at = _number(body, at)
    metadata, at = _number(body, at + columns)
    at += metadata + (columns + 7) // 8
    while at < len(body):
        kind = body[at]
        size, at = _number(body, at + 1)
        if kind in (_SIMPLE_KEY, _KEY_WITH_PREFIXES):
            step = 1 if kind == _SIMPLE_KEY else 2  # a prefix's length follows each column
            return tuple(place for place in _numbers(body[at : at + size])[::step] if place < columns)
        at += size
    return ()


def _numbers(field: bytes) -> list[int]:
    found, at = [], 0
    while at < len(field):
        number, at = _number(field, at)
        found.append(number)
    return found


def _number(body: bytes, at: int) -> tuple[int, int]:
    """A length-encoded integer, and where it ends."""
    first = body[at]
    if first < 0xFB:
        return first, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(first, 0)
    return int.from_bytes(body[at + 1 : at + 1 + size], "little"), at + 1 + size
