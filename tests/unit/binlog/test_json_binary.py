"""Binary JSON: what it says, and what hostile bytes do."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.json_binary import BadJson, json_text


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
