"""Statements about neither rows nor one table: sessions, triggers, views, procedures, logs, databases, tables that trade places.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.soak.sql import dml
from tests.soak.sql.dml import Said
from tests.soak.sql.schema import Source, Table

SESSION = (
    "SET sql_mode = ''", "SET sql_mode = DEFAULT", "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", "SET time_zone = '+05:30'",
    "SET time_zone = SYSTEM", "SET NAMES latin1", "SET NAMES utf8mb4", "SET foreign_key_checks = 0", "SET foreign_key_checks = 1",
    "SET auto_increment_increment = 3", "SET auto_increment_increment = 1",
)  # fmt: skip
Others = list[Said]


def other(source: Source, free: list[Table], rng: random.Random) -> Others:
    """One of them; ``free``: the tables that no other connection holds."""
    ways = [(way, weight) for way, weight in _WAYS if not (source.merges and way in _WHOLE)]
    return rng.choices([way for way, _ in ways], [weight for _, weight in ways])[0](source, free, rng)


def _session(source: Source, free: list[Table], rng: random.Random) -> Others:
    return [("set", rng.choice(SESSION))]


def _logged_as_text(source: Source, free: list[Table], rng: random.Random) -> Others:
    """A change of rows that is mostly logged as its text."""
    said = dml.change(source, free, rng)
    log = rng.choice(("MIXED", "STATEMENT"))
    return [("format", f"SET binlog_format = '{log}'"), said, ("format", "SET binlog_format = 'ROW'")]


def _use(source: Source, free: list[Table], rng: random.Random) -> Others:
    """The schema in which the connection stands from now on."""
    return [("use", f"USE {rng.choice(source.schemas)}")]


def _flush(source: Source, free: list[Table], rng: random.Random) -> Others:
    return [("flush", "FLUSH BINARY LOGS")]


def _maintain(source: Source, free: list[Table], rng: random.Random) -> Others:
    """What is written into the binlog and changes nothing."""
    verb = rng.choice(("ANALYZE", "OPTIMIZE", "REPAIR", "CHECK"))
    return [("maintain", f"{verb} TABLE {rng.choice(free).full}")]


def _trigger(source: Source, free: list[Table], rng: random.Random) -> Others:
    """The rows that it writes come by themselves; the target has none."""
    able = [table for table in free if not table.base]  # else a transaction would hold a shard that a DDL waits for
    if not able:
        return []
    one, other = rng.choice(able), rng.choice(able)
    name = f"{one.schema}.{source.new_table_name()}"
    when = rng.choice(("AFTER INSERT", "AFTER UPDATE", "AFTER DELETE"))
    if one is other:
        if any(column.generated for column in one.columns):
            return []  # MariaDB's UPDATE of several tables would leave them as they were before the trigger
        one.counts = True
        return [("trigger", f"CREATE TRIGGER {name} BEFORE UPDATE ON {one.full} FOR EACH ROW SET NEW.n = NEW.n + 1")]
    body = f"UPDATE {other.full} SET n = n + 1 WHERE id % 5 = {rng.randrange(5)}"
    return [("trigger", f"CREATE TRIGGER {name} {when} ON {one.full} FOR EACH ROW {body}")]


def _view(source: Source, free: list[Table], rng: random.Random) -> Others:
    """Rows are written through it."""
    table = rng.choice(free)
    name = f"{table.schema}.v{source.new_table_name()}"
    number = table.some_id(rng)
    return [
        ("view", f"CREATE OR REPLACE VIEW {name} AS SELECT id, n FROM {table.full}"),
        ("view", f"UPDATE {name} SET n = n + 5 WHERE id <= {number}"),
        ("view", f"DROP VIEW {name}"),
    ]


def _procedure(source: Source, free: list[Table], rng: random.Random) -> Others:
    table = rng.choice(free)
    name = f"{table.schema}.p{source.new_table_name()}"
    low = table.some_id(rng)
    body = (
        f"BEGIN DECLARE i INT DEFAULT 0; WHILE i < 3 DO UPDATE {table.full} SET n = n + 1 WHERE id = {low} + i; "
        "SET i = i + 1; END WHILE; END"
    )
    return [
        ("procedure", f"CREATE PROCEDURE {name}() {body}"),
        ("procedure", f"CALL {name}()"),
        ("procedure", f"DROP PROCEDURE {name}"),
    ]


def _swap(source: Source, free: list[Table], rng: random.Random) -> Others:
    """Two tables trade their names."""
    tables = [table for table in free if not table.base and not table.name.startswith("left_")]
    if len(tables) < 2:
        return []
    one, other = rng.sample(tables, 2)
    between = f"{one.schema}.{source.new_table_name()}"
    sql = f"RENAME TABLE {one.full} TO {between}, {other.full} TO {one.full}, {between} TO {other.full}"
    one.schema, one.name, other.schema, other.name = other.schema, other.name, one.schema, one.name
    return [("swap-tables", sql)]


def _exchange(source: Source, free: list[Table], rng: random.Random) -> Others:
    """A partition with a table that is made for it."""
    tables = [table for table in free if table.partitions]
    if not tables:
        return []
    table = rng.choice(tables)
    name, low = f"{table.schema}.x{source.new_table_name()}", min(table.partitions or [1])
    return [
        ("create-table-like", f"CREATE TABLE {name} LIKE {table.full}"),
        ("remove-partitioning", f"ALTER TABLE {name} REMOVE PARTITIONING"),
        (
            "insert",
            f"INSERT IGNORE INTO {name} (id, n) VALUES ({rng.randrange(1, low)}, 1), ({rng.randrange(1, low)}, 2)",
        ),
        ("exchange-partition", f"ALTER TABLE {table.full} EXCHANGE PARTITION p{low} WITH TABLE {name}"),
        ("drop-table", f"DROP TABLE {name}"),
    ]


def _database(source: Source, free: list[Table], rng: random.Random) -> Others:
    """One that comes and goes, with a table."""
    name = f"{source.name}_x{rng.randrange(3)}"
    made = [
        ("create-database", f"CREATE DATABASE {name} CHARACTER SET {rng.choice(('latin1', 'utf8mb4'))}"),
        ("create-table", f"CREATE TABLE {name}.x (id INT PRIMARY KEY, n INT, c TEXT)"),
        ("insert", f"INSERT INTO {name}.x VALUES (1, 1, 'ä'), (2, 2, NULL)"),
    ]
    return [*made, ("drop-database", f"DROP DATABASE {name}")] if rng.random() < 0.7 else made


def _several(source: Source, free: list[Table], rng: random.Random) -> Others:
    """Several tables in one DROP."""
    if len(source.tables) < 5 or len(free) < 3:
        return []
    tables = rng.sample([table for table in free if not table.base], 2) if sum(not one.base for one in free) > 2 else []
    for table in tables:
        source.tables.remove(table)
    return (
        [("drop-table", f"DROP TABLE IF EXISTS {', '.join(one.full for one in tables)}, nowhere.nothing")]
        if tables
        else []
    )


_WAYS: tuple[tuple[Callable[[Source, list[Table], random.Random], Others], int], ...] = (
    (_session, 6), (_logged_as_text, 1), (_use, 3), (_flush, 2), (_maintain, 2), (_trigger, 1), (_view, 2), (_procedure, 2), (_swap, 3), (_database, 2), (_several, 1), (_exchange, 4),
)  # fmt: skip
_WHOLE = (_swap, _exchange, _database, _several)
