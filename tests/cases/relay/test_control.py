"""The relay log of a running cluster: switched, paused, purged and killed under writes, every row once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cases.e2e.job import TASK, Job, Upstream, binlog_position
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect, shards
from tests.workload.traffic import Traffic

Factory = Callable[..., RunningServer]
SOURCE = "one"
ROWS = 500


class RelayedJob:
    """A job over one upstream, its worker and its writer."""

    def __init__(self, cluster: Cluster, factory: Factory, kind: str, options: str = "") -> None:
        self.cluster = cluster
        self.upstream = factory(kind)
        self.job = Job(
            cluster, [Upstream(SOURCE, self.upstream, shards(1, 2, tables=2), True)], factory("mariadb"), ROWS
        )
        self.job.prepare(seed=11)
        with self.job.files[SOURCE].open("a") as file:
            file.write(options)
        cluster.start_master()
        self.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        self.writer = self.job.traffic(seed=12)[0]

    @property
    def folder(self) -> Path:
        return self.cluster.folder / "relay of worker" / SOURCE

    def start_worker(self, name: str) -> None:
        self.cluster.start_worker(name, "--relay-dir", str(self.cluster.folder / f"relay of {name}"))

    def binlog_files(self) -> list[str]:
        """Of the only sub-directory, oldest first."""
        (sub_dir,) = (one for one in self.folder.iterdir() if one.is_dir())
        return sorted(one.name for one in sub_dir.iterdir() if one.name.rpartition(".")[2].isdigit())

    def relay(self) -> dict[str, Any]:
        """DM's relayStatus; {} where there is none."""
        result = self.cluster.ask("query-status", "-s", SOURCE)
        if result.code != 0:
            return {}
        (answer,) = result.json["sources"]
        return answer["sourceStatus"]["relayStatus"] or {}

    def wait_for_relay(self, stage: str) -> None:
        self.cluster.wait(lambda: self.relay().get("stage") == stage, f"relay log {stage}")

    def binlog_type(self) -> str:
        status = self.cluster.subtasks(TASK).get(SOURCE, {})
        return str((status.get("sync") or {}).get("binlogType", "")) if status.get("stage") == "Running" else ""

    def run(self) -> str:
        """The epoch of the task's present run, as it was told last."""
        return str((self.cluster.subtasks(TASK).get(SOURCE, {}).get("sync") or {}).get("epoch", ""))

    def wait_for_run_after(self, before: str) -> None:
        self.cluster.wait(lambda: self.run() not in ("", "0", before), "another run of the task")

    def wait_for_stream(self, binlog_type: str) -> None:
        self.cluster.wait(lambda: self.binlog_type() == binlog_type, f"the task reads its binlog {binlog_type}")

    def write(self, transactions: int = 60) -> None:
        goal = self.writer.transactions + transactions
        self.cluster.wait(lambda: self.writer.transactions > goal or self.writer.error is not None, "writes")

    def rotate(self) -> None:
        with connect(self.upstream) as connection, connection.cursor() as cursor:
            cursor.execute("FLUSH BINARY LOGS")

    def assert_all_rows_once(self, writer: Traffic) -> None:
        writer.stop()
        self.job.wait_in_step()
        self.job.assert_equal()
        counts = []
        for server in (self.upstream, self.job.target):
            with connect(server) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT COUNT(*) FROM extras.log")  # it has no key: a row that comes twice stays twice
                counts.append(cursor.fetchone())
        assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("mariadb", ""),
        pytest.param("mariadb", "enable-gtid: true\n", marks=pytest.mark.thorough),
        ("mysql", "enable-gtid: true\n"),
    ],
    ids=["mariadb", "mariadb-gtid", "mysql-gtid"],
)
def test_a_task_replicates_through_the_relay_log(
    kind: str, options: str, server_factory: Factory, tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        relayed = RelayedJob(cluster, server_factory, kind, f"enable-relay: true\n{options}")
        with relayed.writer as writer:
            relayed.job.start()
            relayed.wait_for_stream("local")
            relayed.write()
            relayed.rotate()
            relayed.write()
            relayed.assert_all_rows_once(writer)
        assert len(relayed.binlog_files()) >= 2
        end = str(binlog_position(relayed.upstream))  # what is told of the upstream may be some seconds old
        cluster.wait(lambda: relayed.relay().get("masterBinlog") == end, "the relay log has seen the upstream's end")
        cluster.wait(lambda: relayed.relay().get("relayCatchUpMaster") is True, "the relay log has caught up")
        relay = relayed.relay()
        assert relay["relayBinlog"] == relay["masterBinlog"] == end
        assert relay["relaySubDir"].endswith(".000001")
        assert "enable-relay: true" in cluster.expect("config", "source", SOURCE)["cfg"]


def test_the_relay_log_is_switched_on_and_off_under_writes(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        relayed = RelayedJob(cluster, server_factory, "mariadb")
        with relayed.writer as writer:
            relayed.job.start()
            relayed.wait_for_stream("remote")
            refused = cluster.ask("start-relay", "-s", SOURCE, "another")
            assert (refused.code, "another not exists" in refused.out) == (1, True)
            for _ in range(2):
                relayed.write()
                cluster.expect("start-relay", "-s", SOURCE, "worker", "--wait")
                relayed.wait_for_stream("local")
                relayed.write()
                cluster.expect("stop-relay", "-s", SOURCE, "--wait")
                assert relayed.relay() == {}
                relayed.wait_for_stream("remote")
            relayed.assert_all_rows_once(writer)


def test_pause_holds_the_relay_log_and_resume_goes_on(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        relayed = RelayedJob(cluster, server_factory, "mariadb", "enable-relay: true\n")
        with relayed.writer as writer:
            relayed.job.start()
            relayed.wait_for_stream("local")
            answer = cluster.expect("pause-relay", "-s", SOURCE, "--wait")
            assert answer["op"] == "PauseRelay"
            held = relayed.relay()["relayBinlog"]
            relayed.write()
            assert relayed.relay()["relayBinlog"] == held
            (task,) = cluster.expect("query-status")["tasks"]
            assert task["taskStatus"].startswith("Error - Relay status is Paused.")
            cluster.kill("master")
            cluster.start_master()
            relayed.wait_for_relay("Paused")
            cluster.expect("resume-relay", "-s", SOURCE, "--wait")
            relayed.assert_all_rows_once(writer)
        assert relayed.binlog_type() == "local"


def test_purge_deletes_what_is_not_needed_and_nothing_else(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        relayed = RelayedJob(cluster, server_factory, "mariadb", "enable-relay: true\n")
        with relayed.writer as writer:
            relayed.job.start()
            relayed.wait_for_stream("local")
            for _ in range(3):
                relayed.write(20)
                relayed.rotate()
            cluster.wait(lambda: len(relayed.binlog_files()) >= 4, "four files")
            relayed.job.wait_in_step()
            cluster.expect("pause-task", TASK, "--wait")
            needed = cluster.subtasks(TASK)[SOURCE]["sync"]["checkpointBinlog"].strip("(").split(",")[0]
            for _ in range(2):
                relayed.write(20)
                relayed.rotate()
            newest = binlog_position(relayed.upstream).name
            cluster.wait(lambda: newest in relayed.binlog_files(), "the newest file")
            before = relayed.binlog_files()
            cluster.expect("purge-relay", "-s", SOURCE, "-f", newest)
            after = relayed.binlog_files()
            assert after == [name for name in before if name >= needed]
            assert len(after) < len(before)
            cluster.expect("resume-task", TASK, "--wait")
            relayed.wait_for_stream("local")
            relayed.assert_all_rows_once(writer)
            refused = cluster.ask("purge-relay", "-s", SOURCE, "-f", "../../etc.000001")
            assert refused.code == 1


def test_a_killed_worker_comes_back_to_its_relay_log(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        relayed = RelayedJob(cluster, server_factory, "mariadb", "enable-relay: true\n")
        with relayed.writer as writer:
            relayed.job.start()
            relayed.wait_for_stream("local")
            for _ in range(3):
                relayed.write()
                before = relayed.run()
                cluster.kill("worker")
                relayed.start_worker("worker")
                relayed.wait_for_run_after(before)
                relayed.wait_for_stream("local")
            relayed.assert_all_rows_once(writer)
        assert len(list(relayed.folder.glob("*.000001"))) == 1


def test_another_worker_pulls_the_relay_log_again(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster", keepalive_seconds=3) as cluster, ExitStack() as writers:
        relayed = RelayedJob(cluster, server_factory, "mariadb", "enable-relay: true\n")
        writer = writers.enter_context(relayed.writer)
        relayed.job.start()
        relayed.wait_for_stream("local")
        relayed.start_worker("second")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "a free worker")
        relayed.write()
        before = relayed.run()
        cluster.kill("worker")
        relayed.write()
        relayed.wait_for_run_after(before)
        relayed.wait_for_stream("local")
        assert (cluster.folder / "relay of second" / SOURCE / "server-uuid.index").exists()
        relayed.assert_all_rows_once(writer)
