"""Where in the stream rows of a table are not to be in the target, although their own changes say so.  No I/O.

A row is told by its key.  It is absent behind the change ``since`` and up to the change ``until``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from pkg.binlog.position import Position
from pkg.rows.change import RowImage

At = tuple[Position, int]
"""Where a change is in the stream: the end of its event, and its number there."""
Span = tuple[RowImage, At, At]
"""A row's key, since, until."""
BEGINNING: At = (Position("", 0), -1)
"""Before all changes."""


class Absences:
    """Of the rows of one table."""

    def __init__(self, spans: Iterable[Span]) -> None:
        by_key: dict[RowImage, list[tuple[At, At]]] = {}
        for key, since, until in spans:
            by_key.setdefault(key, []).append((since, until))
        self._spans = {key: _united(found) for key, found in by_key.items()}

    def before(self, key: RowImage, at: At) -> bool:
        """Whether the row that a change at ``at`` finds is absent."""
        since, until = self._spans.get(key, _NONE)
        number = bisect_left(until, at)
        return number < len(until) and since[number] < at

    def behind(self, key: RowImage, at: At) -> bool:
        """Whether the row that a change at ``at`` leaves is absent."""
        since, until = self._spans.get(key, _NONE)
        number = bisect_right(until, at)
        return number < len(until) and since[number] <= at


_NONE: tuple[list[At], list[At]] = ([], [])


def _united(spans: list[tuple[At, At]]) -> tuple[list[At], list[At]]:
    """The same as spans that do not meet, in order: where each begins, and where each ends."""
    begins: list[At] = []
    ends: list[At] = []
    for since, until in sorted(spans):
        if ends and since <= ends[-1]:
            ends[-1] = max(ends[-1], until)
        else:
            begins.append(since)
            ends.append(until)
    return begins, ends
