"""Lag behind a steady stream: `python -m tests.bench.bench_lag [--target tidb mariadb] [--rows 10000] [--seconds 20]`.

A process of its own commits 20 rows at a time.  Lag is the time from a commit's return until all of its rows are
visible downstream, of one commit in 25 (with 500 commits a second: every 50 ms).  Asked: less than a second.
"""

from __future__ import annotations

import argparse
import time

from tests.bench import backlog, ceiling
from tests.bench.loads import LOADS
from tests.bench.paced_writer import TABLE, PacedWriter
from tests.bench.syncing import Cost, SyncProcess, subtask
from tests.servers import RunningServer, start

ROWS_PER_COMMIT, SAMPLED = 20, 25
WARM_UP = -1_000_000  # its rows have keys that the stream's do not have
GOAL_SECONDS = 1.0


def measure(
    upstream: RunningServer, target: RunningServer, rows: int, seconds: float
) -> tuple[list[float], float, Cost]:
    """(lags in seconds, in the order of the commits; rows/s that were written; what the sync process cost)."""
    load = LOADS["insert"]
    for server in (upstream, target):
        backlog.make_schema(server, load)
    connection = ceiling.connect(upstream)
    name, offset = backlog.position(connection)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {TABLE} (id, note) VALUES ({WARM_UP}, '')")
    connection.close()
    process = SyncProcess(subtask(upstream, target, name, offset))
    process.in_step()
    writer = PacedWriter(upstream, rows, ROWS_PER_COMMIT, seconds)
    writer.wait_until_it_writes()
    seen = watch(target, writer.commits)
    committed = writer.times()
    cost = process.stop()
    rate = ROWS_PER_COMMIT * (len(committed) - 1) / (committed[-1] - committed[0])
    return [there - here for here, there in zip(committed[::SAMPLED], seen, strict=True)], rate, cost


def watch(target: RunningServer, commits: int) -> list[float]:
    """When each sampled commit was first seen whole."""
    connection = ceiling.connect(target)
    seen: list[float] = []
    with connection.cursor() as cursor:
        for commit in range(0, commits, SAMPLED):
            first = commit * ROWS_PER_COMMIT
            while True:
                cursor.execute(f"SELECT COUNT(*) FROM {TABLE} WHERE id >= {first} AND id < {first + ROWS_PER_COMMIT}")
                if cursor.fetchone() == (ROWS_PER_COMMIT,):
                    break
                time.sleep(0.002)
            seen.append(time.monotonic())
    connection.close()
    return seen


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", nargs="+", default=["tidb", "mariadb"], choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--rows", type=int, default=10_000, help="per second")
    arguments.add_argument("--seconds", type=float, default=20)
    options = arguments.parse_args()
    print(f"{options.rows:,} rows/s for {options.seconds:.0f} s, {ROWS_PER_COMMIT} a commit, from MariaDB")
    print("target    written     lag p50       p99       max   last  CPU/row  peak RSS")
    for kind in options.target:
        with start("mariadb") as upstream, start(kind) as target:
            lags, rate, cost = measure(upstream, target, options.rows, options.seconds)
            same = backlog.is_equal(upstream, target, LOADS["insert"])
        ordered = sorted(lags)
        share = cost.cpu_seconds / (options.rows * options.seconds) * 1e6
        print(
            f"{kind:<8} {rate:>6,.0f}/s {ordered[len(lags) // 2]:>9.3f} s {ordered[int(len(lags) * 0.99)]:>7.3f} s "
            f"{ordered[-1]:>7.3f} s {lags[-1]:>6.3f} {share:>5.1f} us {cost.peak_mb:>6} MB  "
            f"{'equal' if same else 'DIFFERENT'}  {'good' if ordered[-1] < GOAL_SECONDS else 'TOO LATE'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
