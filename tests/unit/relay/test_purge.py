"""Which files of a relay log are deleted: the decision alone, and on a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dm_worker.relay.purge import (
    UNKNOWN_FILE,
    RelayFile,
    files_to_purge,
    first_kept,
    named_by_age,
    named_by_file,
    named_by_space,
    needed_place,
    purge,
    relay_files,
)
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task.source import PurgeConfig
from tests.golden.made_events import made
from tests.unit.relay.logs import OTHER_SUB_DIR, SUB_DIR, Writer, binlog_file, name_of

GIB, HOUR = 1 << 30, 3600.0
NOW = 1_800_000_000.0
FIRST, SECOND = "a.000001", "b.000002"  # sub-directories


def relay_file(number: int, sub_dir: str = FIRST, *, size: int = GIB, age_hours: float = 0) -> RelayFile:
    return RelayFile(sub_dir, name_of(number), size, NOW - age_hours * HOUR)


FILES = [relay_file(number) for number in range(7, 12)] + [relay_file(number, SECOND) for number in range(3, 6)]


def test_by_file_all_before_it_are_named() -> None:
    assert named_by_file(FILES, name_of(9), FIRST) == 2
    assert named_by_file(FILES, name_of(4)) == 6  # the last sub-directory


@pytest.mark.parametrize(("file", "sub_dir"), [(name_of(9), ""), (name_of(9), SECOND), ("other.000001", FIRST)])
def test_a_file_that_is_not_there_is_refused_with_those_that_are(file: str, sub_dir: str) -> None:
    with pytest.raises(DMError, match=r"has no file") as met:
        named_by_file(FILES, file, sub_dir)
    assert met.value.is_a(UNKNOWN_FILE)
    assert f"{FIRST}/{name_of(7)}" in met.value.workaround


def test_by_age_the_old_ones_are_named_and_never_one_behind_a_young_one() -> None:
    files = [relay_file(number, age_hours=age) for number, age in enumerate([30, 25, 2, 40, 0], 1)]
    assert named_by_age(files, 24, NOW) == 2
    assert named_by_age(files, 0, NOW) == 0


def test_by_space_just_as_many_as_are_needed() -> None:
    assert named_by_space(FILES, 15, 20 * GIB) == 0
    assert named_by_space(FILES, 15, 12 * GIB) == 3
    assert named_by_space(FILES, 15, 12 * GIB + 1) == 3
    assert named_by_space(FILES, 15, 0) == len(FILES)
    assert named_by_space(FILES, 0, 0) == 0


def purged(named: int, *needed: tuple[str, str]) -> list[tuple[str, str]]:
    return [file.place for file in files_to_purge(FILES, needed, named).files]


def test_the_file_being_written_stays() -> None:
    assert purged(len(FILES)) == [file.place for file in FILES[:-1]]
    assert files_to_purge(FILES, [], len(FILES)).kept == FILES[-1]
    assert files_to_purge([], [], 0).files == ()


def test_nothing_at_or_behind_the_earliest_needed_file_goes() -> None:
    assert purged(8, (SECOND, name_of(4)), (FIRST, name_of(9))) == [(FIRST, name_of(7)), (FIRST, name_of(8))]
    assert files_to_purge(FILES, [(FIRST, name_of(9))], 8).kept == relay_file(9)
    assert files_to_purge(FILES, [(FIRST, name_of(9))], 2).kept is None


def test_a_needed_file_that_is_gone_keeps_all_behind_it() -> None:
    assert purged(8, (FIRST, name_of(2))) == []
    assert purged(8, ("z.000003", name_of(1))) == purged(8)  # of a time after all of these


@given(
    named=st.integers(0, len(FILES)),
    needed=st.lists(st.sampled_from([file.place for file in FILES]), max_size=4),
)
def test_what_goes_is_the_oldest_and_needed_by_nobody(named: int, needed: list[tuple[str, str]]) -> None:
    chosen = files_to_purge(FILES, needed, named)
    assert list(chosen.files) == FILES[: len(chosen.files)]
    assert len(chosen.files) <= named
    assert not {file.place for file in chosen.files} & {*needed, FILES[-1].place}
    assert chosen.kept is None or chosen.kept == FILES[first_kept(FILES, needed)]


# -- on a folder ------------------------------------------------------------------------------------


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    made = Writer(tmp_path)
    for number in (1, 2, 3):
        made.write(name_of(number), binlog_file("mysql", number))
    made.write(name_of(1), binlog_file("mysql", 1), OTHER_SUB_DIR)
    made.write(name_of(2), binlog_file("mysql", 2), OTHER_SUB_DIR)
    return made


def left(folder: Path) -> list[tuple[str, str]]:
    return [file.place for file in relay_files(folder)]


OFF = PurgeConfig(expires=0, remain_space=0)


def test_a_named_file_and_its_followers_stay(writer: Writer) -> None:
    done = purge(writer.folder, OFF, [], [], NOW, file=name_of(3), sub_dir=SUB_DIR)
    assert [file.place for file in done.files] == [(SUB_DIR, name_of(1)), (SUB_DIR, name_of(2))]
    assert left(writer.folder) == [(SUB_DIR, name_of(3)), (OTHER_SUB_DIR, name_of(1)), (OTHER_SUB_DIR, name_of(2))]
    assert done.size == sum(len(binlog_file("mysql", number)) for number in (1, 2))


def test_a_connected_reader_keeps_its_file(writer: Writer) -> None:
    done = purge(writer.folder, OFF, [(SUB_DIR, name_of(2))], [], NOW, file=name_of(2))
    assert [file.name for file in done.files] == [name_of(1)]
    assert done.kept is not None
    assert done.kept.place == (SUB_DIR, name_of(2))


def test_old_files_go_by_themselves(writer: Writer) -> None:
    for number in (1, 2):
        os.utime(writer.folder / SUB_DIR / name_of(number), (NOW - 25 * HOUR,) * 2)
    os.utime(writer.folder / SUB_DIR / name_of(3), (NOW,) * 2)
    needed = [Location(Position(name_of(3), 4))]
    assert len(purge(writer.folder, PurgeConfig(expires=24, remain_space=0), [], needed, NOW).files) == 2
    assert left(writer.folder)[0] == (SUB_DIR, name_of(3))


def test_a_full_disk_is_relieved(writer: Writer) -> None:
    purge(writer.folder, PurgeConfig(expires=0, remain_space=1 << 20), [], [], NOW)
    assert left(writer.folder) == [(OTHER_SUB_DIR, name_of(2))]


def test_a_place_by_position_is_the_oldest_file_of_that_name(writer: Writer) -> None:
    files = relay_files(writer.folder)

    def place(name: str) -> tuple[str, str] | None:
        return needed_place(writer.folder, files, Location(Position(name, 4)))

    assert place(name_of(2)) == (SUB_DIR, name_of(2))
    assert place(name_of(9)) is None  # behind all that is there
    assert place("") == place("elsewhere.000001") == (SUB_DIR, name_of(1))  # who knows: all is kept


def test_a_place_by_gtid_is_the_last_file_that_begins_before_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    recorded = binlog_file("mariadb", 1)
    for number, list_of_gtids in enumerate([b"", b"\5", b"\x09"], 1):
        writer.write(name_of(number), with_gtid_list(recorded, list_of_gtids))
    files = relay_files(tmp_path)

    def place(gtids: str) -> tuple[str, str] | None:
        location = Location(Position("", 4), parse_gtid_set(gtids, "mariadb"))
        return needed_place(tmp_path, files, location)

    assert place("0-1-7") == (SUB_DIR, name_of(2))
    assert place("0-1-9") == (SUB_DIR, name_of(3))
    assert place("0-1-4") == (SUB_DIR, name_of(1))


def with_gtid_list(binlog: bytes, sequence: bytes) -> bytes:
    """The file's head with a GTID list of one GTID, or none."""
    size = int.from_bytes(binlog[13:17], "little")
    body = len(sequence).to_bytes(4, "little")
    body += b"".join(b"\0\0\0\0" + b"\1\0\0\0" + bytes((number,)) + bytes(7) for number in sequence)
    return binlog[: 4 + size] + made(163, body)
