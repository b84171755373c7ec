"""Any table's rows, read from the binlog and sent back as literals, are the same rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.position import Location
from pkg.binlog.rows import RowPlan
from pkg.schema.parse import parse_create_table
from pkg.task.secret import Secret
from tests.golden.any_table import AnyTable, any_tables
from tests.servers import RunningServer

pytestmark = pytest.mark.servers  # asked for by name, so that conftest.py cannot see it

ROW_METADATA = ("MINIMAL", "FULL")
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


class Mirror:
    """A table, and a second one into which the first one's literals go."""

    def __init__(self, server: RunningServer) -> None:
        self.options = ConnectionOptions(server.host, server.port, "root", Secret(""))
        self.connection = connect(self.options, side="upstream")
        self.server = Server.probe(self.connection)
        self.cursor: Any = self.connection.cursor()
        self.cursor.execute("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES'")
        self.cursor.execute("DROP DATABASE IF EXISTS mirror")
        self.cursor.execute("CREATE DATABASE mirror DEFAULT CHARACTER SET latin1")

    def location(self) -> Location:
        return self.server.fetch_location(self.connection)

    def decoded(self, table: str, start: Location, rows: int) -> list[tuple[bytes, ...]]:
        """The first `rows` images of `mirror.table` from `start` on."""
        self.cursor.execute(f"SHOW CREATE TABLE mirror.{table}")
        columns = parse_create_table(self.cursor.fetchone()[1], "mirror").columns

        def resolve(table_map: TableMap) -> RowPlan | None:
            return RowPlan.build(columns, table_map) if table_map.table == table else None

        flavor = self.server.gtid_flavor
        decoder = Decoder(flavor=flavor, framing="packets", resolve=resolve, file_name=start.position.name)
        stream = BinlogStream(self.options, server_id=0, flavor=flavor, start=start, use_gtid=False)
        images: list[tuple[bytes, ...]] = []
        deadline = time.monotonic() + 20
        try:
            while len(images) < rows and time.monotonic() < deadline:
                decoder.feed(stream.read(1) or b"")
                while (event := decoder.next()) is not None:
                    images += event.rows if isinstance(event, RowsEvent) else []
        finally:
            stream.close()
        return images


@pytest.fixture(params=["mariadb", "mysql"])
def mirror(request: pytest.FixtureRequest) -> Iterator[Mirror]:
    made = Mirror(request.getfixturevalue(request.param))
    yield made
    made.cursor.execute("SET GLOBAL binlog_row_metadata = DEFAULT")
    made.connection.close()


@pytest.mark.servers
@pytest.mark.parametrize("metadata", ROW_METADATA)
@settings(deadline=None, max_examples=50, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(data=st.data())
def test_literals_sent_back_give_the_same_rows(mirror: Mirror, metadata: str, data: st.DataObject) -> None:
    table: AnyTable = data.draw(any_tables(mirror.server.gtid_flavor))
    cursor = mirror.cursor
    cursor.execute(f"SET GLOBAL binlog_row_metadata = {metadata}")
    for name in ("source", "target"):
        cursor.execute(f"DROP TABLE IF EXISTS mirror.{name}")
        cursor.execute(table.create(f"mirror.{name}"))
    start = mirror.location()
    cursor.execute(table.insert("mirror.source"))
    images = mirror.decoded("source", start, len(table.rows))
    assert len(images) == len(table.rows)

    start = mirror.location()
    rows = b", ".join(b"(" + b", ".join(image) + b")" for image in images)
    cursor.execute(b"INSERT INTO mirror.target VALUES " + rows)
    assert mirror.decoded("target", start, len(images)) == images
    for place, type_ in enumerate(table.types):
        # Some sets have two codes for a character: then the text is the same, and the bytes need not be.
        value = "HEX(CONVERT({0}.c{1} USING utf8mb4))" if "CHARACTER SET" in type_ else "HEX({0}.c{1})"
        one, other = value.format("s", place), value.format("t", place)
        cursor.execute(
            f"SELECT s.id, {one}, {other} FROM mirror.source s JOIN mirror.target t USING (id) "
            f"WHERE NOT {one} <=> {other}"
        )
        assert not cursor.fetchall(), type_


def test_a_session_can_ask_for_the_time_zone_that_literals_are_in(mirror: Mirror) -> None:
    mirror.cursor.execute("CREATE TABLE mirror.zoned (id INT PRIMARY KEY, t TIMESTAMP(2) NULL)")
    start = mirror.location()
    mirror.cursor.execute("SET time_zone = '+05:30'")
    mirror.cursor.execute("INSERT INTO mirror.zoned VALUES (1, '2024-01-01 05:30:00.25')")
    [image] = mirror.decoded("zoned", start, 1)
    assert image == (b"1", b"'2024-01-01 00:00:00.25'")
