"""The full migration: `python -m tests.bench.bench_full_load [--target tidb|mariadb] [--rows 400000]`.

Ratios are to the target's own ceiling in the same run: ready statements of the same rows, 1000 each, on
4 connections; and to `LOAD DATA LOCAL` of ready files by the C client.  "with Spark's start" is from the first connection to the stored end; "without" counts from
the moment at which Spark was up.  DM reached 0.60 into TiDB, from start-task to equal.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from dm_worker.dumper.rows import read_statements
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.rows.text_protocol import StatementBuilder
from pkg.task.secret import Secret
from tests.bench import ceiling, copies, ready_files
from tests.servers import RunningServer, start

CREATE = """CREATE TABLE {table} (
    id BIGINT NOT NULL PRIMARY KEY, customer INT NOT NULL, status VARCHAR(20) NOT NULL, amount DECIMAL(12,2) NOT NULL,
    note VARCHAR(255), payload VARBINARY(100), created DATETIME NOT NULL, KEY by_customer (customer)
) DEFAULT CHARSET=utf8mb4"""
DIGITS = "(SELECT 0 n UNION ALL " + " UNION ALL ".join(f"SELECT {n}" for n in range(1, 10)) + ")"
CEILING_ROWS = 100_000


def fill(server: RunningServer, rows: int) -> None:
    """The table `bench.orders`, about 225 bytes a row."""
    with ceiling.connect(server, charset="utf8mb4") as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS bench")
        cursor.execute("CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(CREATE.format(table="bench.orders"))
        digits = ", ".join(f"{DIGITS} d{power}" for power in range(4))
        number = " + ".join(f"d{power}.n * {10**power}" for power in range(4))
        for first in range(0, rows, 10_000):
            cursor.execute(
                f"INSERT INTO bench.orders SELECT k, k * 7919 % 100000, ELT(1 + k % 4, 'new', 'paid', 'shipped', 'cut'), "
                "(k % 10000) / 7, REPEAT(CONCAT(SHA1(k), ' ä '), 3), UNHEX(SHA2(k, 256)), "
                f"'2024-01-01' + INTERVAL k SECOND FROM (SELECT {first} + {number} k FROM {digits}) t WHERE k < {rows}"
            )
        cursor.execute("ANALYZE TABLE bench.orders")


def ready_rows(server: RunningServer, count: int) -> list[str]:
    """Rows as `(…)` texts, made by the same code as the migration's."""
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    with connect(options, side="upstream") as connection:
        builder = StatementBuilder(b"", 1, 1 << 20)
        sql = f"SELECT * FROM bench.orders ORDER BY id LIMIT {count}"
        return [statement.decode() for statement, _ in read_statements(connection, sql, builder)]


@dataclass(frozen=True)
class Limits:
    """Rows/s of the target alone: by ready statements, and by ready files."""

    statements: float
    files: float

    @classmethod
    def measured(cls, target: RunningServer, values: list[str], files: list[Path]) -> Limits:
        create = CREATE.format(table="ceiling.t")
        statements = ceiling.rows_per_second(target, create, values)
        return cls(statements, ready_files.rows_per_second(target, create, files, len(values)))


def measure(upstream: RunningServer, target: RunningServer, rows: int, values: list[str], files: list[Path]) -> str:
    before = Limits.measured(target, values, files)
    copies.forget(target)
    made = copies.copied(copies.subtask(upstream, target), upstream=upstream, target=target)
    after = Limits.measured(target, values, files)
    statements, loads = (before.statements + after.statements) / 2, (before.files + after.files) / 2
    whole, plain = rows / made.seconds, (rows - made.rows_before) / made.since_up
    return (
        f"{made.line()}\n"
        f"  multi-row INSERT before {before.statements:,.0f}, after {after.statements:,.0f} rows/s; "
        f"LOAD DATA of files before {before.files:,.0f}, after {after.files:,.0f} rows/s\n"
        f"  ÷ INSERT with Spark's start {whole / statements:.2f}, without {plain / statements:.2f}; "
        f"÷ LOAD DATA of files with {whole / loads:.2f}, without {plain / loads:.2f}\n"
        f"  {'equal' if checksum(upstream) == checksum(target) else 'DIFFERENT'}"
    )


def checksum(server: RunningServer) -> object:
    with ceiling.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*), SUM(id), SUM(customer), SUM(amount), SUM(CRC32(note)), SUM(CRC32(payload)) FROM bench.orders"
        )
        return cursor.fetchone()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="tidb", choices=["tidb", "mariadb", "mysql"])
    arguments.add_argument("--rows", type=int, default=400_000)
    options = arguments.parse_args()
    with start("mariadb") as upstream, start(options.target) as target:
        fill(upstream, options.rows)
        print(f"MariaDB → {options.target}")
        count = min(CEILING_ROWS, options.rows)
        with ready_files.files_of(upstream, count) as files:
            print(measure(upstream, target, options.rows, ready_rows(upstream, count), files))


if __name__ == "__main__":
    main()
