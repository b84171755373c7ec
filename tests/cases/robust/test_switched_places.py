"""Places of the former server's binlog mean nothing on another one: of a DDL, of structures, of the relay log."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dm_worker.relay.notices import Notices
from dm_worker.syncer.former import FORMER_STRUCTURE
from dm_worker.syncer.switch import SWITCHED_BEHIND, SWITCHED_UPSTREAM
from pkg.binlog.errors import SERVER_ERROR, UNSUPPORTED_EVENT
from pkg.task.connection import ConnectionConfig
from pkg.task.source import SourceConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.relay.pulls import Pull, first_file, source, sub_dirs
from tests.cases.relay.pulls import has_all as has_pulled
from tests.cases.robust.supervised import Supervised, config_of
from tests.cases.robust.test_switched_upstream import RelayTask, promote
from tests.cases.sync.pair import Pair, cursor_on, made, until
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder
from tests.servers.replica import execute, follow, has_all
from tests.servers.running import HOST

pytestmark = pytest.mark.crossed("kind", "target")

Factory = Callable[..., RunningServer]
ENDS = pytest.mark.parametrize(("kind", "target"), [("mariadb", "mariadb"), ("mysql", "tidb")])


class Died(RuntimeError):
    """Where a process would be killed."""


def two_of(kind: str, target: str, name: str, factory: Factory) -> tuple[Pair, RunningServer]:
    """A pair whose upstream has a replica, which has all."""
    first, second = factory(kind), factory(kind)
    follow(second, first)
    pair = made(f"{name}_{kind}", first, factory(target))
    until(lambda: has_all(second, first), "the replica has all")
    return pair, second


def rows_of(server: RunningServer, name: str, sql: str) -> list[tuple[Any, ...]]:
    with cursor_on(server, name) as cursor:
        cursor.execute(sql)
        return sorted(cursor.fetchall())


@pytest.mark.parametrize(
    ("kind", "target", "ddl"),
    [("mariadb", "mariadb", "TRUNCATE TABLE log"), ("mysql", "tidb", "ALTER TABLE log ADD COLUMN c INT DEFAULT 5")],
)
def test_a_ddl_that_was_begun_is_lacking(
    kind: str, target: str, ddl: str, server_factory: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has run in the target, and its checkpoint is not stored; the promoted replica has another DDL next."""
    pair, second = two_of(kind, target, "ddl", server_factory)
    first, died = pair.upstream, []

    def crash(name: str) -> None:
        if name == "syncer.ddl_executed" and not died:
            died.append(name)
            raise Died(name)

    with (
        Forwarder(first.port) as address,
        Supervised(config_of(pair, upstream_port=address.port, enable_gtid=True)) as task,
    ):
        pair.on(("INSERT INTO log VALUES (51, 'first')",), first)
        task.in_step(pair)
        until(lambda: has_all(second, first), "the replica has all")
        promote(second)
        monkeypatch.setattr("dm_worker.syncer.run.crashpoint", crash)
        pair.on((ddl,), first)
        task.paused()
        assert died
        pair.on(("ALTER TABLE counter ADD COLUMN c INT",), second)
        address.point_at(second.port)
        task.resume()
        until(lambda: task.errors[-1].is_a(SWITCHED_BEHIND), f"the lack is said: {task.errors[-1]}")
        if first.kind == "mariadb":
            assert str(execute(first, "SELECT @@GLOBAL.gtid_binlog_pos")[0][0]) in str(task.errors[-1])
        address.point_at(first.port)
        pair.on(("INSERT INTO log (a, b) VALUES (60, 'later')",), first)
        until(
            lambda: (
                rows_of(first, pair.name, "SELECT * FROM log") == rows_of(pair.target, pair.name, "SELECT * FROM log")
            ),
            f"goes on at the first server: {task.errors[-1]}",
        )


@ENDS
def test_a_task_by_position_is_told_of_its_gtids(kind: str, target: str, server_factory: Factory) -> None:
    pair, second = two_of(kind, target, "told", server_factory)
    first = pair.upstream
    with Forwarder(first.port) as address:
        by_position = config_of(pair, upstream_port=address.port)
        with Supervised(by_position) as task:
            pair.on(("INSERT INTO log VALUES (51, 'first')",), first)
            task.in_step(pair)
            until(lambda: has_all(second, first), "the replica has all")
            promote(second)
            address.point_at(second.port)
            first.cut_streams()
            error = task.paused()
            assert error.is_a(SWITCHED_UPSTREAM), error
            assert "set enable-gtid: true in the source file" in error.workaround
        pair.on(("INSERT INTO log VALUES (52, 'second')",), second)
        with Supervised(by_position.model_copy(update={"enable_gtid": True})) as task:
            until(lambda: pair.rows(pair.target) == pair.rows(second), f"it goes on: {task.errors}")


def from_place(pair: Pair, port: int) -> SubtaskConfig:
    """A task that begins where the upstream stands, and reads it by the port."""
    name, offset, gtids = pair.here()
    config = pair.config(meta={"binlog-name": name, "binlog-pos": offset, "binlog-gtid": gtids}, enable_gtid=True)
    return config.model_copy(update={"upstream": ConnectionConfig(host=HOST, port=port, user="root")})


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "mysql"), ("mysql", "mariadb")])
def test_rows_had_another_structure_on_a_server_with_later_files(
    kind: str, target: str, server_factory: Factory
) -> None:
    pair, second = two_of(kind, target, "later", server_factory)
    first = pair.upstream
    execute(second, *("FLUSH BINARY LOGS",) * 8)
    pair.both("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(20))")
    with Forwarder(first.port) as address:
        config = from_place(pair, address.port)
        pair.on(("INSERT INTO t VALUES (1, 10, 20, 'x')", "ALTER TABLE t CHANGE a b INT, CHANGE b a INT"), first)
        until(lambda: has_all(second, first), "the replica has all")
        with Supervised(config) as task:
            assert task.paused().is_a(FORMER_STRUCTURE), task.errors
            address.point_at(second.port)
            task.resume()
            assert task.paused().is_a(FORMER_STRUCTURE), task.errors
            assert not rows_of(pair.target, pair.name, "SELECT * FROM t")


@ENDS
def test_structures_are_not_waited_for_on_a_server_with_earlier_files(
    kind: str, target: str, server_factory: Factory
) -> None:
    pair, second = two_of(kind, target, "earlier", server_factory)
    first = pair.upstream
    execute(first, *("FLUSH BINARY LOGS",) * 10)
    with Forwarder(first.port) as address:
        config = from_place(pair, address.port)
        execute(
            first, "CREATE DATABASE elsewhere", "CREATE TABLE elsewhere.x (a INT)", "INSERT INTO elsewhere.x VALUES (1)"
        )
        with Supervised(config) as task:
            until(lambda: bool(task.unit and task.unit.status().get("synced")), "synced")
            until(lambda: has_all(second, first), "the replica has all")
            address.point_at(second.port)
            pair.on(("INSERT INTO log VALUES (52, 'second')", "UPDATE counter SET n = n + 1"), second)
            until(lambda: pair.rows(pair.target) == pair.rows(second), f"it arrives: {task.errors}")


class Relayed:
    """A relay log of what an address leads to, which other tests switch."""

    def __init__(self, pair: Pair, folder: Path, stack: ExitStack) -> None:
        first = pair.upstream
        self.folder, self.address = folder, stack.enter_context(Forwarder(first.port))
        pulled = source(first, enable_gtid=True, relay_binlog_name=first_file(first))
        from_ = pulled.from_.model_copy(update={"port": self.address.port})
        self._source: SourceConfig = pulled.model_copy(update={"from_": from_})
        folder.mkdir()
        self._notices = Notices(folder)
        self._notices.start()
        stack.callback(self._notices.close)
        stack.callback(lambda: self.pull.end())
        self.begin()

    def begin(self) -> None:
        self.pull = Pull(self._source, self.folder, notices=self._notices)

    def has(self, server: RunningServer) -> Callable[[], bool]:
        return lambda: has_pulled(self.folder, server)


@ENDS
def test_the_new_servers_files_come_late(
    kind: str, target: str, server_factory: Factory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task reads the new server first, and then its relay log, which begins with what was applied long ago."""
    pair, second = two_of(kind, target, "late", server_factory)
    first = pair.upstream
    execute(second, "FLUSH BINARY LOGS")  # its newest file begins behind the tables' making
    monkeypatch.setattr("dm_worker.relay.reader.CATCH_UP_SECONDS", 3.0)
    with ExitStack() as stack:
        address = stack.enter_context(Forwarder(first.port))
        relayed = Relayed(pair, tmp_path / "relay", stack)
        config = config_of(pair, upstream_port=address.port, enable_gtid=True)
        task = RelayTask(config, relayed.folder)
        stack.callback(lambda: task.end())
        pair.on(("INSERT INTO log VALUES (51, 'first')", "UPDATE counter SET n = n + 1"), first)
        until(pair.is_equal, "in step")
        until(lambda: has_all(second, first), "the replica has all")
        relayed.pull.end()
        address.point_at(second.port)
        relayed.address.point_at(second.port)
        task.end()
        task = RelayTask(config, relayed.folder)
        until(lambda: "the relay log to hold" in task.unit.status().get("waitsFor", ""), "it says what it waits for")
        until(lambda: task.unit.status().get("binlogType") == "remote", "the new server is read")
        until(lambda: bool(task.unit.status().get("synced")), "in step with it")
        task.end()
        relayed.begin()
        until(relayed.has(second), "the relay log has its files")
        task = RelayTask(config, relayed.folder)
        pair.on(("INSERT INTO log VALUES (52, 'second')", "UPDATE counter SET n = n + 1"), second)
        until(lambda: pair.rows(pair.target) == pair.rows(second), f"goes on: {task.errors}")


def test_a_start_by_gtid_and_then_a_relay_log(server_factory: Factory, tmp_path: Path) -> None:
    """The first statement pauses, so no place is known but the file's head, behind which is what was applied."""
    first = server_factory("mariadb")
    pair = made("by_gtid", first, server_factory("mariadb"))
    execute(first, "FLUSH BINARY LOGS")
    pair.both("INSERT INTO log VALUES (51, 'both')", "UPDATE counter SET n = n + 1")
    _, _, gtids = pair.here()
    pair.on(("SET binlog_format = 'STATEMENT'", "INSERT INTO log VALUES (52, 'as text')"), first)
    config = pair.config(meta={"binlog-gtid": gtids, "binlog-name": "", "binlog-pos": 0}, enable_gtid=True)
    before = pair.rows(pair.target)
    with Supervised(config) as task:
        task.paused()
    with ExitStack() as stack:
        pull = Pull(source(first, enable_gtid=True, relay_binlog_name=pair.here()[0]), tmp_path / "relay")
        stack.callback(pull.end)
        until(lambda: has_pulled(tmp_path / "relay", first), "pulled")
        relay_task = RelayTask(config, tmp_path / "relay")
        stack.callback(relay_task.end)
        until(lambda: bool(relay_task.errors), "it pauses again")
        assert pair.rows(pair.target) == before


def test_transactions_without_a_gtid_are_not_passed_over(server_factory: Factory, tmp_path: Path) -> None:
    """As MySQL's own streams by GTID refuse them, a relay log's does; by position they are applied."""
    first = server_factory("mysql")
    pair = made("anonymous", first, server_factory("mariadb"))
    pair.both("INSERT INTO log VALUES (51, 'both')")
    execute(first, "SET GLOBAL gtid_mode = ON_PERMISSIVE")  # a file of the binlog begins
    name, offset, gtids = pair.here()
    pair.on(
        ("SET gtid_next = 'ANONYMOUS'", "INSERT INTO log VALUES (52, 'anonymous')", "SET gtid_next = 'AUTOMATIC'"),
        first,
    )
    pair.on(("INSERT INTO log VALUES (53, 'with GTID')",), first)
    by_gtid = pair.config(meta={"binlog-gtid": gtids, "binlog-name": "", "binlog-pos": 0}, enable_gtid=True)
    with ExitStack() as stack:
        pull = Pull(source(first, enable_gtid=True, relay_binlog_name=first_file(first)), tmp_path / "relay")
        stack.callback(pull.end)
        until(lambda: has_pulled(tmp_path / "relay", first), "pulled")
        task = RelayTask(by_gtid, tmp_path / "relay")
        until(lambda: bool(task.errors), "it is refused")
        task.end()
        assert task.errors[-1].is_a(UNSUPPORTED_EVENT)
        assert "transaction without a GTID" in str(task.errors[-1])
        assert "enable-gtid: false" in str(task.errors[-1])
        assert pair.rows(pair.target)[1][-1] == (51, "both")
        execute(pair.target, f"DROP DATABASE {by_gtid.meta_schema}")
        with Supervised(by_gtid) as remote:
            error = remote.paused()
            assert error.is_a(SERVER_ERROR), error
            assert "enable-gtid: false" in error.workaround
        execute(pair.target, f"DROP DATABASE {by_gtid.meta_schema}")
        by_position = pair.config(meta={"binlog-name": name, "binlog-pos": offset})
        stack.callback(RelayTask(by_position, tmp_path / "relay").end)
        until(pair.is_equal, "by position they arrive")


@pytest.mark.parametrize(("kind", "target"), [("mariadb", "tidb"), ("mysql", "mariadb")])
def test_there_and_back_with_half_a_transaction_of_the_first_server(
    kind: str, target: str, server_factory: Factory, tmp_path: Path
) -> None:
    pair, second = two_of(kind, target, "back", server_factory)
    first = pair.upstream
    with ExitStack() as stack:
        relayed = Relayed(pair, tmp_path / "relay", stack)
        folder = relayed.folder
        config = config_of(pair, upstream_port=relayed.address.port, enable_gtid=True)
        task = RelayTask(config, folder)
        pair.on(("INSERT INTO log VALUES (50, 'one')",), first)
        until(lambda: pair.is_equal() and bool(task.unit.status().get("synced")), "in step")
        task.end()
        pair.on(("INSERT INTO log VALUES (51, 'cut'), (52, 'cut'), (53, 'cut')",), first)
        until(relayed.has(first), "pulled")
        until(lambda: has_all(second, first), "the replica has all")
        relayed.pull.end()
        file = folder / sub_dirs(folder)[-1] / pair.here()[0]
        os.truncate(file, file.stat().st_size - 45)  # as if the connection was lost inside of the transaction
        promote(second)
        relayed.address.point_at(second.port)
        relayed.begin()
        more = ("INSERT INTO log VALUES (54, 'second')", "FLUSH BINARY LOGS", "INSERT INTO log VALUES (55, 'second')")
        pair.on(more, second)
        until(relayed.has(second), "pulled from the second")
        execute(first, "FLUSH BINARY LOGS")
        if kind == "mariadb":
            execute(first, "SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_binlog_pos")
        follow(first, second)
        until(lambda: has_all(first, second), "the first has followed")
        relayed.address.point_at(first.port)
        until(lambda: len(sub_dirs(folder)) == 3 and relayed.has(first)(), "pulled from the first again")
        task = RelayTask(config, folder)
        stack.callback(task.end)
        until(pair.is_equal, f"goes on: {task.errors[-2:]}")
