"""What `query-status` says of replication: rates, lag, locations.  Read by any thread, never blocks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from dm_worker.syncer.applier import Counters
from dm_worker.syncer.run import Run
from pkg.binlog.position import Location
from pkg.errors import DMError

POLL_SECONDS = 1.0
RATE_WINDOW_SECONDS = 10.0


class UpstreamWatch(threading.Thread):
    """Asks the upstream where its binlog stands, once a second, on a connection of its own.

    An upstream that does not answer makes the figure old, never the status slow.
    """

    def __init__(self, fetch: Callable[[], Location], tick: Callable[[], None]) -> None:
        super().__init__(name="upstream-watch", daemon=True)
        self._fetch = fetch
        self._tick = tick
        self._over = threading.Event()
        self.location: Location | None = None
        self.fetched_at = 0.0

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self.location = self._fetch()
                self.fetched_at = time.time()
            except DMError:
                pass  # the stream's own connection reports what is wrong; here only the age grows
            self._tick()
            self._over.wait(POLL_SECONDS)

    def stop(self) -> None:
        self._over.set()
        self.join(timeout=5)


class Rates:
    """Rows and transactions per second over the last seconds."""

    def __init__(self, counters: Counters, clock: Callable[[], float] = time.monotonic) -> None:
        self._counters = counters
        self._clock = clock
        self._started = clock()
        self._samples: deque[tuple[float, int, int]] = deque([(self._started, 0, 0)])

    def sample(self) -> None:
        now = self._clock()
        self._samples.append((now, self._counters.rows, self._counters.transactions))
        while len(self._samples) > 2 and now - self._samples[0][0] > RATE_WINDOW_SECONDS:
            self._samples.popleft()

    def recent(self) -> tuple[float, float]:
        """(rows/s, transactions/s) over the window."""
        first, last = self._samples[0], self._samples[-1]
        seconds = last[0] - first[0]
        if seconds <= 0:
            return 0.0, 0.0
        return (last[1] - first[1]) / seconds, (last[2] - first[2]) / seconds

    def total(self) -> float:
        """Rows/s since the start."""
        return self._counters.rows / max(self._clock() - self._started, 1e-9)


def sync_status(
    run: Run | None,
    counters: Counters,
    rates: Rates,
    upstream: Location | None,
    *,
    binlog_type: str,
    epoch: int,
    safe_mode_reason: str,
    blocking_ddl: str,
    clock_offset_seconds: float,
) -> Mapping[str, Any]:
    """The `sync` part of a subtask's status, in DM's words and some of ours."""
    rows_per_second, transactions_per_second = rates.recent()
    status: dict[str, Any] = {
        "totalRows": counters.rows,
        "totalRps": round(rates.total()),
        "recentRps": round(rows_per_second),
        "recentTps": round(transactions_per_second),
        "totalTps": counters.transactions,
        "binlogType": binlog_type,
        "blockingDDLs": [blocking_ddl] if blocking_ddl else [],
        "unresolvedGroups": [],
        "synced": False,
        "secondsBehindMaster": 0,
        "epoch": epoch,
        "missingRows": counters.missing_rows,
        "retries": counters.retries,
        "safeMode": bool(safe_mode_reason),
        "safeModeReason": safe_mode_reason,
        "masterBinlog": "" if upstream is None else str(upstream.position),
        "masterBinlogGtid": _gtid_text(upstream),
    }
    if run is None:
        return status
    commits = run.replicator.commits
    read, safe, saved = commits.read, commits.safe, run.saved
    synced = upstream is not None and commits.all_applied and read.position >= upstream.position
    status |= {
        "syncerBinlog": str(safe.position),
        "syncerBinlogGtid": _gtid_text(safe),
        "readBinlog": str(read.position),
        "checkpointBinlog": str(saved.position),
        "checkpointBinlogGtid": _gtid_text(saved),
        "synced": synced,
        "secondsBehindMaster": 0 if synced else round(_lag(commits.safe_timestamp, clock_offset_seconds)),
        "lagSeconds": 0.0 if synced else _lag(commits.safe_timestamp, clock_offset_seconds),
        "channels": [{"channel": number, "queuedJobs": depth} for number, depth in enumerate(run.channels.depths())],
    }
    return status


def _lag(timestamp: int, clock_offset_seconds: float) -> float:
    """Seconds since the upstream committed what was applied last, by the upstream's clock."""
    return max(0.0, time.time() + clock_offset_seconds - timestamp) if timestamp else 0.0


def _gtid_text(location: Location | None) -> str:
    return "" if location is None or location.gtid_set is None else str(location.gtid_set)
