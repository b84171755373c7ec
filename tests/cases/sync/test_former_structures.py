"""Replication starts at a location behind which tables were altered: today's structure is not that of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dm_worker.syncer.former import FORMER_STRUCTURE
from dm_worker.syncer.unlike_values import UNKNOWN_BEFORE
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import connect
from pkg.adapters.mysql.dialect import fetch_location
from pkg.adapters.structures import remove_structure, store_structure, structure_of
from pkg.binlog.errors import COLUMN_MISMATCH
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.one_chunk import options
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")
TABLE = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(20))"
ROWS = "INSERT INTO t VALUES (1, 10, 20, 'x')", "UPDATE t SET a = 11"


@pytest.fixture(params=["mariadb-tidb", "mysql-mariadb"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    upstream, target = (request.getfixturevalue(name) for name in request.param.split("-"))
    made_pair = made(f"former_{abs(hash(request.node.name)) % 10**6}", upstream, target)
    made_pair.both(TABLE)
    yield made_pair
    for server in (upstream, target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE {made_pair.name}")


def at(pair: Pair, by_gtid: bool = False) -> dict[str, Any]:
    """Settings of a task that starts where the binlog is now."""
    name, offset, gtid = pair.here()
    return {"meta": {"binlog-name": name, "binlog-pos": offset, "binlog-gtid": gtid}, "enable_gtid": by_gtid}


def rows(server: RunningServer, pair: Pair, columns: str = "id, a, b, c") -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute(f"SELECT {columns} FROM t ORDER BY id")
        return list(cursor.fetchall())


def becomes_equal(pair: Pair) -> None:
    until(lambda: rows(pair.upstream, pair) == rows(pair.target, pair), "the rows arrive")


def refused(pair: Pair, settings: dict[str, Any]) -> DMError:
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError) as raised:
            Replication(pair.config(**settings)).end(SECONDS)
        assert raised.value.is_a(FORMER_STRUCTURE), raised.value
    return raised.value


CHANGED: dict[str, tuple[str, ...]] = {
    "exchanged": ("ALTER TABLE t CHANGE a b INT, CHANGE b a INT",),
    "moved": ("ALTER TABLE t MODIFY b INT AFTER id",),
    "replaced": ("ALTER TABLE t DROP COLUMN a", "ALTER TABLE t ADD COLUMN z INT AFTER id"),
    "made_anew": ("DROP TABLE t", "CREATE TABLE t (id INT PRIMARY KEY, b INT, a INT, c VARCHAR(20))"),
    "renamed_table": (
        "CREATE TABLE u (id INT PRIMARY KEY, b INT, a INT, c VARCHAR(20))",
        "RENAME TABLE t TO v, u TO t",
    ),
}


@pytest.mark.parametrize("by_gtid", [False, True], ids=["position", "gtid"])
@pytest.mark.parametrize("what", CHANGED)
def test_rows_of_before_are_refused_until_their_structure_is_said(pair: Pair, what: str, by_gtid: bool) -> None:
    settings = at(pair, by_gtid)
    pair.on((*ROWS, *CHANGED[what]), pair.upstream)
    error = refused(pair, settings)
    assert rows(pair.target, pair) == []
    assert CHANGED[what][0][:10] in str(error)
    config = pair.config(**settings)
    with connect(options(pair.target), side="downstream") as link:
        tables = MetaTables(config.meta_schema, config.task_name)
        store_structure(link, tables, config.source_id, parse_create_table(TABLE, pair.name))
    if what == "moved" or (what == "exchanged" and pair.target.kind != "tidb"):  # which refuses it in one statement
        with running(config):
            becomes_equal(pair)
            pair.on(("INSERT INTO t (id, a, b) VALUES (2, 30, 40)",), pair.upstream)
            becomes_equal(pair)


def test_rows_that_lack_a_later_column_are_not_told_to_get_it_in_the_target(pair: Pair) -> None:
    settings = at(pair, False)
    pair.on((*ROWS, "ALTER TABLE t ADD COLUMN later INT"), pair.upstream)
    with pytest.raises(DMError) as raised:
        Replication(pair.config(**settings)).end(SECONDS)
    assert raised.value.is_a(COLUMN_MISMATCH), raised.value


@pytest.mark.parametrize("sql", ["ALTER TABLE t ADD COLUMN later INT", "ALTER TABLE t DROP COLUMN c"])
def test_a_statement_that_today_s_structure_has_in_it_is_refused_until_the_structure_is_said(
    pair: Pair, sql: str
) -> None:
    settings = at(pair)
    pair.on((sql, "INSERT INTO t (id, a) VALUES (1, 10)"), pair.upstream)
    assert sql in str(refused(pair, settings))
    config = pair.config(**settings)
    with connect(options(pair.target), side="downstream") as link:
        tables = MetaTables(config.meta_schema, config.task_name)
        store_structure(link, tables, config.source_id, parse_create_table(TABLE, pair.name))
    with running(config):
        until(lambda: rows(pair.upstream, pair, "id, a") == rows(pair.target, pair, "id, a"), "the row arrives")


def keys(server: RunningServer, pair: Pair) -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SHOW KEYS FROM t WHERE Key_name <> 'PRIMARY'")
        return sorted((row[2], row[1], row[3], row[4]) for row in cursor.fetchall())


def test_keys_without_a_name_have_the_upstream_s_and_are_dropped_by_it(pair: Pair) -> None:
    settings = at(pair)
    added = "ALTER TABLE t ADD KEY (a), ADD KEY (a, b)", "ALTER TABLE t ADD UNIQUE (b)", "ALTER TABLE t ADD KEY (a, c)"
    pair.on((*ROWS, *added), pair.upstream)
    with running(pair.config(**settings)):
        becomes_equal(pair)
        until(lambda: keys(pair.upstream, pair) == keys(pair.target, pair), "the keys have their names")
        pair.on(("ALTER TABLE t DROP KEY a_2", "ALTER TABLE t DROP KEY b"), pair.upstream)
        until(lambda: keys(pair.upstream, pair) == keys(pair.target, pair), "the keys are dropped")


def test_a_name_that_today_s_structure_does_not_tell_is_asked_for(pair: Pair) -> None:
    settings = at(pair)
    pair.on((*ROWS, "ALTER TABLE t ADD KEY (a)", "ALTER TABLE t DROP KEY a"), pair.upstream)
    assert "ADD KEY (a)" in str(refused(pair, settings))
    config = pair.config(**settings)
    with connect(options(pair.target), side="downstream") as link:
        tables = MetaTables(config.meta_schema, config.task_name)
        store_structure(link, tables, config.source_id, parse_create_table(TABLE, pair.name))
    with running(config):
        pair.on(("INSERT INTO t (id, a, b) VALUES (2, 30, 40)",), pair.upstream)
        becomes_equal(pair)
    assert keys(pair.target, pair) == []


def test_a_check_that_mysql_names_is_asked_for(mysql: RunningServer, mariadb: RunningServer) -> None:
    pair = made("former_checks", mysql, mariadb)
    pair.both(TABLE)
    settings = at(pair)
    pair.on(
        (*ROWS, "ALTER TABLE t ADD CONSTRAINT named CHECK (a > 1)", "ALTER TABLE t ADD CHECK (a > 0)"), pair.upstream
    )
    assert "ADD CHECK (a > 0)" in str(refused(pair, settings))


HARMLESS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "other_tables": ("CREATE TABLE u (id INT PRIMARY KEY, a INT)", "ALTER TABLE u CHANGE a b INT", "DROP TABLE u"),
    "indexes": ("ALTER TABLE t ADD INDEX (a), ADD UNIQUE KEY (b)", "CREATE INDEX second ON t (a, b)"),
    "made_if_missing": ("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)", "ALTER TABLE t ALTER a SET DEFAULT 4"),
    "emptied": ("TRUNCATE TABLE t", "INSERT INTO t VALUES (5, 50, 60, 'y')"),
    "temporary": ("CREATE TEMPORARY TABLE t (x INT)", "ALTER TABLE t CHANGE x y INT", "DROP TEMPORARY TABLE t"),
}


@pytest.mark.parametrize("by_gtid", [False, True], ids=["position", "gtid"])
@pytest.mark.parametrize("what", HARMLESS)
def test_what_has_not_changed_the_columns_asks_for_nothing(pair: Pair, what: str, by_gtid: bool) -> None:
    settings = at(pair, by_gtid)
    pair.on((*ROWS, *HARMLESS[what]), pair.upstream)
    with running(pair.config(**settings)):
        becomes_equal(pair)
        pair.on(("INSERT INTO t (id, a, b) VALUES (2, 30, 40)",), pair.upstream)
        becomes_equal(pair)


def forget(pair: Pair, config: SubtaskConfig) -> None:
    """What `dmctl binlog-schema delete` does."""
    with connect(options(pair.target), side="downstream") as link:
        assert remove_structure(
            link, MetaTables(config.meta_schema, config.task_name), config.source_id, pair.name, "t"
        )


@pytest.mark.parametrize("what", [*CHANGED, *HARMLESS])
def test_a_table_whose_structure_is_not_stored_is_known_as_well_as_at_a_start(pair: Pair, what: str) -> None:
    config = pair.config(**at(pair))
    with running(config):
        pair.on(ROWS[:1], pair.upstream)
        becomes_equal(pair)
    forget(pair, config)
    pair.on(("INSERT INTO t VALUES (7, 70, 80, 'z')", *(CHANGED | HARMLESS)[what]), pair.upstream)
    if what in CHANGED:
        with pytest.raises(DMError) as raised:
            Replication(config).end(SECONDS)
        assert raised.value.is_a(FORMER_STRUCTURE), raised.value
        assert rows(pair.target, pair) == [(1, 10, 20, "x")]
    else:
        with running(config):
            becomes_equal(pair)
            pair.on(("INSERT INTO t (id, a, b) VALUES (2, 30, 40)",), pair.upstream)
            becomes_equal(pair)


def test_the_structure_of_today_that_an_operator_takes_is_looked_at(pair: Pair) -> None:
    config = pair.config(**at(pair))
    with running(config):
        pair.on(ROWS[:1], pair.upstream)
        becomes_equal(pair)
    pair.on(("INSERT INTO t VALUES (7, 70, 80, 'z')", *CHANGED["exchanged"]), pair.upstream)
    with connect(options(pair.upstream), side="upstream") as link:
        table, read = structure_of(link, pair.name, "t"), fetch_location(link).position
    assert table is not None
    with connect(options(pair.target), side="downstream") as link:
        store_structure(link, MetaTables(config.meta_schema, config.task_name), config.source_id, table, read)
    with pytest.raises(DMError) as raised:
        Replication(config).end(SECONDS)
    assert raised.value.is_a(FORMER_STRUCTURE), raised.value


def test_a_change_of_rows_whose_types_are_not_known_is_refused(pair: Pair) -> None:
    config = pair.config(**at(pair))
    with running(config):
        pair.on(("INSERT INTO t VALUES (1, 10, 20, '1')",), pair.upstream)
        becomes_equal(pair)
    forget(pair, config)
    pair.on(("ALTER TABLE t ADD INDEX (a)", "ALTER TABLE t MODIFY c INT"), pair.upstream)
    with pytest.raises(DMError) as raised:
        Replication(config).end(SECONDS)
    assert raised.value.is_a(UNKNOWN_BEFORE), raised.value
    with connect(options(pair.target), side="downstream") as link:
        tables = MetaTables(config.meta_schema, config.task_name)
        store_structure(link, tables, config.source_id, parse_create_table(TABLE, pair.name))
    with running(config):
        until(lambda: rows(pair.target, pair) == [(1, 10, 20, 1)], "the column is an integer")


def test_a_table_that_was_made_behind_the_start_is_known_by_its_statements(pair: Pair) -> None:
    pair.both("DROP TABLE t")
    settings = at(pair)
    pair.on(
        (TABLE, *ROWS, "ALTER TABLE t MODIFY b INT AFTER id", "INSERT INTO t (id, a, b) VALUES (2, 30, 40)"),
        pair.upstream,
    )
    with running(pair.config(**settings)):
        until(lambda: len(rows_if_there(pair)) == 2, "both rows are there")
        becomes_equal(pair)


def test_keys_without_a_name_of_a_table_that_was_made_behind_the_start_are_named_by_its_statement(pair: Pair) -> None:
    pair.both("DROP TABLE t")
    settings = at(pair)
    pair.on(
        (
            "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY (a), UNIQUE (a), KEY (b))",
            "INSERT INTO t (id, a, b) VALUES (1, 10, 20)",
            "ALTER TABLE t DROP KEY a, DROP KEY b, ADD KEY b (b, a)",
            "ALTER TABLE t RENAME KEY a_2 TO a",
            "INSERT INTO t (id, a, b) VALUES (2, 30, 40)",
        ),
        pair.upstream,
    )
    with running(pair.config(**settings)):
        until(lambda: len(rows_if_there(pair)) == 2, "both rows are there")
        becomes_equal(pair)


def rows_if_there(pair: Pair) -> list[Any]:
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("SHOW TABLES LIKE 't'")
        return rows(pair.target, pair) if cursor.fetchone() else []


def test_columns_that_the_binlog_names_are_compared(pair: Pair) -> None:
    with cursor_on(pair.upstream, pair.name) as cursor:
        cursor.execute("SET GLOBAL binlog_row_metadata = 'FULL'")
    try:
        settings = at(pair)
        pair.on((*ROWS, "ALTER TABLE t MODIFY c VARCHAR(30)"), pair.upstream)
        with running(pair.config(**settings)):
            becomes_equal(pair)
    finally:
        with cursor_on(pair.upstream, pair.name) as cursor:
            cursor.execute("SET GLOBAL binlog_row_metadata = DEFAULT")
