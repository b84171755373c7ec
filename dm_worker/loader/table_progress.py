"""How far one table of a full migration is, and how large it will turn out to be.  No clock, no lock.

A server's statistics may be anything, so they count only until a chunk of the table is done; from then on
the table is as many such chunks as it has.  Statistics of tables that wait are corrected by what the
others came to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

RATE_SECONDS: Final = 15.0
_APART_SECONDS: Final = 0.2  # samples that are nearer to each other are one


@dataclass(frozen=True, slots=True)
class Amount:
    """Rows and bytes."""

    rows: float = 0
    bytes: float = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.rows + other.rows, self.bytes + other.bytes)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.rows - other.rows, self.bytes - other.bytes)

    def times(self, factor: float) -> Amount:
        return Amount(self.rows * factor, self.bytes * factor)

    def at_least(self, other: Amount) -> Amount:
        return Amount(max(self.rows, other.rows), max(self.bytes, other.bytes))


NOTHING: Final = Amount()


class Rate:
    """Rows and bytes per second over the last seconds; it sinks while nothing comes."""

    def __init__(self, seconds: float = RATE_SECONDS) -> None:
        self._seconds = seconds
        self._samples: deque[tuple[float, Amount]] = deque()

    def begin(self, at: float, amount: Amount) -> None:
        """Count from here."""
        self._samples.clear()
        self._samples.append((at, amount))

    def sample(self, at: float, amount: Amount) -> None:
        samples = self._samples
        if not samples:
            samples.append((at - 1.0, NOTHING))  # when it began is not known: not longer ago than that
        if len(samples) > 1 and at - samples[-2][0] < _APART_SECONDS:
            samples.pop()
        samples.append((at, amount))
        while len(samples) > 2 and samples[1][0] < at - self._seconds:
            samples.popleft()

    def per_second(self, now: float) -> Amount:
        if len(self._samples) < 2:
            return NOTHING
        (began, first), (_, last) = self._samples[0], self._samples[-1]
        found = (last - first).times(1 / max(now - began, 0.001))
        return found.at_least(NOTHING)  # a chunk that is repeated takes back what it had sent


@dataclass(slots=True)
class TableProgress:
    """One table: its chunks, what is done, what is under way."""

    chunks: int
    done_chunks: int
    done: Amount
    statistics: Amount = NOTHING
    under_way: dict[int, Amount] = field(default_factory=dict)
    rate: Rate = field(default_factory=Rate)

    @property
    def is_done(self) -> bool:
        return self.done_chunks >= self.chunks

    @property
    def moved(self) -> Amount:
        """What has been sent, also of chunks that are not done yet."""
        return sum(self.under_way.values(), self.done)

    def total(self, correction: float | None) -> Amount | None:
        """About what all of it is; ``correction`` is of statistics.  None: nothing tells."""
        if self.is_done:
            return self.done
        if self.done_chunks:
            return self.done.times(self.chunks / self.done_chunks).at_least(self.moved)
        if self.statistics == NOTHING or correction is None:
            return None
        return Amount(self.statistics.rows, self.statistics.bytes * correction).at_least(self.moved)


def correction_of(tables: Iterable[TableProgress]) -> float:
    """How many bytes are sent for a byte of the statistics, by the tables of which some is done."""
    sent = expected = 0.0
    for table in tables:
        if table.done_chunks and table.statistics.bytes:
            sent += table.done.bytes
            expected += table.statistics.bytes * table.done_chunks / table.chunks
    return sent / expected if sent and expected else 1.0


def total_of(tables: Iterable[TableProgress]) -> tuple[Amount, bool]:
    """About what all tables are, and whether that says anything about each of them.

    A table of which nothing is known counts like the others' chunks.
    """
    known = list(tables)
    correction = correction_of(known)
    total, chunks, unknown_chunks, is_whole = NOTHING, 0, 0, True
    for table in known:
        one = table.total(correction)
        if one is None:
            unknown_chunks += table.chunks
            continue
        total += one
        chunks += table.chunks
    if unknown_chunks and chunks:
        total += total.times(unknown_chunks / chunks)
    elif unknown_chunks:
        is_whole = False
    return total, is_whole
