"""The rows of shadow tables, counted as the stream brings them, and kept with the checkpoint.  No I/O.

The stream is ahead of what is applied, so of each table the counts at the ends of its last transactions are known:
what is stored with a checkpoint is what held at its location, and the next run goes on from there.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.table_layout import TableMap
from pkg.errors import DMError
from pkg.schema.shadow_tables import Looks, ShadowRows
from pkg.schema.statement import TableName
from pkg.schema.table import Table

PLACE: Final = "at"  # of a stored document: the location that it is of
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Counted:
    rows: ShadowRows
    known: list[
        tuple[Position, int, dict[str, int]]
    ]  # places, and the count and sums behind them; the first: where it began
    looks: Looks | None = None  # at the last table map


@dataclass(slots=True)
class ShadowCounts:
    """By shadow table; owned by the thread that reads the stream."""

    _tables: dict[TableName, _Counted] = field(default_factory=dict)

    def begin(self, shadow: TableName, place: Position) -> None:
        """The table was made, or emptied, at ``place``."""
        self._tables[shadow] = _Counted(ShadowRows(), [(place, 0, {})])

    def go_on(self, shadow: TableName, place: Position, stored: Mapping[str, Any], looks: Looks) -> None:
        """The stream goes on at ``place`` with what was stored; ``looks``: of the structures there.

        ``place`` without a file's name is one on another server, which is known by its GTIDs.
        """
        if place.name and stored[PLACE] != str(place):
            log.info("the rows of %s are not known at %s", shadow.quoted(), place)
            return
        rows = ShadowRows.of_document(stored, looks)
        self._tables[shadow] = _Counted(rows, [(place, rows.count, dict(rows.sums))])

    def forget(self, shadow: TableName) -> None:
        """The table is gone, or something happened to it that is not followed."""
        self._tables.pop(shadow, None)

    def plan(self, table_map: TableMap, shadow: Table | None, real: Table | None) -> RowPlan | None:
        """How to read its rows, which are passed over (None) where that is not known."""
        name = TableName(table_map.schema, table_map.table)
        counted = self._tables.get(name)
        if counted is None:
            return None
        try:
            if shadow is not None:
                counted.looks = Looks.at(shadow, real)
                return RowPlan.build(shadow.columns, table_map, most_hidden=shadow.most_hidden_columns)
        except DMError as exc:
            log.warning("the rows of %s cannot be counted: %s", name.quoted(), exc)
        self.forget(name)
        return None

    def counts(self, table_map: TableMap) -> bool:
        """Whether the table's rows are counted."""
        return TableName(table_map.schema, table_map.table) in self._tables

    def see(self, event: RowsEvent, place: Position, committed: Position) -> None:
        """Rows at ``place``, whose transaction began at ``committed``."""
        counted = self._tables.get(TableName(event.table_map.schema, event.table_map.table))
        if counted is None or counted.looks is None:
            return
        counted.rows.see(event.kind, event.rows, counted.looks)
        if len(counted.known) > 1 and counted.known[-1][0] > committed:
            counted.known.pop()
        counted.known.append((place, counted.rows.count, dict(counted.rows.sums)))

    def undo(self, committed: Position) -> None:
        """The transaction that began at ``committed`` does not count."""
        for counted in self._tables.values():
            if len(counted.known) > 1 and counted.known[-1][0] > committed:
                counted.known.pop()
                _, counted.rows.count, sums = counted.known[-1]
                counted.rows.sums = dict(sums)

    def of(self, shadow: TableName) -> ShadowRows | None:
        """What is known of the table's rows up to the stream's place."""
        counted = self._tables.get(shadow)
        return None if counted is None else counted.rows

    def document(self, shadow: TableName, location: Position) -> dict[str, Any] | None:
        """What to store of the table with a checkpoint at ``location``; those before are not asked for again."""
        counted = self._tables.get(shadow)
        if counted is None:
            return None
        while len(counted.known) > 1 and counted.known[1][0] <= location:
            del counted.known[0]
        place, count, sums = counted.known[0]
        if place > location:  # it was made in the transaction behind the location, whose rows come again
            count, sums = 0, {}
        return counted.rows.to_document() | {"count": count, "sums": sums, PLACE: str(location)}
