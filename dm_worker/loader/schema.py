"""Target schemas and tables: created with every character set explicit, or taken when they fit.

Several upstream tables may go to one target table, also from other sources at the same time; so each
statement may find its work done, and what is there afterwards is compared.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dm_worker.dumper.copy_plan import NO_RULES
from dm_worker.dumper.source_tables import ListedTable, SourceTable
from dm_worker.loader.later import Postponed
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE, errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import TableColumnRules, arriving, check_downstream, check_upstream
from pkg.rules.router import Target
from pkg.rules.tidb_tables import TidbTables
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column, Table
from pkg.schema.tidb_layout import Layout, with_layout
from pkg.schema.translate import translate_create_database, translate_create_table

TABLE_EXISTS = 1050  # ER_TABLE_EXISTS_ERROR
log = logging.getLogger(__name__)

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
CANNOT_CREATE = ErrorKind(
    34103,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target refuses to create {target} as {source} is: {text}",
    workaround="create the table downstream by hand in a form that it takes, then resume-task; "
    "the statement was: {sql}",
)


class TargetSchema:
    """Provides target tables, one after another, over one connection."""

    def __init__(
        self,
        connection: Connection,
        target: Server,
        source: Server,
        schema_collations: Mapping[str, str],
        postponed: Postponed,
        layouts: TidbTables,
    ) -> None:
        self._connection = connection
        self._target = target
        self._source = source
        self._schema_collations = schema_collations
        self._postponed = postponed
        self._layouts = layouts
        self._collations = target.known_collations(connection)
        self._schemas: set[str] = set()
        self._tables: dict[tuple[str, str], Table] = {}

    def provide(self, source: SourceTable, target: Target, rules: TableColumnRules = NO_RULES) -> None:
        """See to it that the rows of ``source`` can be written to ``target``."""
        name, structure = (target.schema, target.table), source.structure
        arrives = arriving(structure, rules)
        check_upstream(structure, rules)
        existing = self._tables.get(name) or self._existing(target)
        # What is not there is not made before it is certain that the mapped rows go into it.
        there = existing or replace(structure, schema=target.schema, name=target.table)
        check_downstream(structure, there, rules)
        self._tables[name] = existing or self._create(source, target, rules)
        self._compare(arrives, self._tables[name])

    def _existing(self, target: Target) -> Table | None:
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(f"SHOW CREATE TABLE {quoted(target.schema)}.{quoted(target.table)}")
                row = cursor.fetchone()
        except DMError as exc:
            if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
                return None
            raise
        return parse_create_table(str(row[1]), target.schema) if row else None

    def _create(self, source: SourceTable, target: Target, rules: TableColumnRules) -> Table:
        self._provide_schema(source, target.schema)
        translated = translate_create_table(
            source.create_sql,
            schema=target.schema,
            table=target.table,
            flavor=self._target.flavor,
            collations=self._collations,
            structure=source.structure,
            source_schema=source.listed.schema,
        )
        for note in translated.notes:
            log.warning("table %s.%s: %s", target.schema, target.table, note)
        sql = self._postponed.cut(self._laid_out(translated.sql, source.listed, rules), source.structure, target)
        try:
            self._connection.query(sql)
        except DMError as exc:
            if exc.resumable:
                raise
            self._postponed.forget(target)
            if errno_of(exc) == TABLE_EXISTS and (made := self._existing(target)) is not None:
                return made  # another source of the task was quicker; it is compared like any that was there
            raise CANNOT_CREATE.error(
                source=_name(source.structure),
                target=f"{target.schema}.{target.table}",
                text=exc.fields.get("text", exc.message),
                sql=sql,
                cause=exc,
            ) from exc
        created = self._existing(target)
        assert created is not None, "the statement that creates it has succeeded"
        return created

    def _laid_out(self, sql: str, source: ListedTable, rules: TableColumnRules) -> str:
        rule = self._layouts.of(source.schema, source.name)
        if rule is None:
            return sql
        layout = Layout(rule.shard_row_id_bits, rule.pre_split_regions, rule.auto_random, rule.primary_key)
        done = with_layout(sql, layout, frozenset(one.target.lower() for one in rules.mapped))
        if done.note:
            log.warning(
                "table %s.%s: the rule %s of tidb-tables is not applied: %s",
                source.schema, source.name, rule.name, done.note,
            )  # fmt: skip
        return done.sql

    def _provide_schema(self, source: SourceTable, schema: str) -> None:
        if schema in self._schemas:
            return
        collation = self._schema_collations.get(source.listed.schema, source.structure.collation)
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
        unfilled = [one.name for one in target.columns if source.column(one.name) is None and not _fills_itself(one)]
        if unfilled:
            raise UNFILLED_COLUMNS.error(columns=", ".join(unfilled), **names)
        for column in source.columns:
            there = target.column(column.name)
            if there is not None and _differs(column, there):
                log.warning(
                    "column %s of %s is %s, and %s in the target table %s",
                    column.name, names["source"], column.type, there.type, names["target"],
                )  # fmt: skip


def _name(table: Table) -> str:
    return f"{table.schema}.{table.name}"


def _fills_itself(column: Column) -> bool:
    return bool(column.nullable or column.default is not None or column.generated or column.auto_increment)


def _differs(left: Column, right: Column) -> bool:
    """Whether two columns are of different types; display widths of integers are no difference."""
    if left.base_type != right.base_type or left.unsigned != right.unsigned:
        return True
    return (left.length, left.fsp, left.labels) != (right.length, right.fsp, right.labels)
