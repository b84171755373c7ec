"""What one Spark task does: copy one chunk in one downstream transaction.

1. Is the chunk still mine and not done?  (Another attempt of the same task may have been faster.)
   Where it is much larger than planned, its end becomes a chunk of its own (split.py).
2. Read the chunk's rows and write them by LOAD DATA, or as multi-row statements (ways.py); for a keyless table
   also its pin.  Where the task asks for it, compare both sides' checksums (comparer.py).
3. ``UPDATE chunk SET done = 1 … WHERE epoch = mine AND done = 0`` (2: it was compared, too), and commit.

A crash before the commit leaves nothing; after it, step 1 of the next attempt sees that all is done.
Functions here run in executors: they take values that can be pickled and give values back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from dm_worker.dumper.chunks import Ascent, Range, bound_from_text
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.held_structure import other_structure
from dm_worker.dumper.plan import not_ascending
from dm_worker.dumper.rows import read_statements
from dm_worker.dumper.snapshot import pinned_snapshot
from dm_worker.loader.altered import TABLE_ALTERED
from dm_worker.loader.compared_tables import Compared
from dm_worker.loader.comparer import Comparer
from dm_worker.loader.document_texts import refuse_unlike_texts
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.meta import COMPARED, COPIED
from dm_worker.loader.other_values import refuse_other_values
from dm_worker.loader.pace import Pace, unpaced
from dm_worker.loader.split import cut_of, split
from dm_worker.loader.ways import Met, Otherwise, Way, first_way, next_way
from dm_worker.loader.writer import ChunkWriter, final_error
from pkg.adapters.meta_tables import fenced
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import LOCK_CONFLICT, LOST_CONNECTION, SERVER_BUSY, naming
from pkg.adapters.structures import structure_of
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, as_dm_error
from pkg.rows.load_lines import LineBuilder
from pkg.rows.text_protocol import StatementBuilder

log = logging.getLogger(__name__)

_RETRY_DELAYS: Final = (0.2, 1.0, 3.0)  # seconds; a longer trouble is the subtask's to wait for
_ROWS_PER_LOAD: Final = 50_000  # a server counts no more than 65,535 warnings
_BLOCK_BYTES: Final = 1 << 18
_BUSY_DELAYS: Final = (*_RETRY_DELAYS, *[3.0] * 5)  # beside the pause that all lanes make


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
    comparing: float = 0.0  # seconds of them
    is_compared: bool = False
    note: str = ""  # why it is not, though the table is


class CopyStopped(Exception):
    """The unit was told to stop; nothing of the chunk was written."""


def _never() -> bool:
    return False


def copy_chunk(
    job: CopyJob, task: ChunkTask, *, stopped: Callable[[], bool] = _never, pace: Pace | None = None
) -> ChunkDone:
    """Copy one chunk; errors come back as values, so that they keep their kind across processes.

    What is cut off from a chunk that is too large (split.py) follows here, and counts with it.
    """
    pace = pace or unpaced()
    ascent = Ascent()
    done, rest = _copy_part(job, task, stopped, pace)
    while rest is not None and done.error is None:
        table = job.tables[rest.table]
        if table.key is not None and rest.range.lower is not None and not ascent.add(rest.range.lower):
            return replace(done, error=not_ascending(table.upstream_name, table.key, rest.range.lower))
        part, rest = _copy_part(job, rest, stopped, pace)
        done = _joined(done, part)
    return done


def _joined(done: ChunkDone, part: ChunkDone) -> ChunkDone:
    return replace(
        done, rows=done.rows + part.rows, bytes=done.bytes + part.bytes, seconds=done.seconds + part.seconds,
        error=part.error, comparing=done.comparing + part.comparing, is_compared=done.is_compared and part.is_compared,
        note=done.note or part.note,
    )  # fmt: skip


def _copy_part(
    job: CopyJob, task: ChunkTask, stopped: Callable[[], bool], pace: Pace
) -> tuple[ChunkDone, ChunkTask | None]:
    """Copy one chunk, and what was cut off from it."""
    started = time.monotonic()
    ends = Ends.of(job)
    rest: ChunkTask | None = None
    for attempt in count():
        pace.begin(task.chunk_id)
        copy = _Copy(job, task, ends, stopped, pace)
        try:
            rows, size = copy.run()
            pace.end()
            seconds = time.monotonic() - started
            done = ChunkDone(
                task.chunk_id, rows, size, seconds,
                comparing=copy.comparing, is_compared=copy.is_compared, note=copy.note,
            )  # fmt: skip
            return done, copy.rest or rest
        except CopyStopped:
            ends.drop()
            raise
        except Exception as exc:
            ends.drop()
            rest = copy.rest or rest
            waits = delays(exc)
            if attempt >= len(waits):
                return ChunkDone(task.chunk_id, seconds=time.monotonic() - started, error=as_dm_error(exc)), rest
            if SERVER_BUSY.matches(exc):
                pace.busy(str(as_dm_error(exc).fields.get("text", "")))
            time.sleep(waits[attempt])
    raise AssertionError("the last attempt returns")


def delays(exc: Exception) -> tuple[float, ...]:
    """Seconds before each further attempt; none where another one would end like this."""
    if SERVER_BUSY.matches(exc):
        return _BUSY_DELAYS
    return _RETRY_DELAYS if LOCK_CONFLICT.matches(exc) or LOST_CONNECTION.matches(exc) else ()


@dataclass(slots=True)
class _Copy:
    """One attempt."""

    job: CopyJob
    task: ChunkTask
    ends: Ends
    stopped: Callable[[], bool]
    pace: Pace
    table: TableCopy = field(init=False)
    range: Range = field(init=False)
    rest: ChunkTask | None = None
    compared: Compared | None = field(init=False)
    comparing: float = 0.0
    is_compared: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        self.table = self.job.tables[self.task.table]
        self.range = self.task.range
        compared = self.job.compared[self.task.table] if self.job.compared else None
        self.compared = compared if compared is not None and compared.takes(self.task.range) else None

    def run(self) -> tuple[int, int]:
        downstream = self.ends.downstream()
        done = self._already_done(downstream)
        if done is not None:
            return done
        if self.job.chunk_rows:
            self._cut(downstream)
        return self._by_some_way()

    def _cut(self, downstream: Connection) -> None:
        try:
            at = cut_of(self.ends.upstream(), self.table, self.range, self.job.chunk_rows)
        except DMError as exc:
            raise self._naming(exc) from exc
        if at is None:
            return
        number = split(downstream, self.job, self.task.chunk_id, self.range, at)
        crashpoint("split.done")
        if number is None:
            self._already_done(downstream)  # what is left of it
            return
        name = self.table.upstream_name
        log.info("chunk %d of %s is larger than planned: chunk %d has the rest", self.task.chunk_id, name, number)
        self.rest = ChunkTask(number, self.task.table, Range(at, self.range.upper))
        self.range = Range(self.range.lower, at)

    def _by_some_way(self) -> tuple[int, int]:
        way = first_way(self.job.on_duplicate, streams=self.ends.streams and bool(self.table.columns))
        while True:
            try:
                return self._read_and_write(way)
            except Otherwise as other:
                otherwise = next_way(way, other.met, self.job.on_duplicate)
                failed = final_error(self.table, other)
            except DMError as exc:
                if exc.resumable:
                    raise
                otherwise, failed = None, self._naming(exc)
            self.ends.drop()
            # Whoever was replaced meets rows of its successor: it must not speak of them.
            done = self._already_done(self.ends.downstream())
            if done is not None:
                return done
            if otherwise is None:
                raise failed
            log.info("chunk %d of %s goes by %s: %s", self.task.chunk_id, self.table.upstream_name, otherwise, failed)
            way = otherwise

    def _naming(self, exc: DMError) -> DMError:
        """An error of the upstream's with the table that was read."""
        if exc.fields.get("side") != "upstream":
            return exc
        return naming(exc, f"reading {self.table}")

    def _already_done(self, downstream: Connection) -> tuple[int, int] | None:
        job = self.job
        with downstream.cursor() as cursor:
            cursor.execute(
                f"SELECT done, epoch, row_count, byte_count, lower_bound, upper_bound FROM {job.meta.chunk} "
                "WHERE source_id = %s AND chunk_id = %s",
                (job.source_id, self.task.chunk_id),
            )
            row: Any = cursor.fetchone()
            if row is None or (not row[0] and int(row[1]) != job.epoch):
                raise fenced(cursor, job.meta, job.source_id, job.epoch)
        self.is_compared = int(row[0]) == COMPARED
        self.range = Range(bound_from_text(row[4]), bound_from_text(row[5]))  # another attempt may have cut it
        return (int(row[2]), int(row[3])) if row[0] else None

    def _read_and_write(self, way: Way) -> tuple[int, int]:
        if not self.table.is_pinned:
            done = self._transfer(self.ends.upstream_transaction(is_snapshot=self.compared is not None), way, None)
            self.ends.release()
            return done
        open_upstream = self.ends.open_upstream
        with pinned_snapshot(open_upstream, self.table.schema, self.table.name) as (reader, location):
            crashpoint("loader.snapshot_pinned")
            return self._transfer(reader, way, location)

    def _transfer(self, reader: Connection, way: Way, pin: Location | None) -> tuple[int, int]:
        writer = ChunkWriter(self.ends, self.job, self.table, way)
        writer.begin()
        comparer = self._comparer()
        if self.table.calculates:
            self._refuse_other_values(reader)
        rows, size = self._stream(reader, writer) if way.is_stream else self._write(reader, writer)
        self._prove_structure(reader)
        if comparer is None and pin is None:
            self.ends.release()  # a DDL that waits goes on
        if pin is not None:
            writer.pin(pin)
        if comparer is not None:
            self._compare(comparer, reader, way)
        self._mark_done(self.ends.downstream(), rows, size)
        crashpoint("loader.before_commit")
        writer.commit()
        crashpoint("loader.after_commit")
        return rows, size

    def _refuse_other_values(self, reader: Connection) -> None:
        """Raise for a row of which the target would calculate another value than the upstream."""
        there, flavors = self.ends.structure(self.table), (self.job.upstream_flavor, self.job.flavor)
        if flavors[0] != flavors[1] != "mariadb":
            refuse_unlike_texts(reader, self.table, self.range, there, flavors)
        tables = structure_of(reader, self.table.schema, self.table.name), there
        refuse_other_values(reader, self.table, self.range, tables, flavors, self.ends.letters.unlike)

    def _prove_structure(self, reader: Connection) -> None:
        differences = other_structure(reader, self.table, self.ends.proven)
        if differences:
            text = "its rows do not belong to what was read before"
            raise TABLE_ALTERED.error(table=self.table.upstream_name, differences=differences, text=text)

    def _write(self, reader: Connection, writer: ChunkWriter) -> tuple[int, int]:
        builder = StatementBuilder(writer.prefix, self.job.statement_rows, self.ends.statement_bytes())
        source = self.ends.read_for_target(self.table)
        statements = read_statements(reader, source.select(self.range), builder)
        for statement, rows in self.ends.reading(statements):
            self._refuse_when_stopped()
            writer.write(self.table.written(statement, writer.prefix, rows))
            crashpoint("loader.statement_written")
            self.pace.sent(builder.rows, builder.value_bytes)
        return builder.rows, builder.value_bytes

    def _stream(self, reader: Connection, writer: ChunkWriter) -> tuple[int, int]:
        builder = LineBuilder(_ROWS_PER_LOAD, _BLOCK_BYTES, self.job.flavor == "tidb")
        source = self.ends.read_for_target(self.table)
        blocks = self.ends.reading(read_statements(reader, source.select(self.range), builder))

        def of_one_statement(block: bytes, is_last: bool) -> Iterator[bytes]:
            while True:
                self._refuse_when_stopped()
                yield block
                self.pace.sent(builder.rows, builder.value_bytes)
                if is_last or (following := next(blocks, None)) is None:
                    return
                block, is_last = following

        for block, is_last in blocks:
            writer.load(of_one_statement(block, is_last), builder.modes())
            crashpoint("loader.statement_written")
        writer.check_loaded(builder.rows)
        return builder.rows, builder.value_bytes

    def _comparer(self) -> Comparer | None:
        if self.compared is None:
            return None
        comparer = Comparer(self.table, self.compared, self.range, self.ends.downstream())
        comparer.before()
        return comparer

    def _compare(self, comparer: Comparer, reader: Connection, way: Way) -> None:
        differs = comparer.compare(reader)
        self.comparing += comparer.seconds
        self.note, self.is_compared = comparer.note, not comparer.note
        if differs is None:
            return
        if way.names_rows:
            raise comparer.explained(differs, reader)
        log.warning("chunk %d is copied again: %s", self.task.chunk_id, differs.message)
        raise Otherwise(Met.DIFFERENCES, differs.message, differs)

    def _refuse_when_stopped(self) -> None:
        if self.stopped():
            raise CopyStopped

    def _mark_done(self, downstream: Connection, rows: int, size: int) -> None:
        job = self.job
        with downstream.cursor() as cursor:
            changed = cursor.execute(
                f"UPDATE {job.meta.chunk} SET done = %s, row_count = %s, byte_count = %s "
                "WHERE source_id = %s AND chunk_id = %s AND epoch = %s AND done = 0",
                (COMPARED if self.is_compared else COPIED, rows, size, job.source_id, self.task.chunk_id, job.epoch),
            )
            if changed != 1:
                raise fenced(cursor, job.meta, job.source_id, job.epoch)
