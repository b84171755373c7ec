"""Who loads the files of a dump: threads of this process, or Spark's executors where a cluster is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from dm_worker.loader.chunk_copy import ChunkDone, CopyStopped
from dm_worker.loader.file_load import FUNCTION, FileLane, FileTask, LoadJob
from dm_worker.loader.task_lanes import SparkLanes, Stopped, TaskLanes, ThreadLanes
from dm_worker.loader.traffic import Traffic
from pkg.adapters.spark import SparkEngine

FileLoadLanes: TypeAlias = TaskLanes[FileTask, ChunkDone]


def thread_lanes(job: LoadJob, lanes: int, traffic: Traffic) -> FileLoadLanes:
    @contextmanager
    def open_lane(number: int, stopped: Stopped) -> Iterator[Callable[[FileTask], ChunkDone]]:
        pace = traffic.own_pace(stopped)
        lane = FileLane(job, pace, stopped)
        try:
            yield lane.load
        finally:
            lane.close()
            traffic.left(pace)

    return ThreadLanes(lanes, open_lane, lambda error: ChunkDone(-1, error=error), CopyStopped)


def spark_lanes(job: LoadJob, start_engine: Callable[[], SparkEngine]) -> FileLoadLanes:
    return SparkLanes(FUNCTION, job, start_engine)
