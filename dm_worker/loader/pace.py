"""A lane's pace: it reports what it sends, and waits where it sends too fast or servers need rest.

A hold lasts as long as it is ordered, but at most half a minute before a chunk and some seconds within one
(a snapshot and a transaction are open there), so that a copy always goes on, if slowly.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from dm_worker.loader.governor import Allowance, Report

_B = TypeVar("_B", bytes, bytearray, memoryview)

REPORT_SECONDS: Final = 0.5
_SLICE_SECONDS: Final = 0.1
_LONGEST_HOLD: Final = 30.0
_LONGEST_INNER_HOLD: Final = 2.0  # after each block
_BURST_SECONDS: Final = 0.1


class Ask(Protocol):
    """How a lane speaks to the governor; None: no answer."""

    def __call__(self, report: Report) -> Allowance | None: ...


class Pace:
    """Of one lane; one thread at a time uses it."""

    def __init__(
        self,
        ask: Ask,
        first: Allowance,
        *,
        stopped: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._ask, self._allowance, self._stopped = ask, first, stopped
        self._clock, self._sleep = clock, sleep
        self._lane = int.from_bytes(os.urandom(7), "big")
        self._chunk, self._rows, self._bytes = -1, 0, 0
        self._asked_at = float("-inf")
        self._debt = 0.0  # bytes that were sent before their time
        self._counted_at = clock()

    @property
    def lane(self) -> int:
        return self._lane

    def begin(self, chunk: int) -> None:
        """A chunk begins, perhaps once more; waits while the lanes are held back."""
        self._chunk, self._rows, self._bytes = chunk, 0, 0
        self._report()
        self._hold(_LONGEST_HOLD)

    def sent(self, rows: int, size: int) -> None:
        """So much of the chunk has gone out by now, counted from its beginning."""
        new, self._rows, self._bytes = size - self._bytes, rows, size
        self._charge(new)
        if self._clock() - self._asked_at >= REPORT_SECONDS:
            self._report()
            self._hold(_LONGEST_INNER_HOLD)
        self._pay()

    def blocks(self, blocks: Iterable[_B], counts: Callable[[], tuple[int, int]]) -> Iterator[_B]:
        """``blocks`` as fast as they may go; ``counts`` tells rows and bytes so far."""
        for block in blocks:
            yield block
            self.sent(*counts())

    def busy(self, text: str) -> None:
        """A server refused work: nothing of the chunk is there, and everybody should send less."""
        self._rows = self._bytes = 0
        self._report(text)
        self._hold(_LONGEST_HOLD)

    def end(self) -> None:
        """The chunk is over."""
        self._chunk, self._rows, self._bytes = -1, 0, 0

    def _report(self, busy: str = "") -> None:
        self._asked_at = self._clock()
        answer = self._ask(Report(self._lane, self._chunk, self._rows, self._bytes, busy))
        if answer is not None:
            self._allowance = answer

    def _hold(self, longest: float) -> None:
        until = self._clock() + longest
        while self._allowance.holds and not self._stopped() and self._clock() < until:
            self._nap(REPORT_SECONDS)
            self._report()
        self._counted_at = max(self._counted_at, self._clock() - _BURST_SECONDS)

    def _charge(self, size: int) -> None:
        now, rate = self._clock(), self._allowance.bytes_per_second
        passed, self._counted_at = now - self._counted_at, now
        self._debt = max(self._debt - passed * rate, -rate * _BURST_SECONDS) + max(size, 0)

    def _pay(self) -> None:
        """Wait until what was sent is due; the limit may change meanwhile."""
        while not self._stopped():
            rate = self._allowance.bytes_per_second
            if rate <= 0:
                self._debt = 0.0
                return
            if self._debt <= 0:
                return
            self._nap(min(self._debt / rate, REPORT_SECONDS))
            self._charge(0)
            if self._clock() - self._asked_at >= REPORT_SECONDS:
                self._report()

    def _nap(self, seconds: float) -> None:
        until = self._clock() + seconds
        while not self._stopped() and (left := until - self._clock()) > 0:
            self._sleep(min(left, _SLICE_SECONDS))


def unpaced() -> Pace:
    """For a lane that nobody governs."""
    return Pace(lambda report: None, Allowance())
