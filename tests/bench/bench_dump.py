"""Dump to files: `python -m tests.bench.bench_dump [--server mariadb|mysql] [--megabytes 500] [--threads 4] [--rounds 3]`.

The ratio is mydumper's time to ours, with the same threads and file size, on the same server, in turns; ours
counts from the first connection to the written metadata, in a process that has imported the unit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from pkg.task.blocks import BlockAllowListConfig, DumpConfig, LoadConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.secret import REVEAL
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.bench import dumpers
from tests.bench.bench_full_load import fill
from tests.servers import RunningServer, start

_ROW_BYTES = 225
_ROWS_PER_FILE = (64 << 20) // _ROW_BYTES  # so that mydumper, too, reads one table with all its threads


def ours(server: RunningServer, folder: Path, threads: int, compress: str) -> tuple[float, float]:
    """Seconds, and the peak of memory in MB."""
    config = SubtaskConfig(
        task_name="bench",
        source_id="bench",
        task_mode=TaskMode.DUMP,
        upstream=ConnectionConfig(host=server.host, port=server.port, user="root"),
        target=ConnectionConfig(host="nowhere.invalid", port=1, user="root"),
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": ["bench"]}),
        dump=DumpConfig.model_validate({"threads": threads, "compress": compress}),
        load=LoadConfig.model_validate({"dir": str(folder)}),
    )
    context = multiprocessing.get_context("spawn")
    out = context.SimpleQueue()
    process = context.Process(target=_dump, args=(config.model_dump_json(context=REVEAL, by_alias=True), out))
    process.start()
    seconds, peak = out.get()
    process.join()
    return seconds, peak


def _dump(wire: str, out: Any) -> None:
    from dm_worker.dumper.unit import DumpToFiles

    config = SubtaskConfig.from_wire(wire)
    began = time.perf_counter()
    DumpToFiles(config).run(threading.Event())
    out.put((time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--server", default="mariadb", choices=["mariadb", "mysql"])
    arguments.add_argument("--megabytes", type=int, default=500)
    arguments.add_argument("--threads", type=int, default=4)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--compress", default="none", choices=["none", "zstd"])
    options = arguments.parse_args()
    rows = options.megabytes * 1_000_000 // _ROW_BYTES
    with start(options.server) as server, tempfile.TemporaryDirectory() as place:
        fill(server, rows)
        ratios = []
        for number in range(options.rounds + 1):  # the first one warms the server
            folder = Path(place, "ours")
            seconds, peak = ours(server, folder, options.threads, options.compress)
            more = ["-c"] if options.compress != "none" else []
            other = dumpers.mydumper(server, Path(place, "mydumper"), options.threads, _ROWS_PER_FILE, *more)
            sizes = size_of(folder), size_of(Path(place, "mydumper"))
            print(
                f"{'warm-up' if number == 0 else f'round {number}'}: ours {seconds:.2f} s ({sizes[0] / 1e6:.0f} MB, peak "
                f"{peak:.0f} MB), mydumper {other:.2f} s ({sizes[1] / 1e6:.0f} MB), ratio {other / seconds:.2f}",
                flush=True,
            )
            ratios += [other / seconds] if number else []
            shutil.rmtree(folder)
            shutil.rmtree(Path(place, "mydumper"))
        print(f"{rows:,} rows, {options.threads} threads: ratio {statistics.median(ratios):.2f} (asked: at least 0.8)")


if __name__ == "__main__":
    main()
