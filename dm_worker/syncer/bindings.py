"""Which rows events go where: upstream table → its structure at this location → downstream table.

A binding is made when a table's rows first come by and forgotten at each DDL, so a rows event is
always decoded with the structure at its location (DESIGN.md §4.8).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dm_worker.syncer.cased_letters import Unlike
from dm_worker.syncer.row_doubts import RowDoubt, row_doubts
from pkg.binlog.column_plan import TextTarget, plan_columns
from pkg.binlog.errors import UNLIKE_COLUMN
from pkg.binlog.events import TableMap
from pkg.binlog.logged_types import unlike_column
from pkg.binlog.position import Location, Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.sql_modes import mode_bits
from pkg.binlog.text_literals import ROOM
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.change import TargetTable, own_columns, plan_target, planned_by
from pkg.rows.equal_labels import written_by_number
from pkg.rows.foreign_keys import Name, group_name, tied_groups
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.column_rules import ColumnRules, ShardNumbers, TableColumnRules, arriving
from pkg.rules.event_filter import EventFilter
from pkg.rules.expression_filter import ExpressionFilters, RowFilter
from pkg.rules.router import Router, Target
from pkg.rules.row_mapper import RowMapper
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES
from pkg.schema.document_reads import DocumentRead, documents_read
from pkg.schema.expressions import writers_modes
from pkg.schema.inexact import INEXACT_COLUMN, inexact_columns
from pkg.schema.letter_case import small
from pkg.schema.named_documents import NamedPart, named_documents
from pkg.schema.sequences import may_be_sequence
from pkg.schema.statement import TableName
from pkg.schema.table import EMPTY_ENGINE, Column, Table
from pkg.schema.tracker import SchemaTracker
from pkg.schema.unfit_tables import Trigger, unfit_reason

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
    workaround="create the table downstream, or correct the route, then resume-task. Rows that the table had upstream "
    "before this place are not copied by that: fill it in as it was then; or leave it out by the block-allow-list, and "
    "migrate it by a task of its own",
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

MERGE_TABLE = ErrorKind(
    44012,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows were changed through {schema}.{table}, a MERGE table, and the binlog does not say in which of its tables",
    workaround="make the same change downstream in the table that has it upstream, let a binlog event filter ignore "
    "insert, update and delete of {schema}.{table}, then resume-task; and write to its tables themselves upstream",
)
OTHER_EXPRESSION_THERE = ErrorKind(
    36215,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the generated column {column} of {target} has other values than that of {source}: {reason}",
    workaround="give the target's column an expression with the upstream's values, or make it a plain column, which "
    "replication then fills (ALTER TABLE … MODIFY there, or DROP and ADD COLUMN), or route the table to another "
    "target; then resume-task. Rows that are there have the target's values",
)
EMPTY_TABLE = ErrorKind(
    36216,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows were written to {schema}.{table}, a BLACKHOLE table, which holds none; {target} would hold them",
    workaround="leave the table out by the block-allow-list, then resume-task; to have the rows (of a server that only "
    "passes them on) say by `dmctl binlog-schema update <task> {schema} {table} FILE` that its engine is another one",
)
UNFIT_TABLE = ErrorKind(
    36253,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{target} does not keep the rows of {source} as they are written: {reason}",
    workaround="give {target} the engine InnoDB (ALTER TABLE … ENGINE), or drop the trigger there, or route the table "
    "to another target; then resume-task. Rows that are there may be other ones than upstream",
)
WRITERS_MODE = ErrorKind(
    36218,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows of {source} at {place} were written under sql_mode {mode}, by which MySQL may have stored another value of "
    "the generated column {column} than the target calculates",
    workaround="make {column} a plain column in {target}, which replication then fills (DROP and ADD COLUMN there, and "
    "copy its values by the table's key); then resume-task; and write these rows without {mode} upstream",
)
_CHANGES = frozenset({"insert", "update", "delete"})
_FILL = frozenset({"insert", "update"})  # changes without which later ones find no row

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Binding:
    """One upstream table and where its rows go."""

    structure: Table
    target: TargetTable
    mapper: RowMapper | None = None  # column mapping, and columns that the route fills
    row_filter: RowFilter | None = None  # what is left out by values of rows
    refused: Mapping[str, str] = field(default_factory=dict)  # kinds of changes that pause → the filter that says so
    modes: int = 0  # bits of sql_mode under which …
    by_mode: Mapping[str, str] = field(default_factory=dict)  # … the upstream stores other values in these columns
    doubts: tuple[RowDoubt, ...] = ()  # values of which the target calculates other ones
    merged: TableName | None = None  # its name, where other tables may lead to its target, and all changes are logged

    def refuse_mode(self, modes: int, place: str) -> None:
        """Raise WRITERS_MODE for rows that a session with one of the modes wrote."""
        mode = next(one for one in sorted(self.by_mode) if mode_bits((one,)) & modes)
        source, target = f"{self.structure.schema}.{self.structure.name}", f"{self.target.schema}.{self.target.name}"
        raise WRITERS_MODE.error(source=source, target=target, place=place, mode=mode, column=self.by_mode[mode])


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
        fetch_references: Callable[[], Iterable[tuple[Name, Name]]] = tuple,
        fetch_triggers: Callable[[str, str], Sequence[Trigger]] = lambda schema, table: (),
        column_rules: ColumnRules | None = None,
        events: EventFilter | None = None,
        row_filters: ExpressionFilters | None = None,
        flavor: str = "",
        upstream: str = "",
        keeps_bytes: bool = True,
        keeps_own: bool = True,
        seconds_ahead: Callable[[], int] | None = None,
        other_expression: Callable[[Table, Table], tuple[str, str] | None] = lambda above, below: None,
        unlike_letters: Unlike = lambda function, above, below: "",
        check_rows: Callable[[TableMap], bool] = lambda table_map: True,
        met: Callable[[Table], None] = lambda table: None,
        ordered: Callable[[Name, TargetTable], TargetTable] = lambda name, planned: planned,
        is_way_in: Callable[[TableName], bool] = lambda name: False,
        is_other: Callable[[TableName], bool] = lambda name: False,
    ) -> None:
        """``keeps_bytes``: the target's columns hold text as bytes of their character sets, as all but TiDB's do.

        ``flavor`` is the target's, ``upstream`` that of the other server.
        ``keeps_own``: see plan_target; not where rows may go from table to table while a shard waits (moved_rows.py).
        ``seconds_ahead``: how far the task's zone is ahead of UTC, where it is not UTC.
        ``other_expression``: see ComparedExpressions.differing; ``unlike_letters``: LetterMaps.unlike.
        ``check_rows`` raises where rows may have had another structure than is tracked, and says whether that is the
        one of their place.  ``met`` is told of each table that was not tracked, as the upstream has it now.
        ``ordered``: see RowOrders.taken.  ``is_way_in``: see MergeTables.reaches, asked of tables left out.
        ``is_other``: see Passing.is_other.
        """
        self._tracker = tracker
        self._router = router
        self._allow_list = allow_list
        self._pins = pins
        self._fetch_upstream = fetch_upstream
        self._fetch = fetch_downstream
        self.downstream_as: Callable[[Table], Table] | None = None  # takes a table of the target for another one
        self._fetch_references = fetch_references
        self._fetch_triggers = fetch_triggers
        self._groups: Mapping[Name, tuple[Name, ...]] | None = None
        self.counted: list[Callable[[TableMap], RowPlan | None]] = []  # how rows are read that are not written …
        self.counts: list[Callable[[TableMap], bool]] = []  # … and whether they are such
        self.wants: Callable[[str, str], bool] = lambda schema, table: True  # whether rows count at this location
        self._column_rules = column_rules
        self._events = events if events is not None else EventFilter((), True)
        self._row_filters = row_filters if row_filters is not None else ExpressionFilters((), True, "mysql")
        self._flavor = flavor
        self._upstream_flavor = upstream
        self._keeps_bytes = keeps_bytes
        self._keeps_own = keeps_own
        self._seconds_ahead = seconds_ahead
        self._other_expression = other_expression
        self._unlike_letters = unlike_letters
        self._check_rows = check_rows
        self._met = met
        self._ordered = ordered
        self._is_way_in = is_way_in
        self._is_other = is_other
        self._shard_numbers = ShardNumbers()
        self._told: set[bytes] = set()  # targets whose own columns the log names
        self._scratch = bytearray(ROOM)  # of the one thread that reads the stream
        self._bindings: dict[tuple[str, str], Binding | None] = {}
        self._targets: dict[tuple[str, str, tuple[tuple[str, str], ...], bool, bool], TargetTable] = {}
        self._there: dict[tuple[str, str], Table] = {}  # the tables of these

    def _fetch_downstream(self, schema: str, table: str) -> Table | None:
        found = self._fetch(schema, table)
        return found if found is None or self.downstream_as is None else self.downstream_as(found)

    def of(self, schema: str, table: str) -> Binding | None:
        """The binding of an upstream table; None when its rows are not wanted."""
        name = (schema, table)
        if name not in self._bindings:
            if not self._allow_list.allows(schema, table) and self._is_way_in(TableName(schema, table)):
                self._refuse_merge(schema, table)
            self._bindings[name] = self._bind(schema, table) if self._is_wanted(schema, table) else None
        return self._bindings[name]

    def allows(self, name: TableName) -> bool:
        """Whether the task takes the table."""
        return self._allow_list.allows(name.schema, name.table)

    def _is_wanted(self, schema: str, table: str) -> bool:
        return self._allow_list.allows(schema, table) and self.wants(schema, table)

    def pin(self, schema: str, table: str) -> Position | None:
        """Rows up to there were copied with the table; None: it has no such place."""
        location = self._pins.get((schema, table))
        return None if location is None else location.position

    def resolve(self, table_map: TableMap) -> RowPlan | None:
        """How the codec reads the rows of a table; None lets it pass them over."""
        name, is_known = (table_map.schema, table_map.table), True
        if name not in self._bindings and self._allow_list.allows(*name) and self._was_sequence(table_map):
            log.info("rows of %s.%s are of a sequence", *name)
            self._bindings[name] = None
        if self._is_wanted(*name):
            if name not in self._bindings:
                self.structure(*name)  # which may be met here
            is_known = self._check_rows(table_map)
        if name in self._pins and name not in self._bindings:  # up to its pin the target may not have such a table
            structure = self.structure(*name) if self._is_wanted(*name) else None
            texts = None if structure is None else self._texts_behind_pin(structure)
        else:
            try:
                binding = self.of(*name)
            except DMError as exc:
                if exc.is_a(MISSING_TARGET_TABLE) and self._events.ignored_rows(*name) >= _CHANGES:
                    return self._counted(table_map)  # rows that all stay here need no target
                if exc.is_a(MISSING_TARGET_COLUMN):  # which the rows may not have either: that is said first
                    structure = self.structure(*name)
                    plan_columns(structure.columns, table_map, None, structure.most_hidden_columns)
                raise
            structure = None if binding is None else binding.structure
            texts = None if binding is None else self._texts(binding)
        if structure is None:
            return self._counted(table_map)
        plan = RowPlan.build(structure.columns, table_map, self._scratch, texts, structure.most_hidden_columns)
        if is_known and (unlike := unlike_column(structure.columns, table_map)):
            raise UNLIKE_COLUMN.error(table=f"{table_map.schema}.{table_map.table}", column=unlike)
        return plan

    def _counted(self, table_map: TableMap) -> RowPlan | None:
        return next((plan for counted in self.counted if (plan := counted(table_map)) is not None), None)

    def _texts(self, binding: Binding) -> list[TextTarget | None]:
        """Where the text of each upstream column goes; None: it is not written."""
        target, calculated = binding.target, binding.mapper is not None or binding.row_filter is not None
        keys = {*target.identity, *(place for key in target.unique_keys for place in key.ordinals)}
        keeps = self._keeps_bytes and not calculated
        name, why_not = f"{target.schema}.{target.name}", "expressions of the task read them" if calculated else ""
        pairs = zip(binding.structure.columns, target.columns, strict=False)  # the rest is filled by the route
        reads, named = self._reads(binding.structure, target), self._named(binding.structure, target)
        return [
            replace(
                _text_target(below, keeps, calculated or place in keys, written_by_number(above, below, name, why_not)),
                reads=reads.get(small(below.name), ()),
                named=named.get(small(below.name), ()),
            )
            if place in keys or place in target.written
            else None
            for place, (above, below) in enumerate(pairs)
        ]

    def _reads(self, structure: Table, target: TargetTable) -> Mapping[str, tuple[DocumentRead, ...]]:
        """What the target calculates of documents of MySQL, by their columns; MariaDB reads their text as it is."""
        has_any = self._flavor != "mariadb" and any(column.base_type == "json" for column in structure.columns)
        return documents_read(self._there[target.schema, target.name]) if has_any else {}

    def _named(self, structure: Table, target: TargetTable) -> Mapping[str, tuple[NamedPart, ...]]:
        """What the target calculates of documents of MariaDB, which are texts, by their columns."""
        has_any = self._upstream_flavor == "mariadb" != self._flavor and any(
            column.base_type in CHARACTER_TYPES for column in structure.columns
        )
        return named_documents(self._there[target.schema, target.name]) if has_any else {}

    def _texts_behind_pin(self, structure: Table) -> list[TextTarget | None] | None:
        """The same for a keyless table whose rows are passed over up to its pin; None where it is not there yet."""
        target = self._router.route(structure.schema, structure.name)
        downstream = self._fetch_downstream(target.schema, target.table)
        if downstream is None:
            return None
        rules = self._column_rules.of(structure.schema, structure.name) if self._column_rules else None
        calculated = bool(rules) or self._row_filters.of(structure) is not None
        keeps = self._keeps_bytes and not calculated
        name, why_not = f"{target.schema}.{target.table}", "expressions of the task read them" if calculated else ""

        def target_of(above: Column, below: Column | None) -> TextTarget | None:
            if below is None:
                return None
            return _text_target(below, keeps, calculated, written_by_number(above, below, name, why_not))

        return [target_of(column, downstream.column(column.name)) for column in structure.columns]

    def _was_sequence(self, table_map: TableMap) -> bool:
        """Whether the rows are of a sequence of the stream, which the upstream may have no more, or of one in whose
        place it has nothing or another table.
        """
        schema, table = table_map.schema, table_map.table
        if not may_be_sequence(table_map) or self._tracker.table(schema, table) is not None:
            return False
        if self._is_other(TableName(schema, table)):
            return True
        present = self._fetch_upstream(schema, table)
        return present is None or len(present.columns) != len(table_map.types)

    def passes_over(self, table_map: TableMap) -> frozenset[str]:
        """Kinds of rows events that the codec need not read."""
        if any(counts(table_map) for counts in self.counts):
            return frozenset()
        return self._events.ignored_rows(table_map.schema, table_map.table)

    def forget(self) -> None:
        """Structures may have changed, here or there."""
        self._bindings.clear()
        self._targets.clear()
        self._there.clear()
        self._groups = None
        self._shard_numbers = ShardNumbers()

    def check_filters(self, structures: Iterable[Table | None]) -> None:
        """Raises what is wrong with the expressions of tables that a DDL has changed, where it stands."""
        for structure in structures:
            if structure is not None and self._allow_list.allows(structure.schema, structure.name):
                self._row_filters.of(structure)

    @property
    def tied(self) -> list[str]:
        """Target tables, of those in use, that checked foreign keys tie to others."""
        return sorted({f"{target.schema}.{target.name}" for target in list(self._targets.values()) if target.group})

    def _group(self, schema: str, table: str) -> bytes:
        if self._groups is None:
            self._groups = tied_groups(self._fetch_references())
        group = self._groups.get((schema.lower(), table.lower()))
        if group is None:
            return b""
        names = ", ".join(".".join(name) for name in group)
        log.info("%s.%s shares a channel, in the upstream's order: foreign keys tie %s", schema, table, names)
        return group_name(group)

    def structure(self, schema: str, table: str) -> Table:
        """The tracked structure of an upstream table, read from the upstream when it is met for the first time."""
        tracked = self._tracker.table(schema, table)
        if tracked is None:
            tracked = self._fetch_upstream(schema, table)
            if tracked is None:
                raise UNKNOWN_UPSTREAM_TABLE.error(schema=schema, table=table)
            self._tracker.load(tracked)
            self._met(tracked)
        return tracked

    def _bind(self, schema: str, table: str) -> Binding | None:
        structure = self.structure(schema, table)
        if structure.kind == "sequence":
            return None  # the rows that MariaDB logs of a sequence are its state, not data
        if structure.kind == "merge":
            self._refuse_merge(schema, table)
            return None
        if structure.system_versioned:
            raise SYSTEM_VERSIONED.error(schema=schema, table=table)
        target = self._router.route(schema, table)
        if structure.engine == EMPTY_ENGINE:
            raise EMPTY_TABLE.error(schema=schema, table=table, target=f"{target.schema}.{target.table}")
        rules = self._column_rules.of(schema, table) if self._column_rules else TableColumnRules()
        mapper = self._mapper(structure, target, rules) if rules else None
        row_filter = self._row_filters.of(structure)
        may_miss = row_filter is not None or not _FILL.isdisjoint(self._events.ignored_rows(schema, table))
        arrives = arriving(structure, rules)
        planned = self._target(arrives, target.schema, target.table, may_miss, compares_stored=not rules)
        refused = self._events.refused_rows(schema, table)
        if self.downstream_as is not None:  # rows are only read, before the target is altered
            return Binding(structure, planned, mapper, row_filter, refused)
        _refuse_inexact(structure, planned, self._flavor)
        by_mode = self._of_expressions(structure, target)
        planned = self._ordered((structure.schema, structure.name), planned)
        there, flavors = self._there[target.schema, target.table], (self._upstream_flavor, self._flavor)
        doubts = row_doubts(structure, there, flavors, self._unlike_letters)
        is_changed_unlogged = planned.group or any(key.acts for key in structure.foreign_keys)
        is_followed = self._router.is_target(target) and not is_changed_unlogged
        merged = TableName(schema, table) if is_followed else None
        return Binding(structure, planned, mapper, row_filter, refused, mode_bits(by_mode), by_mode, doubts, merged)

    def _refuse_merge(self, schema: str, table: str) -> None:
        """Raise MERGE_TABLE, unless a filter leaves all of its rows out."""
        if not self._events.ignored_rows(schema, table) >= _CHANGES:
            raise MERGE_TABLE.error(schema=schema, table=table)

    def _of_expressions(self, structure: Table, target: Target) -> Mapping[str, str]:
        """See writers_modes.  Raises OTHER_EXPRESSION_THERE for a column that both calculate, with different values."""
        has_any = any(column.expression for column in structure.columns)
        downstream = self._fetch_downstream(target.schema, target.table) if has_any else None
        if downstream is None:
            return {}
        found = self._other_expression(structure, downstream)
        if found is not None:
            column, reason = found
            source, name = f"{structure.schema}.{structure.name}", f"{target.schema}.{target.table}"
            raise OTHER_EXPRESSION_THERE.error(column=column, target=name, source=source, reason=reason)
        return writers_modes(structure, downstream)

    def _mapper(self, structure: Table, target: Target, rules: TableColumnRules) -> RowMapper | None:
        for note in rules.notes():
            log.warning("table %s.%s: %s", structure.schema, structure.name, note)
        self._shard_numbers.add(f"{structure.schema}.{structure.name}", target.schema, target.table, rules)
        downstream = self._fetch_downstream(target.schema, target.table)
        return None if downstream is None else RowMapper(structure, downstream, rules)

    def _target(
        self, structure: Table, schema: str, table: str, may_miss: bool, *, compares_stored: bool
    ) -> TargetTable:
        # Shards with the same columns share one TargetTable, so that their rows share statements.
        columns = tuple((column.name, planned_by(column)) for column in structure.columns)
        key = (schema, table, columns, may_miss, compares_stored)
        planned = self._targets.get(key)
        if planned is None:
            planned = self._plan(structure, schema, table, may_miss=may_miss, compares_stored=compares_stored)
            self._targets[key] = planned
        return planned

    def _plan(self, structure: Table, schema: str, table: str, *, may_miss: bool, compares_stored: bool) -> TargetTable:
        names: dict[str, Any] = {"schema": structure.schema, "table": structure.name, "target": f"{schema}.{table}"}
        downstream = self._fetch_downstream(schema, table)
        if downstream is None:
            raise MISSING_TARGET_TABLE.error(**names)
        self._there[schema, table] = downstream
        self._refuse_unfit(structure, downstream)
        try:
            group = self._group(schema, table)
            planned = plan_target(
                structure,
                downstream,
                group,
                self._seconds_ahead,
                flavor=self._flavor,
                may_miss=may_miss,
                keeps_own=self._keeps_own,
                compares_stored=compares_stored,
            )
        except KeyError as exc:
            raise MISSING_TARGET_COLUMN.error(
                column=exc.args[0], upstream=_columns(structure), downstream=_columns(downstream), **names
            ) from exc
        own = own_columns(structure, downstream)
        if own and planned.qualified not in self._told:
            self._told.add(planned.qualified)
            log.info(
                "%s.%s has columns of its own (%s), which have their defaults again in rows that are written anew: %s",
                schema, table, ", ".join(own),
                "in safe mode" if self._keeps_own else "by an UPDATE of a key, and in safe mode",
            )  # fmt: skip
        return planned

    def _refuse_unfit(self, structure: Table, target: Table) -> None:
        """Raise UNFIT_TABLE where the target does not keep the rows of ``structure`` as they are written."""
        name, triggers = f"{target.schema}.{target.name}", self._fetch_triggers(target.schema, target.name)
        reason = unfit_reason(target.engine, triggers, [column.name for column in structure.columns])
        if reason:
            raise UNFIT_TABLE.error(source=f"{structure.schema}.{structure.name}", target=name, reason=reason)
        if triggers:
            log.warning("triggers of %s run for each row that is written: %s", name, ", ".join(map(str, triggers)))


def _refuse_inexact(structure: Table, target: TargetTable, flavor: str) -> None:
    """Raise INEXACT_COLUMN where the target would change values of an upstream table without a word."""
    pairs = zip(structure.columns, target.columns, strict=False)  # the rest is filled by the route
    columns = inexact_columns(pairs, flavor)
    if columns:
        source, name = f"{structure.schema}.{structure.name}", f"{target.schema}.{target.name}"
        raise INEXACT_COLUMN.error(source=source, target=name, columns=columns)


def _columns(table: Table) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in table.columns)


def _text_target(below: Column, keeps: bool, one_code: bool, by_number: bool) -> TextTarget:
    """What the target's column ``below`` makes of text; see TextTarget."""
    return TextTarget(
        below.charset if keeps else None,
        one_code,
        is_text=below.base_type in CHARACTER_TYPES | BINARY_TYPES,
        by_number=by_number,
        is_json=below.base_type == "json",
        is_double=below.base_type == "double",
        most=below.length if below.base_type == "varchar" else None,
    )
