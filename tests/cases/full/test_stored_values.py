"""STORED columns whose values a session of another time zone gave: in the full migration."""

from __future__ import annotations

import json

import pytest

from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.servers import RunningServer

TABLE = (
    "CREATE TABLE t ({}, a TIMESTAMP NULL, d DATE AS (DATE(a)) STORED, e DATE AS (a) STORED, h INT AS (HOUR(a)) STORED,"
    " f DATETIME(3) AS (a) STORED)"
)
SAME = "INSERT INTO t (id, a) VALUES (7, '2024-07-01 22:30:00'), (8, NULL)"
OTHER = ("SET time_zone = '+02:00'", "INSERT INTO t (id, a) VALUES (9, '2024-07-02 00:30:00')")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("key", ["id INT PRIMARY KEY", "id INT"])
def test_a_session_of_another_time_zone(key: str, mysql: RunningServer, mariadb: RunningServer) -> None:
    execute(mysql, "DROP DATABASE IF EXISTS stored_zones", "CREATE DATABASE stored_zones")
    drops = ("DROP DATABASE IF EXISTS stored_zones", "DROP DATABASE IF EXISTS stored_zones_meta")
    execute(mariadb, *drops)
    execute(mysql, TABLE.format(key), SAME, *OTHER, database="stored_zones")
    ended = outcome(start(subtask(mysql, mariadb, "stored_zones")))
    said = str(ended["log"]) + json.dumps(ended, ensure_ascii=False)
    assert "34151" in said
    assert "the value 2024-07-02 in the STORED column d" in said
    assert "id=9" in said or key == "id INT"
    execute(mariadb, *drops, "CREATE DATABASE stored_zones")
    plain = "CREATE TABLE t (id INT, a TIMESTAMP NULL, d DATE, e DATE, h INT, f DATETIME(3))"
    execute(mariadb, plain, database="stored_zones")
    migrate(subtask(mysql, mariadb, "stored_zones"))
    _is_same(mysql, mariadb)


def test_sessions_in_utc(mariadb: RunningServer, tidb: RunningServer) -> None:
    execute(mariadb, "DROP DATABASE IF EXISTS stored_zones", "CREATE DATABASE stored_zones")
    execute(mariadb, TABLE.format("id INT PRIMARY KEY"), SAME, database="stored_zones")
    migrate(subtask(mariadb, tidb, "stored_zones"))
    _is_same(mariadb, tidb)


def _is_same(upstream: RunningServer, target: RunningServer) -> None:
    rows = "SELECT id, a, d, e, h, f FROM stored_zones.t ORDER BY id"
    assert query(upstream, rows) == query(target, rows)
