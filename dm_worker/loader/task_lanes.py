"""Lanes that do tasks which do not depend on each other: threads of this process, or Spark's executors.

On one machine threads do: compiled code, files and servers take turns, and what waits is a server, so processes
of their own would gain nothing, and no JVM has to start.  Executors see folders under the same names.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from pkg.adapters.spark import SparkEngine
from pkg.errors import DMError, as_dm_error
from pkg.unit import StopSignal

_WAIT_SECONDS: Final = 0.1
_Task = TypeVar("_Task")
_Done = TypeVar("_Done")
_Task_in = TypeVar("_Task_in", contravariant=True)
_Done_out = TypeVar("_Done_out", covariant=True)
Stopped: TypeAlias = Callable[[], bool]


class TaskLanes(Protocol[_Task_in, _Done_out]):
    """Does tasks side by side."""

    def run(self, tasks: Sequence[_Task_in], stop: StopSignal) -> Iterator[_Done_out]:
        """What comes of each task, as it comes; ends early when stopped."""
        ...


class ThreadLanes(Generic[_Task, _Done]):
    """``open_lane(number, stopped)`` opens a lane, which does tasks and raises ``stopped_by`` when it sees the stop.

    What it raises otherwise comes as ``failed(error)``.
    """

    def __init__(
        self,
        lanes: int,
        open_lane: Callable[[int, Stopped], AbstractContextManager[Callable[[_Task], _Done]]],
        failed: Callable[[DMError], _Done],
        stopped_by: type[Exception],
    ) -> None:
        self._lanes = lanes
        self._open_lane = open_lane
        self._failed = failed
        self._stopped_by = stopped_by
        self._ended = threading.Event()
        self._lock = threading.Lock()  # guards _tasks: who takes a task
        self._tasks: Iterator[_Task] = iter(())
        self._results: queue.SimpleQueue[_Done] = queue.SimpleQueue()

    def run(self, tasks: Sequence[_Task], stop: StopSignal) -> Iterator[_Done]:
        self._tasks = iter(tasks)
        threads = [
            threading.Thread(target=self._work, args=(number, stop), name=f"lane-{number}", daemon=True)
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

    def _waited(self) -> Iterator[_Done]:
        try:
            yield self._results.get(timeout=_WAIT_SECONDS)
        except queue.Empty:
            return

    def _work(self, number: int, stop: StopSignal) -> None:
        def stopped() -> bool:
            return self._ended.is_set() or stop.is_set()

        try:
            with self._open_lane(number, stopped) as lane:
                while not stopped() and (task := self._next()) is not None:
                    self._results.put(lane(task))
        except self._stopped_by:
            pass
        except Exception as exc:
            self._results.put(self._failed(as_dm_error(exc)))

    def _next(self) -> _Task | None:
        with self._lock:
            return next(self._tasks, None)


class SparkLanes(Generic[_Task, _Done]):
    """Executors run ``function`` with the pickled ``job`` and pickled tasks, and give pickled results."""

    def __init__(self, function: str, job: object, start_engine: Callable[[], SparkEngine]) -> None:
        self._function = function
        self._job = job
        self._start_engine = start_engine

    def run(self, tasks: Sequence[_Task], stop: StopSignal) -> Iterator[_Done]:
        engine = self._start_engine()
        try:
            for outcome in engine.run(
                self._function, pickle.dumps(self._job), [pickle.dumps(task) for task in tasks], stop
            ):
                done: _Done = pickle.loads(outcome)
                yield done
        finally:
            engine.close()
