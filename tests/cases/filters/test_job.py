"""Filters of a source and of a task, from the files to the target, through all three programs."""

from __future__ import annotations

import json
from pathlib import Path

from dm_worker.syncer.filtering import FILTER_SAYS_ERROR
from pkg.binlog.position import Position
from tests.cases.e2e.job import binlog_position, source_text
from tests.cases.steering.steered import query, run_on
from tests.cluster import Cluster
from tests.servers import RunningServer

TASK = """name: filtered
task-mode: all
target-database: {{host: {host}, port: {port}, user: root, password: ""}}
mysql-instances:
  - source-id: one
    block-allow-list: mine
    filter-rules: [careful]
block-allow-list:
  mine: {{do-dbs: [filtered_up]}}
filters:
  careful: {{schema-pattern: "filtered_*", events: [{events}], action: Error}}
"""
SOURCE_FILTERS = "filters: [{schema-pattern: filtered_up, table-pattern: kept, events: [delete], action: Ignore}]\n"


def _ids(target: RunningServer, table: str) -> list[int]:
    return [row[0] for row in query(target, f"SELECT id FROM filtered_up.{table} ORDER BY id")]


def _stage(cluster: Cluster) -> tuple[str, list[int]]:
    status = cluster.subtasks("filtered").get("one", {})
    errors = (status.get("result") or {}).get("errors") or ()
    return status.get("stage", ""), [error["ErrCode"] for error in errors]


def _is_in_step(cluster: Cluster, written: Position) -> bool:
    applied = (cluster.subtasks("filtered").get("one", {}).get("sync") or {}).get("syncerBinlog")
    return bool(applied) and Position.parse(str(applied)) >= written


def test_filters_of_source_and_task(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    with mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE filtered_up")
    for table in ("kept", "other"):
        run_on(mariadb, "filtered_up", f"CREATE TABLE {table} (id INT PRIMARY KEY)")
        run_on(mariadb, "filtered_up", f"INSERT INTO {table} VALUES (1), (2), (3)", f"DELETE FROM {table} WHERE id = 1")
    source, task = tmp_path / "one.yaml", tmp_path / "task.yaml"
    source.write_text(source_text("one", mariadb) + SOURCE_FILTERS)

    def write_task(events: str) -> None:
        task.write_text(TASK.format(host=tidb.host, port=tidb.port, events=events))

    with Cluster(tmp_path / "cluster") as cluster:
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.expect("operate-source", "create", str(source), "--wait")
        write_task("trunctate table")
        refused = cluster.ask("check-task", str(task))
        assert refused.code == 1
        assert "did you mean `truncate table`" in refused.out + refused.err

        write_task("truncate table")
        cluster.expect("start-task", str(task), "--until", "synced")
        assert _ids(tidb, "kept") == _ids(tidb, "other") == [2, 3]  # the copy is not filtered
        for table in ("kept", "other"):
            run_on(mariadb, "filtered_up", f"DELETE FROM {table} WHERE id = 2")
        written = binlog_position(mariadb)
        cluster.wait(lambda: _is_in_step(cluster, written), "the deletes are passed")
        assert (_ids(tidb, "kept"), _ids(tidb, "other")) == ([2, 3], [3])

        run_on(mariadb, "filtered_up", "TRUNCATE TABLE other", "INSERT INTO kept VALUES (4)")
        cluster.wait(lambda: _stage(cluster) == ("Paused", [FILTER_SAYS_ERROR.code]), "a pause by the filter")
        cluster.expect("stop-task", "filtered", "--wait")
        write_task("rename table")
        cluster.expect("start-task", str(task), "--until", "synced")
        assert (_ids(tidb, "kept"), _ids(tidb, "other")) == ([2, 3, 4], [])

        explained = json.loads(cluster.ask("explain-rules", str(task), "--table", "filtered_up.kept").out)
        assert explained["tables"][0]["filters"] == [
            "filters[0] of the source: Ignore delete",
            "careful: Error rename table",
        ]
