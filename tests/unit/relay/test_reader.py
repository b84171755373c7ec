"""The relay log as a stream: byte for byte what the files hold, followed as they grow, and how it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dm_worker.relay.made_up import artificial_rotate
from dm_worker.relay.reader import CUT, DAEMON_GONE, NOT_HELD, SWITCHED, VANISHED, RelayStream, following
from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import CORRUPT
from pkg.binlog.events import Event, GtidEvent, HeartbeatEvent, PreviousGtidsEvent, RotateEvent, XidEvent
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.binlog.relay_layout import size_text
from pkg.errors import DMError
from tests.unit.relay.logs import (
    FLAVORS,
    OTHER_SUB_DIR,
    SERVER,
    SUB_DIR,
    Writer,
    binlog_file,
    decoder,
    drained,
    name_of,
    raw_events,
    read_until,
    start_at,
    stream_of,
    without_made_up,
)

ROWS = {23, 24, 25, 30, 31, 32}


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    made = Writer(tmp_path)
    made.serve()
    yield made
    made.stop()


def rotate_bytes(binlog: bytes, number: int, checksum: bool) -> bytes:
    return artificial_rotate(name_of(number), 4, binlog[9:13], checksum)


def all_events(stream: RelayStream, reader: Decoder, events: list[Event]) -> None:
    """Read into `events` until there is an error."""
    while True:
        reader.feed(stream.read(20) or b"")
        events += drained(reader)


def end_of(stream: RelayStream) -> DMError:
    with pytest.raises(DMError) as met:
        read_until(stream, lambda _: False)
    return met.value


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("checksums", [(True, True), (True, False), (False, True), (False, False)])
def test_files_pass_byte_for_byte(writer: Writer, flavor: str, checksums: tuple[bool, bool]) -> None:
    files = [binlog_file(flavor, number, checksum=checksum) for number, checksum in enumerate(checksums, 1)]
    for number, content in enumerate(files, 1):
        writer.write(name_of(number), content)
    first, second = files
    expected = b"\xfebin" + rotate_bytes(first, 1, checksums[0]) + first[4:]
    expected += rotate_bytes(second, 2, checksums[0]) + second[4:]
    stream = stream_of(writer.folder, start_at(1))
    received = read_until(stream, lambda received: len(received) >= len(expected))
    stream.close()
    assert received == expected


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("checksums", [(True, False), (False, True)])
def test_the_decoder_takes_it_over_files_of_either_kind(
    writer: Writer, flavor: str, checksums: tuple[bool, bool]
) -> None:
    expected = []
    for number, checksum in enumerate(checksums, 1):
        content = binlog_file(flavor, number, checksum=checksum)
        writer.write(name_of(number), content)
        plain = decoder(flavor, start_at(number))
        plain.feed(content)
        expected += without_made_up(drained(plain))
    writer.stop()
    stream, reader = stream_of(writer.folder, start_at(1)), decoder(flavor, start_at(1))
    events: list[Event] = []
    with pytest.raises(DMError) as met:
        all_events(stream, reader, events)
    stream.close()
    assert met.value.is_a(DAEMON_GONE)
    assert without_made_up(events) == expected


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("checksum", [True, False])
def test_from_every_event_on_places_are_the_upstreams(writer: Writer, flavor: str, checksum: bool) -> None:
    content = binlog_file(flavor, 1, checksum=checksum)
    writer.write(name_of(1), content)
    plain = decoder(flavor, start_at(1))
    plain.feed(content)
    whole = without_made_up(drained(plain))
    for offset, event in raw_events(content):
        if event[4] in ROWS:
            continue  # nobody starts behind its table map
        stream, reader = stream_of(writer.folder, start_at(1, offset)), decoder(flavor, start_at(1, offset))
        events = []
        while not events or not isinstance(events[-1], RotateEvent) or events[-1].artificial:
            reader.feed(stream.read(20) or b"")
            events += drained(reader)
        stream.close()
        assert isinstance(events[0], RotateEvent)
        assert (events[0].file_name, events[0].offset, events[0].artificial) == (name_of(1), offset, True)
        found = without_made_up(events)
        assert found == whole[len(whole) - len(found) :]
        ends = [event.end for event in found if isinstance(event, (XidEvent, GtidEvent))]
        assert ends == [event.end for event in whole if isinstance(event, (XidEvent, GtidEvent)) and event.end > offset]


@pytest.mark.parametrize("flavor", FLAVORS)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_growing_log_is_followed_whatever_the_pieces(
    tmp_path_factory: pytest.TempPathFactory, flavor: str, data: st.DataObject
) -> None:
    checksums = data.draw(st.lists(st.booleans(), min_size=1, max_size=3))
    files = [binlog_file(flavor, number, checksum=checksum) for number, checksum in enumerate(checksums, 1)]
    cuts = [sorted(data.draw(st.sets(st.integers(0, len(content)), max_size=8))) for content in files]
    published = [[data.draw(st.booleans()) for _ in places] for places in cuts]
    expected, before = b"\xfebin", checksums[0]
    for number, (content, checksum) in enumerate(zip(files, checksums, strict=True), 1):
        expected, before = expected + rotate_bytes(content, number, before) + content[4:], checksum
    writer = Writer(tmp_path_factory.mktemp("relay"))
    writer.serve()
    writer.begin(name_of(1))
    stream = stream_of(writer.folder, start_at(1))

    def write() -> None:
        for number, (content, places, told) in enumerate(zip(files, cuts, published, strict=True), 1):
            writer.begin(name_of(number))
            for start, end, is_told in zip([0, *places], [*places, len(content)], [*told, True], strict=True):
                writer.append(content[start:end])
                if is_told:
                    writer.publish()

    thread = threading.Thread(target=write)
    thread.start()
    received = read_until(stream, lambda received: len(received) >= len(expected))
    thread.join()
    stream.close()
    writer.stop()
    assert received == expected


def test_nothing_is_read_before_it_is_durable(writer: Writer) -> None:
    content = binlog_file("mysql", 1)
    writer.begin(name_of(1))
    writer.append(content[:2000])
    writer.publish()
    writer.append(content[2000:])
    stream = stream_of(writer.folder, start_at(1))
    head = len(rotate_bytes(content, 1, True))
    received = read_until(stream, lambda received: len(received) >= head + 2000)
    assert len(received) == head + 2000
    assert stream.read(0) is None or stream.read(0) is None  # a heartbeat may be first
    writer.publish()
    received = read_until(stream, lambda received: received.endswith(content[-100:]))
    stream.close()


def test_a_heartbeat_stands_where_all_is_read(writer: Writer) -> None:
    content = binlog_file("mysql", 1, ends="nothing")
    writer.write(name_of(1), content)
    stream, reader, events = stream_of(writer.folder, start_at(1)), decoder("mysql", start_at(1)), []
    while (piece := stream.read(0)) is not None:
        reader.feed(piece)
        events += drained(reader)
    stream.close()
    assert isinstance(events[-1], HeartbeatEvent)
    assert events[-1].end == len(content)
    assert sum(isinstance(event, HeartbeatEvent) for event in events) == 1


def test_where_a_transaction_is_open_there_is_no_heartbeat(writer: Writer) -> None:
    content = binlog_file("mysql", 1, ends="nothing")
    writer.write(name_of(1), content[:-31])  # relay.meta says less than what is durable
    stored = writer.folder / SUB_DIR / "relay.meta"
    stored.write_text(stored.read_text().replace(str(writer.size), str(writer.size - 500)))
    stream = stream_of(writer.folder, start_at(1))
    read_until(stream, lambda received: received.endswith(content[-131:-31]))  # the daemon has told its size by then
    assert stream.read(0) is None
    stream.close()


def test_without_a_daemon_what_is_durable_is_read_and_then_said(writer: Writer) -> None:
    content = binlog_file("mysql", 1)
    writer.write(name_of(1), content)
    stream = stream_of(writer.folder, start_at(1))
    assert stream.read(20)
    writer.stop()
    error = end_of(stream)
    stream.close()
    assert error.is_a(DAEMON_GONE)
    assert error.resumable
    assert f"({name_of(1)}, {len(content)})" in error.message


def test_a_switched_upstream_ends_the_stream_behind_the_last_event(writer: Writer) -> None:
    content = binlog_file("mysql", 1, ends="nothing")
    writer.write(name_of(1), content)
    writer.write("other.000001", binlog_file("mysql", 1), OTHER_SUB_DIR)
    stream = stream_of(writer.folder, start_at(1))
    received = stream.read(20)
    received = (received or b"") + (stream.read(20) or b"")
    assert received.endswith(content[-100:])
    error = end_of(stream)
    stream.close()
    assert error.is_a(SWITCHED)
    assert error.resumable
    assert not RelayStream.covers(writer.folder, SERVER, start_at(1, len(content)), False)


def test_a_file_that_vanished_is_named(writer: Writer) -> None:
    for number in (1, 2, 3):
        writer.write(name_of(number), binlog_file("mysql", number))
    stream = stream_of(writer.folder, start_at(1))
    (writer.folder / SUB_DIR / name_of(2)).unlink()
    error = end_of(stream)
    stream.close()
    assert error.is_a(VANISHED)
    assert name_of(2) in error.message


@pytest.mark.parametrize("ends", ["rotate", "stop", "nothing"])
@pytest.mark.parametrize("checksum", [True, False])
def test_a_whole_file_goes_on_however_it_was_closed(writer: Writer, ends: str, checksum: bool) -> None:
    writer.write(name_of(1), binlog_file("mysql", 1, ends=ends, checksum=checksum))
    content = binlog_file("mysql", 2)
    writer.write(name_of(2), content)
    stream = stream_of(writer.folder, start_at(1))
    assert read_until(stream, lambda received: received.endswith(content[-100:]))
    stream.close()


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(1, 6000))
def test_a_file_cut_inside_an_event_is_an_error(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    content = binlog_file("mysql", 1)
    ends = {offset + len(event) for offset, event in raw_events(content)}
    writer = Writer(tmp_path_factory.mktemp("relay"))
    writer.serve()
    writer.write(name_of(1), content[:cut])
    writer.write(name_of(2), binlog_file("mysql", 2))
    stream = stream_of(writer.folder, start_at(1))
    if cut in ends:
        assert read_until(stream, lambda received: name_of(2).encode() in received)
    else:
        assert end_of(stream).is_a(CUT)
    stream.close()
    writer.stop()


def test_a_file_cut_behind_an_event_is_known_by_the_size_that_it_had(writer: Writer) -> None:
    content = binlog_file("mysql", 1, ends="nothing")
    *_, (last, _) = raw_events(content)
    writer.write(name_of(1), content[:last])
    (writer.folder / SUB_DIR / "relay.sizes").write_text(size_text(name_of(1), len(content)))
    writer.write(name_of(2), binlog_file("mysql", 2))
    stream = stream_of(writer.folder, start_at(1))
    error = end_of(stream)
    stream.close()
    assert error.is_a(CUT)
    assert f"{len(content)} were received" in error.message


def test_another_file_in_its_place_is_not_read(writer: Writer) -> None:
    content = binlog_file("mysql", 1)
    writer.write(name_of(1), content)
    (writer.folder / SUB_DIR / "relay.sizes").write_text(size_text(name_of(1), len(content) - 100))
    writer.write(name_of(2), binlog_file("mysql", 2))
    stream = stream_of(writer.folder, start_at(1))
    with pytest.raises(DMError) as raised:
        stream.read(5)
    stream.close()
    assert raised.value.is_a(CUT)


def test_the_file_being_written_is_shorter_than_said(writer: Writer) -> None:
    content = binlog_file("mysql", 1)
    writer.write(name_of(1), content)
    with (writer.folder / SUB_DIR / name_of(1)).open("r+b") as file:
        file.truncate(3000)
    stream = stream_of(writer.folder, start_at(1))
    error = end_of(stream)
    stream.close()
    assert error.is_a(CUT)
    assert f"{len(content)} of it were durable" in error.message


def test_a_file_that_is_no_binlog_is_an_error(writer: Writer) -> None:
    writer.write(name_of(1), b"\0" * 4096)
    stream = stream_of(writer.folder, start_at(1))
    error = end_of(stream)
    stream.close()
    assert "does not begin as a binlog file does" in error.message


def test_a_damaged_byte_is_met_by_the_decoder_at_its_place(writer: Writer) -> None:
    content = bytearray(binlog_file("mysql", 1))
    content[5000] ^= 1
    writer.write(name_of(1), bytes(content))
    stream = stream_of(writer.folder, start_at(1))
    with pytest.raises(DMError) as met:
        all_events(stream, decoder("mysql", start_at(1)), [])
    stream.close()
    assert met.value.is_a(CORRUPT)


def covers(folder: Path, location: Location, *, server: str = SERVER, use_gtid: bool = False) -> bool:
    return RelayStream.covers(folder, server, location, use_gtid)


def test_covers_places_that_it_holds(writer: Writer) -> None:
    assert not covers(writer.folder, start_at(1))  # nothing there yet
    content = binlog_file("mysql", 1)
    writer.write(name_of(1), content)
    place = next(offset for offset, _ in raw_events(content) if offset > 1000)
    assert covers(writer.folder, start_at(1, place))
    assert not covers(writer.folder, start_at(1, place + 1))  # in the middle of an event
    assert not covers(writer.folder, start_at(1, len(content) + 1))
    assert not covers(writer.folder, start_at(2))
    assert not covers(writer.folder, start_at(1), server="another")
    assert covers(writer.folder, start_at(1, len(content)))  # there will be more
    writer.stop()
    assert not covers(writer.folder, start_at(1))  # nobody keeps it
    with pytest.raises(DMError) as met:
        stream_of(writer.folder, start_at(7))
    assert met.value.is_a(NOT_HELD)


def test_a_missing_index_is_an_error_and_covers_nothing(writer: Writer) -> None:
    writer.write(name_of(1), binlog_file("mysql", 1))
    (writer.folder / "server-uuid.index").unlink()
    assert not covers(writer.folder, start_at(1))
    with pytest.raises(DMError, match=r"server-uuid\.index cannot be read: it is missing"):
        stream_of(writer.folder, start_at(1))


@pytest.mark.parametrize("flavor", FLAVORS)
def test_gtid_sets_are_found(writer: Writer, flavor: str) -> None:
    content = binlog_file(flavor, 1)
    writer.write(name_of(1), content)
    plain = decoder(flavor, start_at(1))
    plain.feed(content)
    met = parse_gtid_set("", flavor)
    for event in drained(plain):
        if isinstance(event, PreviousGtidsEvent):
            met = met.union(parse_gtid_set(event.gtid_set, flavor))
        if isinstance(event, GtidEvent):
            stream = RelayStream(writer.folder, SERVER, Location(Position("", 4), met), use_gtid=True)
            reader = decoder(flavor, start_at(1))
            reader.feed(read_until(stream, lambda received: received.endswith(content[-50:])))
            stream.close()
            assert next(found for found in drained(reader) if isinstance(found, GtidEvent)) == event
            met = met.add(event.gtid)
    behind = met.add("0-1-999999999" if flavor == "mariadb" else f"{SERVER}:7")
    assert not covers(writer.folder, Location(Position("", 4), behind), use_gtid=True)


def test_names_of_files_go_on() -> None:
    assert [following(name) for name in ("a.000009", "a.b.000999", "a.999999")] == [
        "a.000010",
        "a.b.001000",
        "a.1000000",
    ]
