"""One of each event that golden recordings have not, made by hand, and the columns of the tables among them."""

from __future__ import annotations

import struct

from pkg.schema.table import Column
from tests.golden.made_events import PARTIAL_UPDATE_ROWS, ROTATE, UPDATE_ROWS, made, query, rows, table_map
from tests.unit.rows.tables import column

COLUMNS: tuple[Column, ...] = (column("c0", "int"), column("c1", "json"))
LIST = b"\x02\x02\x00\x0a\x00\x05\x07\x00\x05\x08\x00"  # [7, 8]
OBJECT = b"\x00\x01\x00\x0c\x00\x0b\x00\x01\x00\x05\x07\x00a"  # {"a": 7}
OPAQUE = b"\x0f\xf6\x04\x04\x02\x80\x01\x32"  # DECIMAL(4,2) 1.50
NESTED = b"\x02\x02\x00\x19\x00\x00\x0a\x00\x0c\x16\x00" + OBJECT[1:] + b"\x02ab"  # [{"a": 7}, "ab"]
_UUID = bytes(range(16))


def events() -> list[bytes]:
    """Without checksums; a table map stands right before its rows."""
    json_table = table_map(b"\x03\xf5", b"\x04")
    documents = b"".join(_row(document) for document in (LIST, OBJECT, OPAQUE, NESTED))
    removed = b"\x02\x04$[0]"
    replaced = b"\x00\x03$.a" + bytes((len(LIST),)) + LIST
    partial = _row(LIST) + b"\x01\x01" + _row(removed) + _row(OBJECT) + b"\x01\x01" + _row(replaced)
    made_ones = [
        json_table,
        rows(documents),
        json_table,
        rows(_row(LIST) + _row(OBJECT), code=UPDATE_ROWS),
        json_table,
        rows(partial, code=PARTIAL_UPDATE_ROWS),
        query(b"ALTER TABLE t COMMENT '\xe4'", _status()),
        made(41, b"\x01\x03abc\x02\x09\xfe" + struct.pack("<Q", 5 << 32) + b"\0"),
        made(27, b"made.000001"),
        made(42, _tagged_gtid()),
        made(35, struct.pack("<Q16sQQQ", 1, _UUID, 1, 1, 9)),
        made(163, struct.pack("<IIIQIIQ", 2, 0, 1, 7, 1, 2, 9)),
        made(38, b"\0" + struct.pack("<III", 1, 3, 0) + b"abc"),
        made(38, b"\1" + struct.pack("<III", 1, 3, 0) + b"abc"),
        made(ROTATE, struct.pack("<Q", 4) + b"made.000002"),
    ]
    return [event[:-4] for event in made_ones]


def _row(document: bytes) -> bytes:
    return b"\x00\x05\x00\x00\x00" + struct.pack("<I", len(document)) + document


def _status() -> bytes:
    session = b"\x00" + struct.pack("<I", 1) + b"\x01" + struct.pack("<Q", 1 << 21)
    charsets = b"\x04" + struct.pack("<HHH", 8, 8, 8)
    return session + b"\x06\x03std" + b"\x03" + struct.pack("<HH", 1, 1) + charsets + b"\x05\x06+05:30" + b"\x0c\x01s\0"


def _tagged_gtid() -> bytes:
    uuid = b"\x02" + b"".join(_number(octet) for octet in _UUID)
    return b"\x02\x60\x0a\x00\x02" + uuid + b"\x04" + _number(14) + b"\x06" + _number(3) + b"tag"


def _number(value: int) -> bytes:
    """Below 128: one byte, whose lowest bit says that none follows."""
    return bytes((value << 1,))
