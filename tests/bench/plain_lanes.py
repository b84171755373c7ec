"""The same migration with plain Python processes in Spark's place: what Spark itself costs."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.executor import copy_chunks, packed_group, packed_job
from dm_worker.loader.traffic import Traffic
from dm_worker.loader.unit import FullMigration
from pkg.adapters.spark import SparkEngine
from pkg.unit import StopSignal


class PlainLanes:
    """As many processes as Spark would have tasks at a time; each takes the next chunk when it has done one."""

    def __init__(self, job: CopyJob, lanes: int) -> None:
        self._job = packed_job(job)
        self._lanes = lanes

    def run(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        context = multiprocessing.get_context("spawn")
        waiting: Any = context.SimpleQueue()
        done: Any = context.SimpleQueue()
        for task in tasks:
            waiting.put(packed_group([task]))
        processes = [context.Process(target=_work, args=(self._job, waiting, done)) for _ in range(self._lanes)]
        for process in processes:
            waiting.put(None)
            process.start()
        for _ in tasks:
            yield pickle.loads(done.get())
        for process in processes:
            process.join()

    def close(self) -> None:
        """They end by themselves."""


def _work(job: bytes, waiting: Any, done: Any) -> None:
    for outcome in copy_chunks(job, iter(waiting.get, None)):
        done.put(outcome)


class OnProcesses(FullMigration):
    """A full migration that never starts Spark."""

    def _start_engine(self) -> SparkEngine:
        return _NoEngine()  # type: ignore[return-value]

    def _lanes_for(self, job: CopyJob, traffic: Traffic) -> Any:
        return PlainLanes(job, self._lanes())


class _NoEngine:
    def close(self) -> None:
        """Nothing was started."""
