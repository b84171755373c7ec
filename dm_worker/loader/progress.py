"""How far a full migration is: what its status shows, from the chunks that are done.

Totals are extrapolated from the share of chunks done, since a server's statistics may be anything.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pkg.binlog.position import Location

_WINDOW_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    chunks: int
    rows: int
    bytes: int


class Progress:
    """Counters of one migration; written by the unit's thread, read by any. The lock guards all fields."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[tuple[str, str], list[int]] = {}  # chunks in all, chunks done
        self._rows = 0
        self._bytes = 0
        self._chunks = 0
        self._chunks_done = 0
        self._estimated_rows = 0
        self._estimated_bytes = 0
        self._start: Location | None = None
        self._phase = "connecting"
        self._samples: deque[_Sample] = deque()

    def enter(self, phase: str) -> None:
        with self._lock:
            self._phase = phase

    def estimated(self, rows: int, size: int) -> None:
        """What the upstream's statistics say, until chunks tell better."""
        with self._lock:
            self._estimated_rows, self._estimated_bytes = rows, size

    def starts_at(self, location: Location) -> None:
        with self._lock:
            self._start = location

    def known(self, table: tuple[str, str], chunks: int, done: int, rows: int, size: int) -> None:
        """A table of the plan, and what an earlier run did of it."""
        with self._lock:
            self._tables[table] = [chunks, done]
            self._chunks += chunks
            self._chunks_done += done
            self._rows += rows
            self._bytes += size

    def done(self, table: tuple[str, str], rows: int, size: int, at: float) -> None:
        """One more chunk, at a monotonic time."""
        with self._lock:
            if not self._samples:
                self._samples.append(_Sample(at - 1.0, self._chunks_done, self._rows, self._bytes))
            self._tables[table][1] += 1
            self._chunks_done += 1
            self._rows += rows
            self._bytes += size
            self._samples.append(_Sample(at, self._chunks_done, self._rows, self._bytes))
            while len(self._samples) > 2 and self._samples[1].at < at - _WINDOW_SECONDS:
                self._samples.popleft()

    def begin(self, at: float) -> None:
        """Copying begins now: rates count from here."""
        with self._lock:
            self._samples.clear()
            self._samples.append(_Sample(at, self._chunks_done, self._rows, self._bytes))

    def status(self, now: float) -> Mapping[str, Any]:
        """DM's fields of the dump and load units, and ours (rate in rows, time left, phase)."""
        with self._lock:
            share = self._chunks_done / self._chunks if self._chunks else 0.0
            rows, size = (self._rows / share, self._bytes / share) if share else (0, 0)
            chunks_per_second, rows_per_second, bytes_per_second = self._rates(now)
            left = self._chunks - self._chunks_done
            return {
                "totalTables": len(self._tables),
                "completedTables": sum(chunks == done for chunks, done in self._tables.values()),
                "finishedBytes": self._bytes,
                "finishedRows": self._rows,
                "estimateTotalRows": int(rows) or self._estimated_rows,
                "totalBytes": int(size) or self._estimated_bytes,
                "bps": int(bytes_per_second),
                "progress": f"{100 * share:.2f} %",
                "metaBinlog": str(self._start.position) if self._start else "",
                "metaBinlogGTID": str(self._start.gtid_set or "") if self._start else "",
                "rowsPerSecond": int(rows_per_second),
                "etaSeconds": int(left / chunks_per_second) if chunks_per_second else None,
                "totalChunks": self._chunks,
                "completedChunks": self._chunks_done,
                "phase": self._phase,
            }

    def _rates(self, now: float) -> tuple[float, float, float]:
        if not self._samples:
            return (0.0, 0.0, 0.0)
        first, last = self._samples[0], self._samples[-1]
        seconds = max(now - first.at, 0.001)
        return (
            (last.chunks - first.chunks) / seconds,
            (last.rows - first.rows) / seconds,
            (last.bytes - first.bytes) / seconds,
        )
