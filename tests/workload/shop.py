"""The tables of tests and demo: sharded orders, and one table for each thing that is easy to get wrong."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import pymysql

from tests.servers import RunningServer

ORDERS = """CREATE TABLE {table} (
  id BIGINT UNSIGNED NOT NULL PRIMARY KEY, order_no VARCHAR(32) NOT NULL, customer VARCHAR(60), note TEXT,
  amount DECIMAL(12,2) NOT NULL, weight FLOAT, rate DOUBLE, placed DATETIME(3), paid TIMESTAMP(6) NULL, due DATE,
  took TIME(2), details JSON, state ENUM('new','paid','sent','zurück') NOT NULL, flags SET('gift','express','insured'),
  bits BIT(12), token VARBINARY(40), photo BLOB, quantity SMALLINT, UNIQUE KEY order_no (order_no), KEY customer (customer)
) DEFAULT CHARSET=utf8mb4"""
COLUMNS = (
    "id, order_no, customer, note, amount, weight, rate, placed, paid, due, took, details, state, flags, bits, token, "
    "photo, quantity"
)
EXTRAS = {
    "legacy.words": "CREATE TABLE legacy.words (id INT PRIMARY KEY, word VARCHAR(40), more TEXT)",  # implicit latin1
    "extras.log": "CREATE TABLE extras.log (at INT, line VARCHAR(40), f FLOAT)",  # no key at all
    "extras.counter": "CREATE TABLE extras.counter (id INT PRIMARY KEY, n BIGINT NOT NULL)",
    "extras.pairs": "CREATE TABLE extras.pairs (a INT, b VARCHAR(20), v INT, PRIMARY KEY (a, b))",
    "extras.names": "CREATE TABLE extras.names (name VARCHAR(40) PRIMARY KEY, v INT) COLLATE utf8mb4_general_ci",
}
NAMES = ("Ada Müller", "Łukasz Żak", "Ольга", "محمد", "山田太郎", "김민준", "Zoë 😀", "O'Brien \\ Söhne", "")


@dataclass(frozen=True, slots=True)
class Shard:
    """One upstream orders table; its ids lie above `base` and no other shard's do."""

    schema: str
    table: str
    base: int

    @property
    def name(self) -> str:
        return f"{self.schema}.{self.table}"


def shards(first: int, last: int, tables: int = 4) -> list[Shard]:
    """Shards of the schemas shop_<first> to shop_<last>."""
    return [
        Shard(f"shop_{schema:02d}", f"orders_{table}", (schema * 16 + table) * 10_000_000)
        for schema in range(first, last + 1)
        for table in range(tables)
    ]


def connect(server: RunningServer, **arguments: Any) -> Any:
    session = "SET time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES'"
    settings = {"autocommit": True, "charset": "utf8mb4", "init_command": session, "ssl_disabled": True, **arguments}
    return pymysql.connect(host=server.host, port=server.port, user="root", **settings)


def create(server: RunningServer, parts: list[Shard], *, extras: bool = False) -> None:
    with connect(server) as connection, connection.cursor() as cursor:
        for schema in sorted({shard.schema for shard in parts}):
            cursor.execute(f"CREATE DATABASE {schema} DEFAULT CHARACTER SET utf8mb4")
        for shard in parts:
            cursor.execute(ORDERS.format(table=shard.name))
        if extras:
            cursor.execute("CREATE DATABASE legacy DEFAULT CHARACTER SET latin1")
            cursor.execute("CREATE DATABASE extras DEFAULT CHARACTER SET utf8mb4")
            for statement in EXTRAS.values():
                cursor.execute(statement)
            cursor.execute("INSERT INTO extras.counter VALUES (1, 0), (2, 0), (3, 0)")
            cursor.execute("INSERT INTO legacy.words VALUES (1, 'äöü€', 'ß'), (2, 'plain', NULL), (3, '', 'Š')")
            cursor.execute("INSERT INTO extras.log VALUES (1, 'same', 1.1), (1, 'same', 1.1), (2, NULL, -0.3)")
            cursor.execute("INSERT INTO extras.names VALUES ('Äpfel', 1), ('birne', 2)")


def order(number: int, rng: random.Random) -> tuple[Any, ...]:
    """One row, in the order of the columns."""
    moment = f"20{rng.randrange(20, 30)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
    clock = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}"
    rare = rng.random() < 0.1
    return (
        number,
        f"A-{number}",
        None if rare else rng.choice(NAMES),
        rng.choice(NAMES) * rng.randrange(1, 6),
        f"{rng.randrange(10**9)}.{rng.randrange(100):02d}",
        None if rare else round(rng.uniform(-1000, 1000), 3),
        rng.choice((0.1, 1e300, -2.5e-300, rng.random())),
        f"{moment} {clock}.{rng.randrange(1000):03d}",
        None if rare else f"{moment} {clock}.{rng.randrange(10**6):06d}",
        moment,
        f"{'-' if rare else ''}{rng.randrange(800)}:{rng.randrange(60):02d}:00.25",
        json.dumps(
            {"tags": ["a", rng.randrange(1000)], "name": "ü", "deep": {"x": None, "y": 1.5}}, ensure_ascii=False
        ),
        rng.choice(("new", "paid", "sent", "zurück")),
        rng.choice((None, "", "gift", "gift,insured")),
        rng.randrange(4096),
        bytes(rng.randrange(256) for _ in range(rng.randrange(20))),
        None if rare else bytes(range(256)),
        None if rare else rng.randrange(-32768, 32768),
    )


def insert(cursor: Any, shard: Shard, rows: list[tuple[Any, ...]]) -> None:
    marks = ",".join(["%s"] * len(rows[0]))
    cursor.executemany(f"INSERT INTO {shard.name} ({COLUMNS}) VALUES ({marks})", rows)


def fill(server: RunningServer, parts: list[Shard], rows: int, seed: int) -> None:
    """`rows` rows into each shard; the same ones for a seed."""
    rng = random.Random(seed)
    with connect(server, autocommit=False) as connection, connection.cursor() as cursor:
        for shard in parts:
            for start in range(0, rows, 500):
                numbers = range(shard.base + start, shard.base + min(rows, start + 500))
                insert(cursor, shard, [order(number, rng) for number in numbers])
            connection.commit()
