"""Binlog events made by hand, for what no server can be brought to log in a test."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence

from pkg.binlog.decoder import Decoder
from pkg.binlog.events import Event, TableMap
from pkg.binlog.rows import RowPlan
from tests.unit.rows.tables import column

TIMESTAMP, SERVER_ID = 1_700_000_000, 7
FORMAT, QUERY, ROTATE, XID, TABLE_MAP, WRITE_ROWS, UPDATE_ROWS, PARTIAL_UPDATE_ROWS = 15, 2, 4, 16, 19, 30, 31, 39


def made(code: int, body: bytes = b"", *, end: int = 0, flags: int = 0, checksum: bool = True) -> bytes:
    """One event; `end` is the low 32 bits of where it says that it ends."""
    size = 19 + len(body) + 4 * checksum
    event = struct.pack("<IBIIIH", TIMESTAMP, code, SERVER_ID, size, end, flags) + body
    return event + struct.pack("<I", zlib.crc32(event)) if checksum else event


def format_event(*, checksum: bool = True) -> bytes:
    post_headers = bytearray(41)
    post_headers[TABLE_MAP - 1] = 8
    body = struct.pack("<H50sIB", 4, b"9.0.0", TIMESTAMP, 19) + bytes(post_headers) + bytes((checksum,))
    return made(FORMAT, body)


def query(sql: bytes, status: bytes = b"", schema: bytes = b"s") -> bytes:
    head = struct.pack("<IIBHH", 5, 0, len(schema), 0, len(status))
    return made(QUERY, head + status + schema + b"\0" + sql)


def table_map(
    types: bytes = b"\x03\x0f", metadata: bytes = b"\x50\x00", optional: bytes = b"", number: int = 1
) -> bytes:
    names = b"\x01s\0\x01t\0"
    layout = bytes((len(types),)) + types + bytes((len(metadata),)) + metadata + bytes((len(types) + 7) // 8)
    return made(TABLE_MAP, number.to_bytes(6, "little") + b"\1\0" + names + layout + optional)


def rows(images: bytes, *, code: int = WRITE_ROWS, columns: int = 2, logged: bytes = b"\xff", number: int = 1) -> bytes:
    head = number.to_bytes(6, "little") + b"\1\0" + b"\2\0" + bytes((columns,))
    return made(code, head + logged * (2 if code in (UPDATE_ROWS, PARTIAL_UPDATE_ROWS) else 1) + images)


ONE_ROW = b"\x00\x05\x00\x00\x00\x02ab"  # (5, 'ab') of an INT and a VARCHAR(20)


def packets(events: Iterable[bytes]) -> bytes:
    """Each event as the protocol sends it: an event of more than 16 MiB takes several packets."""
    stream = []
    sequence = 0
    for event in events:
        body = b"\0" + event
        for at in range(0, len(body) + 1, 0xFFFFFF):
            part = body[at : at + 0xFFFFFF]
            stream.append(len(part).to_bytes(3, "little") + bytes((sequence & 255,)) + part)
            sequence += 1
            if len(part) < 0xFFFFFF:
                break
    return b"".join(stream)


def reader(framing: str = "packets", names: Sequence[str] = ("int", "varchar"), flavor: str = "mysql") -> Decoder:
    """A decoder that knows every table as one of columns of these base types."""
    columns = [column(f"c{place}", name) for place, name in enumerate(names)]

    def resolve(table: TableMap) -> RowPlan | None:
        return RowPlan.build(columns, table)

    return Decoder(flavor=flavor, framing=framing, resolve=resolve, file_name="made.000001")


def drained(decoder: Decoder) -> list[Event]:
    events = []
    while (event := decoder.next()) is not None:
        events.append(event)
    return events


def events_of(*events: bytes, names: Sequence[str] = ("int", "varchar"), flavor: str = "mysql") -> list[Event]:
    """What a decoder makes of a format description and these events."""
    decoder = reader("packets", names, flavor)
    decoder.feed(packets([format_event(), *events]))
    return drained(decoder)[1:]
