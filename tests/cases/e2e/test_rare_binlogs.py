"""Upstreams that log in the newest ways of their flavour, from the command to the rows in the target."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pkg.binlog.position import Position
from tests.cases.e2e.job import binlog_position, source_text
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect

pytestmark = pytest.mark.crossed("target")

TASK = "rare"
TASK_TEXT = """name: rare
task-mode: all
target-database:
  host: {host}
  port: {port}
  user: root
  password: ""
mysql-instances:
  - source-id: one
    block-allow-list: all
block-allow-list:
  all:
    do-dbs: [rare]
"""
MYSQL_OPTIONS = ["--binlog-transaction-compression=ON", "--binlog-row-value-options=PARTIAL_JSON"]
MYSQL_TABLES = (
    "CREATE TABLE rare.docs (id INT PRIMARY KEY, n INT, j JSON, v VECTOR(4))",
    "CREATE TABLE rare.log (n INT, v VECTOR(2))",
)
DOCUMENT = "JSON_OBJECT('a', JSON_ARRAY(1, 2, 3), 'b', JSON_OBJECT('c', 'd'), 'filler', REPEAT('x', 500))"
MYSQL_FIRST = (
    *(f"INSERT INTO rare.docs VALUES ({n}, {n}, {DOCUMENT}, x'0000803fcdcccc3d')" for n in range(20)),
    "INSERT INTO rare.log VALUES (1, x'0000803f'), (1, x'0000803f'), (2, NULL)",
)
MYSQL_CHANGES = (
    "UPDATE rare.docs SET j = JSON_SET(j, '$.a[1]', n * 1.5, '$.e', n) WHERE id < 10",
    "UPDATE rare.docs SET j = JSON_REMOVE(j, '$.b.c'), v = x'0000c0bf0000000000000080' WHERE id % 3 = 0",
    "SET gtid_next = 'AUTOMATIC:tag_of_mine'",
    "UPDATE rare.docs SET j = JSON_ARRAY_INSERT(j, '$.a[0]', 'ü'), n = n + 1",
    "INSERT INTO rare.docs VALUES (100, 1, '[]', NULL)",
    "SET gtid_next = 'AUTOMATIC'",
    "UPDATE rare.log SET v = x'000000400000003f' WHERE n = 2",
    "DELETE FROM rare.log WHERE n = 1 LIMIT 1",
    "SET binlog_transaction_compression = OFF",
    "UPDATE rare.docs SET j = JSON_REPLACE(j, '$.a[last]', JSON_ARRAY(n)) WHERE id > 5",
    "DELETE FROM rare.docs WHERE id IN (3, 7)",
)
MARIADB_OPTIONS = ["--log-bin-compress=ON", "--log-bin-compress-min-len=32"]
MARIADB_TABLES = (
    "CREATE TABLE rare.docs (id INT PRIMARY KEY, u UUID, a INET6, c TEXT COMPRESSED, b BLOB COMPRESSED) CHARSET utf8mb4",
)
MARIADB_FIRST = tuple(
    f"INSERT INTO rare.docs VALUES ({n}, UUID(), '::{n}', REPEAT('é', {n * 30}), REPEAT(x'00ff', {n}))"
    for n in range(1, 21)
)
MARIADB_CHANGES = (
    "UPDATE rare.docs SET c = REPEAT('again ', id * 50), u = UUID() WHERE id < 12",
    "ALTER TABLE rare.docs ADD COLUMN added VARCHAR(300) COMMENT 'a statement that is long enough'",
    "UPDATE rare.docs SET added = REPEAT('x', 300), b = NULL WHERE id % 2",
    "DELETE FROM rare.docs WHERE id > 17",
)


def execute(server: RunningServer, *statements: str) -> None:
    with connect(server) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        connection.commit()


def started(cluster: Cluster, source: RunningServer, target: RunningServer) -> None:
    """A task that replicates."""
    files = {"one.yaml": source_text("one", source), "task.yaml": TASK_TEXT.format(host=target.host, port=target.port)}
    for name, text in files.items():
        (cluster.folder / name).write_text(text)
    cluster.start_master()
    cluster.start_worker("worker")
    cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
    cluster.expect("operate-source", "create", str(cluster.folder / "one.yaml"))
    cluster.expect("start-task", str(cluster.folder / "task.yaml"))
    cluster.wait(lambda: "sync" in status(cluster), "replication")


def status(cluster: Cluster) -> dict[str, Any]:
    found: dict[str, Any] = cluster.subtasks(TASK).get("one", {})
    return found


def wait_in_step(cluster: Cluster, source: RunningServer) -> None:
    end = binlog_position(source)

    def is_there() -> bool:
        applied = status(cluster).get("sync", {}).get("syncerBinlog")
        return bool(applied) and Position.parse(applied) >= end

    cluster.wait(is_there, "the target is in step")


def selected(server: RunningServer, sql: str) -> list[tuple[Any, ...]]:
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def bits(text: str | None) -> str | None:
    if text is None:
        return None
    values = [float(number) for number in text.strip("[]").split(",")]
    return struct.pack(f"<{len(values)}f", *values).hex().upper()


def test_mysql_with_compressed_transactions_partial_json_tags_and_vectors(
    server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    source, target = server_factory("mysql", options=MYSQL_OPTIONS), server_factory("tidb")
    execute(source, "CREATE DATABASE rare", *MYSQL_TABLES, *MYSQL_FIRST)
    with Cluster(tmp_path / "cluster") as cluster:
        started(cluster, source, target)
        execute(source, *MYSQL_CHANGES)
        wait_in_step(cluster, source)
        for table, order, documents in (("docs", "id", "id, CAST(j AS CHAR), n"), ("log", "n", "n")):
            one = selected(source, f"SELECT {documents}, HEX(v) FROM rare.{table} ORDER BY {order}")
            other = selected(target, f"SELECT {documents}, VEC_AS_TEXT(v) FROM rare.{table} ORDER BY {order}")
            assert [same(row[:-1], row[-1]) for row in one] == [same(row[:-1], bits(row[-1])) for row in other]
        refused_by_name(cluster, source)


def same(values: tuple[Any, ...], vector: str | None) -> list[Any]:
    return [*(json.loads(value) if isinstance(value, str) else value for value in values), vector]


def refused_by_name(cluster: Cluster, source: RunningServer) -> None:
    """A prepared transaction pauses the task, which says what to do."""
    execute(source, "XA START 'x'", "INSERT INTO rare.docs (id) VALUES (1000)", "XA END 'x'", "XA PREPARE 'x'")
    execute(source, "XA COMMIT 'x'")
    cluster.wait(lambda: status(cluster).get("stage") == "Paused", "the task pauses")
    shown = cluster.ask("query-status", TASK).out
    assert "XA PREPARE" in shown
    assert "--remove-meta" in shown


@pytest.mark.parametrize("target", ["tidb", "mariadb"])
def test_mariadb_with_compressed_events_and_columns(
    target: str, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    source, other = server_factory("mariadb", options=MARIADB_OPTIONS), server_factory(target)
    execute(source, "CREATE DATABASE rare", *MARIADB_TABLES, *MARIADB_FIRST)
    with Cluster(tmp_path / "cluster") as cluster:
        started(cluster, source, other)
        execute(source, *MARIADB_CHANGES)
        wait_in_step(cluster, source)
    sql = "SELECT id, CAST(u AS CHAR), CAST(a AS CHAR), c, HEX(b), added FROM rare.docs ORDER BY id"
    assert selected(source, sql) == selected(other, sql)
