"""A table is created upstream whose route leads into a database that the target does not have yet."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pymysql
import pytest

from tests.cases.sync.pair import cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("kind")


@pytest.mark.parametrize("kind", ["tidb", "mysql"])
def test_it_is_created(mariadb: RunningServer, kind: str, request: pytest.FixtureRequest) -> None:
    target: RunningServer = request.getfixturevalue(kind)
    pair = made(f"missing_{kind}", mariadb, target)
    merged, shard = f"{pair.name}_merged", f"{pair.name}_1"
    for server in (mariadb, target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {merged}")
            cursor.execute(f"DROP DATABASE IF EXISTS {shard}")
    route = {"schema-pattern": f"{pair.name}_*", "table-pattern": "t*", "target-schema": merged, "target-table": "t"}
    config = pair.config(routes=(route,), block_allow_list={"do-dbs": [f"{pair.name}*"]})
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        with cursor_on(mariadb) as cursor:
            cursor.execute(f"CREATE DATABASE {shard} DEFAULT CHARACTER SET latin1")
            cursor.execute(f"CREATE TABLE {shard}.t1 (id INT PRIMARY KEY, a VARCHAR(20))")
            cursor.execute(f"INSERT INTO {shard}.t1 VALUES (1, 'ä')")
        until(lambda: rows(target, merged) == [(1, "ä")], "the row is there")


def rows(server: RunningServer, database: str) -> list[Any]:
    with suppress(pymysql.Error), cursor_on(server, database) as cursor:
        cursor.execute("SELECT * FROM t")
        return list(cursor.fetchall())
    return []
