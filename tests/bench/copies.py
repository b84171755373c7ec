"""A full migration in a process of its own, as the worker's child runs it, with what it cost."""

from __future__ import annotations

import logging
import multiprocessing
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dm_worker.loader.unit import FullMigration
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.summaries import load_summary
from pkg.task.blocks import BlockAllowListConfig, DumpConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.secret import REVEAL
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.bench import ceiling
from tests.bench.cpu import CpuMeter
from tests.servers import RunningServer

_WATCH_SECONDS = 1.0  # looking costs CPU, too


@dataclass(frozen=True, slots=True)
class Copied:
    """What it took: CPU seconds are those of its processes, the JVM's too, and of both servers; peaks are MB by kind
    of process.

    Rows before Spark was up, and seconds from then on, tell what its start hides.
    """

    seconds: float
    cpu_parts: Mapping[str, float]
    rows: int
    bytes: int
    phases: Mapping[str, float]
    since_up: float
    rows_before: int
    peaks: Mapping[str, float]

    @property
    def rate(self) -> float:
        return self.rows / self.seconds

    @property
    def cpu(self) -> float:
        return sum(self.cpu_parts.values())

    def line(self) -> str:
        memory = ", ".join(f"{name} {peak:.0f} MB" for name, peak in sorted(self.peaks.items()))
        cpu = ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.cpu_parts.items())
        phases = ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.phases.items())
        return (
            f"{self.rows:,} rows in {self.seconds:.1f} s ({phases}): {self.rate:,.0f} rows/s, "
            f"{self.bytes / self.seconds / 1e6:.1f} MB/s; CPU {self.cpu:.1f} s ({cpu}); peak memory: {memory}"
        )


def target_of(server: RunningServer, *, binlog: bool = True) -> ConnectionConfig:
    """``binlog``: whether what is written there is in the target's own binlog, as it is unless somebody says otherwise."""
    session = {} if binlog else {"sql_log_bin": "0"}
    return ConnectionConfig(host=server.host, port=server.port, user="root", session=session)


def subtask(
    upstream: RunningServer, target: RunningServer, schema: str = "bench", *, binlog: bool = True, **settings: Any
) -> SubtaskConfig:
    """A full migration of one schema, lock-free unless ``settings`` say otherwise."""
    settings = {"dump": DumpConfig(consistency="none"), **settings}
    return SubtaskConfig(
        task_name="bench",
        source_id="bench",
        task_mode=TaskMode.FULL,
        upstream=ConnectionConfig(host=upstream.host, port=upstream.port, user="root"),
        target=target_of(target, binlog=binlog),
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": [schema]}),
        **settings,
    )


def forget(target: RunningServer, *schemas: str) -> None:
    """As if nothing had ever been copied."""
    with ceiling.connect(target) as connection, connection.cursor() as cursor:
        for schema in (*(schemas or ("bench",)), "dm_meta"):
            cursor.execute(f"DROP DATABASE IF EXISTS {schema}")


def copied(config: SubtaskConfig, unit: type[FullMigration] = FullMigration, **servers: RunningServer) -> Copied:
    """Run it to its end; ``servers`` are those whose work counts, too."""
    meter = CpuMeter(**servers)
    context = multiprocessing.get_context("spawn")
    out = context.SimpleQueue()
    wire = config.model_dump_json(context=REVEAL, by_alias=True)
    process = context.Process(target=_run, args=(wire, unit, out))
    process.start()
    found: Copied | str = out.get()
    process.join()
    if isinstance(found, str):
        raise RuntimeError(f"the migration failed: {found}")
    return replace(found, cpu_parts=meter.parts())


def _run(wire: str, unit_class: type[FullMigration], out: Any) -> None:
    config = SubtaskConfig.from_wire(wire)
    began = time.perf_counter()
    unit = unit_class(config, 1)
    up = _WhenUp(unit)
    peaks: dict[str, float] = {}
    threading.Thread(target=_watch_memory, args=(peaks,), daemon=True).start()
    try:
        unit.run(threading.Event())
    except Exception as exc:
        out.put(str(exc))
        return
    ended = time.perf_counter()
    status = unit.status()
    out.put(
        Copied(
            ended - began,
            {},
            status["finishedRows"],
            status["finishedBytes"],
            _phases(config),
            ended - (up.at or began),
            up.rows,
            peaks,
        )
    )


class _WhenUp(logging.Handler):
    """Notes when Spark is up, and how many rows were copied by then."""

    def __init__(self, unit: FullMigration) -> None:
        super().__init__()
        self._unit = unit
        self.at, self.rows = 0.0, 0
        logger = logging.getLogger("pkg.adapters.spark")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("Spark is up"):
            self.at, self.rows = time.perf_counter(), self._unit.status()["finishedRows"]


def _phases(config: SubtaskConfig) -> dict[str, float]:
    options = ConnectionOptions.from_config(config.target, side="downstream")
    with connect(options, side="downstream") as connection:
        summary: Any = load_summary(connection, MetaTables(config.meta_schema, config.task_name), config.source_id)
    return {str(name): float(seconds) for name, seconds in summary["phases"].items()}


def _watch_memory(peaks: dict[str, float]) -> None:
    """Largest resident size in MB of each kind of process below this one."""
    while True:
        for pid in _descendants("self"):
            try:
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            pages = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
            if pages:
                peaks[name] = max(peaks.get(name, 0), int(pages[0]) / 1024)
        time.sleep(_WATCH_SECONDS)


def _descendants(pid: str) -> list[str]:
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _descendants(child)
    except OSError:
        pass
    return found
