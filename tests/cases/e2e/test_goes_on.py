"""A task goes on after what happens to it: kills, restarts of its servers, other settings, a new beginning."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cases.e2e.job import TASK, Job, Upstream
from tests.cluster import Cluster
from tests.servers import RunningServer
from tests.workload.shop import connect, shards
from tests.workload.traffic import Traffic

Factory = Callable[..., RunningServer]
ROWS = 500


def running_job(
    cluster: Cluster, factory: Factory, source: str, target: str, *, seed: int, enable_gtid: bool = False
) -> Job:
    """A cluster whose job is prepared and not started."""
    upstream = Upstream("one", factory(source), shards(1, 2, tables=2), True)
    job = Job(cluster, [upstream], factory(target), ROWS)
    job.prepare(seed)
    if enable_gtid:
        with job.files["one"].open("a") as file:
            file.write("enable-gtid: true\n")
    cluster.start_master()
    start_worker(cluster)
    return job


def start_worker(cluster: Cluster) -> None:
    cluster.start_worker("worker", "--relay-dir", str(cluster.folder / "relay"))
    cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")


def wait_for(cluster: Cluster, writer: Traffic, transactions: int) -> None:
    goal = writer.transactions + transactions
    cluster.wait(lambda: writer.transactions > goal or writer.error is not None, "writes")


def wait_for_sync(cluster: Cluster) -> None:
    cluster.wait(lambda: any("sync" in status for status in cluster.subtasks(TASK).values()), "replication")


def assert_log_rows(job: Job) -> None:
    """The table without a key has each row as often as upstream, no more."""
    counts = []
    for server in (job.upstreams[0].server, job.target):
        with connect(server) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM extras.log")
            counts.append(cursor.fetchone())
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("source", "target"), [pytest.param("mariadb", "tidb", marks=pytest.mark.thorough), ("mysql", "mariadb")]
)
def test_by_gtid_every_row_arrives_whatever_is_killed(
    source: str, target: str, server_factory: Factory, tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = running_job(cluster, server_factory, source, target, seed=11, enable_gtid=True)
        [writer] = job.traffic(11)
        writers.enter_context(writer)
        job.start()
        for _ in range(4):
            wait_for(cluster, writer, 100)
            cluster.kill_subtasks("worker")
            with connect(job.upstreams[0].server) as connection, connection.cursor() as cursor:
                cursor.execute("FLUSH BINARY LOGS")
        wait_for_sync(cluster)
        wait_for(cluster, writer, 50)
        writer.stop()
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)


@pytest.mark.parametrize(
    ("source", "target", "enable_gtid"),
    [("mariadb", "tidb", False), pytest.param("mysql", "mariadb", True, marks=pytest.mark.thorough)],
)
def test_a_restart_of_either_server_is_survived_without_a_hand(
    source: str, target: str, enable_gtid: bool, server_factory: Factory, tmp_path: Path
) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = running_job(cluster, server_factory, source, target, seed=12, enable_gtid=enable_gtid)
        upstream = job.upstreams[0]
        first, second = upstream.shards[:1], upstream.shards[1:]
        writer = writers.enter_context(Traffic(upstream.server, first, seed=12, rows=ROWS, extras=True))
        job.start()
        wait_for_sync(cluster)
        wait_for(cluster, writer, 100)
        job.target.stop()
        cluster.wait(lambda: bool(cluster.errors(TASK)), "the loss of the target shows")
        wait_for(cluster, writer, 100)
        job.target.restart()
        cluster.wait(lambda: cluster.stages(TASK) == {"Running"}, "the task runs again")
        wait_for(cluster, writer, 100)
        writer.stop()
        upstream.server.stop()
        cluster.wait(lambda: bool(cluster.errors(TASK)), "the loss of the upstream shows")
        upstream.server.restart()
        after = writers.enter_context(Traffic(upstream.server, second, seed=13, rows=ROWS, extras=True))
        wait_for(cluster, after, 100)
        upstream_restarted_in_passing(cluster, job, after)
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)


def upstream_restarted_in_passing(cluster: Cluster, job: Job, writer: Traffic) -> None:
    """Restarts that are over before anybody has looked."""
    writer.stop()
    job.upstreams[0].server.restart()
    job.target.restart()
    cluster.wait(lambda: cluster.stages(TASK) == {"Running"}, "the task runs again")


def test_another_number_of_channels_doubles_no_row(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = running_job(cluster, server_factory, "mariadb", "tidb", seed=14)
        [writer] = job.traffic(14, per_second=150)
        writers.enter_context(writer)
        job.start()
        wait_for_sync(cluster)
        text = job.files[TASK].read_text()
        for channels in (3, 11, 1, 16):
            wait_for(cluster, writer, 100)
            if channels != 11:  # once in peace, else with rows ahead of the checkpoint
                cluster.kill_subtasks("worker")
            cluster.expect("stop-task", TASK, "--wait")
            block = f"    worker-count: {channels}\n    batch: {channels + 4}\n    checkpoint-flush-interval: 5\n"
            job.files[TASK].write_text(text.replace("    checkpoint-flush-interval: 2\n", block))
            cluster.expect("start-task", str(job.files[TASK]))
        wait_for(cluster, writer, 50)
        writer.stop()
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)


def test_remove_meta_begins_with_nothing(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        job = running_job(cluster, server_factory, "mariadb", "tidb", seed=15)
        [writer] = job.traffic(15)
        writers.enter_context(writer)
        job.start()
        wait_for_sync(cluster)
        refused = cluster.ask("start-task", str(job.files[TASK]), "--remove-meta")
        assert refused.code != 0
        assert TASK in refused.out + refused.err
        cluster.expect("stop-task", TASK, "--wait")
        refused = cluster.ask("start-task", str(job.files[TASK]), "--remove-meta")
        assert refused.code != 0
        assert "--remove-meta copies to tables that have rows" in refused.out + refused.err
        with connect(job.target) as connection, connection.cursor() as cursor:
            for schema in ("shop", "extras", "legacy"):
                cursor.execute(f"DROP DATABASE {schema}")
        with connect(job.upstreams[0].server) as connection, connection.cursor() as cursor:
            cursor.execute("FLUSH BINARY LOGS")
        cluster.expect("start-task", str(job.files[TASK]), "--remove-meta")
        wait_for_sync(cluster)
        wait_for(cluster, writer, 50)
        writer.stop()
        job.wait_in_step()
        job.assert_equal()
        assert_log_rows(job)


KEY = "0123456789abcdef" * 4
PASSWORDS = {"upstream": "Quelle'9-\"ü\\x ", "target": "Ziel$(1)#: ñ'\"{}"}


def with_password(job: Job, side: str, server: RunningServer, file: str, key_file: Path) -> None:
    """Make an account with a password, and name it, encrypted, in a file of the job."""
    with connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE USER dm@'%%' IDENTIFIED BY %s", (PASSWORDS[side],))
        cursor.execute("GRANT ALL ON *.* TO dm@'%'")
    sealed = job.cluster.dmctl("encrypt", "--key-file", str(key_file), stdin=PASSWORDS[side] + "\n")
    assert sealed.code == 0, sealed.out + sealed.err
    text = job.files[file].read_text()
    plain = 'user: root\n  password: ""'
    assert plain in text
    job.files[file].write_text(text.replace(plain, f'user: dm\n  password: "{sealed.json["ciphertext"]}"'))


def command_lines_and_environments() -> str:
    """What `ps axeww` reads of all processes."""
    parts = []
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                parts.append((process / name).read_bytes().replace(b"\0", b" "))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                break
    return os.fsdecode(b"\n".join(parts))


def test_encrypted_passwords_log_in_and_show_nowhere(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, ExitStack() as writers:
        key_file = tmp_path / "dm.key"
        key_file.write_text(KEY + "\n")
        upstream = Upstream("one", server_factory("mysql"), shards(1, 1, tables=2), True)
        job = Job(cluster, [upstream], server_factory("tidb"), 100)
        job.prepare(16)
        with_password(job, "upstream", upstream.server, "one", key_file)
        with_password(job, "target", job.target, TASK, key_file)
        cluster.start_master("--secret-key-path", str(key_file), "-L", "debug")
        cluster.start_worker("worker", "-L", "debug")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        [writer] = job.traffic(16)
        writers.enter_context(writer)
        seen = []
        job.start()
        cluster.wait(lambda: bool(cluster.subtask_pids("worker")), "the subtask's process")
        seen.append(command_lines_and_environments())
        wait_for_sync(cluster)
        seen.append(command_lines_and_environments())
        wait_for(cluster, writer, 50)
        writer.stop()
        job.wait_in_step()
        job.assert_equal()
        job.target.stop()  # errors of every layer, with what they say of the connection
        with connect(upstream.server) as connection, connection.cursor() as cursor:
            cursor.execute("UPDATE extras.counter SET n = n + 1")  # nobody misses a target that has nothing to do
            connection.commit()
        cluster.wait(lambda: bool(cluster.errors(TASK)), "the loss of the target shows")
        seen += shown_by_dmctl(cluster)
        seen += [path.read_text() for path in (*cluster.folder.glob("*.log*"), *cluster.folder.glob("*.out"))]
        for side, password in PASSWORDS.items():
            for part in (password, password[:6], repr(password)[1:-1], KEY):
                assert not [text for text in seen if part in text], f"the {side}'s password is shown"


def shown_by_dmctl(cluster: Cluster) -> list[str]:
    results = [
        cluster.ask("config", "source", "one"),
        cluster.ask("config", "task", TASK),
        cluster.ask("config", "master", "dm-master"),
        cluster.ask("query-status", TASK, "--more"),
        cluster.ask("operate-source", "show"),
    ]
    assert "******" in results[0].out
    return [result.out + result.err for result in results]


def test_another_key_than_the_passwords_were_encrypted_with_is_named(server_factory: Factory, tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        for name, key in (("right", KEY), ("wrong", KEY[::-1])):
            (tmp_path / name).write_text(key)
        upstream = Upstream("one", server_factory("mariadb"), shards(1, 1, tables=1), False)
        job = Job(cluster, [upstream], upstream.server, 1)
        job.prepare(17)
        with_password(job, "upstream", upstream.server, "one", tmp_path / "right")
        cluster.start_master("--secret-key-path", str(tmp_path / "wrong"))
        result = cluster.ask("operate-source", "create", str(job.files["one"]))
        assert result.code != 0
        assert "cannot decrypt the password of source one" in result.out + result.err
