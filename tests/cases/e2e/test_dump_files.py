"""A dump as users order it: dmctl, dm-master and a dm-worker; the target is not there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from dm_worker.dumper.layout import METADATA
from tests.cases.dump.dumping import load_by_client
from tests.cases.full.migration import assert_same, execute
from tests.cluster import Cluster
from tests.servers import RunningServer

SCHEMA = "dump_e2e"
SOURCE = """source-id: here
from: {{host: {server.host}, port: {server.port}, user: dumper}}
"""
TASK = """name: files
task-mode: dump
target-database: {{host: nowhere.invalid, port: 4000, user: nobody}}
mysql-instances:
- {{source-id: here, block-allow-list: some, mydumper-config-name: all, loader-config-name: all}}
block-allow-list: {{some: {{do-dbs: [{schema}]}}}}
mydumpers: {{all: {{threads: 2, rows: 100, compress: zstd, where: id < 500}}}}
loaders: {{all: {{dir: {folder}}}}}
"""


@pytest.fixture
def source(mariadb: RunningServer) -> RunningServer:
    rows = ", ".join(f"({number}, 'ä {number}')" for number in range(1000))
    execute(
        mariadb,
        f"DROP DATABASE IF EXISTS {SCHEMA}",
        f"CREATE DATABASE {SCHEMA}",
        f"CREATE TABLE {SCHEMA}.t (id INT PRIMARY KEY, v VARCHAR(20))",
        f"CREATE VIEW {SCHEMA}.v AS SELECT id FROM {SCHEMA}.t WHERE v <> 'ö'",
        f"INSERT INTO {SCHEMA}.t VALUES {rows}",
        "CREATE OR REPLACE USER dumper@'%'",
        "GRANT SELECT, SHOW VIEW, REPLICATION CLIENT ON *.* TO dumper@'%'",
    )
    return mariadb


def test_a_dump_by_dmctl(source: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        cluster.start_master()
        cluster.start_worker("one")
        files = {
            "source.yaml": SOURCE.format(server=source),
            "task.yaml": TASK.format(schema=SCHEMA, folder=tmp_path / "d"),
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        cluster.expect("operate-source", "create", str(tmp_path / "source.yaml"))
        anew = ("start-task", str(tmp_path / "task.yaml"), "--remove-meta")
        cluster.wait(lambda: "in its folder of files" in cluster.ask(*anew).out, "bound, and refused")
        cluster.expect("start-task", str(tmp_path / "task.yaml"))
        cluster.wait(lambda: cluster.subtasks("files")["here"]["stage"] == "Finished", "the dump is complete")
        status = cluster.subtasks("files")["here"]
        assert status["unit"] == "Dump"
        assert status["dump"]["finishedRows"] == 500
        assert status["dump"]["dir"] == str(tmp_path / "d")
        assert (tmp_path / "d" / METADATA).exists()
    execute(source, f"DELETE FROM {SCHEMA}.t WHERE id >= 500")
    load_by_client(mariadb2, tmp_path / "d", SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["t", "v"])
