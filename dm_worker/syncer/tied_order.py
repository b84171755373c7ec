"""The order of rows that foreign keys of the target tie, while some of them wait for a shard DDL: kept, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.shards import Shards
from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.table_layout import TableMap
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.foreign_keys import Name
from pkg.schema.letter_case import small
from pkg.schema.statement import TableName
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.tied_rows import Tie, TiedRows

TIED_ROWS_WAIT = ErrorKind(
    36306,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows of {table} at {place} belong, by a foreign key of the target, to rows of {other} that came before them and "
    "wait for a DDL of the other shards: written in another order, the target's foreign key would change or refuse "
    "other rows than the upstream's did. {other} waits since {since} with: {sql}",
    workaround="run that DDL in the target by hand, then `dmctl binlog skip <task> -s <source> -b {since}` and "
    "resume-task: what waits is applied, and the stream goes on behind it. A shard that meets the DDL later goes alone "
    "where the DDL only adds; else skip it there, too. Better alter such tables while no rows are written to them",
)


class TiedOrder:
    """Of one run.  Owned by the thread that reads the stream."""

    def __init__(
        self,
        known: TiedRows,
        shards: Shards,
        tracker: SchemaTracker,
        downstream: Downstream,
        references: Callable[[], Iterable[tuple[Name, Name]]],
        applied: Position | None = None,
    ) -> None:
        """``references``: the foreign keys that the target checks, as (child, parent).

        ``applied``: changes up to there were applied by an earlier run, which has looked at their order.
        """
        self._known = known
        self._shards = shards
        self._tracker = tracker
        self._downstream = downstream
        self._references = references
        self._applied = applied
        self.forget()

    def forget(self) -> None:
        """A DDL may have changed foreign keys, or what waits."""
        waiting = {_small(group.target) for group in self._shards.waiting()}
        self._known.update(self._ties() if waiting else (), waiting)

    def _ties(self) -> Iterator[Tie]:
        for child in sorted({child for child, _ in self._references()}):
            table = self._downstream.table(*child)
            for key in table.foreign_keys if table is not None else ():
                parent = TableName(small(key.ref_schema or child[0]), small(key.ref_table))
                yield Tie(_small(TableName(*child)), parent, key.columns, key.ref_columns)

    def counts(self, table_map: TableMap) -> bool:
        """Whether rows that wait are read where they are passed over."""
        return self._waits(table_map) and self._known.concern(self._target(table_map))

    def plan(self, table_map: TableMap) -> RowPlan | None:
        """How they are read; None: they are not."""
        structure = self._tracker.table(table_map.schema, table_map.table) if self.counts(table_map) else None
        if structure is None:
            return None
        return RowPlan.build(structure.columns, table_map, most_hidden=structure.most_hidden_columns)

    def see(self, event: RowsEvent, file_name: str) -> None:
        """Rows that are applied, or that wait.  Raises TIED_ROWS_WAIT."""
        if not self._known.counts:
            return
        target = self._target(event.table_map)
        if not self._known.concern(target):
            return
        structure = self._tracker.table(event.table_map.schema, event.table_map.table)
        if structure is None:
            return
        waits = self._waits(event.table_map)
        other = self._known.see(target, structure, event.kind, event.rows, waits=waits, checked=event.checks_keys)
        place = Position(file_name, event.end)
        if other is not None and (self._applied is None or place > self._applied):
            name = f"{event.table_map.schema}.{event.table_map.table}"
            raise TIED_ROWS_WAIT.error(table=name, place=place, **self._waiting(other))

    def _waiting(self, other: TableName) -> dict[str, Any]:
        group = next(group for group in self._shards.waiting() if _small(group.target) == other)
        head = group.head
        place = f"{head.location.position.name}:{head.location.position.offset}" if head is not None else ""
        return {"other": f"{other.schema}.{other.table}", "since": place, "sql": "; ".join(head.ddls) if head else ""}

    def _waits(self, table_map: TableMap) -> bool:
        return self._shards.holds(table_map.schema, table_map.table)

    def _target(self, table_map: TableMap) -> TableName:
        return _small(self._shards.target_of(TableName(table_map.schema, table_map.table)))


def _small(name: TableName) -> TableName:
    return TableName(small(name.schema), small(name.table))
