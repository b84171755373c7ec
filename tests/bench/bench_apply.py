"""Catching up with a backlog: `python -m tests.bench.bench_apply [--target tidb|mariadb] [--scale 1.0]`.

DM measured on such a machine reaches 0.10 of the ceiling on inserts and 0.075 on the mixed load into
TiDB by default (0.52 and 0.10 tuned).
"""

from __future__ import annotations

import argparse
import random

from tests.bench import backlog, ceiling
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

CHANGES = {"insert": 300_000, "mixed": 183_000}
CEILING_ROWS = 60_000


def measure(kind: str, upstream: RunningServer, target: RunningServer, scale: float) -> str:
    """One line of the table."""
    made = backlog.write(upstream, kind, int(CHANGES[kind] * scale))
    with ceiling.connect(target).cursor() as cursor:
        for database in ("bench", "dm_meta"):
            cursor.execute(f"DROP DATABASE IF EXISTS {database}")
        cursor.execute("CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(backlog.CREATE.format(table=backlog.TABLE))
    rng = random.Random(1)
    rows = [backlog.values(number, rng) for number in range(CEILING_ROWS)]
    limit = ceiling.rows_per_second(target, backlog.CREATE.format(table="ceiling.t"), rows)
    process = SyncProcess(subtask(upstream, target, made.name, made.offset))
    seconds = process.in_step()
    cost = process.stop()
    same = checksum(upstream) == checksum(target)
    rate = made.changes / seconds
    return (
        f"{kind:<7} {made.changes:>8,} {rate:>9,.0f}/s {made.size_bytes / seconds / 1e6:>7.1f} MB/s "
        f"{limit:>9,.0f}/s "
        f"{rate / limit:>6.2f} {cost.cpu_seconds / made.changes * 1e6:>7.1f} us {cost.peak_mb:>5} MB  "
        f"{'equal' if same else 'DIFFERENT'}"
    )


def checksum(server: RunningServer) -> object:
    with ceiling.connect(server).cursor() as cursor:
        cursor.execute(
            f"SELECT COUNT(*), SUM(id), SUM(customer), SUM(amount), SUM(quantity), SUM(CRC32(note)) FROM {backlog.TABLE}"
        )
        return cursor.fetchone()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    print(f"MariaDB → {options.target}; ratio to multi-row × 1000 INSERT on 4 connections in the same run")
    print("load     changes       rate     binlog   ceiling  ratio  CPU/row  peak RSS")
    for kind in CHANGES:
        upstream, target = start("mariadb"), start(options.target)
        try:
            print(measure(kind, upstream, target, options.scale), flush=True)
        finally:
            upstream.stop()
            target.stop()


if __name__ == "__main__":
    main()
