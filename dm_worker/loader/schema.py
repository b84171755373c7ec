"""Target schemas and tables: created with every character set explicit, or taken when they fit.

Several upstream tables may go to one target table, also from other sources at the same time; so each
statement may find its work done, and what is there afterwards is compared.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

from dm_worker.dumper.copy_plan import NO_RULES
from dm_worker.dumper.source_tables import ListedTable, SourceTable
from dm_worker.loader.again_meta import Intended
from dm_worker.loader.later import Postponed
from dm_worker.loader.makers import Makers
from pkg.adapters.mysql.compared_expressions import ComparedExpressions
from pkg.adapters.mysql.connection import Connection, run_allowed
from pkg.adapters.mysql.creation import until_made
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.structures import structure_of, triggers_of
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.equal_labels import written_by_number
from pkg.rules.column_rules import TableColumnRules, arriving, check_downstream, check_upstream
from pkg.rules.router import Target
from pkg.rules.tidb_tables import TidbTables
from pkg.schema.checks_there import with_numbers_kept
from pkg.schema.ddl import parse_ddl
from pkg.schema.inexact import inexact_columns
from pkg.schema.lacking_functions import NOT_IN_ALL, lacking_call, lacks
from pkg.schema.letter_case import small
from pkg.schema.mapping import joining_columns
from pkg.schema.merged_keys import CoarserKey, Part, coarser_keys, unique_parts
from pkg.schema.other_expressions import other_expressions
from pkg.schema.quoting import column_names, with_quoted_names
from pkg.schema.sequence_text import renamed_sequences
from pkg.schema.table import Column, Table
from pkg.schema.tidb_layout import Layout, with_layout
from pkg.schema.translate import translate_create_database, translate_create_table
from pkg.schema.unfit_tables import unfit_reason

TABLE_EXISTS = 1050  # ER_TABLE_EXISTS_ERROR
log = logging.getLogger(__name__)
_Made: TypeAlias = tuple[Table, bool]  # as it is, and whether it was created here
_Make: TypeAlias = Callable[[Connection], _Made]
_TOGETHER: Final = 100  # tables that are noted at once before they are created

MISSING_COLUMNS = ErrorKind(
    34101,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target table {target} lacks columns of {source}: {columns}",
    workaround="add them downstream, or route the table to another target; then resume-task",
)
UNFILLED_COLUMNS = ErrorKind(
    34102,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target table {target} has columns without a default that {source} does not have: {columns}",
    workaround="give them a default downstream, or route the table to another target; then resume-task",
)
NULL_WOULD_COUNT = ErrorKind(
    34104,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a column of {source} may hold NULL, for which the target table {target} would count: {columns}",
    workaround="let it take NULL downstream (in TiDB without AUTO_INCREMENT), then resume-task",
)
INEXACT_COLUMNS = ErrorKind(
    34190,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target table {target} would change values of {source} without an error: {columns}",
    workaround="give the target's columns types that hold all values of the upstream's, and no expressions where the "
    "upstream's have none, or drop the table, which is then created; then resume-task",
)
UNFIT_TABLE = ErrorKind(
    34197,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target table {target} does not keep the rows of {source} as they are written: {reason}",
    workaround="give {target} the engine InnoDB (ALTER TABLE … ENGINE), or drop the trigger there, or drop the table, "
    "which is then created; then resume-task",
)
CANNOT_CREATE = ErrorKind(
    34103,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses to create {target} as {source} is: {text}",
    workaround="create the table downstream by hand in a form that it takes, then resume-task; "
    "the statement was: {sql}",
)

OTHER_EXPRESSION = ErrorKind(
    34195,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the generated column {column} of {source} would hold other values in the target table {target}: {reason}",
    workaround="create {target} by hand with an expression that has the upstream's values there (for instance with "
    "CONVERT(column USING latin1) or COLLATE), or with {column} as a plain column, without its expression, which takes "
    "the upstream's values; then resume-task; or leave the table out",
)
GENERATED_COLUMNS = ErrorKind(
    34196,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "columns of {source} are generated, which dump files lack, and not in the target table {target}: {columns}",
    workaround="let {target} generate them, or give the column another name there; then resume-task",
)


FILLS_ITSELF = ErrorKind(
    34150,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target has made {target} with TIMESTAMP columns that it fills by itself, as {source} does not: {columns}",
    workaround="its explicit_defaults_for_timestamp is OFF, and no session can set it: start the server with "
    "explicit_defaults_for_timestamp = ON, DROP TABLE {target} there, then resume-task",
)
OTHER_EXPRESSION_THERE = ErrorKind(
    34191,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the generated column {column} of the target table {target} has other values than that of {source}: {reason}",
    workaround="give the target's column an expression with the upstream's values (ALTER TABLE … MODIFY there, or DROP "
    "and ADD COLUMN), or drop the table, which is then created, or route the table to another target; then resume-task",
)


COARSER_KEY = ErrorKind(
    34133,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the key {key} of {target}, into which several tables are merged, may hold rows of {source} equal, whose {keys}: "
    "one of two such rows would be lost",
    workaround="give the merged tables the same keys, or make {target} by hand with a key that tells apart what all of "
    "them do (collation utf8mb4_bin, no prefix), or route the tables apart; then resume-task; on-duplicate-logical "
    "says which row stays",
)


class TargetSchema:
    """Provides target tables; ``makers`` create them, else the one connection does, one after another.

    ``merged`` are those that several upstream tables go to, whose rows replace each other.
    """

    def __init__(
        self,
        connection: Connection,
        target: Server,
        source: Server,
        schema_collations: Mapping[str, str],
        postponed: Postponed,
        layouts: TidbTables,
        meta_schema: str,
        makers: Makers | None = None,
        merged: Set[Target] = frozenset(),
        intend: Callable[[Mapping[Target, Intended]], None] = lambda tables: None,
        *,
        has_generated: bool = True,
    ) -> None:
        """``has_generated``: rows come with the values of generated columns, which dump files lack."""
        self._connection = connection
        self._has_generated = has_generated
        self._intend = intend
        self._waiting: dict[Target, tuple[Intended, _Make]] = {}
        self._makers = makers
        self._merged = merged
        self._target = target
        self._source = source
        self._schema_collations = schema_collations
        self._postponed = postponed
        self._layouts = layouts
        self._collations = target.known_collations(connection)
        self._expressions = ComparedExpressions(meta_schema, (source.flavor, target.flavor), self._collations)
        self._schemas: set[str] = set()
        self._tables: dict[Target, Table] = {}
        self._begun: dict[Target, Future[_Made]] = {}
        self._to_compare: list[tuple[Table, Table, Target]] = []
        self.created: dict[Target, Table] = {}

    def provide(self, source: SourceTable, target: Target, rules: TableColumnRules = NO_RULES) -> None:
        """See to it that the rows of ``source`` can be written to ``target``."""
        self.begin(source, target, rules)
        self.end()

    def begin(self, source: SourceTable, target: Target, rules: TableColumnRules = NO_RULES) -> None:
        """The same, but for ``end``, which comes once after many tables."""
        structure = source.structure
        arrives = arriving(structure, rules)
        check_upstream(structure, rules)
        existing = self._known(target)
        # What is not there is not made before it is certain that the mapped rows go into it.
        there = existing or replace(structure, schema=target.schema, name=target.table)
        check_downstream(structure, there, rules)
        self._to_compare.append((structure, arrives, target))
        if existing is not None:
            self._tables[target] = existing
            return
        self._provide_schema(source, target.schema)
        intended = Intended(tuple(column.name for column in arrives.columns))
        self._waiting[target] = intended, partial(self.make, self.statement(source, target, rules), source, target)
        if len(self._waiting) >= _TOGETHER:
            self._begin_waiting()

    def _begin_waiting(self) -> None:
        """Create what is intended, and say so before."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self._intend({target: intended for target, (intended, _) in waiting.items()})
        for target, (_, make) in waiting.items():
            if self._makers is not None:
                self._begun[target] = self._makers.begin(make)
            else:
                self._tables[target] = self._made(target, partial(make, self._connection))

    def wait(self) -> None:
        """Until nothing is created any more; what could not be is left out."""
        for target in list(self._begun):
            with suppress(DMError):
                self._take(target)

    def end(self) -> None:
        """Wait until all tables are there, and compare each with its sources."""
        self._begin_waiting()
        for target in list(self._begun):
            self._take(target)
        for structure, arrives, target in self._to_compare:
            self._compare(arrives, self._tables[target])
            if target in self.created:
                refuse_filling(structure, self._tables[target])
            _refuse_inexact(structure, self._tables[target], self._target.flavor)
            self._refuse_unfit(arrives, target)
            self._refuse_expressions(structure, self._tables[target])
            if target in self._merged:
                carried = [small(column.name) for column in arrives.columns]
                refuse_coarser_key(
                    unique_parts(structure), carried, self._tables[target], self._target.flavor, _name(structure)
                )
        self._to_compare.clear()

    def _refuse_unfit(self, source: Table, target: Target) -> None:
        """Raise UNFIT_TABLE where the target does not keep rows as they are written.

        A table that has just been created has no triggers.
        """
        is_new, flavor = target in self.created, self._target.flavor
        triggers = [] if is_new else triggers_of(self._connection, flavor, target.schema, target.table)
        reason = unfit_reason(self._tables[target].engine, triggers, [column.name for column in source.columns])
        if reason:
            raise UNFIT_TABLE.error(source=_name(source), target=str(target), reason=reason)
        if triggers:
            log.warning("triggers of %s run for each row: %s", target, ", ".join(map(str, triggers)))

    def _refuse_expressions(self, source: Table, target: Table) -> None:
        """Raise OTHER_EXPRESSION_THERE for a column that both calculate, with different values."""
        found = self._expressions.differing(self._connection, source, target)
        if found is not None:
            column, reason = found
            raise OTHER_EXPRESSION_THERE.error(column=column, source=_name(source), target=_name(target), reason=reason)

    def _known(self, target: Target) -> Table | None:
        if target in self._waiting:
            self._begin_waiting()
        if target in self._begun:
            self._take(target)
        return self._tables.get(target) or structure_of(self._connection, target.schema, target.table)

    def _take(self, target: Target) -> None:
        """Wait for a table that was begun."""
        self._tables[target] = self._made(target, self._begun.pop(target).result)

    def _made(self, target: Target, result: Callable[[], _Made]) -> Table:
        try:
            made, is_mine = result()
        except DMError as exc:
            if not exc.resumable:
                self._postponed.forget(target)
            raise
        if is_mine:
            self.created[target] = made
        else:
            self._postponed.forget(target)
        return made

    def statement(self, source: SourceTable, target: Target, rules: TableColumnRules) -> str:
        """What creates the table; what comes later is noted."""
        self._refuse_other_expressions(source, target)
        self._refuse_lacking_call(source, target)
        create_sql = source.create_sql
        if self._source.flavor == self._target.flavor == "mysql" and source.listed.name != target.table:
            create_sql = with_numbers_kept(create_sql, source.listed.name, target.table)
        translated = translate_create_table(
            create_sql,
            schema=target.schema,
            table=target.table,
            flavor=self._target.flavor,
            collations=self._collations,
            structure=source.structure,
            source_schema=source.listed.schema,
        )
        for note in translated.notes:
            log.warning("table %s.%s: %s", target.schema, target.table, note)
        named = with_quoted_names(translated.sql, column_names(source.structure), flavor=self._source.flavor)
        sql = renamed_sequences(named, source.listed.schema, target.schema)
        return self._postponed.cut(self._laid_out(sql, source.listed, rules), source.structure, target)

    def _refuse_other_expressions(self, source: SourceTable, target: Target) -> None:
        if " GENERATED ALWAYS AS " not in source.create_sql:
            return
        ddl = parse_ddl(source.create_sql, default_schema=source.listed.schema)
        flavors = self._source.flavor, self._target.flavor
        for found in other_expressions(ddl, source.structure, None, flavors, self._collations):
            raise OTHER_EXPRESSION.error(
                column=found.column, source=_name(source.structure), target=str(target), reason=found.reason
            )

    def _refuse_lacking_call(self, source: SourceTable, target: Target) -> None:
        """Raise CANNOT_CREATE for a function that only some versions have: the server speaks of a database instead."""
        function = lacking_call(source.create_sql, NOT_IN_ALL)
        if function and function in self._target.lacking_functions(self._connection):
            name, sql = _name(source.structure), source.create_sql
            raise CANNOT_CREATE.error(source=name, target=str(target), text=lacks(function), sql=sql)

    @staticmethod
    def make(sql: str, source: SourceTable, target: Target, connection: Connection) -> _Made:
        """The table as it then is, and whether ``sql`` has created it.  Raises CANNOT_CREATE."""
        crashpoint("loader.creating_table")
        outcomes: list[DMError | None] = []

        def create() -> None:
            try:
                run_allowed(connection, partial(connection.query, sql))
                outcomes.append(None)
            except DMError as exc:
                if errno_of(exc) != TABLE_EXISTS:
                    raise
                outcomes.append(exc)  # another source of the task was quicker

        try:
            made = until_made(create, lambda: structure_of(connection, target.schema, target.table))
            refused = outcomes[-1]
            if made is None and refused is not None:
                raise refused
        except DMError as exc:
            if exc.resumable:
                raise
            raise CANNOT_CREATE.error(
                source=_name(source.structure),
                target=str(target),
                text=exc.fields.get("text", exc.message),
                sql=sql,
                cause=exc,
            ) from exc
        assert made is not None, "the statement that creates it has succeeded"
        return made, refused is None  # what another source has made is compared like any that was there

    def _laid_out(self, sql: str, source: ListedTable, rules: TableColumnRules) -> str:
        rule = self._layouts.of(source.schema, source.name)
        if rule is None:
            return sql
        layout = Layout(rule.shard_row_id_bits, rule.pre_split_regions, rule.auto_random, rule.primary_key)
        done = with_layout(sql, layout, frozenset(small(one.target) for one in rules.mapped))
        if done.note:
            log.warning(
                "table %s.%s: the rule %s of tidb-tables is not applied: %s",
                source.schema, source.name, rule.name, done.note,
            )  # fmt: skip
        return done.sql

    def _provide_schema(self, source: SourceTable, schema: str) -> None:
        self.provide_database(schema, self._schema_collations.get(source.listed.schema, source.structure.collation))

    def provide_database(self, schema: str, collation: str) -> None:
        """Create the database, if it is not there, with the nearest default collation."""
        if schema in self._schemas:
            return
        translated = translate_create_database(
            schema, collation, flavor=self._target.flavor, collations=self._collations
        )
        for note in translated.notes:
            log.warning("schema %s: %s", schema, note)
        self._connection.query(translated.sql)
        self._schemas.add(schema)

    def _compare(self, source: Table, target: Table) -> None:
        names: dict[str, Any] = {"source": _name(source), "target": _name(target)}
        missing = [one.name for one in source.columns if not one.generated and target.column(one.name) is None]
        if missing:
            raise MISSING_COLUMNS.error(columns=", ".join(missing), **names)
        plain = [one.name for one in source.columns if one.generated and _is_plain(target.column(one.name))]
        if plain and not (source.system_versioned or self._has_generated):  # whose periods no other server has
            raise GENERATED_COLUMNS.error(columns=", ".join(plain), **names)
        unfilled = [one.name for one in target.columns if source.column(one.name) is None and not _fills_itself(one)]
        if unfilled:
            raise UNFILLED_COLUMNS.error(columns=", ".join(unfilled), **names)
        counted = [one.name for one in target.columns if one.auto_increment and not one.nullable]
        counted = [one for one in counted if (above := source.column(one)) is not None and above.nullable]
        if counted:
            raise NULL_WOULD_COUNT.error(columns=", ".join(counted), **names)
        for above, below in joining_columns(source, target, self._target.flavor):
            log.warning(
                "rows of %s may become one in %s: its key has %s %s, which may hold equal what %s holds different",
                names["source"], names["target"], below.name, below.collation, above.collation,
            )  # fmt: skip
        for column in source.columns:
            there = target.column(column.name)
            if there is not None and _differs(column, there):
                log.warning(
                    "column %s of %s is %s, and %s in the target table %s",
                    column.name, names["source"], column.type, there.type, names["target"],
                )  # fmt: skip


def refuse_coarser_key(
    keys: Sequence[tuple[Part, ...]], carried: Collection[str], target: Table, flavor: str, source: str
) -> None:
    """Raise COARSER_KEY where a key of the target sees less of the upstream's key columns than its own key does.

    Other keys of the target, those over expressions, and those of other collations, which servers have by default, are
    looked at when a row meets another one (writer.py).
    """
    for found in coarser_keys(keys, target, flavor, carried):
        if found.is_alike and not (found.is_calculated or found.is_by_collation):
            raise coarser_key(found, source, target)


def coarser_key(found: CoarserKey, source: str, target: Table) -> DMError:
    return COARSER_KEY.error(key=found.key, target=_name(target), source=source, keys=found.whose)


def refuse_filling(source: Table, target: Table) -> None:
    """Raise FILLS_ITSELF for a new table that servers have given more than its text says."""
    pairs = [(one, there) for one in source.columns if (there := target.column(one.name)) is not None]
    filled = [
        one.name
        for one, there in pairs
        if one.base_type == there.base_type == "timestamp"
        and not one.generated
        and ((one.default is None and there.default not in (None, "NULL")) or (there.on_update and not one.on_update))
    ]
    if filled:
        raise FILLS_ITSELF.error(source=_name(source), target=_name(target), columns=", ".join(filled))


def _refuse_inexact(source: Table, target: Table, flavor: str) -> None:
    """Raise INEXACT_COLUMNS where the target would change values without a word."""
    found = ((one, target.column(one.name)) for one in source.columns)
    pairs = [(one, there) for one, there in found if there is not None]
    columns = inexact_columns(pairs, flavor)
    if columns:
        raise INEXACT_COLUMNS.error(source=_name(source), target=_name(target), columns=columns)
    for one, there in pairs:
        if not there.generated:
            written_by_number(one, there, _name(target), "the full migration writes texts")


def _name(table: Table) -> str:
    return f"{table.schema}.{table.name}"


def _is_plain(column: Column | None) -> bool:
    return column is not None and not column.generated


def _fills_itself(column: Column) -> bool:
    return bool(column.nullable or column.default is not None or column.generated or column.auto_increment)


def _differs(left: Column, right: Column) -> bool:
    """Whether two columns are of different types; display widths of integers are no difference."""
    if left.base_type != right.base_type or left.unsigned != right.unsigned:
        return True
    return (left.length, left.fsp, left.labels) != (right.length, right.fsp, right.labels)
