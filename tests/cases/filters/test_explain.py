"""explain-rules through a real dm-master that reads a real upstream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pkg.adapters.rpc import dm_pb2
from tests.contract.processes import Cluster
from tests.servers import RunningServer

TASK = """
name: explained
task-mode: all
target-database: {{host: 127.0.0.1, port: {port}, user: root}}
mysql-instances:
- source-id: one
  block-allow-list: mine
  route-rules: [merge]
  filter-rules: [keep]
block-allow-list: {{mine: {{do-dbs: ["explain_*"], ignore-tables: [{{db-name: "*", tbl-name: private}}]}}}}
routes: {{merge: {{schema-pattern: "explain_*", table-pattern: "orders_*", target-schema: shop, target-table: orders}}}}
filters: {{keep: {{schema-pattern: "explain_*", events: [value range decrease, delete], action: Ignore}}}}
"""


@pytest.fixture
def upstream(mariadb: RunningServer) -> RunningServer:
    with mariadb.connect(ssl_disabled=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE explain_1")
        cursor.execute("CREATE TABLE explain_1.orders_1 (id INT PRIMARY KEY, n INT)")
        cursor.execute("CREATE TABLE explain_1.private (id INT PRIMARY KEY)")
        cursor.execute("CREATE VIEW explain_1.seen AS SELECT id FROM explain_1.orders_1")
    return mariadb


def _explained(cluster: Cluster, upstream: RunningServer, **request: str) -> dict[str, Any]:
    task = TASK.format(port=upstream.port)
    return cluster.call("ExplainRules", dm_pb2.ExplainRulesRequest(task=task, **request))


def test_tables_and_statements_of_a_live_source(upstream: RunningServer, tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    try:
        cluster.start_master()
        source = f"source-id: one\nfrom: {{host: 127.0.0.1, port: {upstream.port}, user: root}}\n"
        cluster.call("OperateSource", dm_pb2.OperateSourceRequest(op=dm_pb2.CreateSource, config=[source]))
        body = _explained(cluster, upstream)
        found = {one["table"]: one for one in body["tables"] if one["schema"] == "explain_1"}
        assert set(found) == {"orders_1", "private"}
        assert (found["orders_1"]["targetSchema"], found["orders_1"]["targetTable"]) == ("shop", "orders")
        assert found["orders_1"]["filters"] == ["keep: Ignore delete, value range decrease"]
        assert found["private"]["note"] == "left out by the block-allow-list"

        sql = "ALTER TABLE orders_1 MODIFY n SMALLINT, ADD COLUMN m INT"
        body = _explained(cluster, upstream, table="explain_1.orders_1", sql=sql)
        [statement] = body["statements"]
        assert [part["action"] for part in statement["parts"]] == ["Ignore", "Do"]
        assert statement["runs"] == ["ALTER TABLE `shop`.`orders` ADD COLUMN m INT"]
        assert "code=38079" in _explained(cluster, upstream, table="orders_1")["msg"]
    finally:
        cluster.stop()
