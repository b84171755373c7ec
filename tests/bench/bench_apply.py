"""Catching up with a backlog: `python -m tests.bench.bench_apply [mixed …] [--target tidb mariadb] [--scale 1.0]`.

The loads are those of `loads.py`.  DM measured on such a machine reaches 0.10 of the ceiling on inserts and 0.075 on
the mixed load into TiDB by default (0.52 and 0.10 tuned).  Asked: into TiDB insert 0.8 and mixed 0.4, into MariaDB 0.45
and 0.3; hot faster than mixed; autocommit into MariaDB at least 3 × MariaDB's own replica; at most 250 MB.
"""

from __future__ import annotations

import argparse
import random

from tests.bench import backlog, ceiling, native_replica
from tests.bench.loads import LOADS, Load
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

HEAD = "load        target   changes       rate      binlog    ceiling  ratio  CPU/row  peak RSS  retries"


def measure(load: Load, made: backlog.Backlog, upstream: RunningServer, target: RunningServer) -> tuple[float, str]:
    """Rows/s, and the line of the table."""
    rng = random.Random(1)
    rows = [load.values(number, rng) for number in range(load.ceiling_rows)]
    limit = ceiling.rows_per_second(target, load.create.format(table="ceiling.t"), rows)
    backlog.make_schema(target, load)
    process = SyncProcess(subtask(upstream, target, made.name, made.offset))
    seconds = process.in_step()
    cost = process.stop()
    same = "equal" if backlog.is_equal(upstream, target, load) else "DIFFERENT"
    rate = made.changes / seconds
    return rate, (
        f"{load.name:<11} {target.kind:<8} {made.changes:>7,} {rate:>8,.0f}/s {made.size_bytes / seconds / 1e6:>6.1f} "
        f"MB/s {limit:>8,.0f}/s {rate / limit:>6.2f} {cost.cpu_seconds / made.changes * 1e6:>5.1f} us "
        f"{cost.peak_mb:>6} MB {cost.status['retries']:>8}  {same}"
    )


def run(load: Load, targets: list[str], scale: float) -> None:
    """One backlog, caught up with on each target."""
    with start("mariadb") as upstream:
        made = backlog.write(upstream, load, int(load.changes * scale))
        native = 0.0
        if load.per_transaction == 1:
            native = made.changes / native_replica.seconds_to_catch_up(upstream, load, made)
            print(f"{load.name:<11} {'replica':<8} {made.changes:>7,} {native:>8,.0f}/s  MariaDB's own", flush=True)
        for kind in targets:
            with start(kind) as target:
                rate, line = measure(load, made, upstream, target)
            print(line + (f"  {rate / native:.1f} x MariaDB's own" if native else ""), flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("loads", nargs="*", choices=[*LOADS, []], default=[])
    arguments.add_argument("--target", nargs="+", default=["tidb", "mariadb"], choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    print("from MariaDB; ratio to multi-row × 1000 INSERT on 4 connections in the same run")
    print(HEAD)
    for name in options.loads or LOADS:
        run(LOADS[name], options.target, options.scale)


if __name__ == "__main__":
    main()
