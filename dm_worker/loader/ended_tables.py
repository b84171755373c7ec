"""Where the binlog was when the last chunk of each table had been read: DDL behind it was not met by any chunk.

Tables are told a few at a time; one that is told late has a place that is further on, which errs to the safe side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

_SECONDS: Final = 2.0
Name = tuple[str, str]


class EndedTables:
    """Of one run; ``store`` keeps the names of tables with the upstream's present location."""

    def __init__(self, store: Callable[[Sequence[Name]], None]) -> None:
        self._store = store
        self._left: Counter[Name] = Counter()
        self._ended: list[Name] = []
        self._stored_at = 0.0

    def begin(self, chunks: Iterable[Name]) -> None:
        """These chunks, of the tables named, are to be read."""
        self._left, self._ended = Counter(chunks), []

    def done(self, name: Name, now: float) -> None:
        """A chunk of the table was read; ``now`` in seconds, of a clock that does not jump."""
        self._left[name] -= 1
        if self._left[name] <= 0:
            self._ended.append(name)
        if self._ended and now - self._stored_at >= _SECONDS:
            self.store(now)

    def store(self, now: float) -> None:
        """Store those that have ended since."""
        names, self._ended, self._stored_at = self._ended, [], now
        if names:
            self._store(names)
