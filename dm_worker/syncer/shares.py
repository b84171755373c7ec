"""Where the time goes: what the thread that reads the stream waits for, and what is the bottleneck.

The reader says when it begins and ends to wait (two clock reads per wait, none per event); once a
second somebody looks.  What is not waiting is decoding and translating.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum

WINDOW_SECONDS = 10.0
_MOSTLY = 0.5


class Stage(StrEnum):
    """A part of the way of a change, and what can be its bottleneck."""

    UPSTREAM = "upstream"  # the stream: nothing more has come
    TRANSLATE = "translate"  # this process: decoding and translating
    DISPATCH = "dispatch"  # conflicts: channels wait for one another
    TARGET = "target"  # the target: the queues are full
    LIMIT = "limit"  # max-rows-per-second


class Stopwatch:
    """Seconds that one thread has waited, by what for; read by any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waited = dict.fromkeys(Stage, 0.0)
        self._waiting: tuple[Stage, float] | None = None
        self.started = clock()

    def begin(self, stage: Stage) -> None:
        self._waiting = (stage, self._clock())

    def end(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            stage, since = waiting
            self._waited[stage] += self._clock() - since

    def waited(self, now: float) -> dict[Stage, float]:
        """Up to ``now``, with a wait that is not over yet."""
        waiting, waited = self._waiting, dict(self._waited)
        if waiting is not None:
            stage, since = waiting
            waited[stage] += max(0.0, now - since)
        return waited


@dataclass(frozen=True, slots=True)
class Shares:
    """What the last seconds went into, in shares of 1; ``conflicts`` is of the time of all channels."""

    upstream: float = 0.0
    translate: float = 0.0
    target: float = 0.0
    limit: float = 0.0
    conflicts: float = 0.0

    @property
    def bottleneck(self) -> Stage | None:
        """The part that is slower than the others; None while nothing is measured."""
        parts = {
            Stage.UPSTREAM: self.upstream,
            Stage.TRANSLATE: self.translate,
            Stage.TARGET: self.target,
            Stage.LIMIT: self.limit,
        }
        most = max(parts, key=lambda stage: parts[stage])
        if not parts[most]:
            return None
        return Stage.DISPATCH if most is Stage.TARGET and self.conflicts >= _MOSTLY else most

    def as_dict(self) -> dict[str, float]:
        return {name: round(share, 3) for name, share in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    waited: dict[Stage, float]
    conflict_seconds: float


class ShareMeter:
    """Shares over the last seconds of one run; a new one begins with each stopwatch that it has not seen."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stopwatch: Stopwatch | None = None
        self._samples: deque[_Sample] = deque()
        self._channels = 1

    def sample(self, stopwatch: Stopwatch, channels: int, conflict_seconds: Callable[[float], float]) -> None:
        if stopwatch is not self._stopwatch:
            self._stopwatch, self._channels = stopwatch, channels
            self._samples = deque([_Sample(stopwatch.started, dict.fromkeys(Stage, 0.0), 0.0)])
        now = self._clock()
        self._samples.append(_Sample(now, stopwatch.waited(now), conflict_seconds(now)))
        while len(self._samples) > 2 and now - self._samples[0].at > WINDOW_SECONDS:
            self._samples.popleft()

    def shares(self) -> Shares:
        samples = self._samples
        if len(samples) < 2 or samples[-1].at <= samples[0].at:
            return Shares()
        first, last = samples[0], samples[-1]
        seconds = last.at - first.at

        def share(of: float) -> float:
            return min(1.0, max(0.0, of / seconds))

        waits = {stage: share(last.waited[stage] - first.waited[stage]) for stage in Stage}
        return Shares(
            upstream=waits[Stage.UPSTREAM],
            translate=max(0.0, 1.0 - sum(waits.values())),
            target=waits[Stage.TARGET],
            limit=waits[Stage.LIMIT],
            conflicts=share((last.conflict_seconds - first.conflict_seconds) / self._channels),
        )


def waits_for(stage: Stage | None, *, ddl: str, limit: int, relay_lacks: bool = False) -> str:
    """What holds replication up, in words; "" when it is its own work.

    ``relay_lacks``: it reads a relay log, which lacks what the upstream has.
    """
    if ddl:
        return f"a DDL, which runs alone: {ddl}"
    match stage:
        case Stage.UPSTREAM if relay_lacks:
            return "the relay log: all that it has is read; `query-status -s SOURCE` says why"
        case Stage.UPSTREAM:
            return "the upstream: all that has come is read"
        case Stage.TARGET:
            return "the target: the queues are full"
        case Stage.DISPATCH:
            return "other channels: changes that share a unique value go one after the other"
        case Stage.LIMIT:
            return f"max-rows-per-second: {limit}"
        case _:
            return ""
