"""A lane of a consistent snapshot, in an executor: one Spark task that copies chunks until none is left.

1. Enter the row ``lane``; an earlier attempt of this lane that was a member has taken its snapshot with it.
2. When dm-worker keeps commits out, begin the snapshot and say so; perhaps once more.
3. When all have begun theirs, take tasks from the list, a few at a time, and copy them in this snapshot.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dm_worker.dumper.held_snapshot import HeldSnapshot, is_connection_lost, lost
from dm_worker.loader.altered import ERRORS_OF_DDL, TABLE_ALTERED
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, copy_chunk
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.lane_meta import ENDED, GATHERING, HELD, OPENING, LaneMeta
from dm_worker.loader.line import pace_of
from pkg.adapters.mysql.connection import Connection, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope, as_dm_error

ALTERED_IN_SNAPSHOT = ErrorKind(
    34134,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a table was altered before it was read in the consistent snapshot, which has its rows of before: {text}",
    workaround="nothing to do: the copy begins again with a new snapshot by itself",
    resumable=True,
)
MODULE: Final = "dm_worker.loader.snapshot_lane"
FUNCTION: Final = f"{MODULE}:copy_lanes"

_POLL_SECONDS: Final = 0.02  # writers wait upstream meanwhile
_MOST_TASKS: Final = 16
_RETRY_OF_A_LANE: Final = "an executor, or its Python process, that read it has died"


@dataclass(frozen=True, slots=True)
class LaneJob:
    """What all lanes of one snapshot know."""

    copy: CopyJob
    tasks: tuple[ChunkTask, ...]
    lanes: int
    snapshot_session: Mapping[str, str]
    meta_session: Mapping[str, str]


def copy_lanes(payload: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Called by ``SparkEngine`` with one lane's number; gives what it did back when it ends, an error last."""
    job = _job(payload)
    for item in items:
        yield from map(pickle.dumps, _lane(job, pickle.loads(item)))


@lru_cache(maxsize=1)
def _job(payload: bytes) -> LaneJob:
    job: LaneJob = pickle.loads(payload)
    return job


def packed_lane_job(job: LaneJob) -> bytes:
    return pickle.dumps(job)


def packed_lane(number: int) -> bytes:
    return pickle.dumps(number)


def _lane(job: LaneJob, number: int) -> list[ChunkDone]:
    done: list[ChunkDone] = []
    try:
        with _closing(connect(job.copy.downstream, side="downstream", session=job.meta_session)) as link:
            meta = LaneMeta(link, job.copy.meta, job.copy.source_id, job.copy.epoch, number)
            done.extend(_Lane(job, meta).run())
    except Exception as exc:
        done.append(ChunkDone(-1, error=as_dm_error(exc)))
    return done


@contextmanager
def _closing(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
    finally:
        with suppress(Exception):
            connection._force_close()


class _Lane:
    """One attempt of one lane."""

    def __init__(self, job: LaneJob, meta: LaneMeta) -> None:
        self._job = job
        self._meta = meta

    def run(self) -> list[ChunkDone]:
        if self._meta.was_here():
            raise lost(RuntimeError(_RETRY_OF_A_LANE))
        snapshot = open_snapshot(self._job.copy, self._job.snapshot_session)
        ends = Ends.of(self._job.copy)
        try:
            self._meta.enter(snapshot.connection_id)
            if not self._begin(snapshot):
                return []
            ends.hold(snapshot)
            return self._copy()
        finally:
            snapshot.close()
            Ends.forget()

    def _begin(self, snapshot: HeldSnapshot) -> bool:
        """Whether this lane is to copy."""
        begun = 0
        while True:
            told = self._meta.invitation()
            if told.state == ENDED or (told.state != GATHERING and not told.is_member):
                return False
            if told.state == HELD:
                return told.attempt == begun
            if told.state == OPENING and told.attempt != begun:
                position = snapshot.open()
                begun = told.attempt
                self._meta.opened(begun, position)
            threading.Event().wait(_POLL_SECONDS)

    def _copy(self) -> list[ChunkDone]:
        pace = pace_of(self._job.copy.line)
        copied: list[ChunkDone] = []
        for task in shared_tasks(self._job, self._meta.take):
            done = copy_chunk(self._job.copy, task, pace=pace)
            if done.error is not None:
                return [*copied, ChunkDone(done.chunk_id, error=told_as_loss(done.error))]
            copied.append(done)
        self._meta.ended()
        return copied


def shared_tasks(job: LaneJob, take: Callable[[int], int | None]) -> Iterator[ChunkTask]:
    """This lane's share: large handfuls first, single tasks at the end, so that lanes end together."""
    left = len(job.tasks)
    while left > 0:
        most = max(1, min(_MOST_TASKS, left // (4 * job.lanes)))
        first = take(most)
        if first is None:
            return
        yield from job.tasks[first : first + most]
        left = len(job.tasks) - first - most


def open_snapshot(job: CopyJob, session: Mapping[str, str]) -> HeldSnapshot:
    """A connection in which a snapshot can begin."""
    connection = connect(job.upstream, side="upstream", session=session)
    return HeldSnapshot(connection, Server.probe(connection))


def told_as_loss(error: DMError) -> DMError:
    """The upstream's lost connection is a lost snapshot, and so is one whose table has got another structure."""
    if is_connection_lost(error) and error.fields.get("side") == "upstream":
        return lost(error)
    if error.is_a(TABLE_ALTERED):
        text = f"{error.fields['table']}: {error.fields['differences']}"
        return ALTERED_IN_SNAPSHOT.error(text=text, cause=error)
    if errno_of(error) in ERRORS_OF_DDL and error.fields.get("side") == "upstream":
        return ALTERED_IN_SNAPSHOT.error(text=error.fields.get("text", ""), cause=error)
    return error
