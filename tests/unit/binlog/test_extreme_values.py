"""What is at the end of its range, or older than the servers in the tests."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest

from pkg.binlog import old_times
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.json_binary import BadJson, json_text
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from tests.golden.made_events import events_of, made, rows, table_map
from tests.unit.rows.tables import column

DATETIME, TIMESTAMP, TIME = 12, 7, 11


def literal(base: str, code: int, raw: bytes, meta: int = 0) -> bytes:
    plan = RowPlan.build([column("c", base)], TableMap("s", "t", bytes((code,)), (meta,)))
    [(value,)] = plan.decode(b"\0" + raw, 0, 1 + len(raw))
    assert isinstance(value, bytes)
    return value


@pytest.mark.parametrize(
    ("base", "code", "raw", "expected"),
    [
        ("datetime", DATETIME, (20240229235857).to_bytes(8, "little"), "2024-02-29 23:58:57"),
        ("datetime", DATETIME, (99991231235959).to_bytes(8, "little"), "9999-12-31 23:59:59"),
        ("datetime", DATETIME, bytes(8), "0000-00-00 00:00:00"),
        ("timestamp", TIMESTAMP, struct.pack("<I", 2**31 - 1), "2038-01-19 03:14:07"),
        ("timestamp", TIMESTAMP, struct.pack("<I", 2**32 - 1), "2106-02-07 06:28:15"),
        ("timestamp", TIMESTAMP, bytes(4), "0000-00-00 00:00:00"),
        ("time", TIME, (8385959).to_bytes(3, "little"), "838:59:59"),
        ("time", TIME, (-8385959).to_bytes(3, "little", signed=True), "-838:59:59"),
        ("time", TIME, (-1).to_bytes(3, "little", signed=True), "-00:00:01"),
        ("date", 10, bytes(3), "0000-00-00"),
        ("date", 10, (9999 << 9 | 12 << 5 | 31).to_bytes(3, "little"), "9999-12-31"),
        ("date", 14, (2024 << 9).to_bytes(3, "little"), "2024-00-00"),
    ],
)
def test_times_of_before_5_6(base: str, code: int, raw: bytes, expected: str) -> None:
    assert literal(base, code, raw) == f"'{expected}'".encode()


@pytest.mark.parametrize(
    ("raw", "digits", "expected"),
    [
        (b"\x80\x00\x00", 0, "00:00:00"),
        (b"\x7f\xff\xff", 0, "-00:00:01"),
        ((0x800000 - (838 << 12 | 59 << 6 | 59)).to_bytes(3, "big"), 0, "-838:59:59"),
        (b"\x7f\xff\xff\xff", 1, "-00:00:00.0"),
        (b"\x7f\xff\xff\xf6", 2, "-00:00:00.10"),
        (b"\x7f\xff\xff\xff\xff\xff", 6, "-00:00:00.000001"),
        (b"\x80\x00\x00\x0f\x42\x3f", 6, "00:00:00.999999"),
    ],
)
def test_negative_times(raw: bytes, digits: int, expected: str) -> None:
    assert literal("time", 19, raw, digits) == f"'{expected}'".encode()


@pytest.mark.parametrize("read", [old_times.datetime_literal, old_times.time_literal])
def test_old_times_beyond_their_range_are_damage(read: object) -> None:
    assert callable(read)
    with pytest.raises(ValueError, match="out of its range"):
        read(b"\xff" * 6, 2)


@pytest.mark.parametrize("bits", [1, 8, 9, 63, 64])
def test_bits_up_to_64(bits: int) -> None:
    value = (1 << bits) - 1
    meta = bits // 8 << 8 | bits % 8
    assert literal("bit", 16, value.to_bytes((bits + 7) // 8, "big"), meta) == str(value).encode()


def test_the_longest_decimals() -> None:
    groups = struct.pack(">I", 999_999_999)
    # 35 digits before the point: eight in four bytes and three groups; 30 behind it: three groups and three digits.
    raw = b"\x85\xf5\xe0\xff" + groups * 3 + groups * 3 + b"\x03\xe7"
    assert literal("decimal", 246, raw, 65 | 30 << 8) == b"9" * 35 + b"." + b"9" * 30
    turned = bytes(byte ^ 0xFF for byte in raw)
    assert literal("decimal", 246, turned, 65 | 30 << 8) == b"-" + b"9" * 35 + b"." + b"9" * 30


def wide_map(count: int) -> bytes:
    number = (1).to_bytes(6, "little") + b"\1\0" + b"\x01s\0\x01t\0"
    head = b"\xfc" + struct.pack("<H", count)
    return made(19, number + head + b"\x01" * count + b"\0" + b"\xff" * ((count + 7) // 8))


def wide_rows(count: int, images: bytes, *, logged: int | None = None) -> bytes:
    head = (1).to_bytes(6, "little") + b"\1\0\2\0" + b"\xfc" + struct.pack("<H", count)
    bits = (1 << count) - 1 if logged is None else logged
    return made(30, head + bits.to_bytes((count + 7) // 8, "little") + images)


@pytest.mark.parametrize("count", [251, 252, 255, 256, 1017, 4095, 4096])
def test_rows_of_up_to_4096_columns(count: int) -> None:
    names = ("tinyint",) * count
    nulls = sum(1 << place for place in range(0, count, 3))
    values = bytes(place % 100 for place in range(count) if place % 3)
    image = nulls.to_bytes((count + 7) // 8, "little") + values
    [event] = events_of(wide_map(count), wide_rows(count, image * 2), names=names)
    assert isinstance(event, RowsEvent)
    expected = tuple(str(place % 100).encode() if place % 3 else b"NULL" for place in range(count))
    assert event.rows == [expected, expected]
    with pytest.raises(DMError, match="binlog_row_image"):
        events_of(wide_map(count), wide_rows(count, image, logged=(1 << count - 1) - 1), names=names)


def _lengths() -> Iterator[Any]:
    for size in range(1, 5):
        for length in (0, 255, 256, 65_535, 65_536, (1 << 24) - 1, 1 << 24):
            if length < 1 << 8 * size:
                yield pytest.param(size, length, marks=[pytest.mark.slow] if length > 65_536 else [])


@pytest.mark.parametrize(("size", "length"), list(_lengths()))
def test_blobs_with_lengths_in_each_number_of_bytes(size: int, length: int) -> None:
    image = b"\0" + length.to_bytes(size, "little") + b"a" * length
    [event] = events_of(table_map(b"\xfc", bytes((size,))), rows(image, columns=1), names=("longblob",))
    assert isinstance(event, RowsEvent)
    [(value,)] = event.rows
    assert value == (b"x'" + b"61" * length + b"'" if length else b"''")


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_blob_longer_than_its_event_is_damage(size: int) -> None:
    image = b"\0" + b"\xff" * size + b"a" * 100
    with pytest.raises(DMError, match="column 1 reaches beyond"):
        events_of(table_map(b"\xfc", bytes((size,))), rows(image, columns=1), names=("longblob",))


def nested(depth: int) -> bytes:
    """`depth` arrays, one in the other."""
    raw = b"\x02\x00\x00\x04\x00"
    for _ in range(depth - 1):
        raw = b"\x02\x01\x00" + struct.pack("<H", 7 + len(raw) - 1) + b"\x02\x07\x00" + raw[1:]
    return raw


def test_json_is_read_to_the_depth_that_servers_allow() -> None:
    assert json_text(nested(100)) == "[" * 100 + "]" * 100
    with pytest.raises(BadJson, match="nested too deeply"):
        json_text(nested(102))
    with pytest.raises(BadJson):
        json_text(nested(3000))
