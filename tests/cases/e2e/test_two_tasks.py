"""Two tasks that would write the same target tables: the second is refused by name, unless somebody insists."""

from __future__ import annotations

from pathlib import Path

from tests.cases.e2e.job import binlog_position, source_text
from tests.cases.steering.steered import query, run_on
from tests.cluster import Cluster
from tests.servers import RunningServer

SOURCE, UP = "one", "two_up"


def task_file(
    folder: Path, name: str, target: RunningServer, mode: str, more: str = "", routed_to: str = "", meta: str = ""
) -> str:
    text = f"""name: {name}
task-mode: {mode}
meta-schema: two_meta
{more}
target-database:
  host: {target.host}
  port: {target.port}
  user: root
  password: ""
mysql-instances:
  - source-id: {SOURCE}
    block-allow-list: mine
    {"route-rules: [away]" if routed_to else ""}
    {meta}
block-allow-list:
  mine:
    do-dbs: [{UP}]
"""
    if routed_to:
        text += f"routes:\n  away: {{schema-pattern: {UP}, target-schema: {routed_to}}}\n"
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return str(path)


def test_a_second_task_for_the_same_target_tables_is_refused_by_name(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    target = mariadb2
    for name in (UP, "two_away", "two_meta"):
        query(target, f"DROP DATABASE IF EXISTS {name}")
    query(mariadb, f"DROP DATABASE IF EXISTS {UP}")
    query(mariadb, f"CREATE DATABASE {UP}")
    run_on(mariadb, UP, "CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE log (a INT)", "INSERT INTO log VALUES (1)")
    with Cluster(tmp_path) as cluster:
        (tmp_path / "source.yaml").write_text(source_text(SOURCE, mariadb))
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        cluster.expect("operate-source", "create", str(tmp_path / "source.yaml"), "--wait")
        cluster.expect("start-task", task_file(tmp_path, "copy", target, "full"), "--until", "finished")
        begin = binlog_position(mariadb)
        meta = f"meta: {{binlog-name: {begin.name}, binlog-pos: {begin.offset}}}"
        follow = task_file(tmp_path, "follow", target, "incremental", meta=meta)
        cluster.expect("start-task", follow, "--until", "synced")  # the finished one writes no more

        again = task_file(tmp_path, "again", target, "incremental", meta=meta)
        for verb in ("check-task", "start-task"):
            refused = cluster.ask(verb, again)
            assert refused.code == 1
            assert f"task follow writes `{UP}`.`log`, `{UP}`.`t`, too" in refused.out
            assert "stop-task follow" in refused.out
        away = task_file(tmp_path, "away", target, "all", routed_to="two_away")
        cluster.expect("start-task", away, "--until", "synced")  # other tables

        insisting = task_file(
            tmp_path, "again", target, "incremental", "ignore-checking-items: [shared_target]", meta=meta
        )
        cluster.expect("start-task", insisting, "--until", "synced")
        run_on(mariadb, UP, "INSERT INTO log VALUES (2)")
        twice = f"SELECT COUNT(*) FROM {UP}.log WHERE a = 2"
        cluster.wait(lambda: query(target, twice) == [(2,)], "both write it, as was asked for")
        cluster.wait(lambda: query(target, "SELECT COUNT(*) FROM two_away.log") == [(2,)], "the third has its own")
