"""Text result sets become the lines of LOAD DATA, whatever the pieces in which they arrive."""

from __future__ import annotations

import struct
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.rows.load_lines import LineBuilder
from pkg.rows.text_protocol import BrokenResult, ServerError
from tests.unit.rows.test_text_protocol import (
    BINARY,
    BLOB,
    EOF,
    INT,
    LONG_TEXT,
    UTF8MB4,
    VARCHAR,
    VECTOR,
    packet,
    result,
)

Row = list[bytes | None]
WIDE = 1 << 17  # a row above this leaves before it is complete
MEGABYTE = 1 << 20


def blocks(
    stream: bytes, *, piece: int = 1 << 16, rows: int = 1000, size: int = 4096, vectors_as_text: bool = True
) -> list[tuple[bytes, bool]]:
    builder = LineBuilder(rows, size, vectors_as_text)
    found = [one for at in range(0, len(stream), piece) for one in builder.feed(stream[at : at + piece])]
    assert builder.finished
    return found


def lines(stream: bytes, **options: Any) -> bytes:
    return b"".join(block for block, _ in blocks(stream, **options))


def read(text: bytes) -> list[Row]:
    """What a server reads: each byte behind a backslash is itself, or what its letter means."""
    rows: list[Row] = []
    row: Row = []
    value, is_null, marks = bytearray(), False, iter(text)
    for byte in marks:
        if byte == 0x5C:
            letter = next(marks)
            is_null = letter == ord("N") and not value
            value.append({ord("t"): 9, ord("n"): 10}.get(letter, letter))
        elif byte in (9, 10):
            row.append(None if is_null else bytes(value))
            value, is_null = bytearray(), False
            if byte == 10:
                rows.append(row)
                row = []
        else:
            value.append(byte)
    assert not value + b"".join(one or b"x" for one in row), "the last line has no end"
    return rows


def test_values_pass_as_they_are_but_for_what_ends_them() -> None:
    row: Row = [b"-7", b"it's \\ \0\t\n\r\x1a\"", b"", None, b"\\N", b"N"]
    columns = [
        (INT, BINARY),
        (VARCHAR, UTF8MB4),
        (BLOB, BINARY),
        (VARCHAR, UTF8MB4),
        (VARCHAR, UTF8MB4),
        (BLOB, BINARY),
    ]
    assert lines(result(columns, [row])) == b"-7\tit's \\\\ \0\\t\\n\r\x1a\"\t\t\\N\t\\\\N\tN\n"


def test_every_byte_passes() -> None:
    every = bytes(range(256))
    assert read(lines(result([(BLOB, BINARY)], [[every]]))) == [[every]]


@pytest.mark.parametrize("padding", [0, WIDE])
def test_vectors_are_text_for_tidb_and_bytes_for_others(padding: int) -> None:
    raw = struct.pack("<2f", 1, -0.1)
    stream = result([(VECTOR, BINARY), (LONG_TEXT, BINARY), (VECTOR, BINARY)], [[raw, b"x" * padding, None]])
    assert read(lines(stream)) == [[b"[1,-0.1]", b"x" * padding, None]]
    assert read(lines(stream, vectors_as_text=False)) == [[raw, b"x" * padding, None]]


@pytest.mark.parametrize("value", [b"abc", struct.pack("<f", float("nan"))])
def test_a_vector_that_is_none_is_a_broken_result(value: bytes) -> None:
    with pytest.raises(BrokenResult, match="a VECTOR has"):
        lines(result([(VECTOR, BINARY)], [[value]]))


def test_no_rows_make_no_block() -> None:
    assert blocks(result([(INT, BINARY)], [])) == []


def test_statements_end_by_rows_and_blocks_by_bytes() -> None:
    stream = result([(VARCHAR, UTF8MB4)], [[b"x" * 99]] * 10)
    assert [(len(block), ends) for block, ends in blocks(stream, rows=4)] == [(400, True), (400, True), (200, True)]
    parts = blocks(stream, size=200, piece=1)
    assert [(len(block), ends) for block, ends in parts] == [(200, False)] * 4 + [(200, False)]
    assert [ends for _, ends in blocks(stream, rows=10)] == [True]


_values = st.one_of(st.none(), st.binary(max_size=300), st.sampled_from([b"\t\n\\" * 45_000, b"w" * WIDE]))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(_values, min_size=2, max_size=2), max_size=6),
    piece=st.integers(1, 70_000),
    per_statement=st.integers(1, 4),
)
def test_the_pieces_in_which_bytes_arrive_do_not_matter(rows: list[Row], piece: int, per_statement: int) -> None:
    stream = result([(VARCHAR, UTF8MB4), (BLOB, BINARY)], rows)
    found = blocks(stream, piece=max(piece, len(stream) // 500), rows=per_statement)
    assert read(b"".join(block for block, _ in found)) == rows
    assert sum(ends for _, ends in found) == -(-len(rows) // per_statement)


@pytest.mark.parametrize(
    ("size", "piece"), [(0xFFFFFF - 4, 1 << 18), (0xFFFFFF - 3, 1 << 25), ((17 << 20) + 5, 1 << 18)]
)
def test_a_row_of_more_than_16_megabytes_comes_in_several_packets(size: int, piece: int) -> None:
    value = (b"ab\tc" * (size // 4 + 1))[:size]
    text = lines(result([(LONG_TEXT, UTF8MB4)], [[value], [b"next"]]), piece=piece)
    assert text == value.replace(b"\t", b"\\t") + b"\nnext\n"


def test_a_wide_row_never_needs_its_size_in_memory() -> None:
    stream = result([(LONG_TEXT, UTF8MB4)] * 2, [[b"\t" * (16 * MEGABYTE)] * 2])
    builder, seen = LineBuilder(1000, 1 << 18, False), 0
    tracemalloc.start()
    for at in range(0, len(stream), 1 << 18):
        seen += sum(len(block) for block, _ in builder.feed(stream[at : at + (1 << 18)]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert builder.finished
    assert seen == 2 * 2 * 16 * MEGABYTE + 2
    assert peak < 8 * MEGABYTE


def test_rows_and_bytes_are_counted() -> None:
    builder = LineBuilder(1000, 4096, False)
    builder.feed(result([(VARCHAR, UTF8MB4)], [[b"abc"], [b"x" * WIDE]]))
    assert (builder.rows, builder.value_bytes) == (2, 4 + 4 + WIDE)


def test_an_error_in_the_middle_keeps_its_number() -> None:
    stream = result([(INT, BINARY)], [[b"1"]])[:-9] + packet(b"\xff\x25\x05#70100Query was interrupted")
    with pytest.raises(ServerError, match="interrupted") as caught:
        lines(stream)
    assert caught.value.number == 1317


@given(st.integers(0, 200), st.binary(min_size=1, max_size=3), st.booleans())
def test_damage_is_noticed_and_never_read_beyond(at: int, damage: bytes, is_wide: bool) -> None:
    last = b"x" * (WIDE if is_wide else 60)
    stream = bytearray(result([(INT, BINARY), (VARCHAR, UTF8MB4)], [[b"1", b"text"], [None, last]]))
    stream[at : at + len(damage)] = damage
    builder = LineBuilder(10, 1000, True)
    with suppress(BrokenResult, ServerError):
        builder.feed(bytes(stream))


@pytest.mark.parametrize(
    "row", [b"\x05abc", b"\x01a\x01b\x01c", b"\x01a", b"\xfc\xff", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\0"]
)
@pytest.mark.parametrize("padding", [0, WIDE])
def test_a_row_that_does_not_match_its_columns_is_refused(row: bytes, padding: int) -> None:
    columns = [(LONG_TEXT, UTF8MB4)] * (3 if padding else 2)
    before = b"\xfd" + struct.pack("<I", padding)[:3] + b"x" * padding if padding else b""
    stream = result(columns, [])[: -len(packet(EOF))] + packet(before + row)
    with pytest.raises(BrokenResult):
        LineBuilder(10, 1000, True).feed(stream)
