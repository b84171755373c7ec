"""The index of a key in memory: any order of its values, any error of the estimates."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from dm_worker.dumper.chunks import Bound, Range

Order = Callable[[str], Any]  # what a literal is ordered by


class KeyIndex:
    """A ``KeyProbe`` over keys (tuples of literals); ``wrong`` times fewer are estimated than there are."""

    def __init__(
        self, keys: Sequence[Bound], orders: Sequence[Order], *, wrong: float = 1, symbol: Order = ord
    ) -> None:
        self._orders = orders
        self._keys = sorted(keys, key=self.place)
        self._places = [self.place(key) for key in self._keys]
        self._wrong = wrong
        self._symbol = symbol
        self.passed = self.questions = 0

    def place(self, key: Bound) -> tuple[Any, ...]:
        return tuple(order(value) for order, value in zip(self._orders, key, strict=False))

    def rows(self, chunk: Range) -> list[Bound]:
        start, stop = self._slice(chunk)
        return self._keys[start:stop]

    def extremes(self) -> tuple[Bound, Bound] | None:
        return (self._keys[0], self._keys[-1]) if self._keys else None

    def estimates(self, chunks: Sequence[Range]) -> list[int]:
        self.questions += 1
        return [int(self._count(chunk) / self._wrong) for chunk in chunks]

    def count(self, chunk: Range) -> int:
        self.passed += self._count(chunk)
        return self._count(chunk)

    def nth(self, chunk: Range, n: int) -> Bound | None:
        self.questions += 1
        start, stop = self._slice(chunk)
        self.passed += max(0, min(n, stop - start))
        return self._keys[start + n - 1] if start + n <= stop else None

    def last_below(self, chunk: Range, value: Bound) -> Bound | None:
        self.questions += 1
        start, stop = self._slice(chunk)
        place = self.place(value)
        stop = min(stop, bisect_left(self._places, place, key=lambda one: one[: len(place)]))
        return self._keys[stop - 1] if stop > start else None

    def ordered(self, column: int, symbols: Sequence[str]) -> list[str]:
        ascending = sorted(symbols, key=self._symbol)
        return ["".join(group) for _, group in groupby(ascending, key=self._symbol)]

    def _count(self, chunk: Range) -> int:
        start, stop = self._slice(chunk)
        return max(0, stop - start)

    def _slice(self, chunk: Range) -> tuple[int, int]:
        start = 0 if chunk.lower is None else bisect_right(self._places, self.place(chunk.lower))
        stop = len(self._keys) if chunk.upper is None else bisect_right(self._places, self.place(chunk.upper))
        return start, stop
