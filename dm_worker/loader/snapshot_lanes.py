"""dm-worker's side of the lanes that share one consistent snapshot.

``OwnReaders``   threads of this process, where Spark does not start (spark_start.py)
``SparkReaders`` one Spark task a lane; they enter the meta table ``lane``, begin when they are told, and share the
                 chunks among themselves.  What they have done is read from the table ``chunk``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from dm_worker.dumper.held_snapshot import HeldSnapshot, lost
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, CopyStopped, copy_chunk
from dm_worker.loader.ends import Ends
from dm_worker.loader.executor import unpacked_done
from dm_worker.loader.lane_meta import ENDED, HELD, OPENING, LaneState, SnapshotMeta
from dm_worker.loader.meta import COMPARED
from dm_worker.loader.snapshot_lane import FUNCTION, LaneJob, open_snapshot, packed_lane, packed_lane_job, told_as_loss
from dm_worker.loader.task_lanes import Stopped, ThreadLanes
from dm_worker.loader.traffic import Traffic
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import LOST_CONNECTION, UNREACHABLE
from pkg.adapters.mysql.sessions import sessions
from pkg.adapters.spark import SparkEngine
from pkg.binlog.position import Position
from pkg.errors import DMError, as_dm_error
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

_POLL_SECONDS: Final = 0.02  # while writers wait
_WATCH_SECONDS: Final = 0.25
_ALIVE_SECONDS: Final = 5.0  # between looks at the lanes' connections
_SETTLE_SECONDS: Final = 5.0  # a cluster may have fewer cores than the task has lanes
_BEGIN_SECONDS: Final = 10.0  # commits are held off no longer for lanes that do not answer
_RECONNECT_DELAYS: Final = (0.5, 2.0, 5.0, 15.0)
_LAST_WORDS_SECONDS: Final = 3.0
_WINDOW: Final = 2000  # chunks that are asked for at a time
_T = TypeVar("_T")


class OwnReaders:
    """Threads of this process, each with a connection of its own."""

    def __init__(self, job: LaneJob, traffic: Traffic) -> None:
        self._job = job
        self._traffic = traffic
        self._snapshots: list[HeldSnapshot] = []
        try:
            while len(self._snapshots) < job.lanes:
                self._snapshots.append(open_snapshot(job.copy, job.snapshot_session))
        except BaseException:
            self.close()
            raise

    def begin(self, attempt: int) -> list[Position | None]:
        return [snapshot.open() for snapshot in self._snapshots]

    def copy(self, stop: StopSignal) -> Iterator[ChunkDone]:
        lanes = ThreadLanes(self._job.lanes, self._open_lane, _failed, CopyStopped)
        return lanes.run(self._job.tasks, stop)

    @contextmanager
    def _open_lane(self, number: int, stopped: Stopped) -> Iterator[Callable[[ChunkTask], ChunkDone]]:
        pace = self._traffic.own_pace(stopped)
        Ends.of(self._job.copy).hold(self._snapshots[number])

        def copied(task: ChunkTask) -> ChunkDone:
            done = copy_chunk(self._job.copy, task, stopped=stopped, pace=pace)
            return done if done.error is None else ChunkDone(done.chunk_id, error=told_as_loss(done.error))

        try:
            yield copied
        finally:
            self._traffic.left(pace)
            Ends.forget()

    def close(self) -> None:
        for snapshot in self._snapshots:
            snapshot.close()


def _failed(error: DMError) -> ChunkDone:
    return ChunkDone(-1, error=error)


class Desk:
    """The driver's rows in the meta tables, over a connection that is made again when it is lost."""

    def __init__(self, connect: Callable[[], Connection], meta: Callable[[Connection], SnapshotMeta]) -> None:
        self._connect = connect
        self._meta = meta
        self._connection: Connection | None = None

    def ask(self, question: Callable[[SnapshotMeta], _T], delays: Sequence[float] = _RECONNECT_DELAYS) -> _T:
        for delay in (*delays, None):
            try:
                if self._connection is None:
                    self._connection = self._connect()
                return question(self._meta(self._connection))
            except DMError as exc:
                self.close()
                if delay is None or not (LOST_CONNECTION.matches(exc) or UNREACHABLE.matches(exc)):
                    raise
                threading.Event().wait(delay)
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        if self._connection is not None:
            self._connection._force_close()
            self._connection = None


class SparkReaders:
    """Lanes in Spark's executors; ``run`` them in a thread, for Spark's job lasts as long as they do."""

    def __init__(
        self, engine: SparkEngine, job: LaneJob, desk: Desk, alive: Callable[[Sequence[int]], set[int]]
    ) -> None:
        self._engine = engine
        self._job = job
        self._desk = desk
        self._alive = alive
        self._attempt = 0
        self._outcomes: deque[ChunkDone] = deque()
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loader-snapshot-lanes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        items = [packed_lane(number) for number in range(self._job.lanes)]
        try:
            for outcome in self._engine.run(FUNCTION, packed_lane_job(self._job), items, self._ended):
                self._outcomes.append(unpacked_done(outcome))
        except BaseException as exc:
            self._error = exc

    # -- gathering

    def gather(self, stop: StopSignal) -> bool:
        """Wait for the lanes, and close the door behind them; False when stopped."""
        here, since = 0, time.monotonic()
        while here < self._job.lanes and not (here and time.monotonic() - since > _SETTLE_SECONDS):
            if stop.wait(_POLL_SECONDS * 5):
                return False
            self._raise_failure()
            entered = len(self._desk.ask(SnapshotMeta.lanes))
            if entered > here:
                here, since = entered, time.monotonic()
        members = self._desk.ask(SnapshotMeta.close_door)
        log.info("lanes of the snapshot: %d of %d", members, self._job.lanes)
        return True

    def begin(self, attempt: int) -> list[Position | None]:
        self._attempt = attempt
        self._desk.ask(lambda meta: meta.set_state(OPENING, attempt))
        until = time.monotonic() + _BEGIN_SECONDS
        while time.monotonic() < until:
            members = self._members()
            if all(lane.attempt == attempt for lane in members):
                return [lane.position for lane in members]
            self._raise_failure()
            threading.Event().wait(_POLL_SECONDS)
        raise lost(TimeoutError(f"not all lanes have begun theirs within {_BEGIN_SECONDS:.0f} s"))

    # -- copying

    def hold(self) -> None:
        """All may copy."""
        self._desk.ask(lambda meta: meta.set_state(HELD, self._attempt))

    def copy(self, stop: StopSignal) -> Iterator[ChunkDone]:
        waiting = deque(task.chunk_id for task in self._job.tasks)
        done: set[int] = set()
        looked = time.monotonic()
        while waiting and not stop.wait(_WATCH_SECONDS):
            is_over = not self._thread.is_alive()
            yield from self._newly_done(waiting, done)
            if waiting:
                self._raise_failure(is_over)
            if time.monotonic() - looked > _ALIVE_SECONDS:
                self._raise_missing()
                looked = time.monotonic()
        if not waiting:
            yield from self._times()

    def _times(self) -> Iterator[ChunkDone]:
        """All chunks once more, with the seconds that the lanes tell at their ends."""
        self._thread.join(_LAST_WORDS_SECONDS)
        while self._outcomes:
            yield self._outcomes.popleft()

    def _newly_done(self, waiting: deque[int], done: set[int]) -> list[ChunkDone]:
        window = [chunk for _, chunk in zip(range(_WINDOW), waiting, strict=False) if chunk not in done]
        found = self._desk.ask(lambda meta: meta.done_among(window)) if window else []
        done.update(one[0] for one in found)
        while waiting and waiting[0] in done:
            done.discard(waiting.popleft())
        return [ChunkDone(chunk, rows, size, is_compared=is_done == COMPARED) for chunk, rows, size, is_done in found]

    def close(self) -> None:
        """End the lanes, also in the middle of a chunk."""
        try:
            self._desk.ask(lambda meta: meta.set_state(ENDED, 0), delays=())
        except DMError as exc:
            log.info("the lanes were not told of their end: %s", exc)
        finally:
            self._ended.set()
            self._thread.join()
            self._desk.close()

    # -- failures

    def _members(self) -> list[LaneState]:
        return [lane for lane in self._desk.ask(SnapshotMeta.lanes) if lane.is_member]

    def _raise_failure(self, is_over: bool = True) -> None:
        for outcome in list(self._outcomes):
            if outcome.error is not None:
                raise LaneFailed(outcome)
        if not self._thread.is_alive() and self._error is not None:
            raise as_dm_error(self._error)
        if is_over and not self._thread.is_alive():
            raise lost(RuntimeError("all lanes have ended, and not all chunks are done"))

    def _raise_missing(self) -> None:
        """A lane whose upstream connection is no more has no snapshot, whoever took it."""
        reading = {lane.connection_id: lane.lane for lane in self._members() if not lane.ended}
        if not reading:
            return
        gone = set(reading) - self._alive(list(reading))
        still = {lane.connection_id for lane in self._members() if not lane.ended}
        if gone & still:
            raise lost(RuntimeError(f"the upstream connection {min(gone & still)} of a lane has ended"))


class LaneFailed(Exception):
    """A lane gave back an error."""

    def __init__(self, done: ChunkDone) -> None:
        super().__init__(done)
        self.done = done


def tasks_in_order(tasks: Sequence[ChunkTask], first: set[int]) -> tuple[ChunkTask, ...]:
    """Those of the tables ``first`` (numbers) before the others: they keep a lock until they are read."""
    return tuple(sorted(tasks, key=lambda task: task.table not in first)) if first else tuple(tasks)


def living_connections(connection: Any, numbers: Sequence[int]) -> set[int]:
    """Which of the upstream's connections are there; a user always sees its own."""
    return {one.number for one in sessions(connection)}.intersection(numbers)
