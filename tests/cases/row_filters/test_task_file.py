"""A task file with expression filters, from check to pause and on, by commands to real processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cases.e2e.job import source_text
from tests.cases.e2e.test_goes_on import start_worker
from tests.cluster import Cluster
from tests.servers import RunningServer

TASK = """\
name: shop
task-mode: all
target-database: {{host: {host}, port: {port}, user: root, password: ""}}
mysql-instances:
- source-id: one
  block-allow-list: shop
  expression-filters: [{names}]
block-allow-list:
  shop: {{do-dbs: [shop]}}
expression-filter:
{filters}
"""
TEST_ROWS = "  no-tests: {schema: shop, table: t, insert-value-expr: \"note = 'TEST'\"}\n"
OLD_ROWS = "  keep: {schema: shop, table: t, delete-value-expr: 'a < 10'}\n"


def sql(server: RunningServer, *statements: str) -> list[Any]:
    with closing(server.connect(autocommit=True)) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def task_file(folder: Path, target: RunningServer, names: str, filters: str) -> str:
    path = folder / "task.yaml"
    path.write_text(TASK.format(host=target.host, port=target.port, names=names, filters=filters))
    return str(path)


def test_a_task_with_filters(server_factory: Callable[..., RunningServer], tmp_path: Path) -> None:
    upstream, target = server_factory("mariadb"), server_factory("tidb")
    sql(
        upstream,
        "CREATE DATABASE shop",
        "CREATE TABLE shop.t (id INT PRIMARY KEY, a INT, note VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci)",
        "INSERT INTO shop.t VALUES (1, 1, 'test'), (2, 20, 'x')",
    )
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.start_master()
        start_worker(cluster)
        source = tmp_path / "one.yaml"
        source.write_text(source_text("one", upstream))
        cluster.expect("operate-source", "create", str(source))

        wrong = OLD_ROWS.replace("a < 10", "b < 10")
        refused = cluster.ask("start-task", task_file(tmp_path, target, "keep", wrong))
        assert refused.code != 0
        assert "names the column b" in refused.out + refused.err

        cluster.expect("start-task", task_file(tmp_path, target, "no-tests, keep", TEST_ROWS + OLD_ROWS))
        cluster.wait(lambda: cluster.in_step("shop", 1), "the source is in step")
        sql(upstream, "INSERT INTO shop.t VALUES (3, 3, 'Test '), (4, 4, 'y')", "DELETE FROM shop.t WHERE id IN (1, 2)")
        # The full migration copied the test row; replication leaves out another and a delete.
        cluster.wait(lambda: [row[0] for row in sql(target, "SELECT id FROM shop.t ORDER BY id")] == [1, 4], "the rest")

        sql(upstream, "ALTER TABLE shop.t DROP COLUMN note", "INSERT INTO shop.t VALUES (5, 5)")
        cluster.wait(lambda: cluster.stages("shop") == {"Paused"}, "the task pauses")
        assert "the column note" in cluster.errors("shop")
        cluster.expect("stop-task", "shop", "--wait")
        cluster.expect("start-task", task_file(tmp_path, target, "keep", OLD_ROWS))
        cluster.wait(lambda: len(sql(target, "SELECT id FROM shop.t WHERE id = 5")) == 1, "the task goes on")
