"""Distributed transactions as both flavours log them."""

from __future__ import annotations

import time

import pytest

from pkg.adapters.binlog_stream import BinlogStream
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import Event, RowsEvent, XaEndEvent, XaPrepareEvent, XidEvent
from pkg.binlog.position import Location
from pkg.binlog.rows import RowPlan
from pkg.schema.parse import parse_create_table
from tests.property.test_binlog_round_trip import Mirror

pytestmark = pytest.mark.servers  # asked for by name, so that conftest.py cannot see it

XID = "X'6131',X'6200',7"


def events_from(mirror: Mirror, start: Location) -> list[Event]:
    """What the server has logged since `start`, without what says nothing about transactions."""
    end = mirror.location().position
    mirror.cursor.execute("SHOW CREATE TABLE mirror.source")
    columns = parse_create_table(mirror.cursor.fetchone()[1], "mirror").columns
    flavor = mirror.server.gtid_flavor
    decoder = Decoder(
        flavor=flavor,
        framing="packets",
        resolve=lambda table_map: RowPlan.build(columns, table_map),
        file_name=start.position.name,
    )
    stream = BinlogStream(mirror.options, server_id=0, flavor=flavor, start=start, use_gtid=False)
    events: list[Event] = []
    deadline = time.monotonic() + 20
    try:
        while decoder.end < end.offset and time.monotonic() < deadline:
            decoder.feed(stream.read(1) or b"")
            while (event := decoder.next()) is not None:
                events.append(event)
    finally:
        stream.close()
    kept = (RowsEvent, XaEndEvent, XaPrepareEvent, XidEvent)
    return [event for event in events if isinstance(event, kept)]


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
@pytest.mark.parametrize("verb", ["COMMIT", "ROLLBACK"])
def test_a_prepared_transaction_is_decided_by_an_event_of_its_own(
    flavor: str, verb: str, request: pytest.FixtureRequest
) -> None:
    mirror = Mirror(request.getfixturevalue(flavor))
    with mirror.connection:
        mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY)")
        start = mirror.location()
        for statement in (f"XA START {XID}", "INSERT INTO mirror.source VALUES (1)", f"XA END {XID}"):
            mirror.cursor.execute(statement)
        mirror.cursor.execute(f"XA PREPARE {XID}")
        mirror.cursor.execute(f"XA {verb} {XID}")
        rows, prepared, decided = events_from(mirror, start)
    assert isinstance(rows, RowsEvent)
    assert isinstance(prepared, XaPrepareEvent)
    assert isinstance(decided, XaEndEvent)
    assert prepared.xid == decided.xid == XID
    assert decided.is_commit == (verb == "COMMIT")


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
def test_a_transaction_in_one_phase_is_a_commit(flavor: str, request: pytest.FixtureRequest) -> None:
    mirror = Mirror(request.getfixturevalue(flavor))
    with mirror.connection:
        mirror.cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY)")
        start = mirror.location()
        for statement in (f"XA START {XID}", "INSERT INTO mirror.source VALUES (1)", f"XA END {XID}"):
            mirror.cursor.execute(statement)
        mirror.cursor.execute(f"XA COMMIT {XID} ONE PHASE")
        events = events_from(mirror, start)
    assert [type(event) for event in events] == [RowsEvent, XidEvent]
