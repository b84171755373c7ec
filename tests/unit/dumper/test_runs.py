"""What runs of a dump do in a folder where nothing can be locked: none writes, or takes away, what another one completes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dm_worker.dumper.dump_state import (
    DONE_FILE,
    FOLDER_NOT_EMPTY,
    FOLDER_TAKEN,
    DumpPlan,
    Owner,
    done_line,
    read_state,
    write_state,
)
from dm_worker.dumper.folder import FOLDER_IN_USE, Folder, LocalFolder, write_file
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.listing import UNFINISHED_DUMP
from dm_worker.dumper.runs import AROUND, ENDED_FILE, SEVERAL_DUMPS, Runs, dump_in, inside, run_names
from pkg.errors import DMError, ErrorKind
from pkg.schema.parse import parse_create_table
from tests.unit.dumper.test_dump_state import _PLAN as PLAN

_MINE = Owner("t", "s")
_STOP = threading.Event()
_TABLE = parse_create_table("CREATE TABLE a (id INT PRIMARY KEY)", "d")
_OTHER = DumpPlan(None, "later", {}, (_TABLE,), (), "7")
_STRUCTURE = "d.a-schema.sql"


def _run(around: Folder, *chunks: int, ended: bool = False, text: bytes = b"rows") -> Folder:
    """A run that has come as far as ``chunks``."""
    runs = Runs(around, _MINE)
    assert runs.look() is None
    mine = runs.begin()
    _fill(mine, *chunks, text=text)
    mine.release()
    if ended:
        runs.ended(mine)
    return mine


def _fill(folder: Folder, *chunks: int, text: bytes = b"rows") -> None:
    write_file(folder, _STRUCTURE, b"structure")
    write_state(folder, _MINE, PLAN)
    for number in chunks:
        write_file(folder, PLAN.chunks[number].file, text)
        folder.append(DONE_FILE, done_line(number, 1, len(text)))


def _refused(kind: ErrorKind, refused: pytest.ExceptionInfo[DMError]) -> str:
    assert refused.value.is_a(kind)
    return str(refused.value)


def _names(folder: Folder) -> set[str]:
    return {name for name in folder.sizes() if not name.startswith(".")}


def test_what_a_killed_run_has_done_is_copied_and_what_an_ended_one_has_done_is_moved(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    killed, ended = _run(around, 0), _run(around, 0, 1, ended=True)
    runs = Runs(around, _MINE)
    assert runs.look() is None
    plan = runs.furthest()
    assert plan == PLAN
    mine = runs.begin()
    state = runs.take_over(plan, mine, _STOP)
    mine.release()
    assert state.done == {0: (1, 4), 1: (1, 4)}
    assert read_state(mine, _MINE, list(mine.sizes())) == state
    assert _names(mine) == {_STRUCTURE, PLAN.chunks[0].file, PLAN.chunks[1].file}
    assert _names(killed) == {_STRUCTURE, PLAN.chunks[0].file}
    assert PLAN.chunks[1].file not in ended.sizes()
    runs.clear()
    assert len(run_names(around)) == 2
    runs.before_the_end()
    assert ENDED_FILE not in mine.sizes()
    assert _names(killed) == {_STRUCTURE, PLAN.chunks[0].file}


def test_a_run_that_is_killed_while_it_takes_over_loses_nothing(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    former = _run(around, 0, 1, ended=True).name.rpartition("/")[2]
    first = Runs(around, _MINE)
    first.look()
    stop = threading.Event()
    stop.set()
    mine = first.begin()
    assert not first.take_over(PLAN, mine, stop).done
    mine.take(former, PLAN.chunks[0].file, moves=True)  # its line is not there
    mine.release()
    _run(around, 0)
    second = Runs(around, _MINE)
    second.look()
    last = second.begin()
    assert set(second.take_over(PLAN, last, _STOP).done) == {0, 1}
    assert _names(last) == {_STRUCTURE, PLAN.chunks[0].file, PLAN.chunks[1].file}


def test_a_run_behind_which_another_one_began_does_not_complete_its_dump(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    first = Runs(around, _MINE)
    first.look()
    first.begin().release()
    second = Runs(around, _MINE)
    second.look()
    mine = second.begin()
    with pytest.raises(DMError) as refused:
        first.before_the_end()
    _refused(FOLDER_IN_USE, refused)
    second.before_the_end()
    write_file(mine, METADATA, b"")
    assert dump_in(around) == mine.name.rpartition("/")[2]
    found = Runs(around, _MINE).look()
    assert found is not None
    assert found.name == mine.name


def test_two_that_are_complete_are_named(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    names = [_run(around, 0).name.rpartition("/")[2] for _ in range(2)]
    with pytest.raises(DMError) as refused:
        dump_in(around)
    _refused(UNFINISHED_DUMP, refused)
    for name in names:
        write_file(inside(around, name), METADATA, b"")
    for ask in (lambda: dump_in(around), Runs(around, _MINE).look):
        with pytest.raises(DMError) as refused:
            ask()
        text = _refused(SEVERAL_DUMPS, refused)
        assert all(name in text for name in names)


def test_a_dump_of_an_earlier_build_is_gone_on_with_and_left_as_it_is(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    _fill(around, 0, 2)
    before = around.sizes()
    runs = Runs(around, _MINE)
    assert runs.look() is None
    mine = runs.begin()
    assert set(runs.take_over(PLAN, mine, _STOP).done) == {0, 2}
    runs.clear()
    runs.before_the_end()
    assert around.sizes() == before
    write_file(around, METADATA, b"")
    assert dump_in(around) == AROUND
    found = Runs(around, _MINE).look()
    assert found is not None
    assert found.name == around.name


def test_the_plan_of_which_most_is_done_is_gone_on_with(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    other = _run(around, 0)
    write_state(other, _MINE, _OTHER)
    _run(around, 1)
    begun = Runs(around, _MINE)
    begun.look()
    begun.begin().release()  # it came no further
    runs = Runs(around, _MINE)
    runs.look()
    assert runs.furthest() == PLAN
    mine = runs.begin()
    assert set(runs.take_over(PLAN, mine, _STOP).done) == {1}


def test_the_folder_of_another_task_and_unknown_files_are_refused(tmp_path: Path) -> None:
    around = LocalFolder(tmp_path)
    _run(around, 0)
    with pytest.raises(DMError) as refused:
        Runs(around, Owner("u", "s")).look()
    _refused(FOLDER_TAKEN, refused)
    (tmp_path / "letter.txt").touch()
    with pytest.raises(DMError) as refused:
        Runs(around, _MINE).look()
    _refused(FOLDER_NOT_EMPTY, refused)
    assert dump_in(LocalFolder(tmp_path / "nowhere")) == AROUND
