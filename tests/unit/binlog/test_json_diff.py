"""Differences of JSON documents: what they change, and what those that do not fit do."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.events import RowsEvent
from pkg.binlog.json_diff import changed_text, parse_path
from pkg.errors import DMError
from tests.golden.made_events import PARTIAL_UPDATE_ROWS, events_of, rows, table_map

REPLACE, INSERT, REMOVE = 0, 1, 2
ONE, TEXT = b"\x05\x01\x00", b"\x0c\x02\xc3\xbc"
LIST = b"\x02\x02\x00\x0a\x00\x05\x07\x00\x05\x08\x00"  # [7, 8]
OBJECT = b"\x00\x01\x00\x0c\x00\x0b\x00\x01\x00\x05\x07\x00a"  # {"a": 7}


def diff(operation: int, path: str, value: bytes = b"") -> bytes:
    head = bytes((operation,)) + packed(path.encode())
    return head if operation == REMOVE else head + packed(value)


def packed(raw: bytes) -> bytes:
    return (bytes((len(raw),)) if len(raw) < 251 else b"\xfc" + struct.pack("<H", len(raw))) + raw


@pytest.mark.parametrize(
    ("document", "changes", "text"),
    [
        (LIST, b"", "[7, 8]"),
        (LIST, diff(REPLACE, "$[1]", TEXT), '[7, "ü"]'),
        (LIST, diff(REPLACE, "$[last-1]", LIST), "[[7, 8], 8]"),
        (LIST, diff(INSERT, "$[0]", ONE), "[1, 7, 8]"),
        (LIST, diff(INSERT, "$[9]", ONE), "[7, 8, 1]"),
        (LIST, diff(REMOVE, "$[last]"), "[7]"),
        (LIST, diff(REPLACE, "$[0]", OBJECT) + diff(REMOVE, "$[0].a"), "[{}, 8]"),
        (OBJECT, diff(INSERT, '$."\\u00e9 \\"x"', ONE) + diff(INSERT, "$.Z", LIST), None),
        (OBJECT, diff(REPLACE, "$.a", LIST) + diff(INSERT, "$ . a [ 2 ]", ONE), '{"a": [7, 8, 1]}'),
    ],
)
def test_changes_are_applied_in_order(document: bytes, changes: bytes, text: str | None) -> None:
    # Members stand by length of their names in bytes, then by bytes.
    assert changed_text(document, changes) == (text or '{"Z": [7, 8], "a": 7, "é \\"x": 1}')


@pytest.mark.parametrize(
    "changes",
    [
        diff(REPLACE, "$", ONE),
        diff(REPLACE, "$[2]", ONE),
        diff(REPLACE, "$.a", ONE),
        diff(REMOVE, "$[2]"),
        diff(REMOVE, "$[0][0]"),
        diff(REMOVE, "$[last-2]"),
        diff(INSERT, "$.a", ONE),
        diff(INSERT, "$[0].a", ONE),
        diff(REPLACE, "$[*]", ONE),
        diff(REPLACE, "$**.a", ONE),
        diff(REPLACE, "a", ONE),
        diff(REPLACE, "$[0]", b"\x05"),
        diff(REPLACE, "$[0]", b"\x02\xff\xff\x04\x00"),
        diff(REMOVE, "$[" + "9" * 200 + "]"),
        diff(REMOVE, "$[0]" + "[0]" * 60),
        diff(3, "$[0]", ONE),
        diff(REPLACE, "$[0]", ONE)[:-1],
        diff(REMOVE, "$[0]")[:-1],
        b"\x00",
        b"\x00\xfc",
        b"\x00\xff\x00",
        diff(REMOVE, '$."\\ud83d"'),
    ],
)
def test_changes_that_do_not_fit_are_damage(changes: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        changed_text(LIST, changes)


def test_documents_do_not_grow_deeper_than_servers_allow() -> None:
    nested = LIST
    for _ in range(28):
        nested = b"\x02\x01\x00" + struct.pack("<H", 7 + len(nested) - 1) + b"\x02\x07\x00" + nested[1:]
    steps = [diff(REPLACE, "$[0]" + "[0]" * 29 * step, nested) for step in range(4)]
    assert changed_text(LIST, b"".join(steps[:3])).startswith("[" * 88 + "7")
    with pytest.raises(ValueError, match="nested too deeply"):
        changed_text(LIST, b"".join(steps))


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b"\0", b"\1", b"\2", b"\4$[0]", b"\3$.a", ONE, LIST])).map(b"".join)
)
def test_any_changes_give_a_document_or_an_error(changes: bytes) -> None:
    with contextlib.suppress(ValueError, IndexError):  # anything else that is raised fails the test
        assert changed_text(LIST, changes)


@given(st.lists(st.text(st.characters(codec="utf-8")) | st.integers(0, 2**31), min_size=1, max_size=5))
def test_paths_are_read_as_servers_write_them(legs: list[str | int]) -> None:
    def quoted(name: str) -> str:
        return '"' + "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n"}.get(char, char) for char in name) + '"'

    text = "$" + "".join(f"[{leg}]" if isinstance(leg, int) else "." + quoted(leg) for leg in legs)
    assert parse_path(text) == tuple(legs)


JSON_TABLE = table_map(b"\x03\xf5\xf5", b"\x04\x04")
NAMES = ("int", "json", "json")


def counted(raw: bytes) -> bytes:
    return struct.pack("<I", len(raw)) + raw


def partial(images: bytes) -> bytes:
    return rows(images, code=PARTIAL_UPDATE_ROWS, columns=3)


BEFORE = b"\x04" + b"\x05\0\0\0" + counted(LIST)  # the second document is NULL


def images_of(images: bytes) -> list[tuple[bytes, ...]]:
    [event] = events_of(JSON_TABLE, partial(images), names=NAMES)
    assert isinstance(event, RowsEvent)
    assert event.kind == "update"
    return event.rows


def test_the_image_after_an_update_has_the_whole_document() -> None:
    after = b"\x01\x01" + b"\x00" + b"\x05\0\0\0" + counted(diff(REMOVE, "$[0]")) + counted(OBJECT)
    same = b"\x01\x01" + b"\x04" + b"\x06\0\0\0" + counted(b"")
    plain = b"\x00" + b"\x04" + b"\x07\0\0\0" + counted(OBJECT)
    assert images_of(BEFORE + after + BEFORE + same + BEFORE + plain) == [
        (b"5", b"'[7, 8]'", b"NULL"),
        (b"5", b"'[8]'", b"'{\"a\": 7}'"),
        (b"5", b"'[7, 8]'", b"NULL"),
        (b"6", b"'[7, 8]'", b"NULL"),
        (b"5", b"'[7, 8]'", b"NULL"),
        (b"7", b"'{\"a\": 7}'", b"NULL"),
    ]


@pytest.mark.parametrize(
    "after",
    [
        b"",
        b"\x01",
        b"\x01\x01",
        b"\x02\x01\x04\x05\0\0\0" + counted(b""),
        b"\x01\x02\x00\x05\0\0\0" + counted(LIST) + counted(b""),
        b"\x01\x01\x04\x05\0\0\0" + counted(diff(REMOVE, "$[2]")),
        b"\x01\x01\x04\x05\0\0\0" + counted(diff(REMOVE, "$[1]"))[:-1],
        b"\xfb",
        b"\xfe",
    ],
)
def test_a_partial_update_that_does_not_fit_is_damage_of_its_table(after: bytes) -> None:
    with pytest.raises(DMError, match=r"damaged at made.000001:\d+, PARTIAL_UPDATE_ROWS of s.t"):
        images_of(BEFORE + after)


@given(st.binary(max_size=40))
def test_any_bytes_of_a_partial_update_are_rows_or_an_error(after: bytes) -> None:
    with contextlib.suppress(DMError):  # anything else that is raised fails the test
        assert images_of(BEFORE + after)
