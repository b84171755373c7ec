"""A lane of a dump: one connection to the upstream that writes chunk after chunk as files.

A chunk whose connection broke, or that met a lock, is read again from its beginning; what it had written is
gone with its file.  Each attempt writes a part of its own, which gets the file's name from the process of the dump:
an executor that was frozen changes no file.  Functions here run in Spark's executors, too.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.file_chunk import FileSink, write_chunk
from dm_worker.dumper.folder import new_part
from dm_worker.dumper.held_structure import ProvenTexts, begin
from dm_worker.loader.line import LineAddress, pace_of
from dm_worker.loader.pace import Pace
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import LOCK_CONFLICT, LOST_CONNECTION, SERVER_BUSY, naming
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, as_dm_error

MODULE: Final = "dm_worker.dumper.file_lane"
FUNCTION: Final = f"{MODULE}:dump_chunks"

_RETRY_DELAYS: Final = (0.2, 1.0, 3.0)  # seconds; a longer trouble is the subtask's to wait for


@dataclass(frozen=True, slots=True)
class FileTask:
    """One chunk of ``table`` (an index into the job's tables) and the name that its file gets."""

    number: int
    table: int
    range: Range
    file: str


@dataclass(frozen=True, slots=True)
class Dumped:
    """What came of it: the rows are in ``part``, which is to get the file's name; or ``error`` is set."""

    number: int
    rows: int = 0
    bytes: int = 0
    part: str = ""
    error: DMError | None = None


@dataclass(frozen=True, slots=True)
class DumpJob:
    """All that lanes need; it travels to executors (with its passwords) as one value."""

    upstream: ConnectionOptions
    session: Mapping[str, str]
    sink: FileSink
    tables: tuple[TableCopy, ...]
    line: LineAddress | None = None  # where lanes report what they send


class DumpStopped(Exception):
    """The unit was told to stop; the chunk under way is not there."""


class Reader(Protocol):
    """Where a lane's rows come from."""

    def connection(self) -> Connection:
        """A connection that is ready for a SELECT, in a transaction."""
        ...

    def release(self) -> None:
        """The chunk is read."""
        ...

    def drop(self) -> None:
        """After an error: the connection may be in the middle of a result."""
        ...

    @property
    def may_retry(self) -> bool:
        """Whether another connection sees rows of the same worth."""
        ...


class FreshReader:
    """Each chunk sees the upstream as it is when its SELECT begins."""

    may_retry = True

    def __init__(self, job: DumpJob) -> None:
        self._job = job
        self._connection: Connection | None = None

    def connection(self) -> Connection:
        if self._connection is None:
            self._connection = connect(self._job.upstream, side="upstream", session=self._job.session)
        begin(self._connection)
        return self._connection

    def release(self) -> None:
        if self._connection is not None:
            self._connection.rollback()

    def drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection._force_close()
            self._connection = None


class Lane:
    """Writes one chunk at a time."""

    def __init__(self, job: DumpJob, reader: Reader, pace: Pace, stopped: Callable[[], bool]) -> None:
        self._job = job
        self._reader = reader
        self._pace = pace
        self._stopped = stopped
        self._proven: ProvenTexts = {}

    def dump(self, task: FileTask) -> Dumped:
        """Errors come back as values, so that they keep their kind across processes."""
        for delay in (*_RETRY_DELAYS, None):
            try:
                return self._attempt(task)
            except DumpStopped:
                self._reader.drop()
                raise
            except Exception as exc:
                self._reader.drop()
                if delay is None or not (_passes(exc) and self._reader.may_retry):
                    return Dumped(task.number, error=as_dm_error(exc))
                time.sleep(delay)
        raise AssertionError("the last attempt returns")

    def _attempt(self, task: FileTask) -> Dumped:
        def sent(rows: int, size: int) -> None:
            crashpoint("dumper.statement_written")
            if self._stopped():
                raise DumpStopped
            self._pace.sent(rows, size)

        self._pace.begin(task.number)
        table = self._job.tables[task.table]
        reader, sink, part = self._reader.connection(), self._job.sink, new_part()
        try:
            rows, size = write_chunk(reader, table, task.range, sink, part, sent, self._proven)
        except DMError as exc:
            raise naming(exc, f"reading {table}") from exc
        self._reader.release()
        self._pace.end()
        return Dumped(task.number, rows, size, part)

    def close(self) -> None:
        self._reader.drop()


def _passes(exc: Exception) -> bool:
    return any(pair.matches(exc) for pair in (LOCK_CONFLICT, LOST_CONNECTION, SERVER_BUSY))


def dump_chunks(payload: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Called by ``SparkEngine``: write each chunk, and say what came of it."""
    lane = _lane(payload)
    for item in items:
        yield pickle.dumps(lane.dump(pickle.loads(item)))


@lru_cache(maxsize=1)
def _lane(payload: bytes) -> Lane:
    """This process's lane: it writes one chunk at a time."""
    job: DumpJob = pickle.loads(payload)
    return Lane(job, FreshReader(job), pace_of(job.line), lambda: False)
