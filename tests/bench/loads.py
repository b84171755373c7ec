"""What the benchmarks of replication write upstream: each load as a stream of statements.

insert: 200 rows a statement, one a transaction.  mixed: DESIGN.md §8, half of the row changes 10-row inserts, two
fifths single updates, a tenth deletes, 200 a transaction.  autocommit: the same shares, one row a transaction.
hot: single updates, 80 % of them on 100 of 10,000 rows.  wide: mixed over 8 tables of rows of 2 KB with JSON and text.
stored: mixed into a table with a STORED column, whose values are compared before each transaction commits.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

NARROW = (
    "CREATE TABLE {table} (id BIGINT PRIMARY KEY, customer INT, amount DECIMAL(10,2), placed DATETIME, "
    "state VARCHAR(50), note VARCHAR(100), quantity INT, KEY (customer))"
)
NARROW_CHECK = "id,customer,amount,placed,note,quantity"
STORED = NARROW.replace("KEY (customer)", "placed_on DATE AS (DATE(placed)) STORED, KEY (customer)")
_SHORT = tuple(f"short_{number}" for number in range(1, 9))
WIDE = (
    "CREATE TABLE {table} (id BIGINT PRIMARY KEY, customer INT, amount DECIMAL(10,2), quantity INT, placed DATETIME(6), "
    + ", ".join(f"{name} VARCHAR(60)" for name in _SHORT)
    + ", ratio DOUBLE, body TEXT, remark MEDIUMTEXT, doc JSON, KEY (customer), KEY (short_1))"
)
WIDE_CHECK = "id,customer,amount,quantity,body,remark,short_8,JSON_UNQUOTE(JSON_EXTRACT(doc,'$.tags[1]'))"
HOT_ROWS, ALL_ROWS, HOT_SHARE = 100, 10_000, 0.8
_TEXT = "The quick brown fox jumps over the lazy dog, again: größer, höher, weiter. " * 16

Values = Callable[[int, random.Random], str]
# (what a transaction's statement is, how many row changes it makes)
Statements = Iterator[tuple[str, int]]


def narrow(number: int, rng: random.Random) -> str:
    return (
        f"({number},{rng.randrange(100_000)},{rng.randrange(1000)}.50,'2026-01-01 00:00:00',NULL,"
        f"'the note of order {number}',{number % 77})"
    )


def stored(number: int, rng: random.Random) -> str:
    return narrow(number, rng)[:-1] + ",DEFAULT)"


def wide(number: int, rng: random.Random) -> str:
    doc = {"n": number, "tags": ["red", f"tag{number % 100}"], "nested": {"a": [1, 2, 3], "text": _TEXT[:200]}}
    short = ",".join(f"'{name} of {number}'" for name in _SHORT)
    at = rng.randrange(200)
    return (
        f"({number},{rng.randrange(100_000)},{rng.randrange(1000)}.50,{number % 77},'2026-01-01 00:00:00.123456',{short},"
        f"{rng.random()},'{_TEXT[at : at + 900]}','{number} {_TEXT[at : at + 500]}','{json.dumps(doc)}')"
    )


@dataclass(frozen=True, slots=True)
class Shares:
    """How the row changes divide; what is left are deletes."""

    insert: float
    update: float
    rows_per_insert: int


MIXED = Shares(0.5, 0.4, 10)
ONE_ROW = Shares(0.5, 0.4, 1)


@dataclass(frozen=True, slots=True)
class Load:
    """``changes`` is the usual number of row changes; ``per_transaction`` 1 means autocommit."""

    name: str
    changes: int
    per_transaction: int = 200
    tables: tuple[str, ...] = ("bench.orders",)
    create: str = NARROW
    values: Values = narrow
    check: str = NARROW_CHECK
    ceiling_rows: int = 60_000
    present_rows: int = 0  # in the first table, on both sides, before the backlog
    shares: Shares = MIXED

    def prepare(self) -> Iterator[str]:
        """What upstream and target have before the backlog begins."""
        for table in self.tables:
            yield self.create.format(table=table)
        rng = random.Random(7)
        for start in range(0, self.present_rows, 1000):
            yield _insert(self.tables[0], start, 1000, self.values, rng)

    def statements(self, rng: random.Random) -> Statements:
        """Without an end."""
        if self.name == "insert":
            return _inserts(self, rng)
        return _hot(self, rng) if self.name == "hot" else _mixed(self, rng)

    def over(self, tables: int) -> Load:
        """The same load over so many tables."""
        return replace(self, tables=tuple(f"bench.t{number}" for number in range(tables)))


def _insert(table: str, start: int, count: int, values: Values, rng: random.Random) -> str:
    return f"INSERT INTO {table} VALUES " + ",".join(values(start + i, rng) for i in range(count))


def _inserts(load: Load, rng: random.Random) -> Statements:
    made, count = 0, load.per_transaction
    while True:
        yield _insert(load.tables[0], made, count, load.values, rng), count
        made += count


def _hot(load: Load, rng: random.Random) -> Statements:
    while True:
        row = rng.randrange(HOT_ROWS) if rng.random() < HOT_SHARE else rng.randrange(HOT_ROWS, ALL_ROWS)
        yield _update(load.tables[0], row, rng), 1


def _update(table: str, row: int, rng: random.Random) -> str:
    customer, quantity = rng.randrange(100_000), rng.randrange(1_000_000)
    return f"UPDATE {table} SET customer={customer},amount=amount+1,quantity={quantity} WHERE id={row}"


def _mixed(load: Load, rng: random.Random) -> Statements:
    """Rows of every table are inserted before they are updated or deleted."""
    shares, some = load.shares, 100 if len(load.tables) == 1 else 10
    inserts = shares.insert / shares.rows_per_insert
    deletes = 1 - shares.insert - shares.update
    ids: dict[str, list[int]] = {table: [] for table in load.tables}
    made = dict.fromkeys(load.tables, 0)
    while True:
        table = rng.choice(load.tables)
        known = ids[table]
        dice = rng.random() * (inserts + shares.update + deletes)
        if dice < inserts or len(known) < some:
            count, first = shares.rows_per_insert, made[table]
            known.extend(range(first, first + count))
            made[table] += count
            yield _insert(table, first, count, load.values, rng), count
            continue
        place = rng.randrange(len(known))
        if dice < inserts + shares.update:
            yield _update(table, known[place], rng), 1
            continue
        yield f"DELETE FROM {table} WHERE id={known[place]}", 1
        known[place] = known[-1]
        known.pop()


LOADS = {
    load.name: load
    for load in (
        Load("insert", 300_000),
        Load("mixed", 183_000),
        Load("autocommit", 100_000, per_transaction=1, shares=ONE_ROW),
        Load("hot", 183_000, present_rows=ALL_ROWS),
        Load("stored", 183_000, create=STORED, values=stored),
        Load(
            "wide",
            80_000,
            tables=tuple(f"bench.wide{number}" for number in range(8)),
            create=WIDE,
            values=wide,
            check=WIDE_CHECK,
            ceiling_rows=20_000,
        ),
    )
}
