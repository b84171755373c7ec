"""Binlogs to catch up with: inserts of 200 rows a transaction, and the mixed load of DESIGN.md §8."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.bench.ceiling import connect
from tests.servers import RunningServer

CREATE = (
    "CREATE TABLE {table} (id BIGINT PRIMARY KEY, customer INT, amount DECIMAL(10,2), placed DATETIME, "
    "state VARCHAR(50), note VARCHAR(100), quantity INT, KEY (customer))"
)
TABLE = "bench.orders"
PER_TRANSACTION = 200


@dataclass(frozen=True, slots=True)
class Backlog:
    """What was written from the binlog position on: row changes, and bytes of binlog."""

    name: str
    offset: int
    changes: int
    size_bytes: int


def values(number: int, rng: random.Random) -> str:
    return (
        f"({number},{rng.randrange(100_000)},{rng.randrange(1000)}.50,'2026-01-01 00:00:00',NULL,"
        f"'the note of order {number}',{number % 77})"
    )


def write(server: RunningServer, kind: str, changes: int, seed: int = 1) -> Backlog:
    """Write a backlog of `changes` row changes, `insert` or `mixed`, into an empty table."""
    rng = random.Random(seed)
    connection = connect(server, autocommit=False)
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS bench")
        cursor.execute("CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(CREATE.format(table=TABLE))
        cursor.execute("SHOW MASTER STATUS")
        row = cursor.fetchone()
        assert row is not None
        name, offset = str(row[0]), int(row[1])
        ids: list[int] = []
        made = written = 0
        while written < changes:
            transaction = 0
            while transaction < PER_TRANSACTION:
                count, made = _change(cursor, kind, ids, made, rng)
                transaction += count
            connection.commit()
            written += transaction
        cursor.execute("SHOW MASTER STATUS")
        row = cursor.fetchone()
        assert row is not None
    connection.close()
    return Backlog(name, offset, written, int(row[1]) - offset)


def _change(cursor: object, kind: str, ids: list[int], made: int, rng: random.Random) -> tuple[int, int]:
    """One statement; (row changes, rows made so far)."""
    execute = cursor.execute  # type: ignore[attr-defined]
    if kind == "insert":
        execute(f"INSERT INTO {TABLE} VALUES " + ",".join(values(made + i, rng) for i in range(PER_TRANSACTION)))
        return PER_TRANSACTION, made + PER_TRANSACTION
    # Half of the row changes are 10-row inserts, two fifths single updates, a tenth deletes.
    dice = rng.random() * 0.55
    if dice < 0.05 or len(ids) < 100:
        execute(f"INSERT INTO {TABLE} VALUES " + ",".join(values(made + i, rng) for i in range(10)))
        ids.extend(range(made, made + 10))
        return 10, made + 10
    place = rng.randrange(len(ids))
    if dice < 0.45:
        customer, quantity = rng.randrange(100_000), rng.randrange(1_000_000)
        execute(f"UPDATE {TABLE} SET customer={customer},amount=amount+1,quantity={quantity} WHERE id={ids[place]}")
        return 1, made
    execute(f"DELETE FROM {TABLE} WHERE id={ids[place]}")
    ids[place] = ids[-1]
    ids.pop()
    return 1, made
