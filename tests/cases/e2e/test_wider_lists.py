"""A task that has run is started with lists that take more: what those tables have already would never come."""

from __future__ import annotations

from pathlib import Path

from tests.cases.e2e.job import source_text
from tests.cases.steering.steered import query
from tests.cluster import Cluster
from tests.servers import RunningServer


def task_file(folder: Path, target: RunningServer, databases: list[str], more: str = "") -> str:
    path = folder / "wide.yaml"
    path.write_text(f"""name: wide
task-mode: all
meta-schema: wide_meta
{more}
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances: [{{source-id: one, block-allow-list: mine}}]
block-allow-list: {{mine: {{do-dbs: [{", ".join(databases)}]}}}}
""")
    return str(path)


def test_tables_that_the_lists_take_later_are_named(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    for server in (mariadb, tidb):
        for name in ("wide_a", "wide_b", "wide_meta"):
            query(server, f"DROP DATABASE IF EXISTS {name}")
    for name in ("wide_a", "wide_b"):
        query(mariadb, f"CREATE DATABASE {name}")
        query(mariadb, f"CREATE TABLE {name}.t (id INT PRIMARY KEY)")
        query(mariadb, f"INSERT INTO {name}.t VALUES (1), (2)")
    with Cluster(tmp_path) as cluster:
        (tmp_path / "source.yaml").write_text(source_text("one", mariadb))
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        cluster.expect("operate-source", "create", str(tmp_path / "source.yaml"), "--wait")
        cluster.expect("start-task", task_file(tmp_path, tidb, ["wide_a"]), "--until", "synced")
        cluster.expect("stop-task", "wide", "--wait")
        query(mariadb, "CREATE TABLE wide_a.later (id INT PRIMARY KEY)")
        wider = task_file(tmp_path, tidb, ["wide_a", "wide_b"])
        for verb in ("check-task", "start-task"):
            refused = cluster.ask(verb, wider)
            assert refused.code == 1
            assert "rows that they have upstream are not copied: `wide_b`.`t`" in refused.out
            assert "wide_a" not in refused.out, "what came since the task stopped is replicated"
        query(tidb, "CREATE DATABASE wide_b")
        query(tidb, "CREATE TABLE wide_b.t (id INT PRIMARY KEY)")
        query(tidb, "INSERT INTO wide_b.t VALUES (1), (2)")
        insisting = task_file(tmp_path, tidb, ["wide_a", "wide_b"], "ignore-checking-items: [uncopied_tables]")
        cluster.expect("start-task", insisting, "--until", "synced")
        query(mariadb, "INSERT INTO wide_b.t VALUES (3)")
        cluster.wait(lambda: query(tidb, "SELECT COUNT(*) FROM wide_b.t") == [(3,)], "it is replicated")
        assert query(tidb, "SELECT COUNT(*) FROM wide_a.later") == [(0,)]
        cluster.expect("stop-task", "wide", "--wait")
        cluster.expect("start-task", task_file(tmp_path, tidb, ["wide_a", "wide_b"]), "--until", "synced")
