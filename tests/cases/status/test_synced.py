"""`synced` is true only when the target has all that the upstream had when the status was asked for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from pkg.task.connection import ConnectionConfig
from tests.cases.e2e.job import source_text
from tests.cases.steering.steered import query, run_on
from tests.cases.sync.pair import made, running, until
from tests.cluster import Cluster
from tests.conftest import start_or_report
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.servers.running import HOST

pytestmark = pytest.mark.crossed("truth")
SOURCE, TASK, SCHEMA = "one", "truth", "truth"


class Truth:
    """One replicating task, its upstream and what is said of them."""

    def __init__(self, cluster: Cluster, upstream: RunningServer, target: RunningServer) -> None:
        self.cluster, self.upstream, self.target = cluster, upstream, target
        self._written = 0

    def write(self) -> None:
        self._written += 1
        run_on(self.upstream, SCHEMA, f"INSERT INTO t VALUES ({self._written})")

    def is_equal(self) -> bool:
        counts = [query(server, f"SELECT COUNT(*) FROM {SCHEMA}.t") for server in (self.upstream, self.target)]
        return bool(counts[0] == counts[1])

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.cluster.subtasks(TASK).get(SOURCE, {})
        return found

    def sync(self) -> dict[str, Any]:
        return self.status().get("sync") or {}

    def wait_synced(self) -> None:
        self.cluster.wait(lambda: self.sync().get("synced") is True, "synced")


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def truth(
    request: pytest.FixtureRequest, mariadb: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Truth]:
    folder = tmp_path_factory.mktemp("truth")
    with start_or_report(request.param) as upstream, Cluster(folder, keepalive_seconds=60) as cluster:
        query(upstream, f"CREATE DATABASE {SCHEMA}")
        run_on(upstream, SCHEMA, "CREATE TABLE t (id INT PRIMARY KEY)")
        query(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}")
        query(mariadb, "DROP DATABASE IF EXISTS truth_meta")
        (folder / "source.yaml").write_text(source_text(SOURCE, upstream))
        (folder / "task.yaml").write_text(_task_text(mariadb))
        cluster.start_master()
        cluster.start_worker("worker", "--relay-dir", str(folder / "relay"))
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        cluster.expect("operate-source", "create", str(folder / "source.yaml"), "--wait")
        cluster.expect("start-task", str(folder / "task.yaml"), "--until", "synced")
        yield Truth(cluster, upstream, mariadb)


def _task_text(target: RunningServer) -> str:
    return f"""name: {TASK}
task-mode: all
meta-schema: truth_meta
target-database:
  host: {target.host}
  port: {target.port}
  user: root
  password: ""
mysql-instances:
  - source-id: {SOURCE}
    block-allow-list: mine
block-allow-list:
  mine:
    do-dbs: [{SCHEMA}]
"""


def test_whoever_sees_it_synced_finds_what_was_written_before(truth: Truth) -> None:
    truth.wait_synced()
    for _ in range(20):
        truth.write()
        if truth.sync()["synced"]:
            assert truth.is_equal()
    truth.wait_synced()
    assert truth.is_equal()


def test_a_paused_subtask_is_not_synced_and_its_lag_is_not_known(truth: Truth) -> None:
    truth.wait_synced()
    truth.cluster.expect("pause-task", TASK, "--wait")
    truth.write()
    sync = truth.sync()
    assert sync["synced"] is False
    assert sync.get("secondsBehindMaster") is None
    assert "Paused" in sync["unknown"]
    assert sync["masterBinlogAge"] > 0
    truth.cluster.expect("resume-task", TASK, "--wait")
    truth.wait_synced()
    assert truth.is_equal()


def test_with_a_paused_relay_log_it_is_not_synced(truth: Truth) -> None:
    truth.cluster.expect("start-relay", "-s", SOURCE, "--wait")
    truth.cluster.wait(lambda: truth.sync().get("binlogType") == "local", "it reads the relay log")
    truth.wait_synced()
    truth.cluster.expect("pause-relay", "-s", SOURCE, "--wait")
    for _ in range(58):
        truth.write()
    assert not truth.is_equal()
    assert truth.sync()["synced"] is False
    run_on(truth.upstream, SCHEMA, "FLUSH BINARY LOGS")
    assert truth.sync()["synced"] is False
    truth.cluster.expect("resume-relay", "-s", SOURCE, "--wait")
    truth.wait_synced()
    assert truth.is_equal()
    truth.cluster.expect("stop-relay", "-s", SOURCE, "--wait")


def test_with_an_upstream_that_does_not_answer_it_is_not_synced(truth: Truth) -> None:
    truth.wait_synced()
    os.kill(truth.upstream.pid, signal.SIGSTOP)
    try:
        sync = truth.sync()
    finally:
        os.kill(truth.upstream.pid, signal.SIGCONT)
    assert sync["synced"] is False
    assert "upstream" in sync["unknown"]
    truth.wait_synced()


def test_with_a_worker_that_does_not_answer_it_is_not_synced(truth: Truth) -> None:
    truth.wait_synced()
    pid = truth.cluster.pid("worker")
    os.kill(pid, signal.SIGSTOP)
    try:
        sync = truth.sync()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert sync["synced"] is False
    assert "worker" in sync["unknown"]
    truth.wait_synced()


def test_a_stopped_task_is_not_gone_while_its_worker_does_not_answer(truth: Truth) -> None:
    pid = truth.cluster.pid("worker")
    os.kill(pid, signal.SIGSTOP)
    try:
        waited = truth.cluster.ask("stop-task", TASK, "--wait", "--wait-timeout", "1s")
        status = truth.status()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert waited.code == 1
    assert status["expectedStage"] == "Stopped"
    truth.cluster.wait(lambda: truth.status() == {}, "it is gone")


def test_a_table_that_is_not_upstream_as_it_is_taken_to_be_is_said(truth: Truth) -> None:
    truth.wait_synced()
    run_on(truth.upstream, SCHEMA, "CREATE TABLE unlike (id INT PRIMARY KEY, v INT)")
    run_on(truth.upstream, SCHEMA, "SET sql_log_bin = 0", "ALTER TABLE unlike ADD KEY unseen (v)")
    run_on(truth.upstream, SCHEMA, "ALTER TABLE unlike COMMENT 'x'")
    truth.cluster.wait(lambda: bool(truth.sync().get("unlikeUpstream")), "it stands in the status")
    assert "unseen" in truth.sync()["unlikeUpstream"][0]
    assert "unseen" in truth.cluster.ask("query-status", TASK).out


def test_another_server_at_the_address_is_seen_though_connections_stay(
    mariadb: RunningServer, mariadb2: RunningServer, tidb: RunningServer
) -> None:
    """A proxy that leads new connections elsewhere, and leaves those that are open."""
    pair = made("led_elsewhere", mariadb, tidb)
    with Forwarder(mariadb.port) as address:
        config = pair.config().model_copy(
            update={"upstream": ConnectionConfig(host=HOST, port=address.port, user="root")}
        )
        with running(config) as syncer:
            until(lambda: bool(syncer.status().get("synced")), "it runs")
            address.point_at_after(0, mariadb2.port)
            until(lambda: str(mariadb2.port) in str(syncer.status().get("unknown")), "it is said")
            assert not syncer.status()["synced"]
            address.point_at_after(0, mariadb.port)
            until(lambda: bool(syncer.status().get("synced")), "the first server is there again")
