"""The loader's side of a Spark executor: bytes to chunks and back."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, copy_chunk
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.line import pace_of
from dm_worker.loader.pace import Pace

MODULE: Final = "dm_worker.loader.executor"
FUNCTION: Final = f"{MODULE}:copy_chunks"


def copy_chunks(payload: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Called by ``SparkEngine``: copy each chunk, and say what came of it."""
    job, pace = _job(payload)
    for item in items:
        yield pickle.dumps(copy_chunk(job, pickle.loads(item), pace=pace))


@lru_cache(maxsize=1)
def _job(payload: bytes) -> tuple[CopyJob, Pace]:
    """The job, and the pace of this process: it copies one chunk at a time."""
    job: CopyJob = pickle.loads(payload)
    return job, pace_of(job.line)


def packed_job(job: CopyJob) -> bytes:
    return pickle.dumps(job)


def packed_task(task: ChunkTask) -> bytes:
    return pickle.dumps(task)


def unpacked_done(outcome: bytes) -> ChunkDone:
    done: ChunkDone = pickle.loads(outcome)
    return done
