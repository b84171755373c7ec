"""The test servers themselves: what tests rely on when they start, stop, kill and restart one."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.servers import KINDS, RunningServer, ServerError, start
from tests.servers.ports import free_port
from tests.servers.running import Recipe, alive, launch

Factory = Callable[..., RunningServer]


def rows(server: RunningServer, statement: str) -> tuple[tuple[object, ...], ...]:
    connection = server.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return tuple(cursor.fetchall())
    finally:
        connection.close()


def fill(server: RunningServer) -> None:
    for statement in (
        "CREATE DATABASE kept",
        "CREATE TABLE kept.t (a INT PRIMARY KEY)",
        "INSERT INTO kept.t VALUES (7)",
    ):
        rows(server, statement)


@pytest.mark.parametrize("kind", list(KINDS))
def test_data_survive_a_restart_and_a_kill(kind: str, server_factory: Factory) -> None:
    server = server_factory(kind)
    port = server.port
    fill(server)
    server.restart()
    assert rows(server, "SELECT a FROM kept.t") == ((7,),)
    server.kill()
    server.restart()
    assert rows(server, "SELECT a FROM kept.t") == ((7,),)
    assert server.port == port


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_server_that_dies_by_itself_is_known_to_have(kind: str, server_factory: Factory) -> None:
    server = server_factory(kind)
    assert not server.has_died
    os.kill(server.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while not server.has_died:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    server.restart()
    assert not server.has_died
    server.stop()
    assert not server.has_died


@pytest.mark.parametrize("kind", list(KINDS))
def test_close_leaves_no_process_and_no_data(kind: str, server_factory: Factory) -> None:
    server = server_factory(kind)
    pid = server.pid
    assert server.datadir.is_dir()
    server.close()
    assert not alive(pid)
    assert not server.datadir.exists()
    assert not server.log.exists()


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_upstreams_write_full_row_images_to_a_binlog(kind: str, server_factory: Factory) -> None:
    server = server_factory(kind)
    assert rows(server, "SELECT @@log_bin, @@binlog_format, @@binlog_row_image") == ((1, "ROW", "FULL"),)
    assert rows(server, "SELECT @@server_id") == ((server.port,),)


def test_two_mysql_servers_have_identities_of_their_own(mysql: RunningServer, server_factory: Factory) -> None:
    assert rows(mysql, "SELECT @@server_uuid") != rows(server_factory("mysql"), "SELECT @@server_uuid")


def test_options_come_over_the_usual_ones(server_factory: Factory) -> None:
    server = server_factory("mariadb", options=["--binlog-row-image=MINIMAL"])
    assert rows(server, "SELECT @@binlog_row_image") == (("MINIMAL",),)


def test_a_named_port_is_used_and_a_taken_one_is_refused_with_the_log(server_factory: Factory) -> None:
    port = free_port()
    assert server_factory("mariadb", port=port).port == port
    with pytest.raises(ServerError, match=r"(?s)on port \d+ ended with code .*(already in use|Aborting)"):
        start("mariadb", port=port)


@pytest.mark.servers
def test_a_wrong_option_shows_the_end_of_the_log() -> None:
    with pytest.raises(ServerError, match=r"(?s)mariadb on port \d+ ended with code .*no-such-option"):
        start("mariadb", options=["--no-such-option"])


def test_a_data_directory_of_the_caller_is_kept(tmp_path: Path, server_factory: Factory) -> None:
    first = server_factory("mariadb", datadir=tmp_path / "data")
    fill(first)
    first.close()
    assert rows(server_factory("mariadb", datadir=tmp_path / "data"), "SELECT a FROM kept.t") == ((7,),)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown kind of server 'oracle'; known are mariadb, mysql, tidb"):
        start("oracle")


def test_a_server_started_from_a_thread_outlives_the_thread(server_factory: Factory) -> None:
    made: list[RunningServer] = []
    thread = threading.Thread(target=lambda: made.append(server_factory("mariadb")))
    thread.start()
    thread.join()
    assert rows(made[0], "SELECT 1") == ((1,),)


def test_a_server_dies_with_its_killed_starter_and_the_next_start_removes_its_data(server_factory: Factory) -> None:
    code = "from tests.servers import start; s = start('mariadb'); print(s.pid, s.datadir, flush=True); input()"
    starter = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with starter:
        assert starter.stdout is not None
        pid, datadir = starter.stdout.readline().split()
        watch = os.pidfd_open(int(pid))
        assert Path(datadir).is_dir()  # behind the kill any start, also of another run, removes it
        starter.send_signal(signal.SIGKILL)
    wait_for_end(watch)
    server_factory("mariadb")
    assert not Path(datadir).exists()


@pytest.mark.servers
def test_ctrl_c_while_a_server_starts_leaves_nothing(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)  # the server reads it while it starts, and waits there
    line = [sys.executable, "-m", "tests.servers", "start", "mariadb", f"--option=--init-file={gate}"]
    environment = os.environ | {"SPARK_DM_CACHE": str(tmp_path)}
    line = ["env", "--default-signal=INT", *line]  # a shell's background job would leave it ignored
    starter = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    with starter, gate.open("w"):
        starter.send_signal(signal.SIGINT)
        out, complaint = starter.communicate()
    assert (starter.returncode, out) == (130, "")
    assert "interrupted" in complaint
    assert list((tmp_path / "run").iterdir()) == []
    assert not list((tmp_path / "servers").glob("*.json"))


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_stop_takes_seconds_at_most(kind: str, server_factory: Factory) -> None:
    server = server_factory(kind)
    process = os.pidfd_open(server.pid)
    began = time.monotonic()
    server.stop()
    assert time.monotonic() - began < 15
    wait_for_end(process)


def test_a_folder_too_deep_for_a_socket_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / ("deep" * 30)
    recipe = Recipe("any", None, base, base, lambda place: [])
    with pytest.raises(ServerError, match="more than 107 bytes; name a shorter folder in SPARK_DM_CACHE"):
        launch(recipe, port=None, options=(), datadir=None, name=None, detached=False)


def test_schemas_made_for_a_test_differ(mariadb: RunningServer, fresh_schema: Callable[[RunningServer], str]) -> None:
    one, two = fresh_schema(mariadb), fresh_schema(mariadb)
    assert one != two
    assert rows(
        mariadb, f"SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name IN ('{one}', '{two}')"
    ) == ((2,),)


def test_tidb_takes_local_files_and_transactions_of_more_than_100_mb(
    tidb: RunningServer, fresh_schema: Callable[[RunningServer], str]
) -> None:
    rows(tidb, "SET GLOBAL local_infile = ON")
    assert rows(tidb, "SELECT @@GLOBAL.local_infile") == ((1,),)
    schema, value = fresh_schema(tidb), "x" * 4_000_000
    with closing(tidb.connect(schema)) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (a INT PRIMARY KEY, b LONGTEXT)")
        connection.begin()
        for key in range(28):
            cursor.execute("INSERT INTO t VALUES (%s, %s)", (key, value))
        connection.commit()
        cursor.execute("SELECT SUM(LENGTH(b)) FROM t")
        assert cursor.fetchall() == ((28 * len(value),),)


def wait_for_end(pidfd: int) -> None:
    with os.fdopen(pidfd, "rb", closefd=True) as handle:
        ready, _, _ = select.select([handle], [], [], 30)
    assert ready


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """`./dev servers` with a state of its own."""
    environment = os.environ | {"SPARK_DM_CACHE": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "tests.servers", *arguments]
        return subprocess.run(line, capture_output=True, text=True, env=environment)

    yield run
    run("stop", "all")


@pytest.mark.servers
def test_the_command_starts_lists_and_stops_detached_servers(
    command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    first = command("start", "mariadb")
    assert re.fullmatch(r"mariadb 127\.0\.0\.1:\d+\n", first.stdout), first.stderr
    port = free_port()
    assert command("start", "mariadb", "--port", str(port)).stdout == f"mariadb-2 127.0.0.1:{port}\n"
    one, two = command("list").stdout.splitlines()
    pattern = rf"mariadb-2 +mariadb +127\.0\.0\.1:{port} +pid \d+ +{re.escape(str(tmp_path))}/run/dev-mariadb-2"
    assert re.fullmatch(pattern, two)
    assert one.split()[:3] == ["mariadb", "mariadb", first.stdout.split()[1]]
    assert command("stop", "mariadb").stdout == "mariadb stopped\n"
    unknown = command("stop", "mariadb")
    assert (unknown.returncode, unknown.stderr) == (1, "no server named 'mariadb'; there are: mariadb-2\n")
    assert command("stop", "all").stdout == "mariadb-2 stopped\n"
    assert command("list").stdout == ""
    assert list((tmp_path / "run").iterdir()) == []
