"""Who writes the chunks of a dump: threads of this process, or Spark's executors where a cluster is asked for.

On one machine a process of its own for each lane gains nothing: reading, building statements in compiled
code and writing files take turns, and what waits is the upstream.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from dm_worker.dumper.file_lane import FUNCTION, Dumped, DumpJob, DumpStopped, FileTask, Lane, Reader
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine
from pkg.errors import as_dm_error
from pkg.unit import StopSignal

_WAIT_SECONDS: Final = 0.1


class FileLanes(Protocol):
    """Writes chunks side by side."""

    def run(self, tasks: Sequence[FileTask], stop: StopSignal) -> Iterator[Dumped]:
        """What comes of each chunk, as it comes; ends early when stopped."""
        ...


class ThreadLanes:
    """One thread for each reader."""

    def __init__(self, job: DumpJob, readers: Sequence[Reader], traffic: Traffic) -> None:
        self._job = job
        self._readers = readers
        self._traffic = traffic
        self._ended = threading.Event()
        self._lock = threading.Lock()  # guards _tasks: who takes a chunk
        self._tasks: Iterator[FileTask] = iter(())
        self._results: queue.SimpleQueue[Dumped] = queue.SimpleQueue()

    def run(self, tasks: Sequence[FileTask], stop: StopSignal) -> Iterator[Dumped]:
        self._tasks = iter(tasks)
        threads = [
            threading.Thread(target=self._work, args=(reader, stop), name=f"dump-lane-{number}", daemon=True)
            for number, reader in enumerate(self._readers)
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                yield from self._waited()
            yield from self._arrived()
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def _waited(self) -> Iterator[Dumped]:
        try:
            yield self._results.get(timeout=_WAIT_SECONDS)
        except queue.Empty:
            return

    def _arrived(self) -> Iterator[Dumped]:
        while not self._results.empty():
            yield self._results.get()

    def _work(self, reader: Reader, stop: StopSignal) -> None:
        def stopped() -> bool:
            return self._ended.is_set() or stop.is_set()

        pace = self._traffic.own_pace(stopped)
        lane = Lane(self._job, reader, pace, stopped)
        try:
            while not stopped() and (task := self._next()) is not None:
                self._results.put(lane.dump(task))
        except DumpStopped:
            pass
        except Exception as exc:
            self._results.put(Dumped(-1, error=as_dm_error(exc)))
        finally:
            lane.close()
            self._traffic.left(pace)

    def _next(self) -> FileTask | None:
        with self._lock:
            return next(self._tasks, None)


class SparkLanes:
    """Executors of a cluster; they see the folder under the same name."""

    def __init__(self, job: DumpJob, start_engine: Callable[[], SparkEngine]) -> None:
        self._job = job
        self._start_engine = start_engine

    def run(self, tasks: Sequence[FileTask], stop: StopSignal) -> Iterator[Dumped]:
        engine = self._start_engine()
        try:
            payload = pickle.dumps(self._job)
            for outcome in engine.run(FUNCTION, payload, [pickle.dumps(task) for task in tasks], stop):
                done: Dumped = pickle.loads(outcome)
                yield done
        finally:
            engine.close()
