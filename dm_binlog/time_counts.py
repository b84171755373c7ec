"""Counts over time in bounded memory: buckets grow as the range does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_MOST = 4096


class TimeCounts:
    """How much happened in each bucket of seconds."""

    def __init__(self) -> None:
        self._bucket = 1
        self._counts: Counter[int] = Counter()

    def add(self, second: int, amount: int) -> None:
        self._counts[second - second % self._bucket] += amount
        if len(self._counts) > _MOST:
            self._counts = self._grown(next(size for size in _sizes(self._bucket) if size > self._bucket))

    def chart(self, most: int) -> tuple[int, list[tuple[int, int]]]:
        """(seconds of a bucket, [(its start, amount)]) in at most `most` buckets without gaps."""
        if not self._counts:
            return 1, []
        first, last = min(self._counts), max(self._counts)
        sizes = _sizes(self._bucket)
        size = next(size for size in sizes if last // size - first // size < most)
        counts = self._counts if size == self._bucket else self._regrouped(size)
        return size, [(at, counts[at]) for at in range(first - first % size, last + 1, size)]

    def _grown(self, bucket: int) -> Counter[int]:
        self._bucket = bucket
        return self._regrouped(bucket)

    def _regrouped(self, bucket: int) -> Counter[int]:
        counts: Counter[int] = Counter()
        for at, amount in self._counts.items():
            counts[at - at % bucket] += amount
        return counts


def _sizes(bucket: int) -> Iterator[int]:
    """Sensible sizes from this one up; multiples, so that counts move as a whole."""
    yield from (step for step in _STEPS if step >= bucket and step % bucket == 0)
    size = max(bucket, _STEPS[-1])
    while True:
        size *= 2
        yield size
