"""One large table against 1,000 small ones of the same bytes: `python -m tests.bench.bench_small_tables [--rows 200000]
[--tables 1000] [--rounds 1] [--target mariadb]`.

Asked: at most 1.3 of the time, with 2,000,000 rows.
"""

from __future__ import annotations

import argparse
import statistics

from tests.bench import ceiling, copies
from tests.bench.bench_full_load import CREATE, fill
from tests.servers import RunningServer, start

_MANY = "bench_many"


def scatter(server: RunningServer, rows: int, tables: int) -> None:
    """The rows of `bench.orders` in ``tables`` tables of `bench_many`."""
    share = -(-rows // tables)
    with ceiling.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {_MANY}")
        cursor.execute(f"CREATE DATABASE {_MANY} DEFAULT CHARACTER SET utf8mb4")
        for number in range(tables):
            name = f"{_MANY}.orders_{number:05}"
            cursor.execute(CREATE.format(table=name))
            first = number * share
            cursor.execute(
                f"INSERT INTO {name} SELECT * FROM bench.orders WHERE id >= {first} AND id < {first + share}"
            )
            cursor.execute(f"ANALYZE TABLE {name}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--tables", type=int, default=1_000)
    arguments.add_argument("--rounds", type=int, default=1)
    arguments.add_argument("--target", default="mariadb", choices=["mariadb", "tidb"])
    options = arguments.parse_args()
    ratios = []
    with start("mariadb") as upstream, start(options.target) as target:
        fill(upstream, options.rows)
        scatter(upstream, options.rows, options.tables)
        for _ in range(options.rounds):
            copies.forget(target, "bench", _MANY)
            one = copies.copied(copies.subtask(upstream, target), upstream=upstream, target=target)
            copies.forget(target, "bench", _MANY)
            many = copies.copied(copies.subtask(upstream, target, _MANY), upstream=upstream, target=target)
            ratios.append(many.seconds / one.seconds)
            print(f"one table:    {one.line()}")
            print(
                f"{options.tables:,} tables: {many.line()}\n  ratio {ratios[-1]:.2f}, of CPU {many.cpu / one.cpu:.2f}",
                flush=True,
            )
    print(f"many tables ÷ one table: {statistics.median(ratios):.2f} of the time (asked: at most 1.3)")


if __name__ == "__main__":
    main()
