"""The binlog stream of real servers: what it gives, how it ends, and what it says when it is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import LOST_CONNECTION, MISSING_PRIVILEGE
from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import PURGED
from pkg.binlog.events import Event, GtidEvent, QueryEvent, RowsEvent, TableMap, XidEvent
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.task.secret import Secret
from tests.servers import RunningServer

ROWS = "INSERT INTO streamed.t VALUES (1, 'a'), (2, REPEAT('b', 300))"


class Upstream:
    """A server with one table, and what its binlog says from a place on."""

    def __init__(self, server: RunningServer) -> None:
        self.running = server
        self.options = ConnectionOptions(server.host, server.port, "root", Secret(""))
        self.connection = connect(self.options, side="upstream")
        self.server = Server.probe(self.connection)
        self.run("DROP DATABASE IF EXISTS streamed", "CREATE DATABASE streamed")
        self.run("CREATE TABLE streamed.t (id INT PRIMARY KEY, v VARCHAR(400)) DEFAULT CHARSET utf8mb4")

    @property
    def flavor(self) -> str:
        return self.server.gtid_flavor

    def run(self, *statements: str) -> Any:
        with self.connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()

    def location(self) -> Location:
        return self.server.fetch_location(self.connection)

    def stream(
        self, start: Location, *, use_gtid: bool = False, user: str = "root", password: str = ""
    ) -> BinlogStream:
        options = ConnectionOptions(self.options.host, self.options.port, user, Secret(password))
        return BinlogStream(options, server_id=0, flavor=self.flavor, start=start, use_gtid=use_gtid)

    def events(self, start: Location, until: Callable[[list[Event]], bool], *, use_gtid: bool = False) -> list[Event]:
        columns = parse_create_table(self.run("SHOW CREATE TABLE streamed.t")[0][1], "streamed").columns

        def resolve(table_map: TableMap) -> RowPlan | None:
            return RowPlan.build(columns, table_map) if table_map.schema == "streamed" else None

        decoder = Decoder(flavor=self.flavor, framing="packets", resolve=resolve, file_name=start.position.name)
        stream = self.stream(start, use_gtid=use_gtid)
        found: list[Event] = []
        deadline = time.monotonic() + 90
        try:
            while not until(found) and time.monotonic() < deadline:
                decoder.feed(stream.read(1) or b"")
                while (event := decoder.next()) is not None:
                    found.append(event)
        finally:
            stream.close()
        return found


@pytest.fixture(params=["mariadb", "mysql"])
def upstream(request: pytest.FixtureRequest) -> Iterator[Upstream]:
    made = Upstream(request.getfixturevalue(request.param))
    yield made
    made.connection.close()


@pytest.fixture
def mysql_upstream(mysql: RunningServer) -> Iterator[Upstream]:
    made = Upstream(mysql)
    yield made
    made.connection.close()


def commits(number: int) -> Callable[[list[Event]], bool]:
    return lambda events: sum(isinstance(event, XidEvent) for event in events) >= number


def images(events: list[Event]) -> list[tuple[bytes, ...]]:
    return [image for event in events if isinstance(event, RowsEvent) for image in event.rows]


def gtids(events: list[Event]) -> list[str]:
    return [event.gtid for event in events if isinstance(event, GtidEvent)]


EXPECTED = [(b"1", b"'a'"), (b"2", b"'" + b"b" * 300 + b"'")]


def test_rows_arrive_by_position(upstream: Upstream) -> None:
    start = upstream.location()
    upstream.run(ROWS)
    events = upstream.events(start, commits(1))
    assert images(events) == EXPECTED
    assert [event.end for event in events if isinstance(event, XidEvent)] == [upstream.location().position.offset]


def test_rows_arrive_by_gtid_set_from_where_it_ends(upstream: Upstream) -> None:
    upstream.run("INSERT INTO streamed.t VALUES (9, 'before')")
    start = upstream.location()
    upstream.run(ROWS)
    events = upstream.events(Location(Position("", 4), start.gtid_set), commits(1), use_gtid=True)
    assert images(events) == EXPECTED
    assert start.gtid_set is not None
    assert start.gtid_set.add(gtids(events)[-1]) == upstream.location().gtid_set


@pytest.mark.parametrize("algorithm", ["NONE", "CRC32"])
def test_streams_with_and_without_checksums(upstream: Upstream, algorithm: str) -> None:
    before = upstream.run("SELECT @@GLOBAL.binlog_checksum")[0][0]
    upstream.run(f"SET GLOBAL binlog_checksum = {algorithm}")
    try:
        start = upstream.location()
        upstream.run(ROWS)
        assert images(upstream.events(start, commits(1))) == EXPECTED
    finally:
        upstream.run(f"SET GLOBAL binlog_checksum = {before}")


def test_the_checksum_may_change_from_file_to_file(upstream: Upstream) -> None:
    start = upstream.location()
    for number, algorithm in enumerate(["NONE", "CRC32", "NONE", "CRC32"]):
        upstream.run(f"INSERT INTO streamed.t VALUES ({number}, 'x')", f"SET GLOBAL binlog_checksum = {algorithm}")
    upstream.run("INSERT INTO streamed.t VALUES (4, 'x')")
    assert [image[0] for image in images(upstream.events(start, commits(5)))] == [b"0", b"1", b"2", b"3", b"4"]


def test_a_compressed_transaction_of_mysql(mysql_upstream: Upstream) -> None:
    start = mysql_upstream.location()
    mysql_upstream.run("SET SESSION binlog_transaction_compression = ON", ROWS)
    events = mysql_upstream.events(start, commits(1))
    assert images(events) == EXPECTED
    assert {event.end for event in events if isinstance(event, RowsEvent | XidEvent)} == {
        mysql_upstream.location().position.offset
    }


def test_compressed_events_of_mariadb(mariadb: RunningServer) -> None:
    upstream = Upstream(mariadb)
    start = upstream.location()
    upstream.run("SET GLOBAL log_bin_compress = ON", ROWS, "UPDATE streamed.t SET v = 'c' WHERE id = 1")
    upstream.run(f"ALTER TABLE streamed.t COMMENT '{'long ' * 100}'", "SET GLOBAL log_bin_compress = OFF")
    events = upstream.events(start, lambda found: any(isinstance(event, QueryEvent) for event in found))
    assert images(events) == [*EXPECTED, EXPECTED[0], (b"1", b"'c'")]
    [alter] = [event for event in events if isinstance(event, QueryEvent)]
    assert alter.sql.endswith("long '")
    upstream.connection.close()


def test_tagged_gtids_are_read_and_asked_for(mysql_upstream: Upstream) -> None:
    start = mysql_upstream.location()
    mysql_upstream.run("SET gtid_next = 'AUTOMATIC:blue'", "INSERT INTO streamed.t VALUES (1, 'a')")
    mysql_upstream.run("INSERT INTO streamed.t VALUES (2, 'b')", "SET gtid_next = 'AUTOMATIC'")
    first, second = gtids(mysql_upstream.events(start, commits(2)))
    assert ":blue:" in first
    assert start.gtid_set is not None
    known = start.gtid_set.add(first)
    assert known.add(second) == mysql_upstream.location().gtid_set
    rest = mysql_upstream.events(Location(Position("", 4), known), commits(1), use_gtid=True)
    assert images(rest) == [(b"2", b"'b'")]


def test_closing_interrupts_at_once(upstream: Upstream) -> None:
    stream = upstream.stream(upstream.location())
    began = time.monotonic()
    stream.close()
    assert time.monotonic() - began < 30  # not for good


def test_a_file_that_is_gone_says_what_was_asked_and_what_there_is(upstream: Upstream) -> None:
    with pytest.raises(DMError, match=r"asked for: \(gone.000001, 4\); the server's first binlog file: ") as raised:
        upstream.stream(Location(Position("gone.000001", 4)))
    assert raised.value.is_a(PURGED)
    assert not raised.value.resumable


def test_purged_transactions_say_so(mysql_upstream: Upstream) -> None:
    mysql_upstream.run(ROWS, "FLUSH BINARY LOGS")
    mysql_upstream.running.purge_binlog()
    with pytest.raises(DMError) as raised:
        mysql_upstream.stream(Location(Position("", 4), parse_gtid_set("", "mysql")), use_gtid=True)
    assert raised.value.is_a(PURGED)
    assert "asked for: GTID set ''" in raised.value.message


def test_a_user_without_the_privilege_is_told_the_grant(upstream: Upstream) -> None:
    host = upstream.options.host
    upstream.run(f"DROP USER IF EXISTS reader@'{host}'", f"CREATE USER reader@'{host}' IDENTIFIED BY 'p'")
    try:
        with pytest.raises(DMError) as raised:
            upstream.stream(upstream.location(), user="reader", password="p")
    finally:
        upstream.run(f"DROP USER reader@'{host}'")
    assert raised.value.is_a(MISSING_PRIVILEGE.upstream)
    assert "GRANT REPLICATION SLAVE ON *.*" in raised.value.workaround


def read_to_the_end(stream: BinlogStream) -> None:
    while True:
        stream.read(5)


def test_a_lost_connection_may_be_tried_again(upstream: Upstream) -> None:
    stream = upstream.stream(upstream.location())
    try:
        upstream.running.cut_streams()
        with pytest.raises(DMError) as raised:
            read_to_the_end(stream)
        assert raised.value.is_a(LOST_CONNECTION.upstream)
        assert raised.value.resumable
    finally:
        stream.close()


def test_a_place_behind_4_gib_needs_gtids(upstream: Upstream) -> None:
    with pytest.raises(DMError, match="cannot start behind 4 GiB") as raised:
        upstream.stream(Location(Position(upstream.location().position.name, 5 << 30)))
    assert "enable-gtid" in raised.value.workaround
