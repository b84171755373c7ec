"""A load by the executors of a standalone Spark cluster, which see the folder under the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkg.task.blocks import SparkConfig
from tests.cases.full.migration import assert_same, execute, migrate
from tests.cases.full.test_cluster import CONF, cluster
from tests.cases.full.test_tables import THOUSAND
from tests.cases.load.loading import fresh, load_task, mydumper
from tests.servers import RunningServer

__all__ = ["cluster"]

SCHEMA = "load_by_cluster"


@pytest.mark.thorough
def test_executors_load_files(mariadb: RunningServer, mariadb2: RunningServer, cluster: str, tmp_path: Path) -> None:
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    rows = f"INSERT INTO t SELECT n, CONCAT('ä', n) FROM ({THOUSAND}) t"
    execute(mariadb, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))", rows, database=SCHEMA)
    fresh(mariadb2, SCHEMA)
    mydumper(mariadb, SCHEMA, tmp_path / "d", "-r", "300")
    config = load_task(mariadb2, SCHEMA, tmp_path / "d")
    ended = migrate(config.model_copy(update={"spark": SparkConfig(master=cluster, conf=CONF)}))
    assert "Spark is up" in ended["log"]
    assert (ended["finishedRows"], ended["progress"]) == (1000, "100.00 %")
    assert_same(mariadb, mariadb2, SCHEMA, ["t"])
