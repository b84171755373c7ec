"""A sync unit in a process of its own, as the worker's child runs it, with what it cost."""

from __future__ import annotations

import multiprocessing
import resource
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from dm_worker.syncer.unit import Syncer
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.servers import RunningServer


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds until in step, CPU seconds, peak resident memory in MB, and the last status."""

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
    """Runs until `stop`; `in_step` waits until everything is applied."""

    def __init__(self, config: SubtaskConfig) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(config.to_wire(), theirs))
        self._process.start()

    def in_step(self) -> float:
        """Block until in step; seconds since the unit was started."""
        seconds: float = self._pipe.recv()
        return seconds

    def stop(self) -> Cost:
        self._pipe.send("stop")
        cost: Cost = self._pipe.recv()
        self._process.join()
        return cost


def _run(wire: bytes, pipe: Connection) -> None:
    unit = Syncer(SubtaskConfig.from_wire(wire), 1)
    stop, failures = threading.Event(), []

    def work() -> None:
        try:
            unit.run(stop)
        except BaseException as exc:
            failures.append(exc)

    began, cpu = time.perf_counter(), time.process_time()
    thread = threading.Thread(target=work)
    thread.start()
    # "synced" compares with where the upstream stood a moment ago; nothing is written meanwhile.
    while not (unit.status().get("synced") and unit.status()["totalRows"]) and not failures:
        time.sleep(0.01)
    seconds = time.perf_counter() - began
    pipe.send(seconds)
    pipe.recv()
    stop.set()
    thread.join()
    if failures:
        raise failures[0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    pipe.send(Cost(seconds, time.process_time() - cpu, peak, dict(unit.status())))
