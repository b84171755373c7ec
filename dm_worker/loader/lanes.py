"""Who copies the chunks: Spark's executors, and this process itself until they are there.

Spark starts late (spark_start.py says when) and takes seconds.  Meanwhile threads copy chunks: one from the end
of the list (the small tables, and those without a key), the others from its beginning.  When Spark is up, the first
one finishes the chunk at hand, and the others give theirs back, since no more lanes may be at work than the task
says; Spark takes all that is left.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dm_worker.dumper.chunks import WHOLE
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, CopyStopped, copy_chunk
from dm_worker.loader.ends import CopyJob, Ends
from dm_worker.loader.executor import FUNCTION, packed_group, packed_job, unpacked_done
from dm_worker.loader.spark_start import SparkStart
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine
from pkg.errors import as_dm_error
from pkg.unit import StopSignal

_WAIT_SECONDS: Final = 0.05
_GROUPS: Final = 128  # that many keep the lanes evenly busy
_MOST_IN_GROUP: Final = 8  # Spark tells what came of them when the last one is done


class ChunkLanes:
    """Runs the chunks of one job; ``engine`` may be starting already."""

    def __init__(
        self,
        job: CopyJob,
        start_engine: Callable[[], SparkEngine | None],
        engine: SparkEngine | None,
        when: SparkStart,
        traffic: Traffic,
        lanes: int,
    ) -> None:
        """``start_engine`` gives None where threads of this process are to do all."""
        self._job = job
        self._lanes = lanes
        self._traffic = traffic
        self._start_engine = start_engine
        self._engine = engine
        self._when = when

    def run(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        """What comes of each chunk, as it comes; ends early when stopped."""
        own = _OwnLanes(self._job, tasks, stop, self._traffic, self._lanes)
        try:
            yield from self._until_spark_is_up(own, stop)
            rest = own.hand_over()
            if rest and self._engine is not None and not stop.is_set():
                yield from self._on_spark(self._engine, rest, own, stop)
            while own.is_running:
                own.wait()
            yield from own.results()
        finally:
            own.end()

    def _until_spark_is_up(self, own: _OwnLanes, stop: StopSignal) -> Iterator[ChunkDone]:
        began, is_asked = time.monotonic(), self._engine is not None
        while own.is_running and not stop.is_set():
            yield from own.results()
            if not is_asked and self._when.after(time.monotonic() - began):
                self._engine, is_asked = self._start_engine(), True
            if self._engine is not None and not self._engine.is_starting:
                return
            own.wait()

    def _on_spark(
        self, engine: SparkEngine, tasks: Sequence[ChunkTask], own: _OwnLanes, stop: StopSignal
    ) -> Iterator[ChunkDone]:
        groups = [packed_group(group) for group in groups_of(tasks)]
        for outcome in engine.run(FUNCTION, packed_job(self._job), groups, stop):
            yield from own.results()
            yield unpacked_done(outcome)

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def groups_of(tasks: Sequence[ChunkTask]) -> list[list[ChunkTask]]:
    """What each task of Spark does: one chunk, or several tables where there are many that are one chunk each.

    A task of Spark costs about as much as a table of a few hundred rows.
    """
    whole = sum(task.range == WHOLE for task in tasks)
    most = min(_MOST_IN_GROUP, 1 + whole // _GROUPS)
    groups: list[list[ChunkTask]] = []
    joins = False  # the last group takes more
    for task in tasks:
        if joins and task.range == WHOLE and len(groups[-1]) < most:
            groups[-1].append(task)
        else:
            groups.append([task])
            joins = task.range == WHOLE
    return groups


class _OwnLanes:
    """Threads that copy chunks until they are told to hand over the rest."""

    def __init__(
        self, job: CopyJob, tasks: Sequence[ChunkTask], stop: StopSignal, traffic: Traffic, lanes: int
    ) -> None:
        self._job = job
        self._traffic = traffic
        self._stop = stop
        self._ended = threading.Event()
        self._lock = threading.Lock()  # guards _tasks: who takes a chunk
        self._tasks = deque(tasks)
        self._handed_over = threading.Event()
        self._results: deque[ChunkDone] = deque()
        first = [(self._last, self._is_stopped)]
        self._threads = [
            threading.Thread(target=self._run, args=lane, name=f"loader-own-lane-{number}", daemon=True)
            for number, lane in enumerate(first + [(self._first, self._gives_back)] * (lanes - 1))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_running(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def wait(self) -> None:
        running = next((thread for thread in self._threads if thread.is_alive()), None)
        if running is not None:
            running.join(_WAIT_SECONDS)

    def results(self) -> Iterator[ChunkDone]:
        while self._results:
            yield self._results.popleft()

    def hand_over(self) -> list[ChunkTask]:
        self._handed_over.set()
        for thread in self._threads[1:]:
            thread.join()
        with self._lock:
            rest, self._tasks = list(self._tasks), deque()
        return rest

    def end(self) -> None:
        """Stop in the middle of chunks, too; nothing of them was committed then."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, take: Callable[[], ChunkTask | None], stopped: Callable[[], bool]) -> None:
        pace = self._traffic.own_pace(stopped)
        task: ChunkTask | None = None
        try:
            while not stopped() and (task := take()) is not None:
                self._results.append(copy_chunk(self._job, task, stopped=stopped, pace=pace))
        except CopyStopped:
            if task is not None and not self._is_stopped():
                with self._lock:
                    self._tasks.appendleft(task)
        except Exception as exc:
            self._results.append(ChunkDone(-1, error=as_dm_error(exc)))
        finally:
            self._traffic.left(pace)
            Ends.of(self._job).drop()

    def _is_stopped(self) -> bool:
        return self._ended.is_set() or self._stop.is_set()

    def _gives_back(self) -> bool:
        return self._handed_over.is_set() or self._is_stopped()

    def _last(self) -> ChunkTask | None:
        with self._lock:
            return self._tasks.pop() if self._tasks else None

    def _first(self) -> ChunkTask | None:
        with self._lock:
            return self._tasks.popleft() if self._tasks else None
