"""A dump in a folder where nothing can be locked: each run of it writes to a folder of its own in it.

A process that was frozen or cut off may write at any time later.  So no run writes to a name that another one uses,
and the folder with ``metadata``, its run's last file, is the dump.

* A run takes over what earlier ones have done: it moves their files where they say that they have ended (their last
  word), and copies them otherwise.  So no file leaves a folder that may get its ``metadata`` yet.
* A run that sees another one that began after it, or that is complete, does not complete its own.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from dm_worker.dumper.dump_state import (
    DONE_FILE,
    STATE_FILE,
    DumpPlan,
    DumpState,
    Owner,
    done_line,
    read_state,
    refuse_unknown_files,
    write_state,
)
from dm_worker.dumper.folder import FOLDER_IN_USE, Folder, write_file
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.listing import HIDDEN, UNFINISHED_DUMP
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

SEVERAL_DUMPS = ErrorKind(
    32211,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "there are several complete dumps in {folder}: {names}",
    workaround="each is whole. Name the one to load in `dir` of `loaders`, or remove the others; then resume-task",
)

ENDED_FILE: Final = ".spark-dm.ended"
AROUND: Final = ""  # the folder itself, to which earlier builds wrote
_RUN: Final = re.compile(r"dump-\d{8}T\d{6}Z-[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Run:
    """One run's folder as it was found."""

    name: str
    files: frozenset[str]
    state: DumpState | None

    @property
    def has_ended(self) -> bool:
        """It writes nothing any more, and is not complete."""
        return self.name != AROUND and ENDED_FILE in self.files

    @property
    def plan(self) -> DumpPlan | None:
        return None if self.state is None else self.state.plan

    @property
    def done(self) -> Mapping[int, tuple[int, int]]:
        return {} if self.state is None else self.state.done


class Runs:
    """The runs of one dump, seen by one of them."""

    def __init__(self, around: Folder, owner: Owner) -> None:
        self._around = around
        self._owner = owner
        self._mine = AROUND
        self._earlier: list[Run] = []

    def look(self) -> Folder | None:
        """See what is there; the dump, where it is complete.  Raises FOLDER_TAKEN and the like."""
        self._around.make()
        files = self._around.sizes()
        if files:
            refuse_unknown_files(self._around, list(files))
        self._earlier = [self._read(name) for name in (AROUND, *run_names(self._around))]
        name = the_complete(self._around)
        return None if name is None else inside(self._around, name)

    def begin(self) -> Folder:
        """This run's own folder."""
        self._mine = f"dump-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{uuid.uuid4().hex}"
        mine = self._around.within(self._mine)
        mine.claim()
        write_state(mine, self._owner, None)
        return mine

    def furthest(self) -> DumpPlan | None:
        """The plan of which the most is done."""
        planned = [run for run in self._earlier if run.plan is not None]
        return max(planned, key=lambda run: len(run.done)).plan if planned else None

    def take_over(self, plan: DumpPlan, mine: Folder, stop: StopSignal) -> DumpState:
        """Bring to this run's folder what earlier runs have done of ``plan``."""
        same = [run for run in self._earlier if run.plan == plan]
        chunks = {chunk.file for chunk in plan.chunks}
        whole = max(same, key=lambda run: len(run.files - chunks))
        for name in sorted(whole.files - chunks):
            if not name.startswith(HIDDEN):
                mine.take(whole.name, name, moves=False)
        write_state(mine, self._owner, plan)
        state = DumpState(self._owner, plan)
        for run in same:
            for number in sorted(run.done.keys() - state.done.keys()):
                if stop.is_set():
                    return state
                mine.take(run.name, plan.chunks[number].file, moves=run.has_ended)
                state.done[number] = run.done[number]
                mine.append(DONE_FILE, done_line(number, *run.done[number]))
        return state

    def clear(self) -> None:
        """Remove the folders of ended runs: this one has taken over what it needs."""
        for run in self._earlier:
            if run.has_ended:
                try:
                    self._around.discard(run.name)
                except DMError as exc:
                    log.warning("the folder of an earlier run stays: %s", exc)

    def before_the_end(self) -> None:
        """This run is about to complete its dump: it must be the last one."""
        known = {self._mine, *(run.name for run in self._earlier)}
        later = [name for name in run_names(self._around) if name not in known]
        if later or the_complete(self._around) is not None:
            raise FOLDER_IN_USE.error(folder=self._around.name)

    def ended(self, mine: Folder) -> None:
        """The last word of a run that is not complete; a folder that cannot be written says nothing."""
        with suppress(DMError):
            write_file(mine, ENDED_FILE, b"")

    def _read(self, name: str) -> Run:
        folder = inside(self._around, name)
        files = folder.sizes()
        state = read_state(folder, self._owner, list(files)) if STATE_FILE in files else None
        return Run(name, frozenset(files), state)


def run_names(around: Folder) -> list[str]:
    return sorted(name for name in around.folders() if _RUN.fullmatch(name))


def the_complete(around: Folder) -> str | None:
    """The run whose dump is complete.  Raises SEVERAL_DUMPS."""
    found = [name for name in (AROUND, *run_names(around)) if METADATA in inside(around, name).sizes()]
    if len(found) > 1:
        raise SEVERAL_DUMPS.error(folder=around.name, names=", ".join(name or METADATA for name in found))
    return found[0] if found else None


def dump_in(folder: Folder) -> str:
    """Where in ``folder`` the files of a dump are: AROUND, or the folder of the run that is complete."""
    try:
        names: Sequence[str] = run_names(folder)
    except DMError:  # one that is not there; whoever reads in it says so
        return AROUND
    if not names:
        return AROUND
    name = the_complete(folder)
    if name is None:
        raise UNFINISHED_DUMP.error(folder=folder.name, reason=f"there is no {METADATA} in {names[-1]}")
    return name


def inside(around: Folder, name: str) -> Folder:
    """The folder of a run."""
    return around.within(name) if name != AROUND else around
