"""One huge transaction: `python -m tests.bench.bench_large_transaction [--gigabytes 1.0] [--row-bytes 1000 1000000]`.

The upstream commits one transaction of that many bytes of binlog, once of small rows and once of large ones.  Asked:
it is applied to TiDB and MariaDB (by many transactions there, each below the target's limits), at most 400 MB.
"""

from __future__ import annotations

import argparse
import random
import string

from tests.bench import backlog, ceiling
from tests.bench.loads import Load
from tests.bench.syncing import SyncProcess, subtask
from tests.servers import RunningServer, start

CREATE = "CREATE TABLE {table} (id BIGINT PRIMARY KEY, customer INT, body LONGTEXT, KEY (customer))"
CHECK = "id,customer,MD5(body)"
LOAD = Load("large", 0, tables=("bench.large",), create=CREATE, check=CHECK)
STATEMENT_BYTES = 2 << 20
GOAL_MB = 400
UPDATED = 10  # one row in so many is updated, one in as many deleted, at the transaction's end


def write(server: RunningServer, size_bytes: int, row_bytes: int) -> backlog.Backlog:
    """The transaction: inserts, then updates and deletes of some of its rows."""
    backlog.make_schema(server, LOAD)
    connection = ceiling.connect(server, autocommit=False)
    text = "".join(random.Random(1).choices(string.ascii_letters, k=row_bytes + 1000))
    name, offset = backlog.position(connection)
    rows = max(1, size_bytes // row_bytes)
    at_once = max(1, STATEMENT_BYTES // row_bytes)
    with connection.cursor() as cursor:
        for first in range(0, rows, at_once):
            values = ",".join(
                f"({row},{row % 1000},'{text[row % 1000 :][:row_bytes]}')"
                for row in range(first, min(first + at_once, rows))
            )
            cursor.execute(f"INSERT INTO {LOAD.tables[0]} VALUES {values}")
        updated = cursor.execute(f"UPDATE {LOAD.tables[0]} SET customer = customer + 1 WHERE id % {UPDATED} = 1")
        deleted = cursor.execute(f"DELETE FROM {LOAD.tables[0]} WHERE id % {UPDATED} = 2")
    connection.commit()
    end = backlog.position(connection)
    size = backlog.binlog_bytes(connection, (name, offset), end)
    connection.close()
    return backlog.Backlog(name, offset, rows + updated + deleted, size, end)


def measure(upstream: RunningServer, target: RunningServer, made: backlog.Backlog) -> str:
    backlog.make_schema(target, LOAD)
    process = SyncProcess(subtask(upstream, target, made.name, made.offset))
    seconds = process.in_step()
    cost = process.stop()
    same = backlog.is_equal(upstream, target, LOAD)
    return (
        f"{made.size_bytes / 1e6:>7,.0f} MB {seconds:>7.1f} s {made.size_bytes / seconds / 1e6:>6.1f} MB/s "
        f"{made.changes / seconds:>8,.0f}/s {cost.status['totalTps']:>6,} {cost.peak_mb:>6} MB  "
        f"{'equal' if same else 'DIFFERENT'}  {'good' if cost.peak_mb <= GOAL_MB else 'TOO LARGE'}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", nargs="+", default=["tidb", "mariadb"], choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--upstream", default="mariadb", choices=["mariadb", "mysql"])
    arguments.add_argument("--gigabytes", type=float, default=0.2, help="of rows; the goal is for 1")
    arguments.add_argument("--row-bytes", type=int, nargs="+", default=[1000, 1_000_000])
    options = arguments.parse_args()
    print(f"one transaction from {options.upstream}")
    print("row bytes  target        size      time       rate       rows/s     tx  peak RSS")
    for row_bytes in options.row_bytes:
        with start(options.upstream) as upstream:
            made = write(upstream, int(options.gigabytes * 1e9), row_bytes)
            for kind in options.target:
                with start(kind) as target:
                    line = measure(upstream, target, made)
                print(f"{row_bytes:>9,}  {kind:<8} {line}", flush=True)


if __name__ == "__main__":
    main()
