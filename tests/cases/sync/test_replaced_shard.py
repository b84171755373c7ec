"""CREATE OR REPLACE of one of several tables that are merged into one, without a shard mode."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import Replication, cursor_on, made, running, until
from tests.servers import RunningServer


def test_the_merged_table_is_not_dropped(mariadb: RunningServer, tidb: RunningServer) -> None:
    pair = made("replaced_shard", mariadb, tidb)
    pair.on(("CREATE TABLE t1 (id INT PRIMARY KEY)", "CREATE TABLE t2 (id INT PRIMARY KEY)"), mariadb)
    pair.on(("CREATE TABLE merged (id INT PRIMARY KEY)",), tidb)
    route = {
        "schema-pattern": pair.name, "table-pattern": "t?", "target-schema": pair.name, "target-table": "merged"
    }  # fmt: skip
    config = pair.config(routes=(route,))
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO t1 VALUES (1)", "INSERT INTO t2 VALUES (2)"), mariadb)
        until(lambda: merged(tidb, pair.name) == [(1,), (2,)], "both are there")
    pair.on(("CREATE OR REPLACE TABLE t1 (id INT PRIMARY KEY)",), mariadb)
    with pytest.raises(DMError, match=r"merged into replaced_shard\.merged"):
        Replication(config).end(60)
    assert merged(tidb, pair.name) == [(1,), (2,)]


def merged(server: RunningServer, database: str) -> list[tuple[int, ...]]:
    with cursor_on(server, database) as cursor:
        cursor.execute("SELECT * FROM merged ORDER BY id")
        return list(cursor.fetchall())
