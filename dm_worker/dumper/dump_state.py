"""What a dump keeps in its folder so that it goes on where it was: whose it is, its plan, the chunks that are done.

* ``.spark-dm.json`` is written twice: with the owner alone (the folder was empty, all in it is ours), and
  with the plan when the structures are there.
* ``.spark-dm.done`` gets a line for each chunk after its file has got its name.

With ``metadata``, which comes last, the dump is complete.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dm_worker.dumper.chunks import Range, bound_from_text, bound_to_text
from dm_worker.dumper.folder import Folder, write_file
from dm_worker.dumper.metadata import Place
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.table import Table

STATE_FILE: Final = ".spark-dm.json"
DONE_FILE: Final = ".spark-dm.done"
_FORMAT: Final = 1

FOLDER_TAKEN = ErrorKind(
    32205,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the folder {folder} holds the dump of {other}, not that of {mine}",
    workaround="give the task a `dir` of its own in `loaders`, or remove the folder; then resume-task",
)
FOLDER_NOT_EMPTY = ErrorKind(
    32206,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the folder {folder} is not empty: there is {files}",
    workaround="a dump goes to an empty folder: give the task a `dir` of its own in `loaders`, or remove the files; "
    "then resume-task",
)
BROKEN_STATE = ErrorKind(
    32207,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "how far the dump in {folder} is cannot be read from {file}: {reason}",
    workaround="remove the folder, then resume-task: the dump begins anew",
)
OTHER_SETTINGS = ErrorKind(
    32208,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump in {folder} was begun with other settings: {settings}",
    workaround="set them back in the task file, or remove the folder; then resume-task",
)

DUMP_OF_ANOTHER = ErrorKind(
    32020,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the dump in {folder} was begun at the server {known}, and at {address} {found} answers: rows of two servers have "
    "no location in common",
    workaround="point the source at the former server, and it goes on by itself; or remove the folder, and the dump "
    "begins anew",
    resumable=True,
)
FILES_MISSING = ErrorKind(
    32209,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "{count} files of the dump are not in {folder}, the first is {first}",
    workaround="`dir` in `loaders` is to be one folder for dm-worker and all of Spark's executors (a shared file "
    "system), and nobody may take files out of it; then resume-task writes them again",
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose dump it is."""

    task: str
    source: str

    def __str__(self) -> str:
        return f"task {self.task}, source {self.source}"


@dataclass(frozen=True, slots=True)
class FileChunk:
    """One chunk and its file; ``table`` is an index into the plan's tables."""

    table: int
    file: str
    range: Range


@dataclass(frozen=True, slots=True)
class DumpPlan:
    """All that a later run must know."""

    start: Place | None
    started_at: str
    settings: dict[str, str]
    tables: tuple[Table, ...]
    chunks: tuple[FileChunk, ...]
    server: str = ""  # the identity of the one that is read; "": of an earlier build, which did not store it


@dataclass(slots=True)
class DumpState:
    """What is in the folder."""

    owner: Owner
    plan: DumpPlan | None = None
    done: dict[int, tuple[int, int]] = field(default_factory=dict)  # rows and bytes of each chunk that is done


def read_state(folder: Folder, owner: Owner, names: Sequence[str]) -> DumpState | None:
    """The dump that is there; None in an empty folder; DMError where it is another's."""
    if STATE_FILE not in names:
        refuse_unknown_files(folder, names)
        return None
    state = _state(folder)
    if state.owner != owner:
        raise FOLDER_TAKEN.error(folder=folder.name, other=state.owner, mine=owner)
    if state.plan is not None and DONE_FILE in names:
        there = set(names)
        found = _done(folder.read(DONE_FILE), len(state.plan.chunks))
        state.done = {number: size for number, size in found.items() if state.plan.chunks[number].file in there}
    return state


def planned_files(folder: Folder) -> dict[tuple[str, str], list[str]]:
    """By table the files of rows that a dump of ours was to write, which are all there when it is complete.

    The folder has STATE_FILE.  Raises BROKEN_STATE.
    """
    plan, found = _state(folder).plan, dict[tuple[str, str], list[str]]()
    if plan is None:
        return found
    for chunk in plan.chunks:
        table = plan.tables[chunk.table]
        found.setdefault((table.schema, table.name), []).append(chunk.file)
    return found


def refuse_unknown_files(folder: Folder, names: Sequence[str]) -> None:
    """Files that no dump of ours has written, or that nobody can tell whose they are."""
    if names and STATE_FILE not in names:
        raise FOLDER_NOT_EMPTY.error(folder=folder.name, files=", ".join(sorted(names)[:5]))


def _state(folder: Folder) -> DumpState:
    try:
        return _from_json(json.loads(folder.read(STATE_FILE)))
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise BROKEN_STATE.error(folder=folder.name, file=STATE_FILE, reason=str(exc) or "?", cause=exc) from exc


def write_state(folder: Folder, owner: Owner, plan: DumpPlan | None) -> None:
    write_file(folder, STATE_FILE, json.dumps(_to_json(owner, plan), ensure_ascii=False).encode())


def write_journal(folder: Folder, state: DumpState) -> None:
    """Anew: a line that a crash has cut would spoil the next one."""
    lines = [done_line(number, *amounts) for number, amounts in sorted(state.done.items())]
    write_file(folder, DONE_FILE, b"".join(lines))


def refuse_missing_files(plan: DumpPlan, folder: Folder) -> None:
    """Whoever wrote the chunks may have seen another folder under the same name."""
    there = folder.sizes()
    missing = [chunk.file for chunk in plan.chunks if chunk.file not in there]
    if missing:
        raise FILES_MISSING.error(folder=folder.name, count=len(missing), first=missing[0])


def done_line(number: int, rows: int, size: int) -> bytes:
    return f"{number} {rows} {size}\n".encode()


def refuse_other_settings(plan: DumpPlan, settings: dict[str, str], folder: str) -> None:
    """A dump whose files differ in form or in what they hold would be of no use to anybody."""
    other = [
        f"`{name}` was {plan.settings.get(name)!r}" for name in settings if plan.settings.get(name) != settings[name]
    ]
    if other:
        raise OTHER_SETTINGS.error(folder=folder, settings=", ".join(other))


def refuse_another_server(plan: DumpPlan, found: str, address: str, folder: str) -> None:
    """Files of two servers would have no location in common."""
    if plan.server not in ("", found):
        raise DUMP_OF_ANOTHER.error(folder=folder, known=plan.server, found=found, address=address)


def _done(journal: bytes, chunks: int) -> dict[int, tuple[int, int]]:
    """Whole lines; the last one may be cut by a crash, and then its chunk is repeated."""
    found = {}
    for line in journal.split(b"\n")[:-1]:
        parts = line.split()
        if len(parts) == 3 and all(part.isdigit() for part in parts) and int(parts[0]) < chunks:
            found[int(parts[0])] = (int(parts[1]), int(parts[2]))
    return found


def _to_json(owner: Owner, plan: DumpPlan | None) -> dict[str, Any]:
    head = {"format": _FORMAT, "task": owner.task, "source": owner.source}
    if plan is None:
        return head
    start = plan.start and {"file": plan.start.file, "offset": plan.start.offset, "gtid": plan.start.gtid}
    chunks = [
        [one.table, one.file, bound_to_text(one.range.lower), bound_to_text(one.range.upper)] for one in plan.chunks
    ]
    tables = [table.to_json() for table in plan.tables]
    rest = {"server": plan.server, "start": start, "started_at": plan.started_at, "settings": plan.settings}
    return head | rest | {"tables": tables, "chunks": chunks}


def _from_json(found: dict[str, Any]) -> DumpState:
    if found["format"] != _FORMAT:
        raise ValueError(f"its format is {found['format']}, and this version knows {_FORMAT}")
    owner = Owner(str(found["task"]), str(found["source"]))
    if "chunks" not in found:
        return DumpState(owner)
    start = found["start"]
    place = Place(str(start["file"]), int(start["offset"]), str(start["gtid"])) if start else None
    tables = tuple(Table.from_json(table) for table in found["tables"])
    chunks = tuple(
        FileChunk(int(table), str(file), Range(bound_from_text(lower), bound_from_text(upper)))
        for table, file, lower, upper in found["chunks"]
    )
    if any(chunk.table >= len(tables) for chunk in chunks):
        raise ValueError("a chunk is of no table")
    settings, server = dict(found["settings"]), str(found.get("server", ""))
    return DumpState(owner, DumpPlan(place, str(found["started_at"]), settings, tables, chunks, server))
