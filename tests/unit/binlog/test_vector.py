"""VECTOR values: their literals have the same bits on every target."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.events import RowsEvent
from pkg.binlog.vector import vector_literal, vector_text, vector_values
from pkg.errors import DMError
from tests.golden.made_events import events_of, rows, table_map

FLOATS = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20)


@given(FLOATS)
def test_text_and_bytes_have_the_same_bits(values: list[float]) -> None:
    raw = struct.pack(f"<{len(values)}f", *values)
    doubles = [float(text) for text in vector_text(raw).decode()[1:-1].split(",")]
    assert max(map(abs, doubles)) <= 3.4028234663852886e38  # TiDB compares before it rounds
    assert struct.pack(f"<{len(values)}f", *doubles) == raw == struct.pack(f"<{len(values)}f", *vector_values(raw))


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "1"), (-0.0, "-0"), (0.1, "0.1"), (1 / 3, "0.33333334"), (16777217, "16777216"), (1e-45, "1.4013e-45")],
)
def test_text_is_short(value: float, text: str) -> None:
    assert vector_text(struct.pack("<f", value)) == f"[{text}]".encode()


def test_a_row_has_a_literal_for_mysql_and_for_tidb() -> None:
    value = struct.pack("<2f", 1, 2.5)
    [event] = events_of(table_map(b"\xf2", b"\x04"), rows(b"\0\x08\0\0\0" + value, columns=1), names=("vector",))
    assert isinstance(event, RowsEvent)
    assert event.rows == [(b"COALESCE(/*T! '[1,2.5]', */ x'0000803f00002040')",)]
    assert event.rows == [(vector_literal(value),)]


@pytest.mark.parametrize("value", [b"abc", struct.pack("<f", float("inf")), struct.pack("<f", float("nan"))])
def test_bytes_that_are_no_vector_are_damage(value: bytes) -> None:
    image = b"\0" + struct.pack("<I", len(value)) + value
    with pytest.raises(DMError, match=r"WRITE_ROWS of s.t: a VECTOR has"):
        events_of(table_map(b"\xf2", b"\x04"), rows(image, columns=1), names=("vector",))


def test_a_vector_counts_among_the_columns_with_a_character_set() -> None:
    value = struct.pack("<f", 1)
    default = b"\x02\x03\x08\x00\x3f"  # latin1, but for the first one: binary
    layout = table_map(b"\xf2\x0f", b"\x04\x50\x00", optional=default)
    image = rows(b"\0\x04\0\0\0" + value + b"\x01\xe4", columns=2)
    [event] = events_of(layout, image, names=("vector", "varchar"))
    assert isinstance(event, RowsEvent)
    assert event.rows == [(vector_literal(value), "'ä'".encode())]
