"""What the rules and the switch do: the full migration, the precheck, tables of one's own, what DM left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from pymysql.err import ProgrammingError

from dm_master.precheck.report import State
from dm_master.precheck.run import run_checks
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.servers import RunningServer

NAME = "settings"


@pytest.fixture
def pair(mariadb: RunningServer, mariadb2: RunningServer) -> Iterator[Pair]:
    pair = made(NAME, mariadb, mariadb2)
    yield pair
    for server in (mariadb, mariadb2):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {NAME}")
            cursor.execute(f"DROP DATABASE IF EXISTS {NAME}_meta")


def listed(server: RunningServer) -> set[str]:
    with cursor_on(server, NAME) as cursor:
        cursor.execute("SHOW TABLES")
        return {name for (name,) in cursor.fetchall()}


def read(server: RunningServer, table: str) -> list[Any]:
    with cursor_on(server, NAME) as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall())


def same(pair: Pair, table: str) -> Callable[[], bool]:
    def is_same() -> bool:
        with suppress(ProgrammingError):  # it has no such table between the two parts of a RENAME
            return table in listed(pair.target) and read(pair.target, table) == read(pair.upstream, table)
        return False

    return is_same


def test_without_the_switch_they_are_tables_like_any_other(pair: Pair) -> None:
    with running(pair.config(online_ddl=False)) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads the stream")
        statements = (
            "CREATE TABLE _log_gho LIKE log", "ALTER TABLE _log_gho ADD COLUMN c INT",
            "INSERT INTO _log_gho VALUES (1, 'x', 2)", "RENAME TABLE log TO _log_del, _log_gho TO log",
            "INSERT INTO log VALUES (2, 'y', 3)",
        )  # fmt: skip
        pair.on(statements, pair.upstream)
        until(same(pair, "log"), "the new table")
    assert listed(pair.target) == {"counter", "log", "_log_del"}


def test_rules_of_ones_own(pair: Pair) -> None:
    rules = {"shadow_table_rules": ("^(.+)__next$",), "trash_table_rules": ("^(.+)__(?:was|notes)$",)}
    with running(pair.config(**rules)) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads the stream")
        statements = (
            "CREATE TABLE log__notes (a INT)", "CREATE TABLE log__next LIKE log", "INSERT INTO log__notes VALUES (1)",
            "ALTER TABLE log__next ADD COLUMN c INT DEFAULT 4", "INSERT INTO log__next (a, b) SELECT a, b FROM log",
            "RENAME TABLE log TO log__was, log__next TO log", "INSERT INTO log VALUES (2, 'y', 3)",
            "CREATE TABLE _x_new (a INT PRIMARY KEY)", "INSERT INTO _x_new VALUES (5)",
        )  # fmt: skip
        pair.on(statements, pair.upstream)
        until(same(pair, "_x_new"), "a table like any other by these rules")
        until(same(pair, "log"), "the new table")
    assert listed(pair.target) == {"counter", "log", "_x_new"}


def test_the_full_migration_leaves_them_out(pair: Pair, tmp_path: Any) -> None:
    pair.on(("DROP TABLE counter", "DROP TABLE log"), pair.target)
    left = ("CREATE TABLE _log_old LIKE log", "CREATE TABLE _log_ghc (a INT)", "INSERT INTO _log_ghc VALUES (1)")
    pair.on(left, pair.upstream)
    run = Run(pair.config(task_mode="all"), tmp_path, 1)
    until(lambda: {"counter", "log"} <= listed(pair.target) and pair.is_equal(), "the copy")
    pair.on(("INSERT INTO _log_ghc VALUES (2)", "INSERT INTO log VALUES (3, 'after')"), pair.upstream)
    until(pair.is_equal, "replication")
    run.end()
    assert listed(pair.target) == {"counter", "log"}


def test_the_precheck_names_them(pair: Pair) -> None:
    pair.on(("CREATE TABLE _log_gho LIKE log", "CREATE TABLE _counter_old LIKE counter"), pair.upstream)
    (check,) = [one for one in run_checks([pair.config(task_mode="all")]).checks if one.item == "online_ddl"]
    failure, warning = check.findings
    assert (failure.state, warning.state) == (State.FAIL, State.WARN)
    assert "`settings`.`_log_gho`" in failure.text
    assert "`settings`.`_counter_old`" in warning.text
    (check,) = [one for one in run_checks([pair.config(online_ddl=False)]).checks if one.item == "online_ddl"]
    assert not check.findings


def test_what_dm_recorded_is_taken_over(pair: Pair) -> None:
    """DM has met the ALTER of the shadow table and stopped before the exchange."""
    begun = ("CREATE TABLE _log_gho LIKE log", "ALTER TABLE _log_gho ADD COLUMN c INT DEFAULT 4")
    pair.on((*begun, "INSERT INTO _log_gho (a, b) SELECT a, b FROM log"), pair.upstream)
    tables = MetaTables(f"{NAME}_meta", NAME)
    document = {
        "schema": NAME,
        "table": "log",
        "ddls": [f"ALTER TABLE `{NAME}`.`_log_gho` ADD COLUMN c INT DEFAULT 4"],
    }
    with cursor_on(pair.target) as cursor:
        create_meta_tables(cursor.connection, tables)
        cursor.execute(f"DROP TABLE {tables.online_ddl}")
        cursor.execute(
            f"CREATE TABLE {tables.online_ddl} (id VARCHAR(32) NOT NULL, ghost_schema VARCHAR(128) NOT NULL, "
            "ghost_table VARCHAR(128) NOT NULL, ddls TEXT, update_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE "
            "CURRENT_TIMESTAMP, UNIQUE KEY uk_id_schema_table (id, ghost_schema, ghost_table))"
        )
        values = ("one", NAME, "_log_gho", json.dumps(document))
        cursor.execute(
            f"INSERT INTO {tables.online_ddl} (id, ghost_schema, ghost_table, ddls) VALUES (%s, %s, %s, %s)", values
        )
    with running(pair.config()) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads the stream")
        pair.on(("RENAME TABLE log TO _log_del, _log_gho TO log", "INSERT INTO log VALUES (2, 'y', 3)"), pair.upstream)
        until(same(pair, "log"), "the new table")
    with cursor_on(pair.target) as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {tables.online_ddl}")
        assert cursor.fetchone() == (0,)
