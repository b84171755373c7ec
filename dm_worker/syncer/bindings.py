"""Which rows events go where: upstream table → its structure at this location → downstream table.

A binding is made when a table's rows first come by and forgotten at each DDL, so a rows event is
always decoded with the structure at its location (DESIGN.md §4.8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pkg.binlog.events import TableMap
from pkg.binlog.position import Location, Position
from pkg.binlog.rows import RowPlan
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import TargetTable, plan_target
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.router import Router
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

UNKNOWN_UPSTREAM_TABLE = ErrorKind(
    44010,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows of {schema}.{table} arrive, but its structure is not known and the table is not on the upstream any more",
    workaround="say what it was like by `dmctl binlog-schema update <task> {schema} {table} FILE`, then resume-task; "
    "or start the task again with --remove-meta, or leave the table out by the block-allow-list",
)
MISSING_TARGET_TABLE = ErrorKind(
    36102,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows of {schema}.{table} go to {target}, which is not there",
    workaround="create the table downstream, or correct the route, then resume-task",
)
MISSING_TARGET_COLUMN = ErrorKind(
    36103,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{schema}.{table} has the column {column}, which {target} lacks; upstream: ({upstream}), "
    "downstream: ({downstream})",
    workaround="add the column downstream, then resume-task",
)


SYSTEM_VERSIONED = ErrorKind(
    44011,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "{schema}.{table} is a system-versioned table, whose deletes are logged as updates: this version cannot follow it",
    workaround="leave the table out by the block-allow-list, or ALTER TABLE … DROP SYSTEM VERSIONING",
)


@dataclass(frozen=True, slots=True)
class Binding:
    """One upstream table and where its rows go; rows up to ``pin`` were copied with the table."""

    structure: Table
    target: TargetTable
    pin: Position | None


FetchTable = Callable[[str, str], Table | None]


class Bindings:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        tracker: SchemaTracker,
        router: Router,
        allow_list: BlockAllowList,
        pins: Mapping[tuple[str, str], Location],
        *,
        fetch_upstream: FetchTable,
        fetch_downstream: FetchTable,
    ) -> None:
        self._tracker = tracker
        self._router = router
        self._allow_list = allow_list
        self._pins = pins
        self._fetch_upstream = fetch_upstream
        self._fetch_downstream = fetch_downstream
        self._bindings: dict[tuple[str, str], Binding | None] = {}
        self._targets: dict[tuple[str, str, tuple[str, ...]], TargetTable] = {}

    def of(self, schema: str, table: str) -> Binding | None:
        """The binding of an upstream table; None when its rows are not wanted."""
        name = (schema, table)
        if name not in self._bindings:
            self._bindings[name] = self._bind(schema, table) if self._allow_list.allows(schema, table) else None
        return self._bindings[name]

    def resolve(self, table_map: TableMap) -> RowPlan | None:
        """How the codec reads the rows of a table; None lets it pass them over."""
        binding = self.of(table_map.schema, table_map.table)
        return None if binding is None else RowPlan.build(binding.structure.columns, table_map)

    def forget(self) -> None:
        """Structures may have changed, here or there."""
        self._bindings.clear()
        self._targets.clear()

    def structure(self, schema: str, table: str) -> Table:
        """The tracked structure of an upstream table, read from the upstream when it is met for the first time."""
        tracked = self._tracker.table(schema, table)
        if tracked is None:
            tracked = self._fetch_upstream(schema, table)
            if tracked is None:
                raise UNKNOWN_UPSTREAM_TABLE.error(schema=schema, table=table)
            self._tracker.load(tracked)
        return tracked

    def _bind(self, schema: str, table: str) -> Binding | None:
        structure = self.structure(schema, table)
        if structure.kind == "sequence":
            return None  # the rows that MariaDB logs of a sequence are its state, not data
        if structure.system_versioned:
            raise SYSTEM_VERSIONED.error(schema=schema, table=table)
        target = self._router.route(schema, table)
        pin = self._pins.get((schema, table))
        planned = self._target(structure, target.schema, target.table)
        return Binding(structure, planned, None if pin is None else pin.position)

    def _target(self, structure: Table, schema: str, table: str) -> TargetTable:
        # Shards with the same columns share one TargetTable, so that their rows share statements.
        key = (schema, table, tuple(column.name for column in structure.columns))
        planned = self._targets.get(key)
        if planned is None:
            planned = self._targets[key] = self._plan(structure, schema, table)
        return planned

    def _plan(self, structure: Table, schema: str, table: str) -> TargetTable:
        names: dict[str, Any] = {"schema": structure.schema, "table": structure.name, "target": f"{schema}.{table}"}
        downstream = self._fetch_downstream(schema, table)
        if downstream is None:
            raise MISSING_TARGET_TABLE.error(**names)
        try:
            return plan_target(structure, downstream)
        except KeyError as exc:
            raise MISSING_TARGET_COLUMN.error(
                column=exc.args[0], upstream=_columns(structure), downstream=_columns(downstream), **names
            ) from exc


def _columns(table: Table) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in table.columns)
