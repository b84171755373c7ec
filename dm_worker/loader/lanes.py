"""Who copies the chunks: Spark's executors, and this process itself until they are there.

A JVM takes seconds to start.  Meanwhile one thread copies chunks from the end of the list (the small
tables); when Spark is up it finishes the chunk at hand and Spark takes all that is left.  A migration
that is over sooner never sees Spark.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, CopyStopped, copy_chunk
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.executor import FUNCTION, packed_job, packed_task, unpacked_done
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine
from pkg.errors import as_dm_error
from pkg.unit import StopSignal

_WAIT_SECONDS: Final = 0.05
_ALONE_SECONDS: Final = 1.0  # a migration that is over by then needs no Spark


class ChunkLanes:
    """Runs the chunks of one job; ``engine`` may be starting already."""

    def __init__(
        self, job: CopyJob, start_engine: Callable[[], SparkEngine], engine: SparkEngine | None, traffic: Traffic
    ) -> None:
        self._job = job
        self._traffic = traffic
        self._start_engine = start_engine
        self._engine = engine

    def run(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        """What comes of each chunk, as it comes; ends early when stopped."""
        own = _OwnLane(self._job, tasks, stop, self._traffic)
        try:
            yield from self._until_spark_is_up(own, stop)
            rest = own.hand_over()
            if rest and not stop.is_set():
                yield from self._on_spark(rest, own, stop)
            while own.is_running:
                own.wait()
            yield from own.results()
        finally:
            own.end()

    def _until_spark_is_up(self, own: _OwnLane, stop: StopSignal) -> Iterator[ChunkDone]:
        began = time.monotonic()
        while own.is_running and not stop.is_set():
            yield from own.results()
            if self._engine is None and time.monotonic() - began > _ALONE_SECONDS:
                self._engine = self._start_engine()
            if self._engine is not None and not self._engine.is_starting:
                return
            own.wait()

    def _on_spark(self, tasks: Sequence[ChunkTask], own: _OwnLane, stop: StopSignal) -> Iterator[ChunkDone]:
        engine = self._engine = self._engine or self._start_engine()
        for outcome in engine.run(FUNCTION, packed_job(self._job), [packed_task(task) for task in tasks], stop):
            yield from own.results()
            yield unpacked_done(outcome)

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


class _OwnLane:
    """A thread that copies chunks from the end of the list until it is told to hand over the rest."""

    def __init__(self, job: CopyJob, tasks: Sequence[ChunkTask], stop: StopSignal, traffic: Traffic) -> None:
        self._job = job
        self._traffic = traffic
        self._stop = stop
        self._ended = threading.Event()
        self._lock = threading.Lock()  # guards _tasks: who takes a chunk
        self._tasks = list(tasks)
        self._results: deque[ChunkDone] = deque()
        self._thread = threading.Thread(target=self._run, name="loader-own-lane", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join(_WAIT_SECONDS)

    def results(self) -> Iterator[ChunkDone]:
        while self._results:
            yield self._results.popleft()

    def hand_over(self) -> list[ChunkTask]:
        with self._lock:
            rest, self._tasks = self._tasks, []
        return rest

    def end(self) -> None:
        """Stop in the middle of a chunk, too; nothing of it was committed then."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        pace = self._traffic.own_pace(self._is_stopped)
        try:
            while not self._is_stopped() and (task := self._next()) is not None:
                self._results.append(copy_chunk(self._job, task, stopped=self._is_stopped, pace=pace))
        except CopyStopped:
            pass
        except Exception as exc:
            self._results.append(ChunkDone(-1, error=as_dm_error(exc)))
        finally:
            self._traffic.left(pace)
            Ends.of(self._job).drop()

    def _is_stopped(self) -> bool:
        return self._ended.is_set() or self._stop.is_set()

    def _next(self) -> ChunkTask | None:
        with self._lock:
            return self._tasks.pop() if self._tasks else None
