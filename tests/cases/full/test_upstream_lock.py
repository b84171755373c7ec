"""The moment in which commits are kept out: who may not, who is in the way, and that nothing of it stays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pymysql
import pytest

from dm_worker.dumper import upstream_lock
from dm_worker.dumper.consistency import Way, ways_of
from dm_worker.dumper.held_snapshot import HeldSnapshot
from dm_worker.dumper.moment import Moment, take_moment
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from tests.cases.full.migration import connection, execute, query
from tests.cases.full.test_interruptions import _await
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("source")

SCHEMA = "moment"
TABLES = [(SCHEMA, "t"), (SCHEMA, "aria")]


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RunningServer:
    monkeypatch.setattr(upstream_lock, "LOCK_WAIT_SECONDS", 1)
    monkeypatch.setattr(upstream_lock, "_PAUSE_SECONDS", (0.01,))
    server: RunningServer = request.getfixturevalue(request.param)
    execute(server, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(server, "CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1)", database=SCHEMA)
    execute(server, "CREATE TABLE aria (id INT PRIMARY KEY) ENGINE=MyISAM", database=SCHEMA)
    return server


class _Readers:
    """Two connections; ``meanwhile`` is done while commits are kept out."""

    def __init__(self, open_one: Callable[[], Connection], meanwhile: Callable[[int], object] = lambda _: None) -> None:
        self.links = [open_one() for _ in range(2)]
        self._held = [HeldSnapshot(link, Server.probe(link)) for link in self.links]
        self._meanwhile = meanwhile

    def begin(self, attempt: int) -> list[Position | None]:
        first = self._held[0].open()
        self._meanwhile(attempt)
        return [first, self._held[1].open()]

    def seen(self) -> list[Any]:
        found = []
        for link in self.links:
            with link.cursor() as cursor:
                cursor.execute(f"SELECT COUNT(*), SUM(v) FROM {SCHEMA}.t")
                found.append(cursor.fetchone())
        return found

    def close(self) -> None:
        for link in self.links:
            link.close()


class _World:
    """A server as a task's user meets it."""

    def __init__(self, server: RunningServer, user: str = "root") -> None:
        config = ConnectionConfig(host=server.host, port=server.port, user=user)
        self._options = ConnectionOptions.from_config(config)
        with closing(self.connect()) as link:
            self.server = Server.probe(link)

    def connect(self) -> Connection:
        session = {} if self.server_is_unknown else self.server.snapshot_session()
        return connect(self._options, side="upstream", session=session)

    @property
    def server_is_unknown(self) -> bool:
        return not hasattr(self, "server")

    def ways(self, consistency: str) -> tuple[Way, ...]:
        return ways_of(consistency, self.server, "address")

    def moment(self, consistency: str, readers: _Readers, tables: Any = (TABLES[0],)) -> Moment:
        ways = self.ways(consistency)
        return take_moment(self.connect, self.server, ways, tables, readers, threading.Event())


@contextmanager
def user(server: RunningServer, *grants: str) -> Iterator[str]:
    execute(
        server, "DROP USER IF EXISTS reader", "CREATE USER reader", f"GRANT SELECT ON {SCHEMA}.* TO reader", *grants
    )
    try:
        yield "reader"
    finally:
        execute(server, "DROP USER reader")


@pytest.mark.parametrize("consistency", ["auto", "flush", "lock"])
def test_writers_wait_for_the_moment_and_go_on(source: RunningServer, consistency: str) -> None:
    world = _World(source)
    writer = threading.Thread(target=execute, args=(source, f"INSERT INTO {SCHEMA}.t VALUES (2, 10)"))

    def write(attempt: int) -> None:
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()

    with closing(_Readers(world.connect, write)) as readers:
        moment = world.moment(consistency, readers)
        writer.join()
        assert readers.seen() == [(1, 1), (1, 1)]
    assert moment.held_seconds > 0
    assert moment.connections == 2
    now = query(source, world.server.binlog_status_sql)[0]
    assert moment.location.position < Position(now[0], int(now[1]))


def test_what_nobody_may_do_is_told_with_the_grant(source: RunningServer) -> None:
    with user(source) as name:
        world = _World(source, name)
        for consistency, way, privilege in (
            ("auto", "LOCK TABLES", "RELOAD ON *.* or LOCK TABLES, SELECT ON *.* TO 'reader'@'%'"),
            ("flush", "FLUSH TABLES", "GRANT RELOAD ON *.* TO 'reader'@'%'"),
        ):
            with closing(_Readers(world.connect)) as readers, pytest.raises(DMError) as failed:
                world.moment(consistency, readers)
            assert failed.value.code == 32011
            assert way in str(failed.value)
            assert privilege in failed.value.workaround
            assert not failed.value.resumable


def test_auto_takes_the_locks_that_the_user_may_take(source: RunningServer) -> None:
    replication = "REPLICATION CLIENT" if "MariaDB" not in query(source, "SELECT VERSION()")[0][0] else "BINLOG MONITOR"
    with user(source, f"GRANT LOCK TABLES ON {SCHEMA}.* TO reader", f"GRANT {replication} ON *.* TO reader") as name:
        world = _World(source, name)
        with closing(_Readers(world.connect)) as readers:
            assert world.moment("auto", readers).way is Way.LOCK


def test_the_session_in_the_way_is_named_and_writers_get_on(source: RunningServer) -> None:
    world = _World(source)
    with connection(source) as busy, closing(_Readers(world.connect)) as readers:
        busy.begin()
        with busy.cursor() as cursor:
            cursor.execute(f"UPDATE {SCHEMA}.t SET v = v + 1")
            with pytest.raises(DMError) as failed:
                world.moment("lock", readers)
            assert failed.value.code == 32012
            assert failed.value.resumable
            assert f"session {busy.thread_id()} of root@" in str(failed.value)
            assert "has a transaction open for" in str(failed.value)
            assert "was tried 2 times for 1 s" in str(failed.value)
            cursor.execute(f"UPDATE {SCHEMA}.t SET v = v + 1")  # no lock of ours is left
        busy.rollback()
        assert world.moment("auto", readers).location


def test_a_long_statement_blocks_flush_tables_and_is_named(source: RunningServer) -> None:
    world = _World(source)
    slow = threading.Thread(target=_interrupted, args=(source, f"UPDATE {SCHEMA}.t SET v = v + SLEEP(100)"))
    slow.start()
    sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'"
    try:
        with closing(_Readers(world.connect)) as readers:
            _await(lambda: bool(query(source, sql)))
            with pytest.raises(DMError) as failed:
                world.moment("flush", readers)
    finally:
        for (number,) in query(source, sql):
            execute(source, f"KILL QUERY {number}")
        slow.join()
    assert failed.value.code == 32012
    assert "runs for" in str(failed.value)
    assert "v + SLEEP(100)" in str(failed.value)


def _interrupted(source: RunningServer, statement: str) -> None:
    with suppress(pymysql.err.OperationalError):
        execute(source, statement)


def test_a_table_without_snapshots_stays_locked_until_it_is_read(source: RunningServer) -> None:
    world = _World(source)
    with closing(_Readers(world.connect)) as readers:
        moment = world.moment("auto", readers, TABLES)
        with pytest.raises(Exception, match=r"[Ll]ock wait timeout"):
            execute(source, "SET SESSION lock_wait_timeout = 1", f"INSERT INTO {SCHEMA}.aria VALUES (2)")
        execute(source, f"INSERT INTO {SCHEMA}.t VALUES (2, 2)")
        assert moment.kept.tables == {TABLES[1]}
        moment.kept.release()
        execute(source, f"INSERT INTO {SCHEMA}.aria VALUES (2)")
        assert readers.seen() == [(1, 1), (1, 1)]


def test_a_lock_that_is_lost_is_noticed(source: RunningServer) -> None:
    world = _World(source)

    def kill(attempt: int) -> None:
        sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'root' AND COMMAND = 'Sleep' ORDER BY ID DESC"
        execute(source, f"KILL {query(source, sql)[0][0]}")  # the newest one: the lock's

    with closing(_Readers(world.connect, kill)) as readers, pytest.raises(DMError) as failed:
        world.moment("flush", readers)
    assert failed.value.code in (32013, 10105)
    assert failed.value.resumable


@pytest.mark.parametrize("source", ["mariadb"], indirect=True)  # MySQL refuses: tests/unit/dumper/test_consistency.py
def test_a_snapshot_without_a_lock_is_proven_by_its_position(source: RunningServer) -> None:
    world = _World(source)

    def commit_at_first(attempt: int) -> None:
        if attempt < 3:
            execute(source, f"UPDATE {SCHEMA}.t SET v = v + 1")

    with closing(_Readers(world.connect, commit_at_first)) as readers:
        moment = world.moment("snapshot", readers)
        assert readers.seen() == [(1, 3), (1, 3)]
        assert (moment.way, moment.held_seconds) == (Way.SNAPSHOT, 0.0)
        assert str(moment.location.gtid_set) == query(source, "SELECT @@gtid_binlog_pos")[0][0]

    def always_commit(attempt: int) -> None:
        execute(source, f"UPDATE {SCHEMA}.t SET v = v + 1")

    with closing(_Readers(world.connect, always_commit)) as readers, pytest.raises(DMError) as failed:
        world.moment("snapshot", readers)
    assert failed.value.code == 32015


@pytest.mark.parametrize("way", [Way.FLUSH, Way.LOCK])
def test_a_frozen_process_keeps_no_writer_out(source: RunningServer, way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says nothing for longer than the server lets it hold the lock."""
    monkeypatch.setattr(upstream_lock, "_IDLE_SECONDS", 1)
    world = _World(source)
    with upstream_lock.stopped_commits(world.connect, world.server, [way], TABLES, threading.Event()) as held:
        execute(source, "SET lock_wait_timeout = 30", "INSERT INTO t VALUES (2, 2)", database=SCHEMA)
        with pytest.raises(DMError, match="ended before"):
            held.release()
