"""What `query-status` says of replication: rates, lag, locations.  Read by any thread, never blocks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dm_worker.syncer.applier import Counters
from dm_worker.syncer.lag import LagMeter
from dm_worker.syncer.run import Run
from dm_worker.syncer.shares import Shares, waits_for
from dm_worker.syncer.upstream_watch import Seen
from pkg.binlog.position import Location

RATE_WINDOW_SECONDS = 10.0
_MOST_NAMED = 10


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
    shares: Shares,
    lag: LagMeter,
    seen: Seen,
    *,
    binlog_type: str,
    epoch: int,
    safe_mode_reason: str,
    relay_damage: str = "",
    begins: Location | None = None,
    unlike: Sequence[str] = (),
) -> Mapping[str, Any]:
    """The `sync` part of a subtask's status, in DM's words and some of ours.

    ``begins``: the place from which replication starts, stored already; None until it is known.
    ``unlike``: of each table that is not upstream as replication takes it to be, what differs.
    """
    rows_per_second, transactions_per_second = rates.recent()
    upstream = seen.location
    status: dict[str, Any] = {
        "totalRows": counters.rows,
        "totalRps": round(rates.total()),
        "recentRps": round(rows_per_second),
        "recentTps": round(transactions_per_second),
        "totalTps": counters.transactions,
        "binlogType": binlog_type,
        "blockingDDLs": [],
        "unresolvedGroups": [],
        "synced": False,
        "unknown": seen.problem or "replication has not begun yet",
        "epoch": epoch,
        "missingRows": counters.missing_rows,
        "replacedRows": counters.replaced_rows,
        "ignoredChanges": counters.ignored_changes,
        "retries": counters.retries,
        "safeMode": bool(safe_mode_reason),
        "safeModeReason": safe_mode_reason,
        "relayDamage": relay_damage,
        "unlikeUpstream": list(unlike),
        "masterBinlog": position_text(upstream),
        "masterBinlogGtid": _gtid_text(upstream),
        "masterBinlogAge": round(seen.age_seconds, 3),
        "looked": seen.looked,
        "startBinlog": position_text(begins) or _gtid_text(begins),
    }
    if run is None:
        return status
    distance = _distance(run, lag, seen)
    relay_lacks = binlog_type == "local" and not (distance["synced"] or distance["unknown"])
    return status | _of_run(run) | distance | _time_of(run, shares, relay_lacks=relay_lacks)


def _distance(run: Run, lag: LagMeter, seen: Seen) -> dict[str, Any]:
    """How far behind; a lag only where it is known where the upstream stands."""
    if seen.problem or seen.location is None or run.is_over:
        return {"synced": False, "unknown": seen.problem or "replication begins anew"}
    commits = run.replicator.commits
    synced = run.has_all_of(seen.location)
    behind = lag.seconds(time.monotonic(), open_since=commits.open_since, applied=commits.safe_timestamp)
    return {
        "synced": synced,
        "unknown": "",
        "secondsBehindMaster": 0 if synced else round(behind),
        "lagSeconds": 0.0 if synced else round(behind, 3),
    }


def _of_run(run: Run) -> dict[str, Any]:
    """Locations, and what is under way."""
    commits = run.replicator.commits
    read, safe, saved = commits.read, commits.safe, run.saved
    return {
        "syncerBinlog": position_text(safe),
        "syncerBinlogGtid": _gtid_text(safe),
        "readBinlog": position_text(read),
        "checkpointBinlog": position_text(saved),
        "checkpointBinlogGtid": _gtid_text(saved),
        "foreignKeys": _tied_text(run.tied_tables),
        "channels": [{"channel": number, "queuedJobs": depth} for number, depth in enumerate(run.channels.depths())],
    }


def _time_of(run: Run, shares: Shares, *, relay_lacks: bool) -> dict[str, Any]:
    """What holds it up."""
    ddl, limit, slowest = run.ddl.pieces.running, run.max_rows_per_second, shares.bottleneck
    return {
        "blockingDDLs": [ddl] if ddl else [],
        "bottleneck": slowest or "",
        "waitsFor": waits_for(slowest, ddl=ddl, limit=limit, relay_lacks=relay_lacks),
        "workShares": shares.as_dict(),
        "maxRowsPerSecond": limit,
        "workerCount": run.channels.count,
        "batch": run.channels.batch,
    }


def _tied_text(tables: list[str]) -> str:
    if not tables:
        return ""
    named = ", ".join(tables[:_MOST_NAMED]) + (" …" if len(tables) > _MOST_NAMED else "")
    return f"checked: each table shares a channel with those that foreign keys tie it to: {named}"


def position_text(location: Location | None) -> str:
    """ "" also where only GTIDs say where it is, as behind a switch of the upstream until the first transaction."""
    return str(location.position) if location is not None and location.position.name else ""


def _gtid_text(location: Location | None) -> str:
    return "" if location is None or location.gtid_set is None else str(location.gtid_set)
