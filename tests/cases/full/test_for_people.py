"""One full migration as a person sees it, by dmctl: estimate, start, watch, limits, summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases.e2e.job import source_text
from tests.cases.full.migration import execute, query
from tests.cases.full.test_tables import THOUSAND
from tests.cluster import Cluster
from tests.servers import RunningServer

SCHEMA, META, TASK, SOURCE = "people_up", "people_meta", "people", "one"
ROWS, ROW_BYTES = 20_000, 500


def _fill(upstream: RunningServer) -> None:
    many = f"SELECT n * 20 + m, REPEAT('x', {ROW_BYTES}) FROM ({THOUSAND}) t, (SELECT 0 m"
    many += "".join(f" UNION ALL SELECT {m}" for m in range(1, ROWS // 1000)) + ") u"
    execute(upstream, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(
        upstream,
        "CREATE TABLE small (id INT PRIMARY KEY) DEFAULT CHARSET=utf8mb4",
        f"CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR({ROW_BYTES}), p INT, KEY v (v(10)), "
        "FOREIGN KEY (p) REFERENCES small (id)) DEFAULT CHARSET=utf8mb4",
        "CREATE TABLE odd (id INT PRIMARY KEY, v VARCHAR(9)) DEFAULT CHARSET=latin2",
        "CREATE TABLE bag (a INT, b INT) DEFAULT CHARSET=utf8mb4",
        "CREATE VIEW looks AS SELECT 1 AS x",
        f"INSERT INTO big (id, v) {many}",
        "INSERT INTO odd VALUES (1, 'a')",
        "INSERT INTO bag VALUES (1, 1), (1, 1)",
        "ANALYZE TABLE big, odd, bag",
        database=SCHEMA,
    )


def _task_text(target: RunningServer) -> str:
    return f"""name: {TASK}
task-mode: full
meta-schema: {META}
target-database: {{host: {target.host}, port: {target.port}, user: root, password: ""}}
mysql-instances:
  - source-id: {SOURCE}
    block-allow-list: mine
    loader: {{max-bytes-per-second: 1MB, pool-size: 2}}
    mydumper: {{threads: 2, rows: 2000}}
block-allow-list:
  mine:
    do-dbs: [{SCHEMA}]
"""


@pytest.fixture(scope="module")
def cluster(mariadb: RunningServer, tidb: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("people")
    _fill(mariadb)
    (folder / "source.yaml").write_text(source_text(SOURCE, mariadb))
    (folder / "task.yaml").write_text(_task_text(tidb))
    with Cluster(folder) as found:
        found.start_master()
        found.start_worker("worker")
        found.wait(lambda: '"worker"' in found.ask("list-member", "--worker").out, "the worker is there")
        found.expect("operate-source", "create", str(folder / "source.yaml"), "--wait")
        yield found
    for server, schema in ((mariadb, SCHEMA), (tidb, SCHEMA), (tidb, META)):
        execute(server, f"DROP DATABASE IF EXISTS {schema}")


def _load(cluster: Cluster) -> dict[str, Any]:
    return dict(cluster.subtasks(TASK).get(SOURCE, {}).get("load") or {})


def test_a_migration_from_its_estimate_to_its_summary(cluster: Cluster, tidb: RunningServer) -> None:
    file = str(cluster.folder / "task.yaml")
    _estimate(cluster, tidb, file)
    none = cluster.expect("task", "summary", file)["sources"][0]
    assert (none["summary"], "has no summary" in none["msg"]) == (None, True)
    cluster.expect("start-task", file, "--wait")
    cluster.wait(lambda: int(_load(cluster).get("finishedBytes") or 0) > 0, "rows have arrived")
    load = _load(cluster)
    assert int(load["maxBytesPerSecond"]) == 2**20
    assert load["tables"][0]["table"] in {"big", "bag", "odd", "small"}
    cluster.expect("task", "set", TASK, "max-bytes-per-second=0")
    cluster.wait(lambda: _load(cluster).get("maxBytesPerSecond") in ("0", None), "the limit is lifted")
    watched = cluster.dmctl("watch", TASK, "--interval", "200ms", "--output", "json")
    last = json.loads(watched.out.splitlines()[-1])
    assert (watched.code, last["sources"][0]["subTaskStatus"][0]["stage"]) == (0, "Finished")
    _summary(cluster, file)


def _estimate(cluster: Cluster, tidb: RunningServer, file: str) -> None:
    [source] = cluster.expect("estimate", file, "--sample", "1s")["sources"]
    tables = {one["table"]: one for one in source["tables"]}
    assert {name: one["verdict"] for name, one in tables.items()} == {
        "big": "copied", "small": "copied", "odd": "mapped", "bag": "copied", "looks": "copied",
    }  # fmt: skip
    assert ROWS * 0.5 < int(source["rows"]) < ROWS * 2
    assert int(tables["big"]["chunks"]) >= 5
    assert int(source["bytesPerSecond"]) <= 2**20
    assert source["seconds"] > 0
    assert "into a scratch table" in source["how"], source
    assert any("people_up.bag" in note for note in source["notes"])
    assert query(tidb, f"SHOW DATABASES LIKE '{META}'") == []  # it leaves nothing behind
    [read] = cluster.expect("estimate", file, "--sample", "1s", "--read-only")["sources"]
    assert "read, not written" in read["how"]
    [plain] = cluster.expect("estimate", file, "--sample", "0")["sources"]
    assert (plain.get("seconds"), plain["sampleRows"]) == (None, "0")


def _summary(cluster: Cluster, file: str) -> None:
    [answer] = cluster.expect("task", "summary", TASK)["sources"]
    summary = answer["summary"]
    assert (summary["outcome"], summary["rows"], summary["tables"]) == ("finished", ROWS + 3, 4)
    assert summary["slowestTables"][0]["table"] == "big"
    assert summary["leftOut"] == []
    assert any("latin2" in warning for warning in summary["warnings"])
    assert summary["phases"]["copying"] > 0
    assert "full migration summary" in (cluster.folder / f"worker.{TASK}.log").read_text()
    cluster.expect("stop-task", TASK, "--wait")
    [later] = cluster.expect("task", "summary", file)["sources"]
    assert later["summary"] == summary
