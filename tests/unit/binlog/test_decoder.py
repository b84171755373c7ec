"""The decoder on recorded binlogs: what they hold, in any pieces, and what damage does."""

from __future__ import annotations

import contextlib
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.binlog.decoder import Decoder
from pkg.binlog.events import Event, GtidEvent, RowsEvent, XidEvent
from pkg.binlog.rows import RowPlan
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from tests.golden.made_events import PARTIAL_UPDATE_ROWS, TABLE_MAP

DATA = Path(__file__).parents[2] / "golden" / "data"
FLAVORS = ("mariadb", "mysql")
RECORDINGS = (*FLAVORS, "mariadb-rare", "mysql-rare")
BINLOGS = {name: (DATA / f"{name}.binlog").read_bytes() for name in RECORDINGS}
RECORDED: dict[str, dict[str, Any]] = {name: json.loads((DATA / f"{name}.json").read_text()) for name in RECORDINGS}
TABLES: dict[str, Table] = {name: parse_create_table(RECORDED[name]["create"], "golden") for name in RECORDINGS}


def decoder(recording: str, framing: str = "file", passed_over: tuple[str, ...] = ()) -> Decoder:
    columns = TABLES[recording].columns
    return Decoder(
        flavor=recording.partition("-")[0],
        framing=framing,
        resolve=lambda table_map: RowPlan.build(columns, table_map) if table_map.schema == "golden" else None,
        file_name="golden.000001",
        passes_over=(lambda _: passed_over) if passed_over else None,
    )


def drain(reader: Decoder) -> list[Event]:
    events = []
    while (event := reader.next()) is not None:
        events.append(event)
    return events


def events_of(recording: str) -> list[Event]:
    reader = decoder(recording)
    reader.feed(BINLOGS[recording])
    return drain(reader)


CODES = {
    "mariadb-rare": {165, 166, 167, 168},
    "mysql-rare": {TABLE_MAP, PARTIAL_UPDATE_ROWS, 40, 42},
}


@pytest.mark.parametrize("recording", RECORDINGS)
@pytest.mark.parametrize("passed_over", [("delete",), ("insert", "update")])
def test_kinds_of_rows_are_passed_over(recording: str, passed_over: tuple[str, ...]) -> None:
    reader = decoder(recording, passed_over=passed_over)
    reader.feed(BINLOGS[recording])
    expected = [one for one in events_of(recording) if not (isinstance(one, RowsEvent) and one.kind in passed_over)]
    assert drain(reader) == expected


@pytest.mark.parametrize("recording", CODES)
def test_the_rare_recordings_have_what_they_are_for(recording: str) -> None:
    binlog, at, codes = BINLOGS[recording], 4, set()
    while at < len(binlog):
        codes.add(binlog[at + 4])
        at += int.from_bytes(binlog[at + 9 : at + 13], "little")
    assert codes >= CODES[recording]


def test_tags_are_parts_of_gtids() -> None:
    gtids = [event.gtid for event in events_of("mysql-rare") if isinstance(event, GtidEvent)]
    tags = [gtid.split(":")[1] for gtid in gtids if gtid.count(":") == 2]
    assert tags == ["blue", "blue", "a_longer_tag_of_32_characters__", "blue"]


@pytest.mark.parametrize("recording", ["mysql", "mysql-rare"])
def test_mysql_tells_when_each_transaction_was_committed(recording: str) -> None:
    found = [(event.timestamp, event.committed) for event in events_of(recording) if isinstance(event, GtidEvent)]
    moments = [committed for _, committed in found]
    assert moments == sorted(moments)
    assert all(0 <= committed - started * 1_000_000 < 60_000_000 for started, committed in found), found


@pytest.mark.parametrize("recording", ["mariadb", "mariadb-rare"])
def test_mariadb_does_not_tell_it(recording: str) -> None:
    assert {event.committed for event in events_of(recording) if isinstance(event, GtidEvent)} == {0}


def as_packets(binlog: bytes) -> bytes:
    """The events of a file as a server sends them."""
    packets, at, sequence = b"", 4, 0
    while at < len(binlog):
        size = int.from_bytes(binlog[at + 9 : at + 13], "little")
        body = b"\0" + binlog[at : at + size]
        packets += len(body).to_bytes(3, "little") + bytes((sequence & 255,)) + body
        at, sequence = at + size, sequence + 1
    return packets


@pytest.mark.parametrize("recording", RECORDINGS)
def test_rows_are_the_recorded_literals(recording: str) -> None:
    rows = [
        [event.kind, [[value.decode() for value in image] for image in event.rows]]
        for event in events_of(recording)
        if isinstance(event, RowsEvent)
    ]
    assert rows == RECORDED[recording]["rows"]


@pytest.mark.parametrize("recording", RECORDINGS)
def test_each_transaction_has_a_gtid_and_a_commit_in_order(recording: str) -> None:
    events = events_of(recording)
    gtids = [event.gtid for event in events if isinstance(event, GtidEvent)]
    assert len(gtids) == len(set(gtids)) > 5
    ends = [event.end for event in events if isinstance(event, XidEvent)]
    assert ends == sorted(ends)
    assert ends[-1] <= len(BINLOGS[recording])


@pytest.mark.parametrize("recording", RECORDINGS)
@settings(deadline=None, max_examples=30)
@given(cuts=st.lists(st.integers(1, 500_000), max_size=12))
def test_any_pieces_give_the_same_events(recording: str, cuts: list[int]) -> None:
    binlog = BINLOGS[recording]
    reader, events, at = decoder(recording), [], 0
    for cut in [*sorted(cut % len(binlog) for cut in cuts), len(binlog)]:
        reader.feed(binlog[at:cut])
        events += drain(reader)
        at = cut
    assert events == events_of(recording)


@pytest.mark.parametrize("recording", RECORDINGS)
def test_packets_give_the_same_events_as_the_file(recording: str) -> None:
    packets = as_packets(BINLOGS[recording])
    reader, events = decoder(recording, "packets"), []
    for start in range(0, len(packets), 999):
        reader.feed(packets[start : start + 999])
        events += drain(reader)
    assert events == events_of(recording)


def reseal(binlog: bytearray) -> bytes:
    """Make the checksums of damaged events right again, so that the damage reaches what reads them."""
    at = 4
    while at + 19 <= len(binlog):
        size = int.from_bytes(binlog[at + 9 : at + 13], "little")
        if size < 23 or at + size > len(binlog):
            break
        if binlog[at + 4] != 15:
            binlog[at + size - 4 : at + size] = zlib.crc32(bytes(binlog[at : at + size - 4])).to_bytes(4, "little")
        at += size
    return bytes(binlog)


@pytest.mark.slow
@pytest.mark.parametrize("recording", RECORDINGS)
@settings(deadline=None, max_examples=400)
@given(
    damage=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=6),
    sealed=st.booleans(),
)
def test_damage_is_an_error_with_its_place_or_another_value(
    recording: str, damage: list[tuple[int, int]], sealed: bool
) -> None:
    binlog = bytearray(BINLOGS[recording])
    for at, byte in damage:
        binlog[4 + at % (len(binlog) - 4)] = byte
    reader = decoder(recording)
    reader.feed(reseal(binlog) if sealed else bytes(binlog))
    with contextlib.suppress(DMError):  # anything else that is raised fails the test
        drain(reader)


def test_a_wrong_checksum_names_the_place() -> None:
    binlog = bytearray(BINLOGS["mariadb"])
    binlog[-1] ^= 1
    reader = decoder("mariadb")
    reader.feed(bytes(binlog))
    with pytest.raises(DMError, match=r"damaged at golden.000001:\d+, ROTATE: the checksum is wrong"):
        drain(reader)


def test_a_file_that_is_no_binlog_is_refused() -> None:
    reader = decoder("mysql")
    reader.feed(b"-- MySQL dump")
    with pytest.raises(DMError, match="a binlog file starts with"):
        reader.next()


def test_a_server_error_in_the_stream_is_told_with_its_number() -> None:
    reader = decoder("mysql", "packets")
    text = b"\xff\xd4\x04#HY000could not find next log"
    reader.feed(len(text).to_bytes(3, "little") + b"\0" + text)
    with pytest.raises(DMError, match=r"no longer has the binlog .* \(error 1236\): could not find next log"):
        reader.next()


@pytest.mark.parametrize("flavor", FLAVORS)
def test_a_table_with_other_columns_shows_both(flavor: str) -> None:
    columns = TABLES[flavor].columns[:-1]
    reader = Decoder(
        flavor=flavor,
        framing="file",
        resolve=lambda table_map: RowPlan.build(columns, table_map),
        file_name="golden.000001",
    )
    reader.feed(BINLOGS[flavor])
    with pytest.raises(DMError, match=r"rows of golden.types have 38 columns .* and the structure known .* has 37"):
        drain(reader)
