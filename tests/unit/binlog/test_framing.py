"""Cutting bytes into events: packets and files, in any pieces, and what is no event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.decoder import MAGIC
from pkg.binlog.errors import DUPLICATE_SERVER_ID, PURGED, SERVER_ERROR, STREAM_ENDED, server_error
from pkg.binlog.events import RowsEvent
from pkg.errors import DMError
from tests.golden.made_events import (
    ONE_ROW,
    XID,
    drained,
    format_event,
    made,
    packets,
    query,
    reader,
    rows,
    table_map,
)

EVENTS = [
    format_event(),
    query(b"BEGIN"),
    table_map(),
    rows(ONE_ROW * 3),
    made(XID, bytes(8)),
    query(b"CREATE TABLE x"),
]


@given(st.lists(st.integers(0, 2000), max_size=20), st.sampled_from(["packets", "file"]))
def test_any_pieces_give_the_same_events(cuts: list[int], framing: str) -> None:
    whole = packets(EVENTS) if framing == "packets" else MAGIC + b"".join(EVENTS)
    at_once = reader(framing)
    at_once.feed(whole)
    in_pieces, events, at = reader(framing), [], 0
    for cut in [*sorted(cut % len(whole) for cut in cuts), len(whole)]:
        in_pieces.feed(memoryview(whole)[at:cut])
        events += drained(in_pieces)
        at = cut
    assert [repr(event) for event in events] == [repr(event) for event in drained(at_once)]
    assert len(events) == 4


@pytest.mark.slow
@pytest.mark.parametrize("size", [0xFFFFFF - 60, 0xFFFFFF, 2 * 0xFFFFFF + 5])
def test_an_event_of_several_packets_is_one_event(size: int) -> None:
    value = b"v" * size
    image = b"\x00\x05\x00\x00\x00" + size.to_bytes(4, "little") + value
    decoder = reader(names=("int", "longtext"))
    stream = packets([format_event(), table_map(b"\x03\xfc", b"\x04"), rows(image)])
    for at in range(0, len(stream), 1 << 20):
        decoder.feed(stream[at : at + (1 << 20)])
    event = drained(decoder)[-1]
    assert isinstance(event, RowsEvent)
    assert event.rows == [(b"5", b"'" + value + b"'")]


def test_an_event_whose_packets_fill_exactly_is_ended_by_an_empty_one() -> None:
    size = 0xFFFFFF - 1 - len(rows(b"\x00\x05\x00\x00\x00\0\0\0\0"))
    image = b"\x00\x05\x00\x00\x00" + size.to_bytes(4, "little") + b"v" * size
    decoder = reader(names=("int", "longtext"))
    decoder.feed(packets([format_event(), table_map(b"\x03\xfc", b"\x04"), rows(image), made(XID, bytes(8))]))
    assert [type(event).__name__ for event in drained(decoder)] == ["FormatEvent", "RowsEvent", "XidEvent"]


@pytest.mark.parametrize(
    ("number", "text", "kind"),
    [
        (1236, "Could not find first log file name in binary log index file", PURGED),
        (1236, "Cannot replicate because the source purged required binary logs.", PURGED),
        (1236, "A replica with the same server_uuid/server_id as this replica has connected", DUPLICATE_SERVER_ID),
        (1236, "log event entry exceeded max_allowed_packet", SERVER_ERROR),
        (1236, "I/O error reading log event", STREAM_ENDED),
        (1053, "Server shutdown in progress", STREAM_ENDED),
    ],
)
def test_an_error_of_the_server_is_told_by_what_it_means(number: int, text: str, kind: object) -> None:
    decoder = reader()
    error = b"\xff" + number.to_bytes(2, "little") + b"#HY000" + text.encode()
    decoder.feed(len(error).to_bytes(3, "little") + b"\0" + error)
    with pytest.raises(DMError) as raised:
        decoder.next()
    assert raised.value.kind == kind
    assert str(number) in raised.value.message
    assert text in raised.value.message


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (
            "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file a.1, position 4.",
            "enable-gtid: false",
        ),
        ("log event entry exceeded max_allowed_packet", "mend what the server names"),
        ("binlog truncated in the middle of event; consider out of disk space", "name the next file"),
    ],
)
def test_a_stream_by_gtid_that_meets_a_transaction_without_one_names_the_way(text: str, remedy: str) -> None:
    error = server_error(b"\xff\xd4\x04#HY000" + text.encode(), "a.1", 4)
    assert error.is_a(SERVER_ERROR)
    assert remedy in error.workaround


def test_the_end_of_the_stream_may_be_tried_again() -> None:
    decoder = reader()
    decoder.feed(b"\x05\0\0\0\xfe\0\0\0\0")
    with pytest.raises(DMError) as raised:
        decoder.next()
    assert raised.value.resumable


@pytest.mark.parametrize("size", [0, 18, (1 << 30) + (1 << 20), 0xFFFFFFFF])
def test_an_impossible_size_in_a_file_is_damage_and_not_waited_for(size: int) -> None:
    event = bytearray(made(XID, bytes(8)))
    event[9:13] = size.to_bytes(4, "little")
    decoder = reader("file")
    decoder.feed(MAGIC + format_event() + bytes(event))
    with pytest.raises(DMError, match=rf"damaged at made.000001:\d+: an event says that it has {size} bytes"):
        drained(decoder)


def test_a_packet_shorter_than_its_event_is_damage() -> None:
    decoder = reader()
    decoder.feed(packets([format_event(), made(XID, bytes(8))[:-2]]))
    with pytest.raises(DMError, match="an event of 29 bytes says that it has 31"):
        drained(decoder)
