"""Raw events are cut into runs that are the file again, byte for byte; damage is told with its place."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator

import pytest

from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import CORRUPT, PURGED
from pkg.binlog.events import GtidEvent
from pkg.binlog.framing import MAGIC
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.raw_events import INSIDE, OUTSIDE, RUN_BYTES, Beat, FileName, Head, RawEvents, Run
from pkg.binlog.relay_layout import with_gtids
from pkg.errors import DMError
from tests.unit.relay.logs import DATA, FLAVORS, binlog_file, raw_events

FILES = ("mariadb", "mysql", "mariadb-rare", "mysql-rare")
FRAMINGS = ("file", "packets")


def content(name: str) -> bytes:
    return (DATA / f"{name}.binlog").read_bytes()


def flavor_of(name: str) -> str:
    return name.partition("-")[0]


def packet(event: bytes) -> bytes:
    return (len(event) + 1).to_bytes(3, "little") + b"\0\0" + event


def packets(binlog: bytes) -> bytes:
    """As a server sends the file: each event as a packet."""
    return b"".join(packet(event) for _, event in raw_events(binlog))


def pieces(data: bytes, seed: int) -> Iterator[bytes]:
    rng, at = random.Random(seed), 0
    while at < len(data):
        size = rng.choice((1, 7, 60, 1000))
        yield data[at : at + size]
        at += size


def reading(flavor: str, framing: str = "file", offset: int = 4, inside: int = OUTSIDE) -> RawEvents:
    return RawEvents(framing=framing, flavor=flavor, file_name="golden.000001", offset=offset, inside=inside)


def found_in(raw: RawEvents, data: bytes) -> Iterator[Run | FileName | Head | Beat]:
    raw.feed(data)
    while (found := raw.next()) is not None:
        yield found


def copied(raw: RawEvents, data: bytes) -> tuple[bytes, DMError | None]:
    """The file as far as it is sound, and what is wrong behind that."""
    copy = bytearray(MAGIC)
    try:
        for found in found_in(raw, data):
            if isinstance(found, Run):
                assert found.start == len(copy)
                copy += found.data
    except DMError as exc:
        return bytes(copy), exc
    return bytes(copy), None


def only(raw: RawEvents, data: bytes) -> Run | FileName | Head | Beat:
    (found,) = found_in(raw, data)
    return found


def made_event(code: int, body: bytes, *, end: int = 0, flags: int = 0x20, checksum: bool = True) -> bytes:
    size = 19 + len(body) + 4 * checksum
    event = struct.pack("<IBIIIH", 0, code, 1, size, end, flags) + body
    return event + struct.pack("<I", zlib.crc32(event)) if checksum else event


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("name", FILES)
def test_the_copy_is_the_file(name: str, framing: str, seed: int) -> None:
    binlog = content(name)
    raw = reading(flavor_of(name), framing)
    copy, next_file = MAGIC, ""
    for piece in pieces(binlog if framing == "file" else packets(binlog), seed):
        for found in found_in(raw, piece):
            assert isinstance(found, Run)
            assert (found.start, found.end) == (len(copy), len(copy) + len(found.data))
            assert found.boundary <= found.end
            copy += found.data
            assert raw.offset >= len(copy)
            next_file = found.next_file
    assert copy == binlog
    assert raw.offset == len(binlog)
    assert raw.inside == OUTSIDE
    assert next_file


@pytest.mark.parametrize("name", FILES)
def test_gtids_are_those_that_the_decoder_sees(name: str) -> None:
    flavor = flavor_of(name)
    decoder = Decoder(flavor=flavor, framing="file", resolve=lambda _: None, file_name="x")
    decoder.feed(content(name))
    expected = parse_gtid_set("", flavor)
    while (event := decoder.next()) is not None:
        if isinstance(event, GtidEvent):
            expected = expected.add(event.gtid)
    raw, received = reading(flavor), parse_gtid_set("0-1-1" if flavor == "mariadb" else "", flavor)
    for piece in pieces(content(name), 5):
        list(found_in(raw, piece))
        received = with_gtids(received, raw.take_gtids())
    assert received == expected


@pytest.mark.parametrize("name", FILES)
def test_a_boundary_is_behind_whole_transactions(name: str) -> None:
    """Cut behind any event: the boundary is that place, or the place before the event that began the transaction."""
    binlog, flavor = content(name), flavor_of(name)
    boundary = 0
    gtid_codes = {33, 34, 42, 162}
    begun = False
    for offset, event in raw_events(binlog):
        raw = reading(flavor)
        (run,) = found_in(raw, binlog[: offset + len(event)])
        assert isinstance(run, Run)
        if event[4] in gtid_codes:
            assert not begun, "a transaction begins behind the end of the one before"
        begun = raw.inside != OUTSIDE
        boundary = boundary if begun else offset + len(event)
        assert run.boundary == boundary
        assert begun >= (event[4] in gtid_codes | {19, 30, 31, 32, 23, 24, 25})


def test_a_stream_goes_on_within_a_transaction() -> None:
    binlog = content("mysql")
    rows_at = next(offset for offset, event in raw_events(binlog) if event[4] == 30)
    raw = reading("mysql", "packets", offset=rows_at, inside=INSIDE)
    name = FileName("golden.000001", rows_at)
    data = packet(made_event(4, struct.pack("<Q", rows_at) + b"golden.000001"))
    head = next(event for _, event in raw_events(binlog))
    told = head[:13] + bytes(4) + head[17:-4]
    told += struct.pack("<I", zlib.crc32(told))
    rest = b"".join(packet(event) for offset, event in raw_events(binlog) if offset >= rows_at)
    found = list(found_in(raw, data + packet(told) + rest))
    assert found[:2] == [name, Head(told)]
    (run,) = found[2:]
    assert isinstance(run, Run)
    assert (run.start, run.end, bytes(run.data)) == (rows_at, len(binlog), binlog[rows_at:])


@pytest.mark.parametrize("checksum", [True, False])
def test_a_rotate_that_is_in_no_file(checksum: bool) -> None:
    raw = reading("mysql", "packets")
    event = made_event(4, struct.pack("<Q", 4) + b"golden.000009", checksum=checksum)
    assert only(raw, packet(event)) == FileName("golden.000009", 4)
    assert raw.file_name == "golden.000009"


def test_what_a_server_says_between_files_comes_between_their_runs() -> None:
    """A file that ends with a stop event: the next one's name is no part of it."""
    first, second = binlog_file("mysql", 1, ends="stop"), binlog_file("mysql", 2)
    rotate = made_event(4, struct.pack("<Q", 4) + b"golden.000002")
    raw, found, names = reading("mysql", "packets"), [], []
    for one in found_in(raw, packets(first) + packet(rotate) + packets(second)):
        found.append(MAGIC + bytes(one.data) if isinstance(one, Run) else one)
        names.append(raw.file_name)
    assert found == [first, FileName("golden.000002", 4), second]
    assert names == ["golden.000001", "golden.000002", "golden.000002"]


@pytest.mark.parametrize(
    ("code", "body", "beat"),
    [
        (27, b"golden.000001", Beat(4321, True)),
        (41, b"\x01\x0dgolden.000001\x02\x09\xfe" + struct.pack("<Q", 1 << 33) + b"\0", Beat(1 << 33, False)),
        (41, b"\x01\x0dgolden.000001\0", Beat(4321, True)),
    ],
)
def test_heartbeats(code: int, body: bytes, beat: Beat) -> None:
    assert only(reading("mysql", "packets"), packet(made_event(code, body, end=4321, flags=0))) == beat


def test_offsets_behind_4_gib() -> None:
    """An event tells the low half of its end, which may be 0."""
    offset = (1 << 32) - 40
    raw = reading("mysql", "packets", offset=offset)
    first = made_event(3, b"x" * 17, end=0, flags=0)
    second = made_event(3, b"x" * 17, end=40, flags=0)
    assert len(first) == 40
    run = only(raw, packet(first) + packet(second))
    assert isinstance(run, Run)
    assert (run.start, run.end, run.boundary) == (offset, offset + 80, offset + 80)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_found(name: str) -> None:
    binlog = content(name)
    rng = random.Random(7)
    starts = [offset for offset, _ in raw_events(binlog)]
    for at in rng.sample(range(4, len(binlog)), 200):
        if at == starts[0] + 17:
            continue  # the flag that the file is in use
        damaged = bytearray(binlog)
        damaged[at] ^= 1 << rng.randrange(8)
        place = max(start for start in starts if start <= at)
        copy, error = copied(reading(flavor_of(name)), bytes(damaged))
        if error is not None:  # a size that grew makes it wait for more
            assert error.is_a(CORRUPT), error
            assert (error.fields["file"], error.fields["position"]) == ("golden.000001", place)
        assert binlog.startswith(copy), "what is damaged is not handed out"
        assert len(copy) == place


@pytest.mark.parametrize("flavor", FLAVORS)
def test_without_checksums(flavor: str) -> None:
    binlog = binlog_file(flavor, 1, checksum=False)
    raw = reading(flavor)
    run = only(raw, binlog)
    assert isinstance(run, Run)
    assert MAGIC + bytes(run.data) == binlog
    assert raw.checksum is False


def test_a_gap_and_events_that_come_again() -> None:
    events = [event for _, event in raw_events(content("mysql"))]
    for order, text in ((events[:9] + events[10:], "are missing"), (events[:9] + events[8:], "come again")):
        copy, error = copied(reading("mysql", "packets"), b"".join(map(packet, order)))
        assert copy == MAGIC + b"".join(events[:9])
        assert error is not None
        assert error.is_a(CORRUPT)
        assert text in error.message


def test_an_event_larger_than_a_run() -> None:
    head = next(event for _, event in raw_events(content("mysql")))
    large = made_event(3, bytes(3 * RUN_BYTES), end=4 + len(head) + 23 + 3 * RUN_BYTES, flags=0)
    small = made_event(3, b"", end=4 + len(head) + len(large) + 23, flags=0)
    raw = reading("mysql", "file")
    copy = b"".join(
        bytes(found.data) for found in found_in(raw, MAGIC + head + large + small) if isinstance(found, Run)
    )
    assert copy == head + large + small


def test_a_server_that_ends_the_stream() -> None:
    raw = reading("mysql", "packets")
    text = b"#HY000Could not find first log file name in binary log index file"
    body = b"\xff" + struct.pack("<H", 1236) + text
    raw.feed(len(body).to_bytes(3, "little") + b"\0" + body)
    with pytest.raises(DMError) as met:
        raw.next()
    assert met.value.is_a(PURGED)


@pytest.mark.parametrize("name", FILES)
def test_damage_never_crashes(name: str) -> None:
    """Bytes changed anywhere, checksums off: an error or a copy, and nothing is read outside of the event."""
    rng, flavor = random.Random(3), flavor_of(name)
    binlog = binlog_file(flavor, 1, checksum=False) if not name.endswith("rare") else content(name)
    for _ in range(300):
        damaged = bytearray(binlog)
        for at in rng.sample(range(4, len(damaged)), rng.choice((1, 3, 20))):
            damaged[at] = rng.randrange(256)
        raw = RawEvents(framing="file", flavor=flavor, file_name="x.1", checksum=False)
        copy, error = copied(raw, bytes(damaged))
        assert bytes(damaged).startswith(copy)
        assert error is None or error.is_a(CORRUPT)
        raw.take_gtids()
