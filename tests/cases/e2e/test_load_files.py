"""A dump brought into the target as users order it, and replication from where it stands."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cases.full.migration import assert_same, execute, query
from tests.cases.load.loading import mydumper
from tests.cluster import Cluster
from tests.servers import RunningServer

SCHEMA = "load_e2e"
SOURCE = """source-id: here
from: {{host: {server.host}, port: {server.port}, user: root}}
"""
TASK = """name: {mode}
task-mode: {mode}
target-database: {{host: {server.host}, port: {server.port}, user: root}}
mysql-instances:
- source-id: here
  block-allow-list: some
{more}
block-allow-list: {{some: {{do-dbs: [{schema}]}}}}
"""


def test_load_and_go_on_by_dmctl(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    rows = ", ".join(f"({number}, 'ä {number}')" for number in range(1000))
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(mariadb, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))", f"INSERT INTO t VALUES {rows}",
            database=SCHEMA)  # fmt: skip
    execute(tidb, f"DROP DATABASE IF EXISTS {SCHEMA}", "DROP DATABASE IF EXISTS dm_meta")
    mydumper(mariadb, SCHEMA, tmp_path / "d")
    execute(mariadb, f"UPDATE {SCHEMA}.t SET v = 'later' WHERE id < 10", f"DELETE FROM {SCHEMA}.t WHERE id > 990")
    with Cluster(tmp_path) as cluster:
        cluster.start_master()
        cluster.start_worker("one")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        (tmp_path / "source.yaml").write_text(SOURCE.format(server=mariadb))
        loader = f"  loader: {{dir: {tmp_path / 'd'}}}"
        (tmp_path / "load.yaml").write_text(TASK.format(mode="load", schema=SCHEMA, server=tidb, more=loader))
        cluster.expect("operate-source", "create", str(tmp_path / "source.yaml"))
        cluster.expect("start-task", str(tmp_path / "load.yaml"))
        cluster.wait(lambda: cluster.subtasks("load")["here"]["stage"] == "Finished", "the dump is loaded")
        status = cluster.subtasks("load")["here"]
        assert (status["unit"], str(status["load"]["finishedRows"])) == ("Load", "1000")
        assert query(tidb, "SELECT COUNT(*) FROM t", SCHEMA) == [(1000,)]
        place = re.fullmatch(r"\((.+), (\d+)\)", status["load"]["metaBinlog"])
        assert place is not None
        meta = f"  meta: {{binlog-name: {place[1]}, binlog-pos: {place[2]}}}"
        (tmp_path / "on.yaml").write_text(TASK.format(mode="incremental", schema=SCHEMA, server=tidb, more=meta))
        cluster.expect("start-task", str(tmp_path / "on.yaml"))
        cluster.wait(lambda: query(tidb, "SELECT COUNT(*) FROM t", SCHEMA) == [(991,)], "what came later is there")
    assert_same(mariadb, tidb, SCHEMA, ["t"])
