"""The direct copy against mydumper + myloader: `python -m tests.bench.bench_copy [--rows 200000] [--rounds 2]`.

MariaDB → MariaDB, 4 threads and lanes; both go from an empty target to a loaded one, in turns.  Asked: at most 0.9 of
their time, with 2,000,000 rows (500 MB).
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from tests.bench import copies, dumpers
from tests.bench.bench_full_load import checksum, fill
from tests.bench.cpu import CpuMeter
from tests.servers import RunningServer, start

THREADS = 4
ROWS_PER_FILE = 50_000
BINLOG = "whether both write the target's own binlog, as ours does unless told; myloader's default is not to"


def theirs(upstream: RunningServer, target: RunningServer, *, binlog: bool) -> tuple[float, float]:
    """Seconds of the dump, and of the load."""
    place = Path(tempfile.mkdtemp(prefix="spark-dm-bench-"))
    try:
        dump = dumpers.mydumper(upstream, place / "dump", THREADS, ROWS_PER_FILE)
        return dump, dumpers.myloader(target, place / "dump", THREADS, binlog=binlog)
    finally:
        shutil.rmtree(place)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--binlog", action=argparse.BooleanOptionalAction, default=True, help=BINLOG)
    options = arguments.parse_args()
    ratios = []
    with start("mariadb") as upstream, start("mariadb") as target:
        fill(upstream, options.rows)
        for _ in range(options.rounds):
            copies.forget(target)
            config = copies.subtask(upstream, target, binlog=options.binlog)
            made = copies.copied(config, upstream=upstream, target=target)
            same = checksum(upstream) == checksum(target)
            meter = CpuMeter(upstream=upstream, target=target)
            dump, load = theirs(upstream, target, binlog=options.binlog)
            ratios.append(made.seconds / (dump + load))
            print(f"{made.line()}{'' if same else ' DIFFERENT'}")
            print(
                f"  mydumper {dump:.1f} + myloader {load:.1f} s, {options.rows / (dump + load):,.0f} rows/s: {ratios[-1]:.2f} of it, "
                f"{made.cpu / meter.seconds():.2f} of its CPU",
                flush=True,
            )
    print(f"direct ÷ (mydumper + myloader): {statistics.median(ratios):.2f} (asked: at most 0.9)")


if __name__ == "__main__":
    main()
