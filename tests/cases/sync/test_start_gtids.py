"""A task that starts by position learns the GTIDs before it, at each place of a binlog, so that it can switch later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dm_worker.syncer.start_places import gtids_up_to
from dm_worker.syncer.upstream import Upstream
from pkg.binlog.position import Position
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_another_binlog import wait_for_another_second
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

SERVERS = {
    "mariadb": (),
    "mysql": (),
    "mysql without GTIDs": ("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"),
}
TRANSACTIONS = (
    ("INSERT INTO log VALUES (11, 'one')",),
    ("CREATE TABLE other (a INT PRIMARY KEY)",),
    ("BEGIN", "INSERT INTO log VALUES (12, 'two')", "SAVEPOINT a", "INSERT INTO other VALUES (1)", "COMMIT"),
    ("FLUSH BINARY LOGS",),
    ("INSERT INTO log VALUES (13, 'three')",),
    ("FLUSH BINARY LOGS",),
    ("FLUSH BINARY LOGS",),
    ("XA START 'x'", "INSERT INTO other VALUES (2)", "XA END 'x'", "XA PREPARE 'x'"),
    ("XA COMMIT 'x'",),
)


@pytest.fixture(scope="module", params=SERVERS)
def upstream(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with start_or_report(request.param.partition(" ")[0], options=SERVERS[request.param]) as server:
        yield server


@contextmanager
def opened(pair: Pair) -> Iterator[Upstream]:
    source = Upstream(pair.config(enable_gtid=True))
    source.open()
    try:
        yield source
    finally:
        source.close()


def test_the_gtids_up_to_each_position(upstream: RunningServer, mariadb2: RunningServer) -> None:
    pair = made("start_gtids", upstream, mariadb2)
    with opened(pair) as source:
        expected: dict[Position, str | None] = {}

        def note() -> None:
            here = source.present_location()
            expected[here.position] = None if here.gtid_set is None else str(here.gtid_set)

        note()
        for statements in TRANSACTIONS:
            pair.on(statements, upstream)
            note()
        first, last = min(expected), max(expected)
        found = {}
        for position in positions(source, first, last):
            gtids = gtids_up_to(source, position, source.server.gtid_flavor)
            found[position] = None if gtids is None else str(gtids)
        assert {position: found[position] for position in expected} == expected
        between = {one for one in found.values() if one is not None}
        assert between <= {one for one in expected.values() if one is not None}, "no set is one of a half transaction"
        if source.present_location().gtid_set is not None:
            heads = [one for one in found if one.offset == 4]
            assert len(heads) == 3
            assert all(found[one] is not None for one in heads)
            assert None in found.values(), "places within transactions have none"
        assert gtids_up_to(source, Position("no-such.000001", 4), source.server.gtid_flavor) is None


def positions(source: Upstream, first: Position, last: Position) -> list[Position]:
    """The start of each event from ``first`` to ``last``, with the ends of the files."""
    found = {last}
    for name in source.binlog_files():
        for event in source.rows(f"SHOW BINLOG EVENTS IN '{name}'"):
            found |= {Position(name, int(event[1])), Position(name, int(event[4]))}
    return sorted(one for one in found if first <= one <= last)


@pytest.mark.parametrize("by", ["position", "time"])
def test_a_task_that_starts_at_a_place_has_its_gtids(upstream: RunningServer, mariadb2: RunningServer, by: str) -> None:
    pair = made(f"start_gtids_by_{by}", upstream, mariadb2)
    name, offset, _ = pair.here()
    pair.on(("INSERT INTO log VALUES (21, 'behind it')",), upstream)
    place: dict[str, Any] = {"meta": {"binlog-name": name, "binlog-pos": offset}}
    if by == "time":
        wait_for_another_second(upstream)
        pair.on(("INSERT INTO log VALUES (21, 'behind it')",), mariadb2)
        with cursor_on(upstream) as cursor:
            cursor.execute("SELECT UTC_TIMESTAMP()")
            place = {"start_time": str(cursor.fetchone()[0])}
        pair.on(("INSERT INTO log VALUES (22, 'at the time')",), upstream)
    config = pair.config(enable_gtid=True, **place)
    with running(config) as syncer:
        until(pair.is_equal, "what is behind the place arrives")
        until(lambda: bool(syncer.status().get("synced")), "it is synced")
        with opened(pair) as source:
            here = source.present_location().gtid_set
        assert syncer.status()["syncerBinlogGtid"] == ("" if here is None else str(here))
