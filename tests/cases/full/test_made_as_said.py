"""Tables are what their text says, whatever the target's global variables would make of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dm_worker.loader.schema import refuse_filling
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.task.stage import TaskMode
from tests import servers
from tests.cases.full.migration import execute, migrate, query, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.load.loading import load_task, write_dump
from tests.cases.sync.pair import made, running, until
from tests.servers import RunningServer

SCHEMA = "as_said"
TABLES = (
    "CREATE TABLE a (id INT PRIMARY KEY, t TIMESTAMP NOT NULL, n INT)",
    "CREATE TABLE b (t TIMESTAMP NOT NULL, n INT)",
)
ROWS = ("INSERT INTO a VALUES (1, '2024-01-01', 1)", "INSERT INTO b VALUES ('2024-01-01', 1)")
_GLOBALS = ("explicit_defaults_for_timestamp = 0", "sql_generate_invisible_primary_key = 1", "old_alter_table = 1")


@pytest.fixture(scope="module")
def odd() -> Iterator[RunningServer]:
    """A MySQL with such variables."""
    with servers.start("mysql") as server:
        execute(server, *[f"SET GLOBAL {one}" for one in _GLOBALS])
        yield server


def _structure(server: RunningServer) -> dict[str, list[tuple[str, str | None, str]]]:
    return {
        table: [
            (str(name), default, str(extra).replace("DEFAULT_GENERATED", "").strip())
            for name, default, extra in query(
                server,
                "SELECT COLUMN_NAME, COLUMN_DEFAULT, EXTRA FROM information_schema.COLUMNS "
                f"WHERE TABLE_SCHEMA = '{SCHEMA}' AND TABLE_NAME = '{table}' ORDER BY ORDINAL_POSITION",
            )
        ]
        for table in ("a", "b")
    }


def test_by_a_full_migration(mysql: RunningServer, odd: RunningServer) -> None:
    fresh(mysql, odd, SCHEMA, *TABLES, *ROWS)
    migrate(subtask(mysql, odd, SCHEMA).model_copy(update={"task_mode": TaskMode.FULL}))
    assert _structure(odd) == _structure(mysql)


def test_a_table_that_the_target_made_otherwise_is_refused() -> None:
    """By a server whose sessions cannot set the variable (MariaDB before 10.8.4)."""
    said, made_there = (
        parse_create_table(f"CREATE TABLE a (id int, t timestamp NOT NULL{default})", "s")
        for default in ("", " DEFAULT current_timestamp() ON UPDATE current_timestamp()")
    )
    refuse_filling(said, said)
    refuse_filling(made_there, made_there)
    with pytest.raises(DMError, match=r"as s\.a does not: t"):
        refuse_filling(said, made_there)


def test_from_dump_files(mysql: RunningServer, odd: RunningServer, tmp_path: Path) -> None:
    fresh(mysql, odd, SCHEMA, *TABLES, *ROWS)
    files = {f"{SCHEMA}-schema-create.sql": f"CREATE DATABASE {SCHEMA};"}
    files |= {f"{SCHEMA}.{name}-schema.sql": f"{sql};" for name, sql in zip("ab", TABLES, strict=True)}
    files |= {f"{SCHEMA}.{name}.00000.sql": f"{sql};" for name, sql in zip("ab", ROWS, strict=True)}
    write_dump(tmp_path, files)
    migrate(load_task(odd, SCHEMA, tmp_path))
    assert _structure(odd) == _structure(mysql)


def test_by_replication(mysql: RunningServer, odd: RunningServer) -> None:
    pair = made(SCHEMA, mysql, odd)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on((*TABLES, *ROWS), mysql)
        pair.on(
            (
                "CREATE TABLE p (id INT PRIMARY KEY)",
                "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))",
                "ALTER TABLE c ADD z INT DEFAULT 4, RENAME COLUMN p TO parent",
                "ALTER TABLE a ADD v TIMESTAMP NOT NULL DEFAULT '2024-01-01'",
                "INSERT INTO log VALUES (7, 'last')",
            ),
            mysql,
        )
        until(pair.is_equal, "the last row")
    assert _structure(odd) == _structure(mysql)
