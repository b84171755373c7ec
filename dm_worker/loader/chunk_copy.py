"""What one Spark task does: copy one chunk in one downstream transaction.

1. Is the chunk still mine and not done?  (Another attempt of the same task may have been faster.)
2. Read the chunk's rows and write them as multi-row statements; for a keyless table also its pin.
3. ``UPDATE chunk SET done = 1 … WHERE epoch = mine AND done = 0``, and commit.

A crash before the commit leaves nothing; after it, step 1 of the next attempt sees that all is done.
Functions here run in executors: they take values that can be pickled and give values back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.rows import read_statements
from dm_worker.dumper.snapshot import pinned_snapshot
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.meta import fenced
from dm_worker.loader.writer import ChunkWriter, DuplicateAtCommit
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import LOCK_CONFLICT, LOST_CONNECTION, SERVER_BUSY
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, as_dm_error
from pkg.rows.text_protocol import StatementBuilder

_RETRY_DELAYS: Final = (0.2, 1.0, 3.0)  # seconds; a longer trouble is the subtask's to wait for


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """One chunk; ``table`` is an index into the job's tables."""

    chunk_id: int
    table: int
    range: Range


@dataclass(frozen=True, slots=True)
class ChunkDone:
    """What came of it; ``error`` is set when the chunk is not done."""

    chunk_id: int
    rows: int = 0
    bytes: int = 0
    seconds: float = 0.0
    error: DMError | None = None


class CopyStopped(Exception):
    """The unit was told to stop; nothing of the chunk was written."""


def _never() -> bool:
    return False


def copy_chunk(job: CopyJob, task: ChunkTask, *, stopped: Callable[[], bool] = _never) -> ChunkDone:
    """Copy one chunk; errors come back as values, so that they keep their kind across processes."""
    started = time.monotonic()
    ends = Ends.of(job)
    for delay in (*_RETRY_DELAYS, None):
        try:
            rows, size = _Copy(job, task, ends, stopped).run()
            return ChunkDone(task.chunk_id, rows, size, time.monotonic() - started)
        except CopyStopped:
            ends.drop()
            raise
        except Exception as exc:
            ends.drop()
            if delay is None or not _passes(exc):
                return ChunkDone(task.chunk_id, seconds=time.monotonic() - started, error=as_dm_error(exc))
            time.sleep(delay)
    raise AssertionError("the last attempt returns")


def _passes(exc: Exception) -> bool:
    return any(pair.matches(exc) for pair in (LOCK_CONFLICT, LOST_CONNECTION, SERVER_BUSY))


@dataclass(slots=True)
class _Copy:
    """One attempt."""

    job: CopyJob
    task: ChunkTask
    ends: Ends
    stopped: Callable[[], bool]
    table: TableCopy = field(init=False)

    def __post_init__(self) -> None:
        self.table = self.job.tables[self.task.table]

    def run(self) -> tuple[int, int]:
        downstream = self.ends.downstream()
        done = self._already_done(downstream)
        if done is not None:
            return done
        try:
            return self._read_and_write(downstream, "INSERT")
        except DuplicateAtCommit:
            # An optimistic transaction learns of duplicates when it commits: once more, replacing.
            return self._read_and_write(downstream, "REPLACE")

    def _already_done(self, downstream: Connection) -> tuple[int, int] | None:
        job = self.job
        with downstream.cursor() as cursor:
            cursor.execute(
                f"SELECT done, epoch, row_count, byte_count FROM {job.meta.chunk} "
                "WHERE source_id = %s AND chunk_id = %s",
                (job.source_id, self.task.chunk_id),
            )
            row: Any = cursor.fetchone()
        if row is None or (not row[0] and int(row[1]) != job.epoch):
            raise fenced(job.meta, job.source_id, job.epoch)
        return (int(row[2]), int(row[3])) if row[0] else None

    def _read_and_write(self, downstream: Connection, verb: str) -> tuple[int, int]:
        if not self.table.is_pinned:
            return self._transfer(self.ends.upstream(), downstream, verb, None)
        open_upstream = self.ends.open_upstream
        with pinned_snapshot(open_upstream, self.table.schema, self.table.name) as (reader, location):
            crashpoint("loader.snapshot_pinned")
            return self._transfer(reader, downstream, verb, location)

    def _transfer(self, reader: Connection, downstream: Connection, verb: str, pin: Location | None) -> tuple[int, int]:
        prefix = self.table.insert_prefix(verb).encode()
        builder = StatementBuilder(prefix, self.job.statement_rows, self.ends.statement_bytes())
        writer = ChunkWriter(downstream, self.job, self.table, verb)
        downstream.begin()
        for statement, _ in read_statements(reader, self.table.select(self.task.range), builder):
            if self.stopped():
                raise CopyStopped
            writer.write(statement)
            crashpoint("loader.statement_written")
        if pin is not None:
            writer.pin(pin)
        self._mark_done(downstream, builder.rows, builder.value_bytes)
        crashpoint("loader.before_commit")
        writer.commit()
        crashpoint("loader.after_commit")
        return builder.rows, builder.value_bytes

    def _mark_done(self, downstream: Connection, rows: int, size: int) -> None:
        job = self.job
        with downstream.cursor() as cursor:
            changed = cursor.execute(
                f"UPDATE {job.meta.chunk} SET done = 1, row_count = %s, byte_count = %s "
                "WHERE source_id = %s AND chunk_id = %s AND epoch = %s AND done = 0",
                (rows, size, job.source_id, self.task.chunk_id, job.epoch),
            )
        if changed != 1:
            raise fenced(job.meta, job.source_id, job.epoch)
