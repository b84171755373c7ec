"""Who loads the files of a dump: threads of this process, or Spark's executors where a cluster is asked for.

A lane waits for the target most of its time, so on one machine threads do, and no JVM has to start.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dm_worker.loader.chunk_copy import ChunkDone, CopyStopped
from dm_worker.loader.file_load import FUNCTION, FileLane, FileTask, LoadJob
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine
from pkg.errors import as_dm_error
from pkg.unit import StopSignal

_WAIT_SECONDS: Final = 0.1


class ThreadLanes:
    """One thread for each lane."""

    def __init__(self, job: LoadJob, lanes: int, traffic: Traffic) -> None:
        self._job = job
        self._lanes = lanes
        self._traffic = traffic
        self._ended = threading.Event()
        self._lock = threading.Lock()  # guards _tasks: who takes a file
        self._tasks: Iterator[FileTask] = iter(())
        self._results: queue.SimpleQueue[ChunkDone] = queue.SimpleQueue()

    def run(self, tasks: Sequence[FileTask], stop: StopSignal) -> Iterator[ChunkDone]:
        """What comes of each file, as it comes; ends early when stopped."""
        self._tasks = iter(tasks)
        threads = [
            threading.Thread(target=self._work, args=(stop,), name=f"load-lane-{number}", daemon=True)
            for number in range(min(self._lanes, len(tasks)))
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                yield from self._waited()
            while not self._results.empty():
                yield self._results.get()
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _waited(self) -> Iterator[ChunkDone]:
        try:
            yield self._results.get(timeout=_WAIT_SECONDS)
        except queue.Empty:
            return

    def _work(self, stop: StopSignal) -> None:
        def stopped() -> bool:
            return self._ended.is_set() or stop.is_set()

        pace = self._traffic.own_pace(stopped)
        lane = FileLane(self._job, pace, stopped)
        try:
            while not stopped() and (task := self._next()) is not None:
                self._results.put(lane.load(task))
        except CopyStopped:
            pass
        except Exception as exc:
            self._results.put(ChunkDone(-1, error=as_dm_error(exc)))
        finally:
            lane.close()
            self._traffic.left(pace)

    def _next(self) -> FileTask | None:
        with self._lock:
            return next(self._tasks, None)


class SparkLanes:
    """Executors of a cluster; they see the folder under the same name."""

    def __init__(self, job: LoadJob, start_engine: Callable[[], SparkEngine]) -> None:
        self._job = job
        self._start_engine = start_engine

    def run(self, tasks: Sequence[FileTask], stop: StopSignal) -> Iterator[ChunkDone]:
        engine = self._start_engine()
        try:
            for outcome in engine.run(FUNCTION, pickle.dumps(self._job), [pickle.dumps(task) for task in tasks], stop):
                done: ChunkDone = pickle.loads(outcome)
                yield done
        finally:
            engine.close()
