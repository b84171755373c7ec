"""How fast the lanes of one full migration may go: the byte limit shared among them, and when they hold back.

Lanes say what they have sent (``Report``) about twice a second and are told what they may (``Allowance``).
They hold back while a server refuses work, and while it runs more threads than the task allows.  A hold is
never for good: what ends it is in ``pace.py``.  No clock here: times are given.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pkg.adapters.mysql.errors import Side
from pkg.task.live import LiveSettings

_ACTIVE_SECONDS: Final = 5.0  # a lane that is silent for longer has nothing to send
_CALM: Final = 0.9  # of the limit: threads have to sink a little below it, or lanes flutter
_FIRST_BUSY_SECONDS: Final = 1.0
_LONGEST_BUSY_SECONDS: Final = 30.0
_FORGET_BUSY_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Report:
    """A lane's word: what its chunk has sent so far, and what a server said that refused work."""

    lane: int
    chunk: int = -1  # -1: none
    rows: int = 0
    bytes: int = 0
    busy: str = ""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one lane may do until it asks again; 0 bytes per second: as much as it can."""

    bytes_per_second: float = 0.0
    holds: bool = False


@dataclass(frozen=True, slots=True)
class _Busy:
    """The last refusal of a server."""

    text: str
    at: float
    seconds: float

    @property
    def until(self) -> float:
        return self.at + self.seconds


class Governor:
    """Shared by all lanes of a migration; any thread may call it. The lock guards all fields."""

    def __init__(self, limits: LiveSettings, lanes: int) -> None:
        self._lock = threading.Lock()
        self._limits = limits
        self._most_lanes = max(lanes, 1)
        self._heard: dict[int, float] = {}
        self._threads: dict[Side, int] = {}
        self._crowded: set[Side] = set()
        self._busy: _Busy | None = None

    def steer(self, limits: LiveSettings) -> None:
        with self._lock:
            self._limits = limits
            self._judge_threads()

    @property
    def looks_at_threads(self) -> bool:
        return self._limits.max_threads_running > 0

    def first_allowance(self) -> Allowance:
        """For a lane that cannot ask: as if all lanes were at work."""
        return Allowance(self._limits.max_bytes_per_second / self._most_lanes)

    def heard(self, report: Report, now: float) -> Allowance:
        """Take a lane's report; what it may do."""
        with self._lock:
            self._heard[report.lane] = now
            if report.busy:
                self._refused(report.busy, now)
            self._forget_silent(now)
            share = self._limits.max_bytes_per_second / len(self._heard)
            return Allowance(share, bool(self._reason(now)))

    def _forget_silent(self, now: float) -> None:
        for lane in [lane for lane, at in self._heard.items() if now - at > _ACTIVE_SECONDS]:
            del self._heard[lane]

    def left(self, lane: int) -> None:
        """The lane has ended: the others have its share."""
        with self._lock:
            self._heard.pop(lane, None)

    def seen(self, side: Side, threads: int) -> None:
        """How many threads run on a server just now."""
        with self._lock:
            self._threads[side] = threads
            self._judge_threads()

    def _judge_threads(self) -> None:
        limit = self._limits.max_threads_running
        for side, threads in self._threads.items():
            line = limit * _CALM if side in self._crowded else limit
            if limit and threads > line:
                self._crowded.add(side)
            else:
                self._crowded.discard(side)

    def _refused(self, text: str, now: float) -> None:
        """Each refusal after a hold has passed doubles the next one; lanes that are told at once count once."""
        last = self._busy
        if last is None or now - last.until > _FORGET_BUSY_SECONDS:
            self._busy = _Busy(text, now, _FIRST_BUSY_SECONDS)
        elif now >= last.until:
            self._busy = _Busy(text, now, min(last.seconds * 2, _LONGEST_BUSY_SECONDS))
        else:
            self._busy = replace(last, text=text)

    def _reason(self, now: float) -> str:
        if self._busy is not None and now < self._busy.until:
            return f"a server refuses work: {self._busy.text}; more is sent in {self._busy.until - now:.0f} s"
        for side in sorted(self._crowded):
            return (
                f"{self._threads[side]} threads run on the {side}, more than max-threads-running "
                f"{self._limits.max_threads_running}"
            )
        return ""

    def status(self, now: float) -> Mapping[str, Any]:
        """Fields of the unit's status: the limit, and what holds it up."""
        with self._lock:
            self._forget_silent(now)
            limit, reason = self._limits.max_bytes_per_second, self._reason(now)
            return {
                "activeLanes": len(self._heard),
                "maxBytesPerSecond": limit,
                "waitsFor": reason,
                "upstreamThreadsRunning": self._threads.get("upstream", 0),
                "targetThreadsRunning": self._threads.get("downstream", 0),
            }
