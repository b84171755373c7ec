"""What an operator reads when the upstream cannot give what is missing, and how the task goes on after that.

A restart of the upstream: tests/cases/e2e/test_goes_on.py; a switch: tests/cases/e2e/test_upstream_switch.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import fetch_location
from pkg.binlog.errors import DUPLICATE_SERVER_ID, PURGED
from pkg.task.secret import Secret
from pkg.task.subtask import SubtaskConfig
from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import Pair, cursor_on, made
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

SERVER_ID = 77001


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def upstream(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """One whose binlogs these tests may purge."""
    with start_or_report(request.param) as server:
        yield server


@pytest.fixture
def pair(upstream: RunningServer, mariadb2: RunningServer) -> Pair:
    return made(f"gap_{upstream.kind}", upstream, mariadb2)


def rows_of(pair: Pair, *statements: str) -> list[tuple[object, ...]]:
    with cursor_on(pair.upstream) as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())


def purge(pair: Pair) -> str:
    """The upstream forgets all that is written; the name of the file that is left."""
    rows_of(pair, "FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
    return pair.upstream.purge_binlog()


def begun_and_left(pair: Pair, config: SubtaskConfig) -> None:
    with Supervised(config) as task:
        write(pair)
        task.in_step(pair)


def test_a_purged_file_is_named_with_what_is_left(pair: Pair) -> None:
    config = config_of(pair)
    begun_and_left(pair, config)
    asked = pair.here()[0]
    write(pair)
    left = purge(pair)
    with Supervised(config) as task:
        error = task.paused()
    assert error.is_a(PURGED), error
    assert not error.resumable
    assert f"asked for: ({asked}, " in error.message
    assert f"the server's first binlog file: {left}" in error.message
    assert "--remove-meta" in error.workaround


def test_purged_gtids_are_named(pair: Pair) -> None:
    config = config_of(pair, enable_gtid=True)
    begun_and_left(pair, config)
    known = pair.here()[2]
    write(pair)
    purge(pair)
    write(pair)
    with Supervised(config) as task:
        error = task.paused()
    assert error.is_a(PURGED), error
    assert f"asked for: GTID set '{known}" in error.message
    if pair.upstream.kind == "mysql":
        assert "missing transactions are" in error.message


@pytest.mark.parametrize("upstream", ["mysql"], indirect=True)
def test_a_gap_that_an_operator_made_is_named(pair: Pair) -> None:
    """`gtid_purged` raised by transactions that the task never saw."""
    config = config_of(pair, enable_gtid=True)
    begun_and_left(pair, config)
    foreign = "11111111-2222-3333-4444-555555555555"
    rows_of(pair, f"SET GLOBAL gtid_purged = '+{foreign}:1-9'")
    write(pair)
    with Supervised(config) as task:
        error = task.paused()
    assert error.is_a(PURGED), error
    assert f"{foreign}:1-9" in error.message
    assert "--remove-meta" in error.workaround


class OtherReplica(BinlogStream):
    """One that does not ask whether the server id is free."""

    def _reserve_server_id(self) -> None:
        pass


def other_replica(server: RunningServer) -> OtherReplica:
    options = ConnectionOptions(server.host, server.port, "root", Secret(""))
    with closing(connect(options, side="upstream")) as connection:
        here = fetch_location(connection)
    return OtherReplica(options, server_id=SERVER_ID, flavor=server.kind, start=here, use_gtid=False)


@pytest.mark.parametrize("upstream", ["mariadb"], indirect=True)
def test_another_replica_with_our_server_id(pair: Pair) -> None:
    """MariaDB ends the stream that had the id before; MySQL goes by UUIDs, of which each stream has one of its own."""
    # With names of columns nothing is looked up, after which the stream would be opened anew, under a random id.
    rows_of(pair, "SET GLOBAL binlog_row_metadata = 'FULL'")
    with Supervised(config_of(pair, server_id=SERVER_ID)) as task:
        write(pair)
        task.in_step(pair)
        with closing(other_replica(pair.upstream)):
            error = task.paused()
            assert error.is_a(DUPLICATE_SERVER_ID), error
            assert not error.resumable
            assert "server-id" in error.workaround
            pair.on((COUNT, LOG), pair.upstream)
        task.resume()
        task.in_step(pair)
    rows_of(pair, "SET GLOBAL binlog_row_metadata = DEFAULT")


def test_tasks_of_one_source_share_its_server_id(pair: Pair) -> None:
    with Supervised(config_of(pair, server_id=SERVER_ID)) as task:
        other = made(f"{pair.name}_other", pair.upstream, pair.target)
        with Supervised(config_of(other, server_id=SERVER_ID)) as second:
            write(other)
            second.in_step(other)
            write(pair)
            task.in_step(pair)
        assert not task.errors
        assert not second.errors
