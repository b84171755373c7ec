"""The streams of the codec's benchmark, recorded from a real server: transactions of one row, events of many rows."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.servers import RunningServer

CREATE = """CREATE TABLE bench.orders (id BIGINT UNSIGNED NOT NULL PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL,
  state ENUM('new','paid','sent') NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(80), created DATETIME NOT NULL,
  updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)) DEFAULT CHARSET utf8mb4"""
INSERT = "INSERT INTO bench.orders (customer, state, amount, note, created) VALUES "
SMALL_TRANSACTIONS = 40_000
LARGE_INSERTS, ROWS_OF_ONE, UPDATED = 150, 1000, 50_000


@dataclass(frozen=True, slots=True)
class Recording:
    """One binlog file and the structure of its table."""

    kind: str
    flavor: str
    path: Path
    table: Table


def record(server: RunningServer, scale: float) -> list[Recording]:
    """Both streams, each in a binlog file of its own."""
    rng = random.Random(1)
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS bench")
        cursor.execute("CREATE DATABASE bench")
        cursor.execute(CREATE)
        cursor.execute("SHOW CREATE TABLE bench.orders")
        table = parse_create_table(cursor.fetchone()[1], "bench")
        files = [_next_file(cursor)]
        for _ in range(int(SMALL_TRANSACTIONS * scale)):
            cursor.execute(INSERT + _values(rng))
        files.append(_next_file(cursor))
        for _ in range(int(LARGE_INSERTS * scale)):
            cursor.execute(INSERT + ", ".join(_values(rng) for _ in range(ROWS_OF_ONE)))
        cursor.execute(f"UPDATE bench.orders SET amount = amount + 1 LIMIT {int(UPDATED * scale)}")
        _next_file(cursor)
    kinds = ("one-row transactions", "multi-row events")
    return [
        Recording(kind, server.kind, Path(server.datadir) / file, table)
        for kind, file in zip(kinds, files, strict=True)
    ]  # fmt: skip


def _next_file(cursor: Any) -> str:
    cursor.execute("FLUSH BINARY LOGS")
    cursor.execute("SHOW BINARY LOGS")
    return str(cursor.fetchall()[-1][0])


def _values(rng: random.Random) -> str:
    note = "NULL" if rng.random() < 0.1 else f"'note {rng.randrange(10**6)} für den Kunden'"
    day = f"2024-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
    clock = f"{rng.randrange(24):02d}:15:{rng.randrange(60):02d}"
    state = rng.choice(("new", "paid", "sent"))
    amount = f"{rng.randrange(10**7)}.{rng.randrange(100):02d}"
    return f"({rng.randrange(1 << 30)}, '{state}', {amount}, {note}, '{day} {clock}')"
