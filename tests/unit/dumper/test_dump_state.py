"""What a dump keeps in its folder: whose it is, its plan, what is done; and what makes it refuse a folder."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
from pathlib import Path

import pytest

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.dump_plan import dump_folder, file_tasks
from dm_worker.dumper.dump_state import (
    BROKEN_STATE,
    DONE_FILE,
    DUMP_OF_ANOTHER,
    FILES_MISSING,
    FOLDER_NOT_EMPTY,
    FOLDER_TAKEN,
    OTHER_SETTINGS,
    STATE_FILE,
    DumpPlan,
    DumpState,
    FileChunk,
    Owner,
    done_line,
    read_state,
    refuse_another_server,
    refuse_missing_files,
    refuse_other_settings,
    write_journal,
    write_state,
)
from dm_worker.dumper.folder import (
    CANNOT_READ,
    CANNOT_WRITE,
    FOLDER_IN_USE,
    NO_SPACE,
    PART_MISSING,
    File,
    LocalFolder,
    write_file,
    writing,
)
from dm_worker.dumper.metadata import Place
from pkg.errors import DMError, ErrorKind
from pkg.schema.parse import parse_create_table

_MINE = Owner("t", "s")
_TABLE = parse_create_table("CREATE TABLE a (id INT PRIMARY KEY, b VARCHAR(3)) CHARSET latin1", "d")
_PLAN = DumpPlan(
    Place("b.000001", 4, "0-1-2"),
    "2026-01-02 03:04:05",
    {"compress": "none"},
    (_TABLE,),
    (
        FileChunk(0, "d.a.000000000.sql", Range(None, ("7",))),
        FileChunk(0, "d.a.000000001.sql", Range(("7",), None)),
        FileChunk(0, "d.a.000000002.sql", Range(("9", "'ü'"), None)),
    ),
    "7",
)


def _state(folder: LocalFolder, owner: Owner = _MINE) -> DumpState | None:
    return read_state(folder, owner, list(folder.sizes()))


def _refused(folder: LocalFolder, kind: ErrorKind, owner: Owner = _MINE) -> str:
    with pytest.raises(DMError) as refused:
        _state(folder, owner)
    assert refused.value.is_a(kind)
    return refused.value.message


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    assert _state(folder) is None
    write_state(folder, _MINE, None)
    assert _state(folder) == DumpState(_MINE)
    write_state(folder, _MINE, _PLAN)
    assert _state(folder) == DumpState(_MINE, _PLAN)


def test_a_chunk_is_done_when_its_line_is_whole_and_its_file_is_there(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    write_state(folder, _MINE, _PLAN)
    for number, chunk in enumerate(_PLAN.chunks[:2]):
        write_file(folder, chunk.file, b"x")
        folder.append(DONE_FILE, done_line(number, 5, 100 + number))
    folder.append(DONE_FILE, done_line(2, 5, 100))  # its file is gone
    folder.append(DONE_FILE, b"1 5")  # cut by a crash
    state = _state(folder)
    assert state is not None
    assert state.done == {0: (5, 100), 1: (5, 101)}
    assert [task.number for task in file_tasks(state)] == [2]
    write_journal(folder, state)
    folder.append(DONE_FILE, done_line(2, 1, 1))
    assert folder.read(DONE_FILE) == b"0 5 100\n1 5 101\n2 1 1\n"


def test_other_folders_are_refused(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    (tmp_path / "notes.md").touch()
    assert "notes.md" in _refused(folder, FOLDER_NOT_EMPTY)
    write_state(folder, Owner("t", "other"), _PLAN)
    message = _refused(folder, FOLDER_TAKEN)
    assert "task t, source other" in message
    assert "task t, source s" in message


def _write_half(file: File) -> None:
    file.write(b"half")
    raise BufferError


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"format": 2, "task": "t", "source": "s"}',
        b'{"format": 1, "task": "t", "source": "s", "chunks": [[0]]}',
        b"\xff\xfe",
        json.dumps(
            {"format": 1, "task": "t", "source": "s", "start": None, "started_at": "", "settings": {}, "tables": [],
             "chunks": [[0, "f", None, None]]}
        ).encode(),
    ],
)  # fmt: skip
def test_a_damaged_state_is_named(tmp_path: Path, text: bytes) -> None:
    (tmp_path / STATE_FILE).write_bytes(text)
    assert STATE_FILE in _refused(LocalFolder(tmp_path), BROKEN_STATE)


def test_settings_stay_for_the_whole_dump() -> None:
    refuse_other_settings(_PLAN, {"compress": "none"}, "/d")
    with pytest.raises(DMError) as refused:
        refuse_other_settings(_PLAN, {"compress": "zstd"}, "/d")
    assert refused.value.is_a(OTHER_SETTINGS)
    assert "`compress` was 'none'" in refused.value.message


def test_another_server_is_refused_where_the_former_is_known(tmp_path: Path) -> None:
    refuse_another_server(_PLAN, "7", "a:1", "/d")
    with pytest.raises(DMError) as refused:
        refuse_another_server(_PLAN, "8", "a:1", "/d")
    assert refused.value.is_a(DUMP_OF_ANOTHER)
    write_state(folder := LocalFolder(tmp_path), _MINE, _PLAN)
    stored = json.loads((tmp_path / STATE_FILE).read_text())
    del stored["server"]  # as an earlier build has written it
    (tmp_path / STATE_FILE).write_text(json.dumps(stored))
    state = _state(folder)
    assert state is not None
    assert state.plan is not None
    refuse_another_server(state.plan, "8", "a:1", "/d")


def test_files_that_are_elsewhere_are_missed_at_the_end(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    write_file(folder, _PLAN.chunks[0].file, b"")
    with pytest.raises(DMError) as refused:
        refuse_missing_files(_PLAN, folder)
    assert refused.value.is_a(FILES_MISSING)
    assert "2 files" in refused.value.message


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    with pytest.raises(BufferError), writing(folder, "a.sql") as file:
        _write_half(file)
    assert not list(tmp_path.iterdir())
    with writing(folder, "a.sql") as file:
        file.write(b"whole")
    assert folder.read("a.sql") == b"whole"


def test_what_a_killed_run_was_writing_is_swept(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    left = writing(folder, "a.sql")
    left.__enter__().write(b"half")
    assert list(tmp_path.iterdir())
    folder.sweep()
    assert not list(tmp_path.iterdir())
    with pytest.raises(DMError):
        left.__exit__(None, None, None)


def test_one_process_at_a_time_writes_a_dump(tmp_path: Path) -> None:
    first, second = LocalFolder(tmp_path / "d"), LocalFolder(tmp_path / "d")
    first.claim()
    with pytest.raises(DMError) as refused:
        second.claim()
    assert refused.value.is_a(FOLDER_IN_USE)
    assert refused.value.resumable
    first.release()
    second.claim()
    second.release()


def test_a_folder_that_is_made_anew_gets_nothing_of_the_former_one(tmp_path: Path) -> None:
    former, later = LocalFolder(tmp_path / "d"), LocalFolder(tmp_path / "d")
    former.claim()
    with former.writing_part("part") as file:
        file.write(b"old")
    shutil.rmtree(tmp_path / "d")
    later.claim()
    write_file(later, "a.sql", b"new")
    before = {file.name: file.read_bytes() for file in (tmp_path / "d").iterdir()}
    for write in (
        lambda: former.keep("part", "a.sql"),
        lambda: write_file(former, "a.sql", b"old"),
        lambda: former.append("journal", b"old"),
    ):
        with pytest.raises(DMError):
            write()
    former.remove("a.sql")
    former.sweep()
    assert {file.name: file.read_bytes() for file in (tmp_path / "d").iterdir()} == before
    assert pickle.loads(pickle.dumps(former)) == LocalFolder(tmp_path / "d")
    former.release()
    later.release()


def test_a_part_that_is_elsewhere_is_missed(tmp_path: Path) -> None:
    with pytest.raises(DMError) as refused:
        LocalFolder(tmp_path).keep("part", "a.sql")
    assert refused.value.is_a(PART_MISSING)
    assert "a.sql" in refused.value.message


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for step, kind in ((LocalFolder.claim, CANNOT_WRITE), (LocalFolder.sizes, CANNOT_READ)):
        with pytest.raises(DMError) as refused:
            step(LocalFolder(tmp_path / "file" / "d"))
        assert refused.value.is_a(kind)
        assert str(tmp_path / "file" / "d") in refused.value.message


def test_a_full_disk_is_named() -> None:
    """/dev/full is a disk without room."""
    folder = LocalFolder(Path("/dev"))
    with pytest.raises(DMError) as refused:
        folder.append("full", b"x")
    assert refused.value.is_a(NO_SPACE)
    assert os.strerror(errno.ENOSPC) in refused.value.message


def test_sources_of_one_task_have_folders_of_their_own() -> None:
    assert dump_folder("/dumps/", "s", 1) == "/dumps/"
    assert dump_folder("/dumps/", "s", 2) == "/dumps/s"
