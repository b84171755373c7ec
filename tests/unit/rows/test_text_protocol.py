"""Text result sets become statements, whatever the pieces in which they arrive."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.rows.text_protocol import BrokenResult, ServerError, StatementBuilder

INT, VARCHAR, BLOB, BIT, DOUBLE, DATETIME, JSON, LONG_TEXT, VECTOR = 3, 253, 252, 16, 5, 12, 245, 252, 242
UTF8MB4, BINARY = 45, 63
EOF = b"\xfe\0\0\x02\0"


def packet(payload: bytes) -> bytes:
    """One payload as the packets that carry it."""
    pieces = b""
    while len(payload) >= 0xFFFFFF:
        pieces += b"\xff\xff\xff\0" + payload[:0xFFFFFF]
        payload = payload[0xFFFFFF:]
    return pieces + struct.pack("<I", len(payload))[:3] + b"\0" + payload


def text(value: bytes | None) -> bytes:
    if value is None:
        return b"\xfb"
    size = len(value)
    if size < 251:
        return bytes([size]) + value
    if size < 1 << 16:
        return b"\xfc" + struct.pack("<H", size) + value
    if size < 1 << 24:
        return b"\xfd" + struct.pack("<I", size)[:3] + value
    return b"\xfe" + struct.pack("<Q", size) + value


def definition(kind: int, collation: int) -> bytes:
    names = b"\x03def" + text(b"shop") + text(b"t") * 2 + text(b"c") * 2
    return packet(names + b"\x0c" + struct.pack("<HIBHBH", collation, 20, kind, 0, 0, 0))


def result(columns: list[tuple[int, int]], rows: list[list[bytes | None]]) -> bytes:
    head = packet(bytes([len(columns)])) + b"".join(definition(*column) for column in columns) + packet(EOF)
    return head + b"".join(packet(b"".join(map(text, row))) for row in rows) + packet(EOF)


def built(stream: bytes, *, piece: int = 1 << 16, rows: int = 1000, size: int = 1 << 20) -> list[tuple[bytes, int]]:
    builder = StatementBuilder(b"INSERT INTO t VALUES ", rows, size)
    statements = [one for at in range(0, len(stream), piece) for one in builder.feed(stream[at : at + piece])]
    assert builder.finished
    return statements


def test_values_are_written_by_the_type_of_their_column() -> None:
    columns = [
        (INT, BINARY),
        (VARCHAR, UTF8MB4),
        (VARCHAR, BINARY),
        (BIT, BINARY),
        (DOUBLE, BINARY),
        (DATETIME, BINARY),
        (JSON, BINARY),
    ]
    row: list[bytes | None] = [
        b"-7",
        b"it's \\ \0\n\r\x1a\"",
        b"\0\xff",
        b"\x05",
        b"-0",
        b"2024-01-01 00:00:00",
        b'{"a": "b\\n"}',
    ]
    literals = rb"""(-7,'it\'s \\ \0\n\r\Z"',x'00FF',x'05','-0','2024-01-01 00:00:00','{"a": "b\\n"}')"""
    assert built(result(columns, [row])) == [(b"INSERT INTO t VALUES " + literals, 1)]


def test_vectors_are_text_for_tidb_and_bytes_for_others() -> None:
    largest = struct.pack("<300f", *[-3.4028234663852886e38] * 300)
    stream = result(
        [(VECTOR, BINARY), (INT, BINARY)], [[struct.pack("<2f", 1, -0.1), b"1"], [None, b"2"], [largest, b"3"]]
    )
    last = b"[" + b",".join([b"-3.4028234663852886e+38"] * 300) + b"]"
    assert built(stream) == [
        (
            b"INSERT INTO t VALUES (COALESCE(/*T! '[1,-0.1]', */ x'0000803fcdccccbd'),1),(NULL,2),"
            b"(COALESCE(/*T! '" + last + b"', */ x'" + largest.hex().encode() + b"'),3)",
            3,
        )
    ]


@pytest.mark.parametrize("value", [b"abc", struct.pack("<f", float("nan"))])
def test_a_vector_that_is_none_is_a_broken_result(value: bytes) -> None:
    with pytest.raises(BrokenResult, match="a VECTOR has"):
        built(result([(VECTOR, BINARY)], [[value]]))


def test_null_and_empty_are_different() -> None:
    columns = [(VARCHAR, UTF8MB4), (BLOB, BINARY)]
    stream = result(columns, [[None, None], [b"", b""]])
    assert built(stream) == [(b"INSERT INTO t VALUES (NULL,NULL),('',x'')", 2)]


def test_no_rows_make_no_statement() -> None:
    assert built(result([(INT, BINARY)], [])) == []


def test_statements_end_by_rows_and_by_bytes() -> None:
    stream = result([(INT, BINARY)], [[b"1"]] * 5)
    assert [rows for _, rows in built(stream, rows=2)] == [2, 2, 1]
    wide = result([(VARCHAR, UTF8MB4)], [[b"x" * 400]] * 5)
    statements = built(wide, size=1000)
    assert [rows for _, rows in statements] == [2, 2, 1]
    assert all(len(statement) <= 1000 for statement, _ in statements)


@pytest.mark.slow
def test_a_row_of_more_than_16_megabytes_comes_in_several_packets() -> None:
    value = b"ab'c" * (9 << 20)
    [(statement, rows)] = built(result([(INT, BINARY), (LONG_TEXT, UTF8MB4)], [[b"1", value]]))
    assert rows == 1
    assert statement == b"INSERT INTO t VALUES (1,'" + value.replace(b"'", b"\\'") + b"')"


def test_a_payload_of_exactly_16_megabytes_ends_with_an_empty_packet() -> None:
    value = b"x" * (0xFFFFFF - 4)
    assert built(result([(LONG_TEXT, UTF8MB4)], [[value]])) == [(b"INSERT INTO t VALUES ('" + value + b"')", 1)]


@given(
    rows=st.lists(st.lists(st.one_of(st.none(), st.binary(max_size=300)), min_size=2, max_size=2), max_size=8),
    piece=st.integers(1, 400),
    per_statement=st.integers(1, 4),
)
def test_the_pieces_in_which_bytes_arrive_do_not_matter(
    rows: list[list[bytes | None]], piece: int, per_statement: int
) -> None:
    stream = result([(VARCHAR, UTF8MB4), (BLOB, BINARY)], rows)
    statements = built(stream, piece=piece, rows=per_statement)
    assert statements == built(stream, rows=per_statement)
    assert sum(count for _, count in statements) == len(rows)


def test_an_error_in_the_middle_keeps_its_number() -> None:
    stream = result([(INT, BINARY)], [[b"1"]])[:-9] + packet(b"\xff\x25\x05#70100Query was interrupted")
    with pytest.raises(ServerError, match="interrupted") as caught:
        built(stream)
    assert caught.value.number == 1317


@given(st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_damage_is_noticed_and_never_read_beyond(at: int, damage: bytes) -> None:
    stream = bytearray(result([(INT, BINARY), (VARCHAR, UTF8MB4)], [[b"1", b"text"], [None, b"x" * 60]]))
    stream[at : at + len(damage)] = damage
    builder = StatementBuilder(b"INSERT INTO t VALUES ", 10, 1000)
    with suppress(BrokenResult, ServerError):
        builder.feed(bytes(stream))


@pytest.mark.parametrize(
    "row", [b"\x05abc", b"\x01a\x01b\x01c", b"\x01a", b"\xfc\xff", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\0"]
)
def test_a_row_that_does_not_match_its_columns_is_refused(row: bytes) -> None:
    stream = result([(VARCHAR, UTF8MB4)] * 2, [])[: -len(packet(EOF))] + packet(row)
    with pytest.raises(BrokenResult):
        StatementBuilder(b"INSERT INTO t VALUES ", 10, 1000).feed(stream)
