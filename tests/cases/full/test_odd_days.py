"""Days of no calendar of which the target calculates something: in the full migration."""

from __future__ import annotations

import json

import pytest

from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.servers import RunningServer

LENIENT = "SET sql_mode = 'ALLOW_INVALID_DATES'"
SAME = (
    "CREATE TABLE same (id INT PRIMARY KEY, d DATE, t DATETIME(3), y INT AS (YEAR(d)) STORED, b DATE AS (DATE(t)) STORED)",
    "INSERT INTO same (id, d, t) VALUES (1, '0000-00-00', '0000-00-00'), (2, '2020-02-31', '2020-00-15 01:02:03.5')",
)
OTHER = {
    "m": ("m VARCHAR(10) AS (DATE_FORMAT(d, '%Y-%m')) STORED", "0000-00-00", "d DATETIME, PRIMARY KEY (id)"),
    "n": ("n DATE AS (d + INTERVAL 1 DAY) VIRTUAL", "0000-03-01", "d DATE, PRIMARY KEY (id)"),
    "v": ("v VARCHAR(40) AS (CONCAT(d, '')) STORED", "0000-00-00", "d TIMESTAMP(3) NULL"),
}


@pytest.mark.timeout(600)
def test_what_tidb_calculates_of_them(mysql: RunningServer, tidb: RunningServer) -> None:
    execute(mysql, "DROP DATABASE IF EXISTS odd_same", "CREATE DATABASE odd_same")
    execute(mysql, LENIENT, *SAME, database="odd_same")
    migrate(subtask(mysql, tidb, "odd_same"))
    columns = "SELECT id, CAST(d AS CHAR), CAST(t AS CHAR), y, CAST(b AS CHAR) FROM odd_same.same ORDER BY id"
    assert query(tidb, columns) == query(mysql, columns)
    for name, (generated, day, rest) in OTHER.items():
        schema = f"odd_{name}"
        execute(mysql, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
        rows = f"INSERT INTO t (id, d) VALUES (1, '2020-02-29'), (7, '{day}'), (8, NULL)"
        execute(mysql, LENIENT, f"CREATE TABLE t (id INT, {generated}, {rest})", rows, database=schema)
        ended = outcome(start(subtask(mysql, tidb, schema)))
        said = str(ended["log"]) + json.dumps(ended)
        assert "34144" in said, name
        assert f"has {day}" in said, name
        assert f"generated column {name}" in said, name
        assert "id=7" in said or name == "v", name
    # The target's column is a plain one, which takes the upstream's value.
    execute(tidb, "DROP DATABASE odd_m", "DROP DATABASE odd_m_meta", "CREATE DATABASE odd_m")
    execute(tidb, "CREATE TABLE t (id INT PRIMARY KEY, m VARCHAR(10), d DATETIME)", database="odd_m")
    migrate(subtask(mysql, tidb, "odd_m"))
    assert query(tidb, "SELECT id, m FROM odd_m.t ORDER BY id") == query(mysql, "SELECT id, m FROM odd_m.t ORDER BY id")


@pytest.mark.timeout(600)
def test_the_day_of_the_zero_date_that_a_session_did_not_take(mysql: RunningServer, mariadb: RunningServer) -> None:
    for schema, mode in (("odd_taken", ""), ("odd_null", "NO_ZERO_DATE")):
        execute(mysql, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
        table = "CREATE TABLE t (id INT PRIMARY KEY, d DATETIME, b DATE AS (DATE(d)) STORED)"
        execute(
            mysql, f"SET sql_mode = '{mode}'", table, "INSERT INTO t (id, d) VALUES (1, '0000-00-00')", database=schema
        )
    migrate(subtask(mysql, mariadb, "odd_taken"))
    assert query(mariadb, "SELECT CAST(b AS CHAR) FROM odd_taken.t") == [("0000-00-00",)]
    ended = outcome(start(subtask(mysql, mariadb, "odd_null")))
    assert "34144" in str(ended["log"]) + json.dumps(ended)
