"""Whoever takes a source over ends what earlier runs have open in the target, and waits for their DDL, on real servers."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import FENCED, MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, connection_number
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.owned_connections import CANNOT_END, OwnedConnections
from pkg.errors import DMError
from pkg.task.secret import Secret
from tests.cases.sync.pair import until
from tests.servers import RunningServer

SOURCE = "s1"
JOBS = "SELECT job_id FROM information_schema.ddl_jobs WHERE db_name = '{}' AND state = '{}'"


@dataclass
class Target:
    """A task's target, in which runs take over."""

    server: RunningServer
    schema: str = field(default_factory=lambda: f"owned_{uuid.uuid4().hex[:8]}")
    told: list[str] = field(default_factory=list)

    def connect(self, user: str = "root") -> Connection:
        options = ConnectionOptions(self.server.host, self.server.port, user, Secret(""))
        return connect(
            options, side="downstream", session={"tidb_idle_transaction_timeout": "1"} if self.is_tidb else {}
        )

    @property
    def is_tidb(self) -> bool:
        return self.server.kind == "tidb"

    def owned(self, connection: Connection) -> OwnedConnections:
        return OwnedConnections(MetaTables(self.schema, "task"), SOURCE, Server.probe(connection).flavor)

    def take_over(self, binding: int, user: str = "root") -> int:
        with closing(self.connect(user)) as connection:
            create_meta_tables(connection, MetaTables(self.schema, "task"))
            return self.owned(connection).take_over(connection, binding, threading.Event(), self.told.append)

    def registered(self, epoch: int, user: str = "root") -> Connection:
        connection = self.connect(user)
        self.owned(connection).register(connection, epoch)
        return connection

    def rows(self, sql: str) -> list[Any]:
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


@pytest.fixture(params=["mariadb", "mysql", "tidb"])
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    made = Target(request.getfixturevalue(request.param))
    yield made
    made.rows(f"DROP DATABASE {made.schema}")


def test_what_an_earlier_run_has_open_is_ended(target: Target) -> None:
    epoch = target.take_over(1)
    idle, inside = target.registered(epoch), target.registered(epoch)
    inside.begin()
    inside.query(f"SELECT * FROM {target.schema}.task_sparkdm_source FOR UPDATE")  # so that nobody could claim
    other = target.connect()  # of which nobody has said that it is a run's
    later = target.take_over(2)
    for one in (idle, inside):
        with pytest.raises(DMError), closing(one):
            one.query("SELECT 1")
    other.query("SELECT 1")
    with pytest.raises(DMError) as refused, closing(other):
        target.owned(other).register(other, epoch)
    assert refused.value.is_a(FENCED)
    assert target.rows(f"SELECT * FROM {target.schema}.task_sparkdm_connection") == []
    assert later > epoch


def test_a_session_of_tidb_that_begins_transactions_is_not_ended(tidb: RunningServer) -> None:
    """Killed when it has just locked a row it would take the whole server along (pingcap/tidb#63956)."""
    target = Target(tidb)
    epoch = target.take_over(1)
    target.rows(f"CREATE TABLE {target.schema}.t (a INT PRIMARY KEY)")
    target.rows(f"INSERT INTO {target.schema}.t VALUES (1)")
    failures: list[DMError] = []
    with closing(target.registered(epoch)) as alive:

        def work() -> None:
            try:
                while time.monotonic() < until_then:
                    alive.begin()
                    alive.query(f"SELECT * FROM {target.schema}.t FOR UPDATE")
                    alive.rollback()
                    alive.query("SELECT SLEEP(0.02)")  # outside of transactions most of the time
            except DMError as exc:
                failures.append(exc)

        until_then = time.monotonic() + 2.5
        working = threading.Thread(target=work)
        working.start()
        for binding in range(2, 7):
            target.take_over(binding)
        working.join()
        assert not failures
    target.rows(f"DROP DATABASE {target.schema}")


def test_an_earlier_binding_ends_nobody(target: Target) -> None:
    later = target.take_over(2)
    with closing(target.registered(later)) as connection:
        with pytest.raises(DMError) as refused:
            target.take_over(1)
        assert refused.value.is_a(FENCED)
        connection.query("SELECT 1")


@contextlib.contextmanager
def account(target: Target, *grants: str) -> Iterator[str]:
    name = f"u{uuid.uuid4().hex[:8]}"
    target.rows(f"CREATE USER {name}@'%'")
    for one in grants:
        target.rows(f"GRANT {one} TO {name}@'%'")
    yield name
    target.rows(f"DROP USER {name}@'%'")


def test_an_account_without_privileges_beyond_its_tables_ends_its_own(target: Target) -> None:
    with account(target, f"ALL ON {target.schema}.*") as user:
        idle = target.registered(target.take_over(1, user), user)
        target.take_over(2, user)
        with pytest.raises(DMError), closing(idle):
            idle.query("SELECT 1")


def test_connections_of_another_account_that_may_not_be_ended_are_named(target: Target) -> None:
    with account(target, f"ALL ON {target.schema}.*", "PROCESS ON *.*") as user:
        with closing(target.registered(target.take_over(1))) as idle, pytest.raises(DMError) as refused:
            target.take_over(2, user)
        assert refused.value.is_a(CANNOT_END)
        assert refused.value.fields["number"] == connection_number(idle) if idle.open else True


def test_a_ddl_job_that_outlived_its_tidb_is_waited_for(server_factory: Any) -> None:
    """TiDB is restarted while it builds an index: the session of the run is gone, the job goes on."""
    target = Target(server_factory("tidb"))
    epoch = target.take_over(1)
    target.rows(f"CREATE TABLE {target.schema}.t (a INT PRIMARY KEY AUTO_INCREMENT, b INT)")
    target.rows(f"INSERT INTO {target.schema}.t (b) VALUES {', '.join(['(1)'] * 1000)}")
    for _ in range(6):
        target.rows(f"INSERT INTO {target.schema}.t (b) SELECT b FROM {target.schema}.t")
    for name, value in (("reorg_worker_cnt", 1), ("reorg_batch_size", 32), ("enable_dist_task", 0)):
        target.rows(f"SET GLOBAL tidb_{name if name[0] == 'e' else 'ddl_' + name} = {value}")
    with ExitStack() as stack:
        run = target.registered(epoch)
        altering = threading.Thread(target=_alter, args=(run, target.schema))
        altering.start()
        stack.callback(altering.join)
        until(lambda: bool(target.rows(JOBS.format(target.schema, "running"))), "the job runs")
        ((job,),) = target.rows(JOBS.format(target.schema, "running"))
        target.rows(f"ADMIN PAUSE DDL JOBS {job}")
        until(lambda: bool(target.rows(JOBS.format(target.schema, "paused"))), "it stands still")
        target.server.restart()
        later = threading.Thread(target=target.take_over, args=(2,))
        later.start()
        stack.callback(later.join)
        until(lambda: any("ADD INDEX late" in one for one in target.told), "it is waited for")
        assert later.is_alive()
        target.rows(f"ADMIN RESUME DDL JOBS {job}")
        later.join()
    assert len(target.rows(f"SHOW INDEX FROM {target.schema}.t")) == 2
    assert target.told[-1] == ""


def _alter(connection: Connection, schema: str) -> None:
    with contextlib.suppress(DMError), closing(connection):
        connection.query(f"ALTER TABLE {schema}.t ADD INDEX late (b)")
