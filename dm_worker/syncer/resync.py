"""Re-sync: rows that were passed over while their tables waited for the other shards' DDL are read again.

The run begins where the first of the tables was held back and ends where the stream stands; between
them each table's rows count from its own DDL on, up to its next one, by its structure there.  All
other rows are passed over: they were applied the first time.  So are changes that those have overtaken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from dm_worker.syncer.bindings import Binding
from dm_worker.syncer.moved_rows import MovedRows
from dm_worker.syncer.run import Run
from dm_worker.syncer.shard_rows import ShardStatements
from pkg.binlog.events import FormatEvent, GtidEvent, QueryEvent, RowsEvent
from pkg.binlog.framing import MAGIC
from pkg.binlog.position import Location, Position
from pkg.schema.statement import TableName
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.group import Resync


class Ranges:
    """Which table's rows count at the place where the reader is.  No I/O."""

    def __init__(self, resyncs: Sequence[Resync], main: Location) -> None:
        self.resyncs = list(resyncs)
        self.main = main

    def active(self, position: Position) -> list[int]:
        """The resyncs, by number, whose rows come after ``position``."""
        return [
            number
            for number, one in enumerate(self.resyncs)
            if one.start.position <= position < (one.end or self.main).position
        ]

    def next_change(self, position: Position) -> Position | None:
        """The first place behind ``position`` where others count; None: there is none.

        It may be no DDL: where a circle was read on, or an operator passed over a statement, it is where the stream
        stood then.
        """
        places = (place.position for one in self.resyncs for place in (one.start, one.end) if place is not None)
        return min((place for place in places if place > position), default=None)


class ResyncRun(Run):
    """A run over what waited.  DDLs are not executed; those that no shard waited for change structures only."""

    def __init__(
        self,
        *arguments: Any,
        ranges: Ranges,
        tracker: SchemaTracker,
        statements: ShardStatements,
        moved: MovedRows,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        self._moved = moved
        self._first = 0  # row_index of the event that is being read
        self._ranges = ranges
        self._tracker = tracker
        self._statements = statements
        self._active: dict[TableName, int] = {}
        self._next: Position | None = None
        self._enter(self.replicator.commits.read.position)

    def wants(self, schema: str, table: str) -> bool:
        """Whether a table's rows count here."""
        return TableName(schema, table) in self._active

    def _rows(self, event: RowsEvent) -> None:
        self._first = self.replicator.next_row_index
        super()._rows(event)

    def _take(self, binding: Binding, event: RowsEvent) -> None:
        table = TableName(event.table_map.schema, event.table_map.table)
        if self._moved.has_void(table):
            self.replicator.counts = partial(self._moved.without_void, table, self._first)
        super()._take(binding, event)
        self.replicator.counts = None

    def _enter(self, position: Position) -> None:
        active = {self._ranges.resyncs[number].table: number for number in self._ranges.active(position)}
        for table, number in active.items():
            is_known = (
                self._tracker.table(table.schema, table.table) is not None
            )  # not one made like one outside of here
            if self._active.get(table) != number or not is_known:
                self._tracker.load(self._ranges.resyncs[number].structure)
        self._active = active
        self._next = self._ranges.next_change(position)

    def _gtid(self, event: GtidEvent) -> None:
        super()._gtid(event)
        self._pass(event.end)

    def _format(self, event: FormatEvent) -> None:
        super()._format(event)
        self._pass(len(MAGIC))

    def _end_transaction(self, end: int, timestamp: int) -> None:
        super()._end_transaction(end, timestamp)
        self._pass(end)

    def _pass(self, offset: int) -> None:
        """The reader is between two transactions, or behind the first event of one, at ``offset`` of its file."""
        position = Position(self.replicator.file_name, offset)
        if self._next is not None and position >= self._next:
            self._flush()
            self._enter(position)
            self._bindings.forget()
            self._decoder.forget_tables()

    def _ddl(self, event: QueryEvent, position: Position) -> bool:
        self._flush()
        after = self._behind(event)
        changed = self.ddl.follow(event, str(position))
        moved = [number for table, number in self._active.items() if (table.schema, table.table) in changed]
        self._enter(position)
        self._move([number for number in moved if number in self._active.values()], after)
        self._bindings.forget()
        self._decoder.forget_tables()
        return True

    def _move(self, moved: Sequence[int], after: Location) -> None:
        """Structures changed by a DDL that the rules pass over: a restart must begin behind it with the new ones."""
        if not moved:
            return
        self.channels.wait_drained()
        statements = []
        for number in moved:
            resync = self._ranges.resyncs[number]
            structure = self._tracker.table(resync.table.schema, resync.table.table)
            if structure is not None:
                self._ranges.resyncs[number] = replace(resync, start=after, structure=structure)
                statements.append(self._statements.moved(number, self._ranges.resyncs[number]))
        self._store.save(self._checkpoint_at(after), also=statements)
        self.saved = after
