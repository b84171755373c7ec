"""A standalone Spark cluster whose Python knows nothing of this project: it is shipped there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dm_worker.dumper.chunks import WHOLE
from dm_worker.loader.chunk_copy import ChunkTask
from dm_worker.loader.ends import Ends
from dm_worker.loader.executor import copy_chunks, packed_group, packed_job, unpacked_done
from pkg.task.blocks import DumpConfig, SparkConfig
from tests.cases.full.migration import assert_same, execute, migrate, outcome, query, start, subtask
from tests.cases.full.one_chunk import OneChunk
from tests.cases.full.spark_cluster import QUICK_JVM, standalone
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.full.transfers import accounts, assert_state_at_location, committed, full, moving
from tests.servers import RunningServer
from tests.servers.ports import free_port

PYTHON = str(Path(sys.base_prefix, "bin", "python3"))
CONF = {
    "spark.pyspark.python": PYTHON,
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": QUICK_JVM,
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a master with one worker of two cores."""
    with standalone(tmp_path_factory.mktemp("spark")) as url:
        yield url


@pytest.mark.timeout(600)  # three JVMs start while others work
def test_chunks_are_copied_by_a_cluster(
    mariadb: RunningServer, tidb: RunningServer, cluster: str, tmp_path: Path
) -> None:
    schema = "full_cluster"
    fresh(mariadb, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))")
    for step in range(10):
        execute(mariadb, f"INSERT INTO {schema}.t SELECT n + {step * 1000}, CONCAT('ä', n) FROM ({THOUSAND}) t")
    config = subtask(mariadb, tidb, schema, dump=DumpConfig(rows=30), spark=SparkConfig(master=cluster, conf=CONF))
    held = tmp_path / "held"
    held.touch()
    # Here only, the cluster's processes lack it: until Spark is up, threads copy nothing.
    run = start(config, crashpoints=f"loader.before_commit=hold:{held}")
    assert run.stderr is not None
    up = next((line for line in run.stderr if "Spark is up" in line), "")
    held.unlink()
    ended = outcome(run, 300)
    assert ended["exit"] == 0, ended["log"]
    assert up, ended["log"]
    assert_same(mariadb, tidb, schema, ["t"])


@pytest.mark.thorough
@pytest.mark.timeout(600)  # two JVMs for the cluster, one for the task, one for the executor
def test_a_cluster_with_fewer_cores_than_lanes(mysql: RunningServer, tidb: RunningServer, cluster: str) -> None:
    schema = "full_lanes_cluster"
    accounts(mysql, tidb, schema)
    before = committed(mysql)
    with moving(mysql, schema):
        ended = outcome(start(full(mysql, tidb, schema, spark={"master": cluster, "conf": CONF})), 300)
    assert_state_at_location(ended, before, tidb, schema)
    assert ended["snapshot"]["connections"] == 2


def test_a_master_that_does_not_answer_is_named(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "full_no_master"
    fresh(
        mariadb,
        tidb,
        schema,
        "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
        f"INSERT INTO t SELECT n, n FROM ({THOUSAND}) t",
    )
    master = f"spark://127.0.0.1:{free_port()}"
    spark = SparkConfig(master=master, conf={"spark.driver.host": "127.0.0.1"})
    config = subtask(mariadb, tidb, schema, dump=DumpConfig(rows=10), spark=spark)
    ended = outcome(start(config, crashpoints="loader.before_commit=delay:3"), 300)
    assert (ended["exit"], ended["code"], ended["resumable"]) == (1, 32111, True)
    assert master in ended["text"]
    migrate(config.model_copy(update={"spark": SparkConfig()}))
    assert_same(mariadb, tidb, schema, ["t"])


def test_a_group_of_small_tables_ends_at_its_first_error(mariadb: RunningServer) -> None:
    chunk = OneChunk(mariadb, mariadb, "full_group", on_duplicate="error")
    chunk.fill("id INT PRIMARY KEY", "(1), (2)", tables=("t", "u", "v"))  # all three go to one table
    group = packed_group([ChunkTask(number, number, WHOLE) for number in range(3)])
    try:
        done = [unpacked_done(outcome) for outcome in copy_chunks(packed_job(chunk.job), [group])]
    finally:
        Ends.forget()
    assert [(one.chunk_id, one.rows, one.error is None) for one in done] == [(0, 2, True), (1, 0, False)]
    assert query(mariadb, "SELECT id FROM full_group_to.t ORDER BY id") == [(1,), (2,)]
