"""Behind the source's address comes another server during a copy, or behind it: rows and places of two are not mixed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from dm_worker.syncer.unit import Syncer
from pkg.adapters.meta_tables import COPY_OF_ANOTHER
from pkg.adapters.mysql.connection import ANOTHER_SERVER
from pkg.adapters.mysql.errors import LOST_CONNECTION
from pkg.task.blocks import DumpConfig
from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import assert_same, execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.robust.supervised import Supervised
from tests.cases.sync.pair import until
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder

SCHEMA = "full_other_server"
TABLES = ("keyed", "keyless")
SERVERS = {"mariadb": ("mariadb", "mariadb2", "tidb"), "mysql": ("mysql", "", "mariadb")}  # "": one of its own


@dataclass
class Address:
    """It leads to ``first``, until a test lets it lead to ``second``, which has the same tables and other rows."""

    first: RunningServer
    second: RunningServer
    target: RunningServer
    forwarder: Forwarder

    def config(self, consistency: str = "none", **settings: Any) -> SubtaskConfig:
        dump = DumpConfig(rows=100, threads=1, consistency=consistency)
        config = subtask(self.first, self.target, SCHEMA, dump=dump, **settings)
        upstream = ConnectionConfig(host=self.first.host, port=self.forwarder.port, user="root")
        return config.model_copy(update={"upstream": upstream})

    def lead_to(self, server: RunningServer) -> None:
        self.forwarder.point_at(server.port)

    def assert_same(self) -> None:
        assert_same(self.first, self.target, SCHEMA, TABLES)


@pytest.fixture(params=["mariadb", "mysql"])
def address(request: pytest.FixtureRequest) -> Iterator[Address]:
    factory = request.getfixturevalue("server_factory")
    first, second, target = (
        request.getfixturevalue(name) if name else factory(request.param) for name in SERVERS[request.param]
    )
    for server, value in ((second, "theirs"), (first, "ours")):
        fresh(
            server, target, SCHEMA,
            "CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR(10))",
            "CREATE TABLE keyless (id INT, v VARCHAR(10))",
            f"INSERT INTO keyed SELECT n, '{value}' FROM ({THOUSAND}) t",
            f"INSERT INTO keyless VALUES (1, '{value}'), (1, '{value}')",
            "ANALYZE TABLE keyed",
        )  # fmt: skip
    with Forwarder(first.port) as forwarder:
        yield Address(first, second, target, forwarder)


def test_a_copy_that_goes_on(address: Address) -> None:
    config = address.config()
    assert outcome(start(config, crashpoints="loader.before_commit@3=kill"))["exit"] == -signal.SIGKILL
    address.lead_to(address.second)
    refused = outcome(start(config))
    assert (refused["code"], refused["resumable"]) == (COPY_OF_ANOTHER.code, True), refused["log"]
    address.lead_to(address.first)
    execute(address.target, f"UPDATE {SCHEMA}_meta.{SCHEMA}_sparkdm_source SET start_server = ''")  # an earlier build's
    migrate(config)
    address.assert_same()


@pytest.mark.parametrize("consistency", ["none", "auto"])
def test_between_two_chunks(address: Address, consistency: str, tmp_path: Path) -> None:
    config, gate = address.config(consistency), tmp_path / "gate"
    gate.touch()
    process = start(config, crashpoints=f"loader.before_commit@3=hold:{gate}")
    until(lambda: bool(gate.read_text()), "a chunk is read and not committed")
    address.lead_to(address.second)
    os.unlink(gate)
    ended = outcome(process)
    assert ended["exit"] == 1
    if consistency == "none":  # else the snapshot is lost, and the next run begins with another one
        cut = LOST_CONNECTION.upstream.code  # of the connection that asks where the binlog is
        assert (ended["code"] in (ANOTHER_SERVER.code, cut), ended["resumable"]) == (True, True), ended["log"]
    address.lead_to(address.first)
    migrate(config)
    address.assert_same()


@pytest.mark.parametrize("enable_gtid", [True, False])
def test_replication_behind_a_copy(address: Address, enable_gtid: bool) -> None:
    config = address.config(enable_gtid=enable_gtid)
    migrate(config)
    execute(address.first, f"INSERT INTO {SCHEMA}.keyless VALUES (2, 'ours')")
    execute(address.second, f"INSERT INTO {SCHEMA}.keyless VALUES (2, 'theirs')")
    address.lead_to(address.second)
    with Supervised(config, binding=2) as task:
        until(lambda: len(task.errors) > 1, "it is refused, and tried again")
        assert {error.code for error in task.errors} == {COPY_OF_ANOTHER.code}
        address.lead_to(address.first)
        sql = f"SELECT COUNT(*) FROM {SCHEMA}.keyless"
        until(lambda: query(address.target, sql) == [(3,)], f"it goes on: {task.errors[-1]}", 30)
    address.assert_same()


def test_nothing_is_left_to_replicate(address: Address) -> None:
    """All was read at one place: a `full` task needs nothing of any server any more."""
    config = address.config().model_copy(update={"task_mode": TaskMode.FULL})
    migrate(config)
    address.lead_to(address.second)
    for binding in (2, 3):
        Syncer(config, binding).run(Event())
    address.assert_same()
