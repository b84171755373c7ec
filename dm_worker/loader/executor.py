"""The loader's side of a Spark executor: bytes to chunks and back."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask, copy_chunk
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.line import pace_of
from dm_worker.loader.pace import Pace

MODULE: Final = "dm_worker.loader.executor"
FUNCTION: Final = f"{MODULE}:copy_chunks"


def copy_chunks(payload: bytes, items: Iterable[bytes]) -> Iterator[bytes]:
    """Called by ``SparkEngine``: copy each chunk of each group, and say what came of it; an error is the last word."""
    job, pace = _job(payload)
    for item in items:
        for task in pickle.loads(item):
            done = copy_chunk(job, task, pace=pace)
            yield pickle.dumps(done)
            if done.error is not None:
                return


@lru_cache(maxsize=1)
def _job(payload: bytes) -> tuple[CopyJob, Pace]:
    """The job, and the pace of this process: it copies one chunk at a time."""
    job: CopyJob = pickle.loads(payload)
    return job, pace_of(job.line)


def packed_job(job: CopyJob) -> bytes:
    return pickle.dumps(job)


def packed_group(tasks: Sequence[ChunkTask]) -> bytes:
    """What one task of Spark does."""
    return pickle.dumps(tuple(tasks))


def unpacked_done(outcome: bytes) -> ChunkDone:
    done: ChunkDone = pickle.loads(outcome)
    return done
