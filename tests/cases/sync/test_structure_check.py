"""A target that makes something else of a DDL, and says nothing: seen before a row is written, with two ways out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dm_worker.syncer.structure_check import UNLIKE_STRUCTURE
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.operators import store_operator
from pkg.binlog.position import Position
from pkg.errors import DMError
from pkg.task.operators import Op, Operator
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

CHILD = "CREATE TABLE child (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES counter (id) ON DELETE CASCADE)"
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
        assert "(id) CASCADE is not there" in str(error)
    assert children(pair, pair.target) == []
    mended = ("ALTER TABLE counter ENGINE=InnoDB", "ALTER TABLE child ENGINE=InnoDB, ADD FOREIGN KEY (pid) REFERENCES counter (id) ON DELETE CASCADE")  # fmt: skip
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
    with running(pair.config()):
        until(lambda: children(pair, pair.target) == [(1, 2)], "the row behind it")
