"""Disjoint intervals of numbers as an immutable value that many versions share.

The intervals are kept in leaves of at most ``_LEAF`` each, so that adding one number to a set of tens
of thousands copies one leaf and the list of leaves; the newest interval stands apart, because a
stream adds the next number again and again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Interval = tuple[int, int]  # closed: first and last
_Leaf = tuple[Interval, ...]
_LEAF = 128
_BEYOND = 1 << 65


@dataclass(frozen=True, slots=True)
class Intervals:
    """Sorted, disjoint and never adjacent.  Made by ``of``; never empty."""

    leaves: tuple[_Leaf, ...]  # all intervals but the last; invariant: no leaf is empty
    last: Interval

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Intervals:
        """From at least one interval, in any order, overlapping or not."""
        merged: list[Interval] = []
        for first, last in sorted(intervals):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        *closed, newest = merged
        return cls(tuple(tuple(closed[at : at + _LEAF]) for at in range(0, len(closed), _LEAF)), newest)

    def __iter__(self) -> Iterator[Interval]:
        for leaf in self.leaves:
            yield from leaf
        yield self.last

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Intervals) and self.last == other.last and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __len__(self) -> int:
        return sum(len(leaf) for leaf in self.leaves) + 1

    def add(self, number: int) -> Intervals:
        """With one number more; the same object when it was there."""
        first, last = self.last
        if number == last + 1:
            return Intervals(self.leaves, (first, number))
        if first <= number <= last:
            return self
        if number > last:
            return Intervals(self._with_closed(self.last), (number, number))
        return self._add_before(number)

    def _with_closed(self, interval: Interval) -> tuple[_Leaf, ...]:
        if self.leaves and len(self.leaves[-1]) < _LEAF:
            return (*self.leaves[:-1], (*self.leaves[-1], interval))
        return (*self.leaves, (interval,))

    def _add_before(self, number: int) -> Intervals:
        """Into the closed ones, or down to the start of the last."""
        at = max(0, bisect_right(self.leaves, (number, _BEYOND), key=lambda leaf: leaf[0]) - 1)
        leaf = self.leaves[at] if self.leaves else ()
        place = bisect_right(leaf, (number, _BEYOND))
        before = leaf[place - 1] if place else None
        if before is not None and number <= before[1]:
            return self
        left = before is not None and before[1] + 1 == number
        start = before[0] if left and before is not None else number
        kept = leaf[: place - left]
        after = self._after(at, place)
        if after[0] != number + 1:
            return self._replaced(at, (*kept, (start, number), *leaf[place:]), self.last)
        if after is self.last:
            return self._replaced(at, kept, (start, after[1]))
        if place < len(leaf):
            return self._replaced(at, (*kept, (start, after[1]), *leaf[place + 1 :]), self.last)
        # What it touches on the right is the head of the next leaf, which takes it in.
        following = ((start, after[1]), *self.leaves[at + 1][1:])
        shorter = Intervals((*self.leaves[: at + 1], following, *self.leaves[at + 2 :]), self.last)
        return shorter._replaced(at, kept, self.last)

    def _after(self, at: int, place: int) -> Interval:
        if self.leaves and place < len(self.leaves[at]):
            return self.leaves[at][place]
        return self.leaves[at + 1][0] if at + 1 < len(self.leaves) else self.last

    def _replaced(self, at: int, leaf: _Leaf, last: Interval) -> Intervals:
        """With another leaf in the place of one: none when it is empty, two when it is too long."""
        halves: tuple[_Leaf, ...] = (leaf,) if leaf else ()
        if len(leaf) > _LEAF:
            halves = (leaf[: _LEAF // 2], leaf[_LEAF // 2 :])
        return Intervals((*self.leaves[:at], *halves, *self.leaves[at + 1 :]), last)

    def has(self, interval: Interval) -> bool:
        """Whether all of ``interval`` is in."""
        if self.last[0] <= interval[0]:
            return interval[1] <= self.last[1]
        at = bisect_right(self.leaves, (interval[0], _BEYOND), key=lambda leaf: leaf[0]) - 1
        if at < 0:
            return False
        leaf = self.leaves[at]
        first, last = leaf[bisect_right(leaf, (interval[0], _BEYOND)) - 1]
        return first <= interval[0] and interval[1] <= last

    def minus(self, holes: Intervals) -> list[Interval]:
        """What is left without ``holes``, in order, in time that is linear in both."""
        rest: list[Interval] = []
        cuts = iter(holes)
        cut: Interval | None = next(cuts)
        for first, last in self:
            while cut is not None and cut[1] < first:
                cut = next(cuts, None)
            while cut is not None and cut[0] <= last:
                if first < cut[0]:
                    rest.append((first, cut[0] - 1))
                first = cut[1] + 1
                if first > last:
                    break
                cut = next(cuts, None)
            if first <= last:
                rest.append((first, last))
        return rest
