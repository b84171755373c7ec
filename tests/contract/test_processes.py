"""Masters and workers that are killed, restarted and cut off, with a real MariaDB as upstream and target."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from pkg.adapters.rpc import dm_pb2
from tests.contract.processes import ROOT, Cluster, eventually
from tests.servers.running import alive

TASK = """
name: t
task-mode: incremental
target-database: {{host: 127.0.0.1, port: {port}, user: root, password: ""}}
mysql-instances:
  - source-id: s1
    block-allow-list: one
    meta: {{binlog-name: {file}, binlog-pos: {position}}}
block-allow-list:
  one: {{do-dbs: [processes]}}
"""


def execute(server: Any, *statements: str) -> list[tuple[Any, ...]]:
    connection = pymysql.connect(host=server.host, port=server.port, user="root", autocommit=True, ssl_disabled=True)
    with connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def source_file(server: Any, name: str = "s1", user: str = "root", password: str = "") -> str:
    return f"""
source-id: {name}
from: {{host: 127.0.0.1, port: {server.port}, user: {user}, password: "{password}"}}
checker: {{backoff-min: 200ms, backoff-max: 1s}}
"""


def task_file(server: Any) -> str:
    file, position, *_ = execute(server, "SHOW MASTER STATUS")[0]
    return TASK.format(port=server.port, file=file, position=position)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    found.start_master()
    yield found
    found.stop()


@pytest.fixture
def upstream(mariadb: Any) -> Any:
    execute(
        mariadb,
        "DROP DATABASE IF EXISTS processes",
        "DROP DATABASE IF EXISTS dm_meta",
        "CREATE DATABASE processes",
        "CREATE TABLE processes.t (id INT PRIMARY KEY)",
    )
    return mariadb


def create_source(cluster: Cluster, text: str, worker: str = "") -> dict[str, Any]:
    request = dm_pb2.OperateSourceRequest(op=dm_pb2.CreateSource, config=[text], worker_name=worker)
    return cluster.call("OperateSource", request)


def start_task(cluster: Cluster, upstream: Any) -> None:
    """And wait until it runs, which may take longer than dm-master waits."""
    answer = cluster.call("StartTask", dm_pb2.StartTaskRequest(task=task_file(upstream)))
    assert answer["result"], answer["msg"]
    eventually(lambda: cluster.subtask("t").get("stage") == "Running", "the subtask runs")


def is_bound(cluster: Cluster, worker: str) -> bool:
    return cluster.workers().get(worker) == ("bound", "s1")


def test_a_killed_worker_loses_its_source_to_another_and_is_free_when_it_comes_back(
    cluster: Cluster, upstream: Any
) -> None:
    cluster.start_worker("w1")
    eventually(lambda: cluster.workers().get("w1") == ("free", ""), "w1 has joined")
    assert create_source(cluster, source_file(upstream))["sources"][0]["worker"] == "w1"
    cluster.start_worker("w2")
    eventually(lambda: cluster.workers().get("w2") == ("free", ""), "w2 has joined")
    cluster.kill("w1")
    eventually(lambda: is_bound(cluster, "w2"), "w2 has the source")
    assert cluster.workers()["w1"] == ("offline", "")
    cluster.start_worker("w1")
    eventually(lambda: cluster.workers()["w1"] == ("free", ""), "w1 is back")


def test_a_worker_that_leaves_in_order_is_replaced_at_once(cluster: Cluster, upstream: Any) -> None:
    cluster.start_worker("w1", "--keepalive-ttl", "600")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    create_source(cluster, source_file(upstream))
    cluster.start_worker("w2")
    eventually(lambda: "w2" in cluster.workers(), "w2 has joined")
    assert cluster.kill("w1", signal.SIGTERM) == 0
    eventually(lambda: is_bound(cluster, "w2"), "w2 has the source")  # long before its time is over


def test_a_master_that_is_killed_goes_on_where_it_was(cluster: Cluster, upstream: Any) -> None:
    cluster.start_worker("w1")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    create_source(cluster, source_file(upstream))
    start_task(cluster, upstream)
    before = cluster.subtask("t")["epoch"]
    cluster.kill("m1")
    cluster.start_master()
    eventually(lambda: cluster.status("t")["sources"][0]["result"], "the worker has reported again")
    assert is_bound(cluster, "w1")
    assert cluster.subtask("t")["epoch"] == before
    assert cluster.subtask("t")["stage"] == "Running"
    file = cluster.folder / "m1" / "dm-master.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_killed_subtask_process_is_an_error_that_heals(cluster: Cluster, upstream: Any) -> None:
    cluster.start_worker("w1")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    create_source(cluster, source_file(upstream))
    start_task(cluster, upstream)
    pid = child_of(cluster.running["w1"].pid)
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: child_of(cluster.running["w1"].pid) not in (0, pid), "a new process has been started")
    eventually(lambda: cluster.subtask("t").get("stage") == "Running", "the subtask runs again")
    assert "SIGKILL" in cluster.log("w1")


def test_subtask_processes_die_with_their_daemon(cluster: Cluster, upstream: Any) -> None:
    cluster.start_worker("w1")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    create_source(cluster, source_file(upstream))
    start_task(cluster, upstream)
    pid = child_of(cluster.running["w1"].pid)
    cluster.kill("w1")
    eventually(lambda: not alive(pid), "the child is gone")
    cluster.start_worker("w1")
    eventually(lambda: cluster.subtask("t").get("stage") == "Running", "the subtask runs under the new daemon")


def test_pause_resume_and_stop_report_what_happened(cluster: Cluster, upstream: Any) -> None:
    cluster.start_worker("w1")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    create_source(cluster, source_file(upstream))
    start_task(cluster, upstream)
    for operation, stage in ((dm_pb2.Pause, "Paused"), (dm_pb2.Resume, "Running")):
        answer = cluster.call("OperateTask", dm_pb2.OperateTaskRequest(op=operation, name="t"))
        assert answer["sources"] == [{"result": True, "msg": "", "source": "s1", "worker": "w1"}]
        assert cluster.subtask("t")["stage"] == stage
    again = cluster.call("StartTask", dm_pb2.StartTaskRequest(task=task_file(upstream)))
    assert "subtasks with name t for sources [s1] already exist" in again["msg"]
    busy = cluster.call("OperateSource", dm_pb2.OperateSourceRequest(op=dm_pb2.StopSource, source_id=["s1"]))
    assert "existing tasks [t]" in busy["msg"]
    gone = cluster.call("OperateTask", dm_pb2.OperateTaskRequest(op=dm_pb2.Delete, name="t"))
    assert gone["sources"][0]["result"], gone
    assert child_of(cluster.running["w1"].pid) == 0
    assert not cluster.status("t")["result"]
    stopped = cluster.call("OperateSource", dm_pb2.OperateSourceRequest(op=dm_pb2.StopSource, source_id=["s1"]))
    assert stopped["result"]
    assert cluster.workers()["w1"] == ("free", "")


def test_a_second_worker_of_a_name_is_refused(cluster: Cluster) -> None:
    cluster.start_worker("w1")
    eventually(lambda: "w1" in cluster.workers(), "w1 has joined")
    first = cluster.running.pop("w1")
    cluster.start_worker("w1")
    eventually(lambda: "already exists and is connected" in cluster.log("w1"), "the second is refused")
    first.terminate()
    first.wait(90)


def test_a_source_that_cannot_be_reached_or_entered_is_not_created(cluster: Cluster, upstream: Any) -> None:
    wrong = create_source(cluster, source_file(upstream, user="nobody", password="s3cret"))
    assert not wrong["result"]
    assert "access denied for user 'nobody'" in wrong["msg"]
    assert "s3cret" not in wrong["msg"] + cluster.log("m1")
    nowhere = source_file(upstream).replace(str(upstream.port), "1")
    assert "cannot be reached" in create_source(cluster, nowhere)["msg"]
    shown = cluster.call("OperateSource", dm_pb2.OperateSourceRequest(op=dm_pb2.ShowSource))
    assert shown["sources"] == []


def test_a_taken_port_is_named(cluster: Cluster, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dm_master", "--name", "m2", "--master-addr", cluster.address]
    second = subprocess.run(
        [*command, "--data-dir", str(tmp_path / "m2")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert second.returncode == 1
    assert f"cannot listen on {cluster.address}" in second.stderr
    assert "Traceback" not in second.stderr


def test_systemd_is_told_when_the_master_is_ready_and_when_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(str(tmp_path / "notify"))
        notified.settimeout(90)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        cluster = Cluster(tmp_path)
        cluster.start_master()
        assert notified.recv(100) == b"READY=1"
        assert cluster.kill("m1", signal.SIGINT) == 0
        assert notified.recv(100) == b"STOPPING=1"


def test_a_worker_waits_for_its_master(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.start_worker("w1")
    eventually(lambda: "not connected to dm-master" in cluster.log("w1"), "the worker has tried")
    cluster.start_master()
    eventually(lambda: cluster.workers().get("w1") == ("free", ""), "w1 has joined")
    cluster.stop()


def test_a_second_master_takes_over_with_the_state_and_the_workers(tmp_path: Path, mariadb: Any) -> None:
    execute(mariadb, "DROP DATABASE IF EXISTS two_masters", "CREATE DATABASE two_masters")
    store = ("--metastore-url", f"mysql://root@{mariadb.host}:{mariadb.port}/two_masters")
    first, second = Cluster(tmp_path, store, "m1"), Cluster(tmp_path, store, "m2")
    first.start_master()
    second.start_master()
    refused = second.call("QueryStatus", dm_pb2.QueryStatusRequest())
    assert f"dm-master m2 does not lead; m1 at {first.address} does" in refused["msg"]
    first.start_worker("w1", "--keepalive-ttl", "60", join=f"{first.address},{second.address}")
    eventually(lambda: "w1" in first.workers(), "w1 has joined the leader")
    create_source(first, source_file(mariadb))
    first.kill("m1")
    eventually(lambda: second.call("QueryStatus", dm_pb2.QueryStatusRequest())["result"], "m2 leads")
    eventually(lambda: is_bound(second, "w1"), "the binding is known to m2")
    eventually(lambda: "connected to dm-master] [address=" + second.address in first.log("w1").replace('"', ""), "w1")
    first.stop()
    second.stop()


def test_encryption_needs_a_key(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    cluster = Cluster(tmp_path, ("--secret-key-path", str(key)))
    cluster.start_master()
    assert cluster.call("Encrypt", dm_pb2.EncryptRequest(plaintext="x"))["ciphertext"].startswith("sparkdm:v1:")
    cluster.stop()


def child_of(pid: int) -> int:
    """The subtask's process of a daemon; 0 when there is none."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else 0
