"""Binary JSON: what it says, and what hostile bytes do."""

from __future__ import annotations

import contextlib
import math
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.json_binary import BadJson, double_text, inexact_number, json_text
from tests.servers import RunningServer


def small_array(*entries: bytes, values: bytes = b"") -> bytes:
    size = 4 + 3 * len(entries) + len(values)
    return b"\x02" + struct.pack("<HH", len(entries), size) + b"".join(entries) + values


def test_an_empty_value_is_null() -> None:
    assert json_text(b"") == "null"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x04\x00", "null"),
        (b"\x04\x01", "true"),
        (b"\x05\xff\xff", "-1"),
        (b"\x06\xff\xff", "65535"),
        (b"\x0a" + b"\xff" * 8, "18446744073709551615"),
        (b"\x0b" + struct.pack("<d", 0.1), "0.1"),
        (b"\x0b" + struct.pack("<d", 2.0), "2.0"),
        (b"\x0b" + struct.pack("<d", 1e20), "1e20"),
        (b'\x0c\x03a"\n', r'"a\"\n"'),
        (b"\x0f\xfc\x02\x01\x02", '"base64:type252:AQI="'),
        (small_array(b"\x05\x07\x00", b"\x04\x00\x00"), "[7, null]"),
    ],
)
def test_values_are_printed_as_the_server_prints_them(raw: bytes, text: str) -> None:
    assert json_text(raw) == text


def test_a_document_that_contains_itself_is_refused() -> None:
    with pytest.raises(BadJson):
        json_text(small_array(b"\x02\x00\x00", b"\x02\x00\x00"))


def test_a_value_that_many_entries_share_is_refused() -> None:
    shared = b"\x64" + b"x" * 100
    with pytest.raises(BadJson, match="twice"):
        json_text(small_array(*[b"\x0c" + struct.pack("<H", 4 + 3 * 50)] * 50, values=shared))


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(BadJson, match="not finite"):
        json_text(b"\x0b" + struct.pack("<d", float("inf")))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_document_or_an_error(raw: bytes) -> None:
    with contextlib.suppress(BadJson):  # anything else that is raised fails the test
        assert json_text(raw)


def _doubles() -> list[float]:
    """Bounds, powers of ten and what is beside them, large numbers with a fraction, random bits."""
    rng = random.Random(20)
    found = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, 2.0**63, 2.0**64]
    for exponent in range(-324, 309):
        found += [
            float(f"{mantissa}e{exponent}") for mantissa in ("1", "-1", "9.999999999999999", "1.2345678901234567")
        ]
    found += [rng.uniform(-1, 1) * 10.0 ** rng.randint(-18, 18) for _ in range(10_000)]
    found += [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(10_000)]
    return [number for number in found if math.isfinite(number)]


def test_doubles_are_printed_as_mysql_prints_them(mysql: RunningServer) -> None:
    doubles = _doubles()
    with mysql.connect() as connection, connection.cursor() as cursor:
        for at in range(0, len(doubles), 1000):
            part = doubles[at : at + 1000]
            cursor.execute(f"SELECT CAST(JSON_ARRAY({', '.join(f'{number:.17e}' for number in part)}) AS CHAR)")
            assert cursor.fetchone() == (f"[{', '.join(map(double_text, part))}]",)


@pytest.mark.parametrize("size", [1, 56, 57, 58, 200])
def test_bytes_are_printed_as_mysql_prints_them(size: int, mysql: RunningServer) -> None:
    value = random.Random(size).randbytes(size)
    raw = b"\x0f\x0f" + (bytes((size,)) if size < 128 else bytes((size % 128 + 128, size // 128))) + value
    with mysql.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT CAST(CAST(x'{value.hex()}' AS JSON) AS CHAR)")
        assert cursor.fetchone() == (json_text(raw),)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('{"p": 1234567890123.123456789}', "1234567890123.123456789"),
        ("[1.10, -12345678901234567890123]", "-12345678901234567890123"),
        ('[1, {"a": 0.1234567890123456789}]', "0.1234567890123456789"),
        ("[18446744073709551615, -9223372036854775808, 1.10, 100000000000000000000, 2.5000000000000000000]", ""),
        ("[1.2345678901234568e22, 0.12345678901234568, 1e20]", ""),
        (r'{"1234567890123.123456789": "1234567890123.123456789 \" 1234567890123.123456789"}', ""),
        (r'["\\", 1234567890123.123456789]', "1234567890123.123456789"),
    ],
)
def test_a_number_that_no_double_holds_is_found(text: str, number: str) -> None:
    assert inexact_number(text) == number
