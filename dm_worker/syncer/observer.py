"""What is looked at once a second while replication runs: rates, shares of time, lag; and a line in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from dm_worker.syncer.applier import Counters
from dm_worker.syncer.lag import LagMeter
from dm_worker.syncer.progress import Rates, sync_status
from dm_worker.syncer.run import Run
from dm_worker.syncer.shares import ShareMeter
from dm_worker.syncer.upstream_watch import Seen, UpstreamWatch, presumed_offset
from pkg.adapters.log import fields

LINE_SECONDS = 30.0
log = logging.getLogger(__name__)


class Observer:
    """Owned by the unit; `look` is called by the watching thread, `status` by any."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._rates = Rates(counters)
        self._meter = ShareMeter()
        self._lag = LagMeter(offset=presumed_offset(), began=time.monotonic())
        self._watch: UpstreamWatch | None = None
        self._asked = 0  # the last question
        self._line_at = time.monotonic()

    def start(self, watch: UpstreamWatch) -> None:
        self._watch = watch
        self._lag.began = time.monotonic()
        watch.look(self._asked)
        watch.start()

    def look(self, run: Run | None, facts: Mapping[str, Any]) -> None:
        """A second has passed; ``facts`` are those of `status`."""
        self._rates.sample()
        if run is not None:
            self._meter.sample(run.reader, run.channels.count, run.channels.conflict_seconds)
            self._see_lag(run)
        if time.monotonic() - self._line_at >= LINE_SECONDS:
            self._line_at = time.monotonic()
            log.info("binlog replication status", extra=fields(**line_of(self.status(run, **facts))))

    def _see_lag(self, run: Run) -> None:
        watch = self._watch
        if watch is None or watch.location is None:
            return
        self._lag.offset = watch.clock_offset
        if not watch.seen.problem and run.has_all_of(watch.location):
            self._lag.in_step_at = max(self._lag.in_step_at, watch.asked_at)

    def status(self, run: Run | None, **facts: Any) -> Mapping[str, Any]:
        """The `sync` part of a subtask's status."""
        seen = self._watch.seen if self._watch is not None else Seen(problem="replication has not begun yet")
        return sync_status(run, self._counters, self._rates, self._meter.shares(), self._lag, seen, **facts)

    def ask(self, number: int) -> None:
        """Somebody wants to know how it stands now: `looked` will say so.  For any thread."""
        self._asked = number
        if self._watch is not None:
            self._watch.look(number)


def line_of(status: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of DM's periodic line, and those that tell whether somebody has to look."""
    return {
        "total_rows": status["totalRows"],
        "total_rps": status["totalRps"],
        "rps": status["recentRps"],
        "tps": status["recentTps"],
        "lag_seconds": round(status["lagSeconds"], 1) if "lagSeconds" in status else "unknown",
        "synced": status["synced"],
        "unknown": status["unknown"],
        "master_position": status["masterBinlog"],
        "master_gtid": status["masterBinlogGtid"],
        "applied": status.get("syncerBinlog", ""),
        "checkpoint": status.get("checkpointBinlog", ""),
        "bottleneck": status.get("bottleneck", ""),
        "safe_mode": status["safeModeReason"],
    }
