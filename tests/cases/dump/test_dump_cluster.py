"""A dump by the executors of a standalone Spark cluster, which see the folder under the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkg.task.blocks import SparkConfig
from tests.cases.dump.dumping import dump_task, load_by_client
from tests.cases.full.migration import assert_same, execute, migrate
from tests.cases.full.test_cluster import CONF, cluster
from tests.cases.full.test_tables import THOUSAND
from tests.servers import RunningServer

__all__ = ["cluster"]

SCHEMA = "by_cluster"


@pytest.fixture(scope="module")
def source(mariadb: RunningServer) -> RunningServer:
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    rows = f"INSERT INTO t SELECT n, CONCAT('ä', n) FROM ({THOUSAND}) t"
    execute(mariadb, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))", rows, database=SCHEMA)
    return mariadb


@pytest.mark.thorough
def test_executors_write_files_to_paths_and_urls(
    source: RunningServer, mariadb2: RunningServer, cluster: str, tmp_path: Path
) -> None:
    for place in (str(tmp_path / "path"), f"file://{tmp_path}/url"):
        config = dump_task(source, SCHEMA, Path(place), rows=300, compress="zstd")
        load = config.load.model_copy(update={"dir": place})
        config = config.model_copy(update={"spark": SparkConfig(master=cluster, conf=CONF), "load": load})
        ended = migrate(config)
        assert "Spark is up" in ended["log"]
        assert ended["finishedRows"] == 1000
        load_by_client(mariadb2, Path(ended["dir"].removeprefix("file://")), SCHEMA)
        assert_same(source, mariadb2, SCHEMA, ["t"])
