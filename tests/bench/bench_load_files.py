"""Loading a dump: `python -m tests.bench.bench_load_files [--target tidb|mariadb] [--rows 400000] [--tool mydumper|ours]`.

Ratios to the target's own limits in the same run (multi-row INSERT of ready statements, `LOAD DATA LOCAL` of
ready files by the C client, both on 4 connections), and to myloader with 4 threads where the target is MariaDB.
Asked: TiDB ≥ 1.4 of INSERT and ≥ 0.85 of LOAD DATA of ready files; MariaDB ≥ 1.2 of
myloader and ≥ 0.8 of LOAD DATA of ready files.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from pkg.task.blocks import BlockAllowListConfig, LoadConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.secret import REVEAL
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.bench import copies, dumpers, ready_files
from tests.bench.bench_full_load import CEILING_ROWS, Limits, checksum, fill, ready_rows
from tests.servers import RunningServer, start

_THREADS = 4
_ROWS_PER_FILE = 50_000


def load(wire: str, out: Any) -> None:
    """Runs in a process of its own; puts (seconds, peak resident MB)."""
    from dm_worker.loader.files_unit import LoadFromFiles

    began = time.perf_counter()
    LoadFromFiles(SubtaskConfig.from_wire(wire), 1).run(threading.Event())
    seconds = time.perf_counter() - began
    peak = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
    out.put((seconds, int(peak) / 1024))


def ours(target: RunningServer, folder: Path, *, binlog: bool) -> tuple[float, float]:
    copies.forget(target)
    config = SubtaskConfig(
        task_name="bench",
        source_id="bench",
        task_mode=TaskMode.LOAD,
        upstream=ConnectionConfig(host="nowhere.invalid", port=1, user="root"),
        target=copies.target_of(target, binlog=binlog),
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": ["bench"]}),
        load=LoadConfig.model_validate({"dir": str(folder), "pool-size": _THREADS}),
    )
    context = multiprocessing.get_context("spawn")
    out = context.SimpleQueue()
    process = context.Process(target=load, args=(config.model_dump_json(context=REVEAL, by_alias=True), out))
    process.start()
    found: tuple[float, float] = out.get()
    process.join()
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb"])
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--limit-rows", type=int, default=CEILING_ROWS, help="rows by which the limits are measured")
    options = arguments.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="spark-dm-bench-")) / "dump"
    try:
        with start("mariadb") as upstream, start(options.target) as target:
            fill(upstream, options.rows)
            dumpers.mydumper(upstream, folder, _THREADS, _ROWS_PER_FILE)
            size = sum(file.stat().st_size for file in folder.iterdir())
            print(f"{options.rows:,} rows, {size / 1e6:.0f} MB of files by mydumper → {options.target}", flush=True)
            measure(upstream, target, folder, options.rows, min(options.limit_rows, options.rows))
    finally:
        shutil.rmtree(folder.parent)


def measure(upstream: RunningServer, target: RunningServer, folder: Path, rows: int, count: int) -> None:
    values = ready_rows(upstream, count)
    with ready_files.files_of(upstream, count) as files:
        before = Limits.measured(target, values, files)
        seconds, peak = ours(target, folder, binlog=True)
        same = checksum(upstream) == checksum(target)
        after = Limits.measured(target, values, files)
    rate = rows / seconds
    statements, loads = (before.statements + after.statements) / 2, (before.files + after.files) / 2
    print(f"  load: {seconds:.1f} s, {rate:,.0f} rows/s, {'equal' if same else 'DIFFERENT'}; peak memory {peak:.0f} MB")
    print(f"  ÷ multi-row INSERT ({statements:,.0f} rows/s): {rate / statements:.2f}")
    print(f"  ÷ LOAD DATA of ready files ({loads:,.0f} rows/s): {rate / loads:.2f}")
    if target.kind == "mariadb":
        for binlog in (True, False):  # myloader's default is without
            mine = ours(target, folder, binlog=binlog)[0]
            theirs = dumpers.myloader(target, folder, _THREADS, binlog=binlog)
            print(
                f"  ÷ myloader, {'with' if binlog else 'without'} the target's binlog ({mine:.1f} s against {theirs:.1f}): "
                f"{theirs / mine:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
