"""What a target does to a task, and how it goes on: locks, limits, read-only, a schema that is gone, a full disk.

A restart of the target: tests/cases/e2e/test_goes_on.py; a missing table or column: tests/cases/replicate/errors.sql.
"""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from dm_worker.syncer.large_rows import ROW_TOO_LARGE
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.errors import NO_SPACE, READ_ONLY, UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import FIRST, Pair, cursor_on, made, until
from tests.conftest import start_or_report
from tests.servers import RunningServer, mysql
from tests.unit.relay.disks import resize, small_disk

pytestmark = pytest.mark.crossed("target")

WRITER = "writer"  # an account that is no administrator


@pytest.fixture(scope="module", params=["mariadb", "tidb"])
def target(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """One whose global variables these tests may set."""
    with start_or_report(request.param) as server:
        with cursor_on(server) as cursor:
            cursor.execute(f"CREATE USER {WRITER}@'%'")
            privileges = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX"
            cursor.execute(f"GRANT {privileges} ON *.* TO {WRITER}@'%'")
        yield server


@pytest.fixture
def pair(mariadb: RunningServer, target: RunningServer) -> Pair:
    return made(f"trouble_{target.kind}", mariadb, target)


def task_of(pair: Pair, user: str = WRITER, **session: str) -> SubtaskConfig:
    target = ConnectionConfig(host=pair.target.host, port=pair.target.port, user=user, session=session)
    return config_of(pair).model_copy(update={"target": target})


def retries(task: Supervised) -> int:
    return int(task.unit.status()["retries"]) if task.unit is not None else 0


@contextmanager
def variable(server: RunningServer, name: str, value: int) -> Iterator[None]:
    with cursor_on(server) as cursor:
        cursor.execute(f"SELECT @@GLOBAL.{name}")
        [before] = cursor.fetchone()
        cursor.execute(f"SET GLOBAL {name} = {value}")
    try:
        yield
    finally:
        with cursor_on(server) as cursor:
            cursor.execute(f"SET GLOBAL {name} = {before}")


def is_waiting(pair: Pair, task: Supervised) -> bool:
    """Whether the task has met a lock: MariaDB gives up after a second, TiDB waits in the COMMIT of one without locks."""
    if pair.target.kind == "mariadb":
        return retries(task) >= 2
    with cursor_on(pair.target) as cursor:
        cursor.execute(
            f"SELECT COUNT(*) FROM information_schema.processlist WHERE user = '{WRITER}' AND info = 'COMMIT'"
        )
        return bool(cursor.fetchone()[0])


def test_rows_that_a_foreign_transaction_holds_are_waited_for(pair: Pair) -> None:
    with Supervised(task_of(pair, innodb_lock_wait_timeout="1")) as task, ExitStack() as stack:
        foreign = stack.enter_context(closing(pair.target.connect(pair.name, autocommit=False)))
        foreign.query("UPDATE counter SET n = n WHERE id = 2")
        with closing(foreign.cursor()) as cursor:
            cursor.execute("SELECT * FROM counter FOR UPDATE")
        write(pair)
        until(lambda: is_waiting(pair, task), "it meets the lock")
        foreign.rollback()
        task.in_step(pair)
        assert not task.errors


def test_a_deadlock_is_tried_again(pair: Pair) -> None:
    """The other transaction has written more, so ours is the one that gives way."""
    channel = f"{pair.name}_meta.{pair.name}_sparkdm_channel"
    pair.on(("CREATE TABLE IF NOT EXISTS heavy (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",), pair.target)
    with Supervised(task_of(pair)) as task, ExitStack() as stack:
        write(pair)
        task.in_step(pair)
        foreign = stack.enter_context(closing(pair.target.connect(pair.name, autocommit=False)))
        foreign.query("INSERT INTO heavy (v) VALUES " + ",".join(["(1)"] * 500))
        foreign.query("UPDATE counter SET n = n")
        foreign.query("UPDATE counter SET n = n + 0 WHERE id > 0")
        before = retries(task)
        pair.on((COUNT, LOG), pair.upstream)
        with closing(foreign.cursor()) as cursor:
            cursor.execute("SELECT * FROM counter FOR UPDATE")
            cursor.execute(f"SELECT * FROM {channel} FOR UPDATE")
        foreign.rollback()
        task.in_step(pair)
        assert retries(task) >= before


def bytes_of(pair: Pair, server: RunningServer) -> tuple[int, int]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SELECT COUNT(*), SUM(LENGTH(v)) FROM big")
        rows, size = cursor.fetchone()
        return int(rows), int(size or 0)


@pytest.mark.parametrize("target", ["mariadb"], indirect=True)
def test_max_allowed_packet_lowered_in_mid_run(pair: Pair) -> None:
    """Smaller packets are made by itself; a row that none of them holds is an error that names the variable."""
    pair.both("CREATE TABLE big (id INT PRIMARY KEY AUTO_INCREMENT, v MEDIUMTEXT)")
    with Supervised(task_of(pair)) as task:
        write(pair)
        task.in_step(pair)
        with variable(pair.target, "max_allowed_packet", 1 << 16):
            kill_all(pair.target)
            values = ",".join(["(REPEAT('x', 4000))"] * 90)
            pair.on((f"INSERT INTO big (v) VALUES {values}", COUNT), pair.upstream)
            until(lambda: not task.is_running or bytes_of(pair, pair.target) == (90, 360_000), f"rows: {task.errors}")
            assert task.is_running, task.errors
            pair.on(("INSERT INTO big (v) VALUES (REPEAT('y', 100000))",), pair.upstream)
            error = task.paused()
            assert error.is_a(ROW_TOO_LARGE), task.errors
            assert "max_allowed_packet" in error.workaround
        task.resume()
        until(lambda: bytes_of(pair, pair.target) == (91, 460_000), f"the last row: {task.errors}")
        task.in_step(pair)


def kill_all(server: RunningServer) -> None:
    """End the connections of the task, which keep the values that they began with."""
    with cursor_on(server) as cursor:
        cursor.execute(f"SELECT id FROM information_schema.processlist WHERE user = '{WRITER}'")
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")


def test_a_read_only_target_is_waited_for(pair: Pair) -> None:
    name = "read_only" if pair.target.kind == "mariadb" else "tidb_super_read_only"
    with Supervised(task_of(pair)) as task:
        write(pair)
        task.in_step(pair)
        with variable(pair.target, name, 1):
            write(pair)
            until(lambda: bool(task.errors), "the task says so")
            error = task.errors[0]
            assert error.is_a(READ_ONLY.downstream), error
            assert error.resumable
            assert "read_only" in error.workaround
        task.in_step(pair)


@pytest.mark.parametrize("target", ["tidb"], indirect=True)
def test_a_restricted_tidb_is_waited_for(pair: Pair) -> None:
    with Supervised(task_of(pair)) as task:
        write(pair)
        task.in_step(pair)
        try:
            with variable(pair.target, "tidb_restricted_read_only", 1):  # which sets the other one, too
                write(pair)
                until(lambda: bool(task.errors), "the task says so")
                assert task.errors[0].is_a(READ_ONLY.downstream), task.errors
        finally:
            with cursor_on(pair.target) as cursor:
                cursor.execute("SET GLOBAL tidb_super_read_only = 0")
        task.in_step(pair)


def test_a_schema_dropped_in_the_target(pair: Pair) -> None:
    with Supervised(task_of(pair)) as task:
        write(pair)
        task.in_step(pair)
        with cursor_on(pair.target, pair.name) as cursor:
            cursor.execute("SHOW CREATE TABLE counter")
            creates = [cursor.fetchone()[1]]
            cursor.execute("SHOW CREATE TABLE log")
            creates.append(cursor.fetchone()[1])
        kept = pair.rows(pair.target)
        with cursor_on(pair.target) as cursor:
            cursor.execute(f"DROP DATABASE {pair.name}")
        pair.on((COUNT, LOG), pair.upstream)
        error = task.paused()
        assert error.kind in (UNKNOWN_TABLE.downstream, UNKNOWN_DATABASE.downstream), error
        assert "create the" in error.workaround
        with cursor_on(pair.target) as cursor:
            cursor.execute(f"CREATE DATABASE {pair.name}")
        put_back(pair, creates, kept)
        task.resume()
        task.in_step(pair)


def put_back(pair: Pair, creates: list[str], rows: list[list[tuple[object, ...]]]) -> None:
    with cursor_on(pair.target, pair.name) as cursor:
        for create in creates:
            cursor.execute(create)
        for table, listed in zip(("counter", "log"), rows, strict=True):
            marks = ", ".join(["%s"] * len(listed[0]))
            cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", listed)


def test_a_host_that_is_gone_without_a_word_is_noticed(pair: Pair) -> None:
    options = ConnectionOptions.from_config(config_of(pair).target, side="downstream")
    with closing(connect(options, side="downstream")) as connection:
        found = [
            connection._sock.getsockopt(level, option)
            for level, option in (
                (socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
                (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL),
                (socket.IPPROTO_TCP, socket.TCP_KEEPCNT),
            )
        ]
    assert found == [1, 30, 10, 3]


@contextmanager
def server_with_a_small_disk() -> Iterator[tuple[RunningServer, Path, str]]:
    """A MySQL, a small disk that it may use beside its own, and where it sees that."""
    base = mysql.recipe().base
    name = f"disk-{uuid.uuid4().hex[:8]}"
    seen = f"/var/lib/{base.name}/{name}-files"
    with (
        small_disk(base / f"{name}-files", "1m") as disk,
        start_or_report("mysql", name=name, options=[f"--innodb-directories={seen}"]) as server,
    ):
        yield server, disk, seen
    disk.rmdir()


def test_a_full_disk_of_the_target_is_waited_for(mariadb: RunningServer) -> None:
    """One for a table alone; and a MySQL, since MariaDB 10.11 dies of that."""
    with server_with_a_small_disk() as (server, disk, seen):
        pair = made("trouble_disk", mariadb, server)
        moved = f"CREATE TABLE log (a INT, b VARCHAR(20)) DATA DIRECTORY = '{seen}'"
        pair.on(("DROP TABLE log", moved, FIRST[1]), server)
        with Supervised(config_of(pair)) as task:
            write(pair)
            task.in_step(pair)
            pair.on(("INSERT INTO log SELECT seq, REPEAT('x', 20) FROM seq_1_to_30000", COUNT), mariadb)
            until(lambda: bool(task.errors), "the disk is full")
            assert task.errors[0].is_a(NO_SPACE.downstream), task.errors[0]
            assert task.errors[0].resumable
            resize(disk, "64m")
            task.in_step(pair)
