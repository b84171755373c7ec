"""Reads file after file and shows what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from dm_binlog.bounds import Bound, Bounds, Transaction
from dm_binlog.errors import NOT_FOUND, UNFINISHED
from dm_binlog.frames import FrameReader
from dm_binlog.grouping import Grouper
from dm_binlog.items import Ended, Group, Placed, Step, Unreadable
from dm_binlog.layouts import KnownNames
from dm_binlog.reader import ItemReader
from dm_binlog.selection import Selection
from dm_binlog.sources import labels, opened
from dm_binlog.where import Where
from pkg.errors import DMError


class View(Protocol):
    """What shows."""

    def show(self, step: Step) -> None: ...

    def end_file(self) -> None:
        """Nothing more of the file is shown."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be shown."""

    paths: Sequence[str]
    first: Bound | None
    last: Bound | None
    where: Where
    limit: int | None
    counts_events: bool  # the limit is of events, not of transactions
    known: KnownNames

    @property
    def is_choosy(self) -> bool:
        """Whether not all is asked for."""
        return self.where.is_set or self.first is not None or self.last is not None


class Show:
    """One run.  `tell` takes what went wrong, as it is met; the files behind are still shown."""

    def __init__(self, request: Request, view: View, tell: Callable[[DMError], None], warn: Callable[[str], None]):
        self._request = request
        self._view = view
        self._tell = tell
        self._warn = warn
        self._labels = labels(request.paths)
        self._bounds = Bounds(request.first, request.last, self._labels)
        self._left = request.limit
        self._failed = False
        self._has_shown = False
        self.unreadable = 0

    def run(self) -> bool:
        """Whether all was well."""
        for path, label in zip(self._request.paths, self._labels, strict=True):
            if self._left == 0 or self._bounds.skips(label):
                continue
            try:
                with opened(path, label) as source:
                    self._file(source, label)
            except DMError as exc:
                self._view.end_file()
                self._report(exc)
        self._report_missing()
        if not self._has_shown and not self._failed and self._request.is_choosy:
            self._warn("nothing matches; --stats without --where, --from and --to shows tables and times")
        return not self._failed and not self.unreadable

    def _file(self, source: BinaryIO, label: str) -> None:
        frames = FrameReader(source, label)
        grouper = Grouper()
        items = ItemReader(self._request.known, self._warn).items(frames)
        selection = Selection(self._bounds, self._request.where)
        for step in self._limited(selection.of(grouper.steps(items))):
            if isinstance(step, Placed):
                self.unreadable += isinstance(step.item.meaning, Unreadable)
                self._has_shown |= step.group is not None
            self._view.show(step)
        self._view.end_file()
        if grouper.open is not None and not grouper.ended_whole and not self._has_stopped:
            raise _unfinished(grouper.open, frames)

    @property
    def _has_stopped(self) -> bool:
        return self._left == 0 or self._bounds.is_over

    def _limited(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            yield step
            counted = isinstance(step, Placed) if self._request.counts_events else isinstance(step, Ended)
            if counted and self._left is not None:
                self._left -= 1
                if self._left == 0:
                    return

    def _report(self, error: DMError) -> None:
        self._failed = True
        self._tell(error)

    def _report_missing(self) -> None:
        if self._failed or self._left == 0:
            return  # it may stand where could not be read
        asked = ((self._request.first, self._bounds.first_found), (self._request.last, self._bounds.last_found))
        for bound, is_found in asked:
            if isinstance(bound, Transaction) and not is_found:
                remedy = "look with --raw-events which GTIDs there are; the transaction may be in another file"
                files = ", ".join(self._labels)
                self._report(NOT_FOUND.error(what="transaction", value=bound.gtid, files=files, remedy=remedy))


def _unfinished(group: Group, frames: FrameReader) -> DMError:
    return UNFINISHED.error(file=group.file, end=frames.end, position=group.start, remedy=frames.remedy)
