"""What one lane does: load one file of a dump, batch by batch, each in one downstream transaction.

The file's chunk row says how far it is loaded (``upper_bound``: a place between two rows, as JSON), and
changes in the transaction that brings the rows: whatever breaks, the next attempt goes on behind them.
Functions here run in Spark's executors, too.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import count
from typing import Any, Final

from dm_worker.dumper.folder import Folder
from dm_worker.loader.chunk_copy import ChunkDone, CopyStopped, delays
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.file_columns import FileTable, Plan
from dm_worker.loader.file_feed import DEFAULT_SIZE, BatchSize, FileFeed, RowFile, feeding
from dm_worker.loader.line import pace_of
from dm_worker.loader.pace import Pace
from dm_worker.loader.streamed import Block
from dm_worker.loader.ways import Otherwise, Way, first_way, next_way
from dm_worker.loader.writer import ChunkWriter, final_error
from pkg.adapters.meta_tables import fenced
from pkg.adapters.mysql.connection import Connection, connect
from pkg.adapters.mysql.errors import SERVER_BUSY
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, as_dm_error
from pkg.rows.insert_text import Place
from pkg.rows.row_writer import Block as RowBlock

MODULE: Final = "dm_worker.loader.file_load"
FUNCTION: Final = f"{MODULE}:load_files"


@dataclass(frozen=True, slots=True)
class LoadJob:
    """All that loading the files of one subtask needs; it travels to executors (with its passwords) as one value."""

    copy: CopyJob
    folder: Folder
    tables: tuple[FileTable, ...]
    size: BatchSize = DEFAULT_SIZE


@dataclass(frozen=True, slots=True)
class FileTask:
    """One file; ``table`` is an index into the job's tables."""

    chunk_id: int
    table: int
    file: RowFile


class FileEnds(Ends):
    """Only the target: rows come from files."""

    has_upstream = False

    def open_upstream(self) -> Connection:
        job = self._job
        return connect(job.downstream, side="downstream", session=job.downstream_session)


class FileLane:
    """Loads one file at a time."""

    def __init__(self, job: LoadJob, pace: Pace, stopped: Callable[[], bool]) -> None:
        self._job = job
        self._pace = pace
        self._stopped = stopped
        self._ends = FileEnds(job.copy)

    def load(self, task: FileTask) -> ChunkDone:
        """Errors come back as values, so that they keep their kind across processes."""
        started = time.monotonic()
        for attempt in count():
            self._pace.begin(task.chunk_id)
            try:
                rows = _Load(self._job, task, self._ends, self._stopped, self._pace).run()
                self._pace.end()
                return ChunkDone(task.chunk_id, rows, task.file.size, time.monotonic() - started)
            except CopyStopped:
                self._ends.drop()
                raise
            except Exception as exc:
                self._ends.drop()
                waits = delays(exc)
                if attempt >= len(waits):
                    return ChunkDone(task.chunk_id, seconds=time.monotonic() - started, error=as_dm_error(exc))
                if SERVER_BUSY.matches(exc):
                    self._pace.busy(str(as_dm_error(exc).fields.get("text", "")))
                time.sleep(waits[attempt])
        raise AssertionError("the last attempt returns")

    def close(self) -> None:
        self._ends.drop()


@dataclass(slots=True)
class _Load:
    """One attempt at a file, from where it stands."""

    job: LoadJob
    task: FileTask
    ends: Ends
    stopped: Callable[[], bool]
    pace: Pace
    sent_rows: int = 0

    def run(self) -> int:
        """The file's rows."""
        copy = self.job.copy
        way = first_way(copy.on_duplicate, streams=self.ends.streams)
        while True:
            place = self._place()
            if isinstance(place, int):
                return place
            try:
                return self._load_from(place, way)
            except Otherwise as other:
                otherwise, failed = next_way(way, other.met, copy.on_duplicate), self._final(other)
            except DMError as exc:
                if exc.resumable:
                    raise
                otherwise, failed = None, exc
            self.ends.drop()
            if otherwise is None:
                self._place()  # whoever was replaced must not speak of its successor's rows
                raise failed
            way = otherwise

    def _final(self, other: Otherwise) -> DMError:
        table = self.job.tables[self.task.table]
        return final_error(table.copy(()), other)

    def _place(self) -> Place | int:
        """Where the file stands, or its rows when it is done."""
        copy = self.job.copy
        with self.ends.downstream().cursor() as cursor:
            cursor.execute(
                f"SELECT done, epoch, row_count, upper_bound FROM {copy.meta.chunk} "
                "WHERE source_id = %s AND chunk_id = %s",
                (copy.source_id, self.task.chunk_id),
            )
            row: Any = cursor.fetchone()
            self.ends.downstream().rollback()
            if row is None or (not row[0] and int(row[1]) != copy.epoch):
                raise fenced(cursor, copy.meta, copy.source_id, copy.epoch)
        return int(row[2]) if row[0] else place_from_text(row[3])

    def _load_from(self, place: Place, way: Way) -> int:
        table = self.job.tables[self.task.table]
        verb = "" if way.is_stream else way.verb
        with feeding(self.job.folder, self.task.file, table, place, self.job.size, verb) as feed:
            while True:
                self._load_batch(feed, place, way)
                place = feed.place
                if feed.is_over:
                    return place.rows

    def _load_batch(self, feed: FileFeed, before: Place, way: Way) -> None:
        writer: ChunkWriter | None = None
        for plan, blocks in feed.batch():
            former, writer = writer, ChunkWriter(self.ends, self.job.copy, plan.copy, way)
            if former is None:
                writer.begin()
            self._write(writer, plan, blocks, feed, way)
            crashpoint("files.part_written")
        connection = self.ends.downstream()
        if writer is None:
            connection.begin()
        self._store(connection, before, feed)
        crashpoint("files.before_commit")
        if writer is None:
            connection.commit()
        else:
            writer.commit()
        crashpoint("files.after_commit")

    def _write(self, writer: ChunkWriter, plan: Plan, blocks: Iterator[RowBlock], feed: FileFeed, way: Way) -> None:
        before = self.sent_rows
        lines = self._counted(blocks, feed)
        if way.is_stream:
            writer.load(lines, list(plan.modes))
            writer.check_loaded(self.sent_rows - before)
            return
        for statement in lines:
            writer.write(bytes(statement))

    def _counted(self, blocks: Iterator[RowBlock], feed: FileFeed) -> Iterator[Block]:
        for _, block, rows in blocks:
            if self.stopped():
                raise CopyStopped
            self.sent_rows += rows
            yield block
            self.pace.sent(self.sent_rows, feed.file_bytes)

    def _store(self, connection: Connection, before: Place, feed: FileFeed) -> None:
        """How far the file is, if nobody else has brought it further."""
        copy, after, is_over = self.job.copy, feed.place, feed.is_over
        with connection.cursor() as cursor:
            changed = cursor.execute(
                f"UPDATE {copy.meta.chunk} SET done = %s, row_count = %s, byte_count = %s, upper_bound = %s "
                "WHERE source_id = %s AND chunk_id = %s AND epoch = %s AND done = 0 AND row_count = %s",
                (is_over, after.rows, feed.file_bytes, place_to_text(after), copy.source_id, self.task.chunk_id,
                 copy.epoch, before.rows),
            )  # fmt: skip
            if changed != 1:
                raise fenced(cursor, copy.meta, copy.source_id, copy.epoch)


def place_to_text(place: Place) -> str:
    return json.dumps(asdict(place), ensure_ascii=False)


def place_from_text(text: str | None) -> Place:
    if not text:
        return Place()
    fields = json.loads(text)
    columns = fields.pop("columns")
    return Place(**fields, columns=None if columns is None else tuple(columns))


def load_files(payload: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Called by ``SparkEngine``: load each file, and say what came of it."""
    lane = _lane(payload)
    for item in items:
        yield pickle.dumps(lane.load(pickle.loads(item)))


@lru_cache(maxsize=1)
def _lane(payload: bytes) -> FileLane:
    """This process's lane: it loads one file at a time."""
    job: LoadJob = pickle.loads(payload)
    return FileLane(job, pace_of(job.copy.line), lambda: False)
