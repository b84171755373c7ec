"""Rows of a table without a key, behind its copy, in a target's table that was there with other labels."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.cases.full.migration import execute, query, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.sync.test_crashpoints import Run, until
from tests.servers import RunningServer

SECONDS = 8  # of a statement that runs meanwhile
SHOWN = "SELECT a, CONCAT(s), CONCAT(e) FROM {}.t ORDER BY a, s, e"


@pytest.mark.crossed("pair")
@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mysql"])
def test_labels_are_those_of_the_target(request: pytest.FixtureRequest, tmp_path: Path, pair: str) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema = f"keyless_labels_{pair.replace('-', '_')}"
    fresh(
        source, target, schema,
        "CREATE TABLE t (a INT, s SET('b','c'), e ENUM('x','y'))",
        "INSERT INTO t VALUES (1, 'b', 'x'), (1, 'c', 'y')",
    )  # fmt: skip
    execute(
        target, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (a INT, s SET('a','b','c'), e ENUM('y','z','x'))"
    )
    run = Run(subtask(source, target, schema), tmp_path, 1)
    try:
        until(lambda: len(query(target, SHOWN.format(schema))) == 2, run)
        for sql in (
            "UPDATE t SET a = 2 WHERE s = 'c'",
            "INSERT INTO t VALUES (5, 'c', 'x'), (6, 'b', 'y'), (7, 'b,c', 'x')",
            "DELETE FROM t WHERE s = 'b' AND a = 1",
        ):
            execute(source, sql, database=schema)
        until(lambda: query(target, SHOWN.format(schema)) == query(source, SHOWN.format(schema)), run, seconds=60)
    finally:
        run.end()


def test_a_session_with_other_characters_is_no_hindrance(
    mariadb: RunningServer, mysql: RunningServer, tmp_path: Path
) -> None:
    """MySQL refuses to read information_schema.processlist meanwhile."""
    schema = "keyless_sessions"
    fresh(mariadb, mysql, schema, "CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    execute(mysql, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.t (a INT PRIMARY KEY)")
    sleeping = threading.Thread(target=query, args=(mysql, f"SELECT SLEEP({SECONDS}), '😀'"))
    sleeping.start()
    run = Run(subtask(mariadb, mysql, schema), tmp_path, 1)
    try:
        until(lambda: query(mysql, f"SELECT COUNT(*) FROM {schema}.t") == [(1,)], run)
        assert sleeping.is_alive()
    finally:
        run.end()
        sleeping.join()
