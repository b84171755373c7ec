"""The process dies at a DDL of a tool; the next run has the record of the shadow table and each row once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.onlineddl import tools
from tests.cases.sync.test_crashpoints import Run, cursor_on, until
from tests.servers import RunningServer

ALTER = "ADD COLUMN w INT NOT NULL DEFAULT 3 AFTER id, MODIFY v VARCHAR(50)"
NAME = "online"


@pytest.fixture
def workload(mariadb: RunningServer, tidb: RunningServer) -> Iterator[SubtaskConfig]:
    with cursor_on(mariadb) as cursor:
        cursor.execute(f"CREATE DATABASE {NAME} DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(f"CREATE TABLE {NAME}.t (id INT PRIMARY KEY, v VARCHAR(20))")
        cursor.execute(f"INSERT INTO {NAME}.t VALUES (1, 'a'), (2, 'b')")
    yield SubtaskConfig(
        task_name=NAME,
        source_id="one",
        task_mode="all",
        meta_schema=f"{NAME}_meta",
        upstream=ConnectionConfig(host=mariadb.host, port=mariadb.port, user="root"),
        target=ConnectionConfig(host=tidb.host, port=tidb.port, user="root"),
        block_allow_list={"do-tables": [{"db-name": NAME, "tbl-name": "t"}]},
        sync={"worker-count": 4, "checkpoint-flush-interval": 1},
    )
    for server, schemas in ((mariadb, [NAME]), (tidb, [NAME, f"{NAME}_meta"])):
        with cursor_on(server) as cursor:
            for schema in schemas:
                cursor.execute(f"DROP DATABASE IF EXISTS {schema}")


def rows(server: RunningServer) -> Any:
    """The table's columns with their types, and its rows."""
    try:
        with cursor_on(server, NAME) as cursor:
            cursor.execute("SELECT * FROM t ORDER BY id")
            found = list(cursor.fetchall())
            cursor.execute(
                "SELECT column_name, data_type, character_maximum_length FROM information_schema.columns "
                f"WHERE table_schema = '{NAME}' AND table_name = 't' ORDER BY ordinal_position"
            )
            return found, list(cursor.fetchall())
    except pymysql.err.MySQLError:
        return None


def tables(server: RunningServer) -> set[str]:
    with cursor_on(server, NAME) as cursor:
        cursor.execute("SHOW TABLES")
        return {name for (name,) in cursor.fetchall()}


def recorded(server: RunningServer) -> list[str]:
    """The DDL that waits for its shadow table, as DM would keep it."""
    with cursor_on(server) as cursor:
        cursor.execute(f"SELECT id, ghost_schema, ghost_table, ddls FROM {NAME}_meta.{NAME}_onlineddl")
        found = cursor.fetchall()
    assert all(row[:3] == ("one", NAME, "_t_gho") for row in found)
    return [sql for row in found for sql in json.loads(row[3])["ddls"]]


def write(server: RunningServer, statements: list[str]) -> None:
    """A tool's statements, and rows before each of them."""
    with cursor_on(server, NAME) as cursor:
        for number, sql in enumerate(statements):
            cursor.execute("INSERT INTO t (id, v) VALUES (%s, 'while it runs')", (10 + number,))
            if "rename" in sql.lower():  # what the tool has copied by then
                cursor.execute("REPLACE INTO _t_gho (id, v) SELECT id, v FROM t")
            cursor.execute(sql)


# What runs nothing in the target is not marked: the exchange is the first that is.
@pytest.mark.parametrize(
    ("point", "ddl"), [("ddl_marked", 1), ("ddl_executed", 3), ("ddl_executed", 4), ("ddl_executed", 8)]
)
def test_killed_at_a_ddl_of_gh_ost(
    point: str, ddl: int, workload: SubtaskConfig, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """It dies at the shadow's CREATE, its ALTER, and the exchange."""
    dying = Run(workload, tmp_path, 1, f"syncer.{point}@{ddl}=kill")
    until(lambda: rows(tidb) == rows(mariadb), dying)
    write(mariadb, tools.gh_ost(NAME, "t", ALTER, "id, v"))
    dying.dies()
    assert dying.process.returncode == -9, Path(dying.log.name).read_text()[-3000:]
    dying.end()
    going_on = Run(workload, tmp_path, 2)
    with cursor_on(mariadb, NAME) as cursor:
        cursor.execute("UPDATE t SET w = 9 WHERE id = 1")
        cursor.execute("DROP TABLE _t_del")
    until(lambda: rows(tidb) == rows(mariadb), going_on)
    going_on.end()
    assert tables(tidb) == {"t"}


def test_killed_behind_changes_that_build_on_each_other(
    workload: SubtaskConfig, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """To repeat the first would bring the column back that the second has renamed."""
    dying = Run(workload, tmp_path, 1, "syncer.ddl_executed@4=kill")
    until(lambda: rows(tidb) == rows(mariadb), dying)
    with cursor_on(mariadb, NAME) as cursor:
        for sql in (
            "CREATE TABLE _t_gho LIKE t", "ALTER TABLE _t_gho ADD COLUMN a INT DEFAULT 4",
            "ALTER TABLE _t_gho CHANGE COLUMN a b INT DEFAULT 4, DROP COLUMN v", "INSERT INTO _t_gho (id) SELECT id FROM t",
            "RENAME TABLE t TO _t_del, _t_gho TO t", "INSERT INTO t VALUES (5, 6)", "DROP TABLE _t_del",
        ):  # fmt: skip
            cursor.execute(sql)
    dying.dies()
    assert dying.process.returncode == -9, Path(dying.log.name).read_text()[-3000:]
    dying.end()
    going_on = Run(workload, tmp_path, 2)
    until(lambda: rows(tidb) == rows(mariadb), going_on)
    going_on.end()


@pytest.mark.parametrize("sequence", [tools.gh_ost, tools.gh_ost_two_step])
def test_killed_between_any_two_statements(
    sequence: Any, workload: SubtaskConfig, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    statements = sequence(NAME, "t", ALTER, "id, v")
    run = Run(workload, tmp_path, 1)
    until(lambda: rows(tidb) == rows(mariadb), run)
    for number, sql in enumerate(statements):
        if number in (4, len(statements) - 1):
            until(lambda: recorded(tidb) == [f"alter /* gh-ost */ table `{NAME}`.`_t_gho` {ALTER}"], run)
            run.process.kill()
            run.end()
            run = Run(workload, tmp_path, 2 + number)
        with cursor_on(mariadb, NAME) as cursor:
            if "rename" in sql:  # what the tool has copied by then
                cursor.execute("REPLACE INTO _t_gho (id, v) SELECT id, v FROM t" if rows(mariadb) else "SELECT 1")
            else:
                cursor.execute("INSERT INTO t (id, v) VALUES (%s, 'while it runs')", (10 + number,))
            cursor.execute(sql)
    with cursor_on(mariadb, NAME) as cursor:
        cursor.execute("INSERT INTO t (id, v, w) VALUES (100, 'after', 5)")
        cursor.execute(tools.swept(NAME, "t"))
    until(lambda: rows(tidb) == rows(mariadb), run)
    run.end()
    assert tables(tidb) == {"t"}
    assert not recorded(tidb)
    assert "are counted since" not in Path(run.log.name).read_text()  # the counts came with the checkpoint
