"""After any end of its writer a relay log is whole again: cut at any byte, it goes on behind a whole transaction."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dm_worker.relay.folder import UNREADABLE
from dm_worker.relay.recovery import Tail, recover
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Position
from pkg.binlog.raw_events import OUTSIDE, RawEvents, Run
from pkg.binlog.relay_layout import Received, with_gtids
from pkg.errors import DMError
from tests.unit.relay.logs import FLAVORS, SUB_DIR, binlog_file, name_of, raw_events

NAME = name_of(1)


def boundaries(flavor: str, binlog: bytes) -> dict[int, str]:
    """Where no transaction is open, and the GTIDs by then."""
    found = {}
    raw = RawEvents(framing="file", flavor=flavor, file_name=NAME)
    gtids = parse_gtid_set("", flavor)
    raw.feed(binlog[:4])
    for offset, event in raw_events(binlog):
        raw.feed(event)
        assert isinstance(raw.next(), Run)
        gtids = with_gtids(gtids, raw.take_gtids())
        if raw.inside == OUTSIDE:
            found[offset + len(event)] = str(gtids)
    return found


def put(folder: Path, content: bytes, name: str = NAME) -> Path:
    path = folder / SUB_DIR / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def put_meta(folder: Path, offset: int, gtid: str, flavor: str, name: str = NAME) -> None:
    text = Received(Position(name, offset), parse_gtid_set(gtid, flavor)).text()
    (folder / SUB_DIR / "relay.meta").write_text(text)


def recovered(folder: Path, flavor: str, *, whole: bool = True) -> Tail | None:
    return recover(folder, SUB_DIR, flavor, whole_transactions=whole)


@pytest.mark.slow
@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("whole", [True, False])
def test_cut_at_any_byte(tmp_path: Path, flavor: str, whole: bool) -> None:
    binlog = binlog_file(flavor, 1)
    places = boundaries(flavor, binlog)
    ends = [offset + len(event) for offset, event in raw_events(binlog)]
    for size in sorted({*range(4, 400), *range(400, len(binlog), 37), *ends}):
        path = put(tmp_path, binlog[:size])
        tail = recovered(tmp_path, flavor, whole=whole)
        if size < ends[0]:
            assert tail is None
            assert not path.exists()
            continue
        assert tail is not None
        assert tail.boundary == max(place for place in places if place <= size)
        assert tail.size == (tail.boundary if whole else max(end for end in ends if end <= size))
        assert path.read_bytes() == binlog[: tail.size]
        assert str(tail.gtid_set) == places[tail.boundary]
        assert (tail.inside == OUTSIDE) == (tail.size == tail.boundary)
        assert tail.is_closed == (size == len(binlog))
        assert recovered(tmp_path, flavor, whole=whole) == tail


@pytest.mark.parametrize("flavor", FLAVORS)
def test_what_is_behind_relay_meta_is_read_alone(tmp_path: Path, flavor: str) -> None:
    binlog = bytearray(binlog_file(flavor, 1))
    places = boundaries(flavor, bytes(binlog))
    middle = sorted(places)[len(places) // 2]
    binlog[middle - 2] ^= 1  # nobody looks
    put(tmp_path, bytes(binlog))
    put_meta(tmp_path, middle, places[middle], flavor)
    tail = recovered(tmp_path, flavor)
    assert tail is not None
    assert (tail.size, tail.boundary, str(tail.gtid_set)) == (len(binlog), len(binlog), places[len(binlog)])


@pytest.mark.parametrize("flavor", FLAVORS)
def test_torn_by_a_power_loss(tmp_path: Path, flavor: str) -> None:
    """The file has its size, and not all of its bytes."""
    binlog = binlog_file(flavor, 1)
    rng = random.Random(1)
    for _ in range(60):
        at = rng.randrange(400, len(binlog))
        hole = rng.choice((bytes(300), rng.randbytes(300)))
        path = put(tmp_path, (binlog[:at] + hole + binlog[at + 300 :])[: len(binlog)])
        tail = recovered(tmp_path, flavor)
        assert tail is not None
        assert tail.size <= max(at, tail.boundary)
        assert path.read_bytes() == binlog[: tail.size]


@pytest.mark.parametrize("flavor", FLAVORS)
def test_without_checksums_only_relay_meta_is_trusted(tmp_path: Path, flavor: str) -> None:
    binlog = binlog_file(flavor, 1, checksum=False)
    places = boundaries(flavor, binlog)
    middle = sorted(places)[len(places) // 2]
    path = put(tmp_path, binlog)
    put_meta(tmp_path, middle, places[middle], flavor)
    tail = recovered(tmp_path, flavor, whole=False)
    assert tail is not None
    assert (tail.size, str(tail.gtid_set)) == (middle, places[middle])
    assert path.read_bytes() == binlog[:middle]
    put_meta(tmp_path, 4000, "", flavor, name=name_of(7))
    assert recovered(tmp_path, flavor) is None


@pytest.mark.parametrize("text", ["", "\0\0\0", 'binlog-name = "golden.0000', "binlog-pos = 99999999"])
def test_a_relay_meta_that_a_power_loss_left(tmp_path: Path, text: str) -> None:
    binlog = binlog_file("mysql", 1)
    put(tmp_path, binlog)
    (tmp_path / SUB_DIR / "relay.meta").write_text(text)
    tail = recovered(tmp_path, "mysql")
    assert tail is not None
    assert tail.size == len(binlog)


def test_relay_meta_of_more_than_there_is(tmp_path: Path) -> None:
    binlog = binlog_file("mysql", 1)
    put(tmp_path, binlog[:-1])
    put_meta(tmp_path, len(binlog), "", "mysql")
    tail = recovered(tmp_path, "mysql")
    assert tail is not None
    assert tail.size < len(binlog)
    assert not tail.is_closed


def test_a_file_without_a_head_goes_and_the_one_before_counts(tmp_path: Path) -> None:
    whole = binlog_file("mysql", 1)
    put(tmp_path, whole)
    for start in (b"", b"\xfebi", b"\xfebin", whole[:60], b"\xfebin" + bytes(200)):
        later = put(tmp_path, start, name_of(2))
        tail = recovered(tmp_path, "mysql")
        assert tail is not None
        assert (tail.file, tail.size, tail.is_closed) == (NAME, len(whole), True)
        assert not later.exists()


def test_nothing_there(tmp_path: Path) -> None:
    assert recovered(tmp_path, "mysql") is None
    (tmp_path / SUB_DIR).mkdir()
    assert recovered(tmp_path, "mysql") is None


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / SUB_DIR).write_text("")
    with pytest.raises(DMError) as met:
        recovered(tmp_path, "mysql")
    assert met.value.is_a(UNREADABLE)
