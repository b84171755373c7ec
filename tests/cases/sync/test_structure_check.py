"""A target that makes something else of a DDL, and says nothing: seen before a row is written, with two ways out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dm_worker.syncer.structure_check import UNLIKE_STRUCTURE
from dm_worker.syncer.tracked_check import NOT_AS_UPSTREAM, OF_EARLIER_RUN
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.operators import store_operator
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.task.operators import Op, Operator
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

CHILD = "CREATE TABLE child (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES counter (id) ON DELETE RESTRICT)"
ROW = "INSERT INTO child VALUES (1, 2)"


@pytest.fixture
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, server_factory: Callable[..., RunningServer]) -> Pair:
    """The target makes new tables MyISAM's, which have no foreign keys, whatever their statement says."""
    target = server_factory("mariadb")
    pair = made(f"unlike_{abs(hash(request.node.name)) % 10**6}", mariadb, target)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    with cursor_on(target) as cursor:
        cursor.execute("SET GLOBAL enforce_storage_engine = MyISAM")
    # A server takes another engine only under this mode, which the statement has in the target, too.
    pair.on(("SET sql_mode = 'STRICT_TRANS_TABLES'", CHILD, ROW), mariadb)
    return pair


def paused(pair: Pair) -> DMError:
    with pytest.raises(DMError) as raised:
        Replication(pair.config()).end(SECONDS)
    assert raised.value.is_a(UNLIKE_STRUCTURE)
    return raised.value


def children(pair: Pair, server: RunningServer) -> list[tuple[int, ...]]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SELECT id, pid FROM child")
        return list(cursor.fetchall())


def test_it_pauses_until_the_table_is_as_upstream(pair: Pair) -> None:
    for _ in range(2):  # also when it is tried again
        error = paused(pair)
        assert "the foreign key (pid) to" in str(error)
        assert "(id) is not there" in str(error)
    assert children(pair, pair.target) == []
    mended = ("ALTER TABLE counter ENGINE=InnoDB", "ALTER TABLE child ENGINE=InnoDB, ADD FOREIGN KEY (pid) REFERENCES counter (id) ON DELETE RESTRICT")  # fmt: skip
    with cursor_on(pair.target) as cursor:
        cursor.execute("SET GLOBAL enforce_storage_engine = NULL")
    pair.on(mended, pair.target)
    with running(pair.config()):
        until(lambda: children(pair, pair.target) == [(1, 2)], "the row behind it")


def test_an_operator_may_take_it_as_it_is(pair: Pair) -> None:
    place = Position.parse(paused(pair).fields["place"])
    with pair.target.connect() as connection:  # as `dmctl binlog skip`
        operator = Operator(place, Op.SKIP)
        store_operator(connection, MetaTables(f"{pair.name}_meta", pair.name), "one", operator)
    with cursor_on(pair.target) as cursor:
        cursor.execute("SET GLOBAL enforce_storage_engine = NULL")
    pair.on(("ALTER TABLE child ENGINE=InnoDB",), pair.target)  # without the foreign key
    with running(pair.config()):
        until(lambda: children(pair, pair.target) == [(1, 2)], "the row behind it")


def test_a_table_that_was_altered_without_the_binlog_is_told_of_at_its_next_ddl(
    mariadb: RunningServer, tidb: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    pair = made("altered_unseen", mariadb, tidb)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("SET sql_log_bin = 0", "ALTER TABLE counter ADD UNIQUE KEY later (n, id)"), mariadb)
        pair.on(("ALTER TABLE counter COMMENT 'x'",), mariadb)
        until(lambda: "upstream the key UNIQUE later" in caplog.text, "it is told")
        assert f"code={NOT_AS_UPSTREAM.code}" in caplog.text
        assert [str(NOT_AS_UPSTREAM.code) in said for said in syncer.status()["unlikeUpstream"]] == [True]
        pair.on(("INSERT INTO counter VALUES (7, 70, 'g')",), mariadb)
        until(pair.is_equal, "the row")


def test_tables_that_are_altered_under_way_are_compared_with_what_they_are_then(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    """Each look shows a table of a later DDL than the one that is read."""
    pair = made("altered_under_way", mariadb, tidb)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        with cursor_on(mariadb, pair.name) as cursor:
            for number in range(30):
                cursor.execute(f"ALTER TABLE log ADD COLUMN c{number} INT DEFAULT {number}")
                cursor.execute(f"INSERT INTO log (a, b) VALUES ({number}, 'x')")
            cursor.execute("ALTER TABLE counter ADD KEY (n), MODIFY n BIGINT NOT NULL")
            cursor.execute("ALTER TABLE counter RENAME COLUMN n TO m")
            cursor.execute("INSERT INTO counter VALUES (7, 70, 'g')")
        until(pair.is_equal, "all of it")


def test_what_a_process_did_not_compare_the_next_one_does(
    mariadb: RunningServer, tidb: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that died behind the DDL, and before it had read all: as it is with a table altered while none ran."""
    pair = made("altered_between", mariadb, tidb)
    with running(pair.config()) as syncer:
        pair.on(("ALTER TABLE counter COMMENT 'x'",), mariadb)
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(("SET sql_log_bin = 0", "ALTER TABLE counter ADD UNIQUE KEY later (n, id)"), mariadb)
    with running(pair.config()):
        until(lambda: "upstream the key UNIQUE later" in caplog.text, "it is told")
    assert OF_EARLIER_RUN in caplog.text
