"""A standalone Spark cluster whose Python knows nothing of this project: it is shipped there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

from pkg.task.blocks import DumpConfig, SparkConfig
from tests.cases.full.migration import assert_same, execute, migrate, outcome, start, subtask
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.servers import RunningServer
from tests.servers.running import free_port

PYTHON = str(Path(sys.base_prefix, "bin", "python3"))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The URL of a master with one worker of two cores."""
    home = Path(pyspark.__file__).parent
    port = free_port()
    spark = [str(home / "bin" / "spark-class"), "org.apache.spark.deploy"]
    address = ["--host", "127.0.0.1", "--webui-port", "0"]
    commands = [
        [spark[0], f"{spark[1]}.master.Master", *address, "--port", str(port)],
        [spark[0], f"{spark[1]}.worker.Worker", *address, "-c", "2", "-d", str(tmp_path), f"spark://127.0.0.1:{port}"],
    ]
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "SPARK_HOME": str(home)}
    log = (tmp_path / "cluster.log").open("w")
    processes = [
        subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=log, stderr=log) for command in commands
    ]
    try:
        deadline = time.monotonic() + 60
        while "has been successfully registered" not in (text := (tmp_path / "cluster.log").read_text()) and (
            "Successfully registered with master" not in text
        ):
            assert time.monotonic() < deadline, text
            threading.Event().wait(0.2)
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)
        log.close()


def test_chunks_are_copied_by_a_cluster(mariadb: RunningServer, tidb: RunningServer, cluster: str) -> None:
    schema = "full_cluster"
    fresh(mariadb, tidb, schema, "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))")
    for step in range(20):
        execute(mariadb, f"INSERT INTO {schema}.t SELECT n + {step * 1000}, CONCAT('ä', n) FROM ({THOUSAND}) t")
    conf = {"spark.pyspark.python": PYTHON, "spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m"}
    config = subtask(mariadb, tidb, schema, dump=DumpConfig(rows=200), spark=SparkConfig(master=cluster, conf=conf))
    process = start(config, crashpoints="loader.before_commit=delay:1")  # here only: the cluster's processes lack it
    ended = outcome(process)
    assert ended["exit"] == 0, ended["log"]
    assert "Spark is up" in ended["log"]
    assert_same(mariadb, tidb, schema, ["t"])


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
    config = subtask(mariadb, tidb, schema, dump=DumpConfig(rows=20), spark=spark)
    ended = outcome(start(config, crashpoints="loader.before_commit=delay:2"))
    assert (ended["exit"], ended["code"]) == (1, 32111)
    assert master in ended["text"]
    migrate(config.model_copy(update={"spark": SparkConfig()}))
    assert_same(mariadb, tidb, schema, ["t"])
