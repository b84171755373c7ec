"""Looks for rows that went from one table of a merge to another while one of these waited with its rows.

It reads the stream once more, from where the first of the tables was held back, and applies nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dm_worker.syncer.bindings import Binding
from dm_worker.syncer.resync import ResyncRun
from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Location, Position
from pkg.schema.letter_case import small
from pkg.schema.statement import TableName
from pkg.schema.table import Index, Table
from pkg.shardddl.group import Member, Resync
from pkg.shardddl.moves import Conversions, MoveFinder, TooMany, conversions
from pkg.unit import StopSignal

MOST_VALUES = 1_000_000  # that are remembered at once, some 200 bytes each
_MOST_PARTS = 1024
log = logging.getLogger(__name__)
PhasedRange = tuple[int, Resync]


class MoveSearch(ResyncRun):
    """A run that tells a MoveFinder what it reads, instead of applying it."""

    def __init__(self, *arguments: Any, phases: Sequence[int], finder: MoveFinder, **keywords: Any) -> None:
        """``phases`` are those of the ranges."""
        super().__init__(*arguments, **keywords)
        self._phases = phases
        self._finder = finder
        self._from: dict[Position, tuple[Member, TableName, int, int, Conversions]] = {}  # by the end of an event

    def search(self, stop: StopSignal) -> bool:
        """Read all of it; False when stopped before.  Raises TooMany."""
        self._stop = stop
        return self._loop(stop)

    def _take(self, binding: Binding, event: RowsEvent) -> None:
        table = TableName(event.table_map.schema, event.table_map.table)
        end = Position(self.replicator.file_name, event.end)
        written = conversions(self._finder.altered, binding.structure.columns, binding.target)
        number = self._active[table]
        member = self._ranges.resyncs[number].member or (table, 0)
        self._from[end] = member, table, self._phases[number], self._first, written
        super()._take(binding, event)

    def _flush(self) -> None:
        jobs = sorted((job for jobs in self.replicator.take() for job in jobs), key=lambda job: job.seq)
        for job in jobs:
            member, name, phase, first, written = self._from[Position(job.origin.file_name, job.event_end)]
            self._finder.see(member, phase, job, job.row_index - first, written, name)
        self._from = {}
        self.replicator.take_skipped()

    def _begin_file(self) -> None:
        pass  # nothing is applied

    def _tick(self) -> None:
        self.replicator.advance(self.replicator.last_seq)

    def _move(self, moved: Sequence[int], after: Location) -> None:
        """Nothing is stored."""


def in_parts(search: Callable[[MoveFinder], bool], make: Callable[[int, int], MoveFinder]) -> list[MoveFinder] | None:
    """All that ``search`` finds, in so many parts as memory needs; None when it was stopped.

    ``make`` makes the finder of a part (number, parts).
    """
    parts = 1
    while True:
        finders: list[MoveFinder] = []
        try:
            for part in range(parts):
                finders.append(make(part, parts))
                if not search(finders[-1]):
                    return None
            return finders
        except TooMany:
            if parts >= _MOST_PARTS:
                raise
            parts *= 4
            log.info("more rows may have moved than are remembered at once: the binlog is read in %d parts", parts)


def as_it_will_be(target: Table, ranges: Sequence[PhasedRange], keys: Sequence[Index]) -> Table:
    """The target's table with the columns that its shards have and it has not, or not yet, and with ``keys``.

    These are left out where they would take the place of the key by which it tells rows apart.
    """
    known = {small(column.name) for column in target.columns}
    columns = list(target.columns)
    for _, one in ranges:
        for column in one.structure.columns:
            if small(column.name) not in known:
                known.add(small(column.name))
                columns.append(column)
    wider = replace(target, columns=tuple(columns))
    never_null = {small(name) for key in keys if key.primary for name in key.columns}
    columns = [replace(one, nullable=False) if small(one.name) in never_null else one for one in columns]
    keyed = replace(wider, columns=tuple(columns), indexes=(*target.indexes, *keys))
    return keyed if not target.identity_key or keyed.identity_key == wider.identity_key else wider
