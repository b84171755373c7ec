"""The reader of dump files against a slow, obvious writer and reader: any text, any cut, any stop between."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.rows.insert_reader import InsertReader
from pkg.rows.insert_text import BadData
from pkg.rows.row_writer import BINARY, BITS, TEXT, Layout

pytestmark = pytest.mark.slow

_HEADERS = (
    "",
    "/*!40101 SET NAMES binary*/;\n/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n",
    "-- it's a comment; (\n# more'\n",
)
_SEPARATORS = (",", ", ", ",\n", "\n, ")
_NAMED = {0: "0", 8: "b", 10: "n", 13: "r", 9: "t", 26: "Z"}


@st.composite
def _string(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A quoted literal and its bytes."""
    quote = draw(st.sampled_from((b"'", b'"')))
    text = bytearray(quote)
    value = bytearray()
    for byte in draw(st.binary(max_size=12)) + draw(
        st.sampled_from((b"", b"'\\\"", b"\t\n\0\\N", b"\\N", b";\nINSERT"))
    ):
        value.append(byte)
        kind = draw(st.integers(0, 2))
        if byte in _NAMED and kind:
            text += b"\\" + _NAMED[byte].encode()
        elif byte == quote[0]:
            text += quote + quote if kind else b"\\" + quote
        elif byte == 92 or (kind == 2 and byte not in b"0bnrtZ%_"):
            text += b"\\" + bytes((byte,))
        else:
            text.append(byte)
    if draw(st.booleans()):
        text += rb"\%\_"
        value += rb"\%\_"
    return bytes(text + quote), bytes(value)


def _bytes_literal(value: bytes) -> st.SearchStrategy[tuple[bytes, bytes]]:
    forms = [f"x'{value.hex()}'".encode(), f"X'{value.hex().upper()}'".encode()]
    if value:
        bits = "".join(f"{byte:08b}" for byte in value)
        short = bits.lstrip("0") if value[0] else bits
        forms += [f"0x{value.hex()}".encode(), f"b'{bits}'".encode(), f"0b{short}".encode()]
    return st.sampled_from([(form, value) for form in forms])


_NUMBER = st.one_of(
    st.integers(-(2**63), 2**64).map(str), st.sampled_from(("0", "-1.50", "1e-7", "00012", "+.5", "2E+10"))
)
_LITERAL = st.one_of(
    st.just((b"NULL", None)),
    st.just((b"null", None)),
    _NUMBER.map(lambda text: (text.encode(), text.encode())),
    _string(),
    st.binary(max_size=9).flatmap(_bytes_literal),
    _string().map(lambda pair: (b"_binary " + pair[0], pair[1])),
    _string().map(lambda pair: (b"_utf8mb4" + pair[0], pair[1])),
    _string().map(lambda pair: (b"CONVERT(" + pair[0] + b" USING UTF8MB4)", pair[1])),
)


@st.composite
def _file(draw: st.DrawFn) -> tuple[bytes, list[list[bytes | None]]]:
    """A data file and its rows."""
    width = draw(st.integers(1, 4))
    text, rows = draw(st.sampled_from(_HEADERS)).encode(), list[list[bytes | None]]()
    for _ in range(draw(st.integers(0, 3))):
        columns = draw(st.sampled_from(("", " (" + ",".join(f"`c``{i}`" for i in range(width)) + ")")))
        verb = draw(st.sampled_from(("INSERT INTO", "REPLACE INTO", "insert ignore into")))
        text += f"{verb} `t(x` {columns} VALUES{draw(st.sampled_from(('', ' ', chr(10))))}".encode()
        made = draw(st.lists(st.lists(_LITERAL, min_size=width, max_size=width), min_size=1, max_size=4))
        separator = draw(st.sampled_from(_SEPARATORS)).encode()
        text += separator.join(b"(" + b",".join(one[0] for one in row) + b")" for row in made)
        text += draw(st.sampled_from((b";\n", b" ; ", b"\n;")))
        rows += [[one[1] for one in row] for row in made]
    return text, rows


def _layout(table: str, columns: tuple[str, ...] | None, names: str) -> Layout:
    assert table == "t(x"
    assert columns is None or columns == tuple(f"c`{i}" for i in range(len(columns)))
    assert names == "binary"
    return _layouts[-1]


_layouts: list[Layout] = []


def _plain(width: int, prefix: bytes = b"") -> Layout:
    return Layout(bytes([TEXT] * width), ("",) * width, prefix)


def _read_lines(lines: bytes) -> list[list[bytes | None]]:
    """What LOAD DATA makes of lines, by its manual."""
    unescaped = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}
    rows = []
    for line in re.findall(rb"((?:[^\\\n]|\\.)*)\n", lines, re.DOTALL):
        fields = re.findall(rb"(?:^|\t)((?:[^\\\t]|\\.)*)", line, re.DOTALL)
        rows.append([
            None if field == rb"\N"
            else re.sub(rb"\\(.)", lambda m: unescaped.get(m[1], m[1]), field, flags=re.DOTALL)
            for field in fields
        ])  # fmt: skip
    return rows


def _cut(text: bytes, sizes: list[int]) -> list[bytes]:
    pieces = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


@settings(max_examples=100, deadline=None)
@given(_file(), st.lists(st.integers(0, 40), max_size=30), st.integers(1, 5), st.integers(1, 200))
def test_any_file_in_any_cut_gives_its_rows(
    made: tuple[bytes, list[list[bytes | None]]], sizes: list[int], max_rows: int, max_bytes: int
) -> None:
    text, rows = made
    _layouts.append(_plain(len(rows[0]) if rows else 1))
    reader = InsertReader(_layout, max_rows, max_bytes)
    blocks = [block for piece in _cut(text, sizes) for block in reader.feed(piece)] + reader.finish()
    assert _read_lines(b"".join(lines for _, lines, _ in blocks)) == rows
    assert sum(count for _, _, count in blocks) == len(rows) == reader.rows
    assert all(count <= max_rows for _, _, count in blocks)


@settings(max_examples=100, deadline=None)
@given(_file(), st.lists(st.integers(1, 40), max_size=30))
def test_another_reader_goes_on_from_any_place(made: tuple[bytes, list[list[bytes | None]]], sizes: list[int]) -> None:
    text, rows = made
    _layouts.append(_plain(len(rows[0]) if rows else 1))
    reader = InsertReader(_layout, 100, 1 << 20)
    lines, given_bytes = b"", 0
    for piece in _cut(text, sizes):
        lines += b"".join(block[1] for block in reader.feed(piece) + reader.flush())
        given_bytes += len(piece)
        place = reader.place
        assert place.rows == len(_read_lines(lines))
        reader = InsertReader(_layout, 100, 1 << 20, place)
        lines += b"".join(block[1] for block in reader.feed(text[place.offset : given_bytes]) + reader.flush())
    lines += b"".join(block[1] for block in reader.finish())
    assert _read_lines(lines) == rows


@settings(max_examples=100, deadline=None)
@given(_file(), st.data())
def test_a_file_that_is_cut_short_is_an_error_or_ends_between_statements(
    made: tuple[bytes, list[list[bytes | None]]], data: st.DataObject
) -> None:
    text, rows = made
    _layouts.append(_plain(len(rows[0]) if rows else 1))
    cut = data.draw(st.integers(0, len(text)))
    reader = InsertReader(_layout, 100, 1 << 20)
    try:
        blocks = reader.feed(text[:cut]) + reader.finish()
    except BadData:
        return
    assert _read_lines(b"".join(block[1] for block in blocks)) == rows[: reader.rows]
    assert reader.place.names == "binary"


@settings(max_examples=100, deadline=None)
@given(_file(), st.lists(st.integers(0, 40), max_size=30))
def test_statements_read_again_give_the_same_rows(
    made: tuple[bytes, list[list[bytes | None]]], sizes: list[int]
) -> None:
    """What is written as INSERT statements is a dump again."""
    text, rows = made
    width = len(rows[0]) if rows else 1
    modes = bytes((TEXT, BINARY, BITS, TEXT)[:width])
    _layouts.append(Layout(modes, ("",) * width, b"INSERT INTO `t(x` VALUES "))
    reader = InsertReader(_layout, 3, 100)
    blocks = [block for piece in _cut(text, sizes) for block in reader.feed(piece)] + reader.finish()
    _layouts.append(_plain(width))
    again = InsertReader(_layout, 100, 1 << 20)
    lines = [block for _, statement, _ in blocks for block in again.feed(statement + b";")] + again.finish()
    assert _read_lines(b"".join(block[1] for block in lines)) == rows


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.integers(0, 60))
def test_nonsense_is_refused_and_breaks_nothing(text: bytes, cut: int) -> None:
    _layouts.append(_plain(2))
    reader = InsertReader(_layout, 3, 100)
    try:
        reader.feed(b"INSERT INTO `t(x` VALUES (1,")
        reader.feed(text[:cut])
        reader.feed(text[cut:])
        reader.finish()
    except BadData:
        pass
