"""Bytes are durable before relay.meta says so, and relay.meta says so before readers hear it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dm_worker.relay.errors import CANNOT_WRITE, DISK_FULL
from dm_worker.relay.folder import complete_size, durable_mark, sub_dirs
from dm_worker.relay.writer import Writer
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.relay_layout import SubDir
from pkg.errors import DMError
from tests.unit.relay.disks import small_disk
from tests.unit.relay.logs import SERVER, SUB_DIR, binlog_file, name_of

NO_GTIDS = parse_gtid_set("", "mysql")


class Heard:
    """What readers are told, and what relay.meta said by then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.said: list[tuple[str, str, int]] = []

    def publish(self, sub_dir: str, file: str, size: int) -> None:
        mark = durable_mark(self._folder)
        assert mark is not None
        assert (mark.sub_dir, mark.file) == (sub_dir, file)
        assert mark.size <= size
        self.said.append((sub_dir, file, size))


def begun(folder: Path) -> tuple[Writer, Heard]:
    heard = Heard(folder)
    writer = Writer(folder, heard)
    writer.begin_sub_dir(SubDir(SERVER, 1), [])
    writer.begin_file(name_of(1))
    return writer, heard


def test_files_are_what_was_written(tmp_path: Path) -> None:
    binlog = binlog_file("mysql", 1)
    writer, heard = begun(tmp_path)
    writer.append(binlog[4:300])
    writer.flush(200, NO_GTIDS)
    writer.append(memoryview(binlog)[300:])
    writer.flush(len(binlog), NO_GTIDS)
    writer.begin_file(name_of(2))
    writer.append(binlog[4:])
    writer.flush(len(binlog), NO_GTIDS)
    writer.close()
    assert [(tmp_path / SUB_DIR / name_of(number)).read_bytes() for number in (1, 2)] == [binlog, binlog]
    assert heard.said == [
        (SUB_DIR, name_of(1), 300),
        (SUB_DIR, name_of(1), len(binlog)),
        (SUB_DIR, name_of(2), len(binlog)),
    ]
    assert sub_dirs(tmp_path) == [SUB_DIR]
    assert not list(tmp_path.rglob("*.new"))


def test_it_goes_on_in_a_file(tmp_path: Path) -> None:
    binlog = binlog_file("mysql", 1)
    writer, heard = begun(tmp_path)
    writer.append(binlog[4:300])
    writer.close()
    writer.go_on(SUB_DIR, name_of(1), 300)
    assert writer.holds(250, memoryview(binlog)[250:300])
    assert not writer.holds(251, memoryview(binlog)[250:299])
    writer.append(binlog[300:])
    writer.flush(len(binlog), NO_GTIDS)
    writer.close()
    assert (tmp_path / SUB_DIR / name_of(1)).read_bytes() == binlog
    assert heard.said == [(SUB_DIR, name_of(1), len(binlog))]


def test_a_complete_file_that_has_lost_its_end_is_known_by_its_size(tmp_path: Path) -> None:
    """Also where it is cut behind a whole event, in a file without a rotate event at its end."""
    binlog = binlog_file("mysql", 1, ends="nothing")
    writer, _ = begun(tmp_path)
    writer.append(binlog[4:])
    (tmp_path / SUB_DIR / "relay.sizes").write_text("\n12")  # a crash was in the way
    writer.begin_file(name_of(2))
    writer.close()
    assert complete_size(tmp_path, SUB_DIR, name_of(1)) == len(binlog)
    assert complete_size(tmp_path, SUB_DIR, name_of(2)) == complete_size(tmp_path, "other", name_of(1)) == 0


def test_a_second_server(tmp_path: Path) -> None:
    writer, _ = begun(tmp_path)
    second = SubDir("other", 2)
    writer.begin_sub_dir(second, [SubDir(SERVER, 1)])
    writer.begin_sub_dir(second, [SubDir(SERVER, 1), second])  # the index was there, the folder perhaps not
    assert sub_dirs(tmp_path) == [SUB_DIR, "other.000002"]
    assert (tmp_path / "other.000002").is_dir()
    writer.close()


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as folder:
        fill(folder)


def fill(folder: Path) -> None:
    writer, _ = begun(folder)
    writer.append(bytes(500_000))
    writer.flush(500_004, NO_GTIDS)
    with pytest.raises(DMError, match=str(folder)) as met:
        writer.append(bytes(1_000_000))
    assert met.value.is_a(DISK_FULL)
    assert met.value.resumable
    assert int(met.value.fields["free_bytes"]) < 1 << 20
    assert writer.path.stat().st_size == 500_004, "what did not fit is cut off"
    writer.append(bytes(100_000))
    writer.flush(600_004, NO_GTIDS)
    writer.close()


def test_a_folder_without_rights(tmp_path: Path) -> None:
    (tmp_path / SUB_DIR).write_text("in the way")
    writer = Writer(tmp_path, Heard(tmp_path))
    with pytest.raises(DMError, match=SUB_DIR) as met:
        writer.begin_sub_dir(SubDir(SERVER, 1), [])
    assert met.value.is_a(CANNOT_WRITE)
