"""How far a full migration is: what its status shows, from what its chunks have sent.

``progress`` is by bytes, and below 100 % until all is over; the time left is by the rate of the last
minute, and is left out while it cannot be said.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from dm_worker.loader.table_progress import NOTHING, Amount, Rate, TableProgress, correction_of, total_of
from pkg.binlog.position import Location

COPYING: Final = "copying"
FINISHED: Final = "finished"
CONNECTING: Final = "connecting"

_ETA_SECONDS: Final = 60.0  # a time left should not jump with every chunk
_SHOWN_TABLES: Final = 20
_ALMOST: Final = 0.9999

TableName = tuple[str, str]


class Progress:
    """Counters of one migration; written by the unit's threads, read by any. The lock guards all fields."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._tables: dict[TableName, TableProgress] = {}
        self._over: set[int] = set()  # chunks that are done: a late report of one counts for nothing
        self._done = NOTHING
        self._under_way = NOTHING
        self._estimated = NOTHING
        self._start: Location | None = None
        self._clock = clock
        self._phase, self._phase_since = CONNECTING, clock()
        self._phases: dict[str, float] = {}
        self._rate = Rate()
        self._slow_rate = Rate(_ETA_SECONDS)
        self._extra: Callable[[], Mapping[str, Any]] = dict

    def enter(self, phase: str) -> None:
        with self._lock:
            now = self._clock()
            self._phases[self._phase] = self._phases.get(self._phase, 0.0) + now - self._phase_since
            self._phase, self._phase_since = phase, now

    def wait_for_earlier(self, statement: str) -> None:
        """A statement that an earlier run has begun is waited for; "": no more."""
        self.enter(f"waiting for what an earlier run began: {statement[:200]}" if statement else CONNECTING)

    def account(self) -> tuple[dict[str, float], dict[TableName, TableProgress]]:
        """Seconds of each phase so far, and the tables."""
        with self._lock:
            spent = self._clock() - self._phase_since
            phases = self._phases | {self._phase: self._phases.get(self._phase, 0.0) + spent}
            return {name: seconds for name, seconds in phases.items() if name != FINISHED}, dict(self._tables)

    def also(self, extra: Callable[[], Mapping[str, Any]]) -> None:
        """More fields for the status: what holds it up."""
        self._extra = extra

    def estimated(self, rows: int, size: int) -> None:
        """What the upstream's statistics say, until chunks tell better."""
        with self._lock:
            self._estimated = Amount(rows, size)

    def starts_at(self, location: Location) -> None:
        with self._lock:
            self._start = location

    def known(self, table: TableName, chunks: int, done: int, rows: int, size: int) -> None:
        """A table of the plan, and what an earlier run did of it."""
        with self._lock:
            before, amount = self._tables.get(table), Amount(rows, size)
            self._tables[table] = TableProgress(chunks, done, amount)
            self._done += amount
            if before is not None:  # it is looked at again, or copied anew
                self._done -= before.done
                for lost in before.under_way.values():
                    self._under_way -= lost

    def expect(self, table: TableName, rows: int, size: int) -> None:
        """What the upstream's statistics say of a table of the plan."""
        with self._lock:
            if table in self._tables:
                self._tables[table].statistics = Amount(rows, size)

    def begin(self, at: float) -> None:
        """Copying begins now: rates count from here."""
        with self._lock:
            self._rate.begin(at, self._done)
            self._slow_rate.begin(at, self._done)

    def moving(self, table: TableName, chunk: int, rows: int, size: int, at: float) -> None:
        """What a chunk that is under way has sent so far; a repeated chunk begins again with nothing."""
        with self._lock:
            if table in self._tables and chunk not in self._over:
                self._put_under_way(self._tables[table], chunk, Amount(rows, size))
                self._sample(self._tables[table], at)

    def done(self, table: TableName, rows: int, size: int, at: float, chunk: int = -1) -> None:
        """One more chunk, at a monotonic time."""
        with self._lock:
            found, amount = self._tables[table], Amount(rows, size)
            self._put_under_way(found, chunk, None)
            self._over.add(chunk)
            found.done_chunks += 1
            found.done += amount
            self._done += amount
            self._sample(found, at)

    def _put_under_way(self, table: TableProgress, chunk: int, amount: Amount | None) -> None:
        before = table.under_way.pop(chunk, NOTHING)
        if amount is not None:
            table.under_way[chunk] = amount
        self._under_way += (amount or NOTHING) - before

    def _sample(self, table: TableProgress, at: float) -> None:
        moved = self._done + self._under_way
        self._rate.sample(at, moved)
        self._slow_rate.sample(at, moved)
        table.rate.sample(at, table.moved)

    def status(self, now: float) -> Mapping[str, Any]:
        """DM's fields of the dump and load units, and ours (rate in rows, time left, phase, tables)."""
        with self._lock:
            body = self._amounts(now) | self._counts()
            body["metaBinlog"] = str(self._start.position) if self._start else ""
            body["metaBinlogGTID"] = str(self._start.gtid_set or "") if self._start else ""
            body["phase"] = self._phase
            body["tables"] = self._table_lines(now)
        return body | dict(self._extra())

    def _amounts(self, now: float) -> dict[str, Any]:
        total, is_known = total_of(self._tables.values()) if self._tables else (self._estimated, True)
        moved, rate, slow = self._done + self._under_way, self._rate.per_second(now), self._slow_rate.per_second(now)
        share = moved.bytes / total.bytes if is_known and total.bytes else self._chunk_share()
        return {
            "finishedBytes": int(moved.bytes),
            "finishedRows": int(moved.rows),
            "estimateTotalRows": int(max(total.rows, moved.rows)),
            "totalBytes": int(max(total.bytes, moved.bytes)),
            "bps": int(rate.bytes),
            "rowsPerSecond": int(rate.rows),
            "progress": _percent(share, is_over=self._phase == FINISHED),
            "etaSeconds": _seconds_left(total - moved, slow) if is_known else None,
        }

    def _counts(self) -> dict[str, Any]:
        tables = self._tables.values()
        return {
            "totalTables": len(tables),
            "completedTables": sum(table.is_done for table in tables),
            "totalChunks": sum(table.chunks for table in tables),
            "completedChunks": sum(table.done_chunks for table in tables),
        }

    def _chunk_share(self) -> float:
        """Of tables without rows, or without statistics, the chunks are all there is to count."""
        chunks = sum(table.chunks for table in self._tables.values())
        return sum(table.done_chunks for table in self._tables.values()) / chunks if chunks else 0.0

    def _table_lines(self, now: float) -> list[dict[str, Any]]:
        """Tables that are not done: those under way first, then those of which most is left."""
        correction = correction_of(self._tables.values())
        open_tables = [
            (name, table, table.total(correction)) for name, table in self._tables.items() if not table.is_done
        ]
        open_tables.sort(key=lambda one: (not one[1].under_way, -(one[2] or NOTHING).bytes + one[1].moved.bytes))
        return [_table_line(name, table, total, now) for name, table, total in open_tables[:_SHOWN_TABLES]]


def _table_line(name: TableName, table: TableProgress, total: Amount | None, now: float) -> dict[str, Any]:
    moved, rate = table.moved, table.rate.per_second(now)
    share = moved.bytes / total.bytes if total and total.bytes else 0.0
    return {
        "schema": name[0],
        "table": name[1],
        "finishedRows": int(moved.rows),
        "estimateTotalRows": int(max(total.rows, moved.rows)) if total else 0,
        "finishedBytes": int(moved.bytes),
        "totalBytes": int(max(total.bytes, moved.bytes)) if total else 0,
        "progress": _percent(share, is_over=False) if total else "unknown",
        "bps": int(rate.bytes),
        "completedChunks": table.done_chunks,
        "totalChunks": table.chunks,
        "etaSeconds": _seconds_left(total - moved, rate) if total else None,
    }


def _percent(share: float, *, is_over: bool) -> str:
    return "100.00 %" if is_over else f"{100 * min(share, _ALMOST):.2f} %"


def _seconds_left(left: Amount, rate: Amount) -> int | None:
    """None while nothing moves: then no time is an honest one."""
    if rate.bytes > 0:
        return int(max(left.bytes, 0) / rate.bytes)
    return int(max(left.rows, 0) / rate.rows) if rate.rows > 0 else None
