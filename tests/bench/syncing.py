"""A sync unit in a process of its own, as the worker's child runs it, with what it cost."""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dm_worker.syncer.unit import Syncer
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.servers import RunningServer


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds until the first row and until in step, CPU seconds, peak resident memory in MB, and the last status."""

    start_seconds: float
    seconds: float
    cpu_seconds: float
    peak_mb: int
    status: dict[str, Any]


def subtask(upstream: RunningServer, target: RunningServer, name: str, offset: int, **sync: Any) -> SubtaskConfig:
    return SubtaskConfig(
        task_name="bench",
        source_id="bench",
        task_mode="incremental",
        meta={"binlog-name": name, "binlog-pos": offset},
        upstream=ConnectionConfig(host=upstream.host, port=upstream.port, user="root"),
        target=ConnectionConfig(host=target.host, port=target.port, user="root"),
        block_allow_list={"do-dbs": ["bench"]},
        sync=sync,
    )


class SyncProcess:
    """Runs until `stop`; `in_step` waits until everything is applied.

    `checkpoint_seconds` goes below the second that is the least a task file may ask for.
    """

    def __init__(self, config: SubtaskConfig, checkpoint_seconds: float | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(config.to_wire(), theirs, checkpoint_seconds))
        self._process.start()
        theirs.close()  # so that the end of a process that failed is seen here

    def in_step(self) -> float:
        """Block until in step; seconds since the unit was started."""
        seconds: float = self._pipe.recv()
        return seconds

    def stop(self) -> Cost:
        self._pipe.send("stop")
        cost: Cost = self._pipe.recv()
        self._process.join()
        return cost


def peak_mb() -> int:
    """Of this program alone: `ru_maxrss` begins with what the process that started it had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) >> 10


def _run(wire: bytes, pipe: Connection, checkpoint_seconds: float | None) -> None:
    config = SubtaskConfig.from_wire(wire)
    if checkpoint_seconds is not None:
        sync = config.sync.model_copy(update={"checkpoint_flush_interval": checkpoint_seconds})
        config = config.model_copy(update={"sync": sync})
    unit = Syncer(config, 1)
    stop, failures = threading.Event(), []

    def work() -> None:
        try:
            unit.run(stop)
        except BaseException as exc:
            failures.append(exc)

    began, cpu = time.perf_counter(), time.process_time()
    thread = threading.Thread(target=work)
    thread.start()
    first = 0.0
    # "synced" compares with where the upstream stood a moment ago; nothing is written meanwhile.
    while not (first and unit.status().get("synced")) and not failures:
        if not first and unit.status()["totalRows"]:
            first = time.perf_counter() - began
        time.sleep(0.01)
    if failures:
        raise failures[0]
    seconds = time.perf_counter() - began
    pipe.send(seconds)
    pipe.recv()
    stop.set()
    thread.join()
    if failures:
        raise failures[0]
    pipe.send(Cost(first, seconds, time.process_time() - cpu, peak_mb(), dict(unit.status())))
