"""Who writes the chunks of a dump: threads of this process, or Spark's executors where a cluster is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from dm_worker.dumper.file_lane import FUNCTION, Dumped, DumpJob, DumpStopped, FileTask, Lane, Reader
from dm_worker.loader.task_lanes import SparkLanes, Stopped, TaskLanes, ThreadLanes
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine

FileLanes: TypeAlias = TaskLanes[FileTask, Dumped]


def thread_lanes(job: DumpJob, readers: Sequence[Reader], traffic: Traffic) -> FileLanes:
    """One thread for each reader."""

    @contextmanager
    def open_lane(number: int, stopped: Stopped) -> Iterator[Callable[[FileTask], Dumped]]:
        pace = traffic.own_pace(stopped)
        lane = Lane(job, readers[number], pace, stopped)
        try:
            yield lane.dump
        finally:
            lane.close()
            traffic.left(pace)

    return ThreadLanes(len(readers), open_lane, lambda error: Dumped(-1, error=error), DumpStopped)


def spark_lanes(job: DumpJob, start_engine: Callable[[], SparkEngine]) -> FileLanes:
    return SparkLanes(FUNCTION, job, start_engine)
