"""Behind the source's address comes another server, a replica of the first: replication goes on by GTID."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from pkg.binlog.position import Position
from tests.cases.e2e.job import TASK, Job, Upstream, binlog_position
from tests.cases.e2e.test_goes_on import assert_log_rows, start_worker, wait_for, wait_for_sync
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.servers.replica import follow, has_all
from tests.workload.shop import shards
from tests.workload.traffic import Traffic

pytestmark = pytest.mark.crossed("kind", "target")

Factory = Callable[..., RunningServer]
ROWS = 300


def is_past_the_copy(cluster: Cluster) -> bool:
    """Whether the checkpoint, too, is at or behind the end of the rows that were copied while they were written to."""
    [status] = cluster.subtasks(TASK).values()
    position = status.get("sync", {}).get("checkpointBinlog", "")
    return bool(position) and not status["sync"]["safeMode"] and Position.parse(position) >= _copy_end(cluster)


def reads_relay(cluster: Cluster) -> bool:
    return {status.get("sync", {}).get("binlogType") for status in cluster.subtasks(TASK).values()} == {"local"}


def _copy_end(cluster: Cluster) -> Position:
    lines = (cluster.folder / "worker.shop.log").read_text().splitlines()
    [line] = [line for line in lines if "migration is done" in line]
    return Position.parse(line.partition("location=")[2].partition(")")[0] + ")")


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "tidb"), ("mysql", "mariadb")])
def test_replication_goes_on_at_a_replica(kind: str, target: str, server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as open_things:
        first, second = server_factory(kind), server_factory(kind)
        follow(second, first)
        forwarder = open_things.enter_context(Forwarder(first.port))
        job = Job(cluster, [Upstream("one", first, shards(1, 2, tables=2), True)], server_factory(target), ROWS)
        job.prepare(21)
        text = job.files["one"].read_text().replace(f"port: {first.port}", f"port: {forwarder.port}")
        job.files["one"].write_text(text + "enable-gtid: true\n")
        task = job.files[TASK].read_text()  # the copy's end is stored at once, whatever it says
        job.files[TASK].write_text(task.replace("checkpoint-flush-interval: 2", "checkpoint-flush-interval: 600"))
        cluster.start_master()
        start_worker(cluster)
        upstream = job.upstreams[0]
        before, later = upstream.shards[:1], upstream.shards[1:]
        writer = open_things.enter_context(Traffic(first, before, seed=21, rows=ROWS, extras=True))
        job.start()
        wait_for_sync(cluster)
        cluster.wait(lambda: is_past_the_copy(cluster), "replication has passed the copy's end")
        wait_for(cluster, writer, 200)
        cluster.kill_subtasks("worker")  # so that channels are ahead of the checkpoint
        forwarder.cut()
        writer.stop()
        cluster.wait(lambda: has_all(second, first), "the replica has all")
        forwarder.point_at(second.port)
        after = open_things.enter_context(Traffic(second, later, seed=22, rows=ROWS, extras=True))
        wait_for(cluster, after, 100)
        cluster.wait(lambda: cluster.stages(TASK) == {"Running"}, "the task runs on the other server")
        wait_for(cluster, after, 100)
        cluster.kill_subtasks("worker")
        wait_for(cluster, after, 50)
        after.stop()
        upstream.server = second
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)
        assert binlog_position(first).name != binlog_position(second).name


def test_by_position_a_switch_is_refused(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        first, second = server_factory("mariadb"), server_factory("mariadb")
        with Forwarder(first.port) as forwarder:
            job = Job(cluster, [Upstream("one", first, shards(1, 1, tables=1), False)], server_factory("tidb"), 10)
            job.prepare(23)
            text = job.files["one"].read_text().replace(f"port: {first.port}", f"port: {forwarder.port}")
            job.files["one"].write_text(text)
            cluster.start_master()
            start_worker(cluster)
            job.start()
            wait_for_sync(cluster)
            forwarder.point_at(second.port)
            cluster.wait(lambda: "is the server" in cluster.errors(TASK), "the switch is refused")
            assert "does not say enable-gtid" in cluster.errors(TASK)
            assert cluster.stages(TASK) == {"Paused"}


def test_a_server_that_lacks_transactions_is_waited_for(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        first, second = server_factory("mariadb"), server_factory("mariadb")
        with Forwarder(first.port) as forwarder:
            job = Job(cluster, [Upstream("one", first, shards(1, 1, tables=1), False)], server_factory("tidb"), 10)
            job.prepare(24)
            text = job.files["one"].read_text().replace(f"port: {first.port}", f"port: {forwarder.port}")
            job.files["one"].write_text(text + "enable-gtid: true\n")
            cluster.start_master()
            start_worker(cluster)
            job.start()
            wait_for_sync(cluster)
            forwarder.point_at(second.port)
            cluster.wait(lambda: "it lacks transactions" in cluster.errors(TASK), "the lack is said")
            follow(second, first)
            cluster.wait(lambda: cluster.stages(TASK) == {"Running"}, "the task goes on by itself")
            # Until the first transaction on this server GTIDs alone say where the task is.
            [sync] = [status["sync"] for status in cluster.subtasks(TASK).values()]
            assert sync["checkpointBinlogGtid"]
            assert "(, 0)" not in json.dumps(sync)
            assert "(, 0)" not in "".join(path.read_text() for path in cluster.folder.glob("*.log"))
            [source] = cluster.subtasks(TASK)
            cluster.expect("start-relay", "-s", source, "--wait")  # begins where the task needs it
            cluster.kill_subtasks("worker")
            cluster.wait(lambda: reads_relay(cluster), "the task reads the relay log")
