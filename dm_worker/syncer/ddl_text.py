"""The text of a DDL, as the target's server wants it said."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dm_worker.syncer.ddl_tables import DdlTables, Understood
from dm_worker.syncer.downstream import Downstream
from pkg.binlog.charset import charset_of
from pkg.binlog.events import QueryStatus
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.binary_casts import with_collated_casts
from pkg.schema.checks_there import (
    has_checks,
    with_checks,
    with_named_checks,
    with_names_of_like,
    with_names_there,
    with_numbers_of_like,
    with_own_names_of_like,
)
from pkg.schema.columns_there import needs_definitions, with_definitions
from pkg.schema.cut_alter import added_defaults_apart
from pkg.schema.ddl import split_alter
from pkg.schema.documents_there import converts_documents, with_documents, without_arrows
from pkg.schema.errors import shortened
from pkg.schema.introducers import as_read_by, with_hybrid_digits
from pkg.schema.quoting import column_names, with_quoted_names
from pkg.schema.renaming_alter import renamed_apart
from pkg.schema.shrunk_keys import drops_columns, with_unique_keys
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Check, Table

LIKE_WITH_CHECKS = ErrorKind(
    36304,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{name} is created like {like}, which has CHECKs: TiDB gives the copy's other names than the upstream does, and "
    "shows those names of {like}, too, from then on: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with a CREATE TABLE that says the columns, and the CHECKs with "
    "their names upstream",
)
log = logging.getLogger(__name__)


class DdlText:
    """``note`` is told what the target lacks, and what is used instead."""

    def __init__(self, flavor: str, downstream: Downstream, tables: DdlTables, note: Callable[[str], None]) -> None:
        self._flavor = flavor
        self._downstream = downstream
        self._tables = tables
        self._note = note

    def split(self, piece: Ddl, before: Table | None = None) -> tuple[Ddl, ...]:
        """The table is renamed by itself; TiDB and MySQL refuse clauses that build on each other."""
        target = self._downstream.server.flavor
        if piece.kind is DdlKind.CREATE_TABLE_LIKE and not self._tables.is_there(piece):
            return self._like(piece, target)
        parts = renamed_apart(piece, self._flavor)
        if target == "tidb":
            return tuple(one for part in parts for one in split_alter(part, self._flavor, before))
        if target == "mysql":
            return tuple(one for part in parts for one in added_defaults_apart(part, self._flavor))
        return parts

    def _like(self, piece: Ddl, target: str) -> tuple[Ddl, ...]:
        """With what gives the CHECKs of the copy the names by which the upstream will call them."""
        other = piece.tables[1]
        shown = self._downstream.shown_table(self._tables.routed(other))
        known, table = self._tables.tracked(other), self._tables.routed(piece.subject).table
        checks = known.checks if known is not None else None
        match (self._flavor, target):
            case ("mysql", "mariadb"):
                return with_names_of_like(piece, shown, checks)
            case ("mysql", "mysql"):
                return with_numbers_of_like(piece, shown, checks, table)
            case ("mariadb", "mysql"):
                return with_own_names_of_like(piece, shown, table)
            case (_, "tidb") if " CHECK (" in shown:
                raise LIKE_WITH_CHECKS.error(
                    name=piece.subject.quoted(), like=other.quoted(), sql=shortened(piece.text)
                )
        return (piece,)

    def of_mysql(self, piece: Ddl, target: TableName, whole: Ddl, before: Table | None) -> Ddl:
        """MySQL's statement where another kind of target wants it said otherwise; ``whole``: of which it is a part."""
        kind, checks = self._downstream.server.flavor, before.checks if before is not None else None
        if kind == "mariadb":
            return self._for_mariadb(piece, target, whole, checks)
        if kind == "tidb" and has_checks(piece):
            return with_named_checks(piece, self._downstream.shown_table(target), whole, checks)
        if target.table != piece.subject.table and has_checks(piece):
            return with_names_there(piece, self._downstream.shown_table(target), checks)
        return piece

    def _for_mariadb(self, piece: Ddl, target: TableName, whole: Ddl, checks: tuple[Check, ...] | None) -> Ddl:
        shown = self._downstream.shown_table(target) if has_checks(piece) or needs_definitions(piece) else ""
        if has_checks(piece):
            piece = with_checks(piece, shown, whole, checks)
        piece = without_arrows(piece)
        if shown and needs_definitions(piece):
            piece = with_definitions(piece, shown)
        present = self._downstream.table(target.schema, target.table) if drops_columns(piece) else None
        return with_unique_keys(piece, present) if present is not None else piece

    def sql(self, piece: Ddl, understood: Understood, before: Table | None) -> str:
        """The statement for the target, "" when nothing of it is left for this target.

        MySQL logs a CREATE TABLE IF NOT EXISTS of a table that is there: its text then says nothing of that table.
        """
        if piece.kind is DdlKind.CREATE_TABLE_LIKE and len({self._tables.routed(name) for name in piece.tables}) == 1:
            return ""  # like another table that is merged into the same target
        subject = piece.subject
        was_there = piece.kind is DdlKind.CREATE_TABLE and piece.if_exists and before is not None
        structure = None if was_there else self._tables.structure(piece, understood.ddl)
        database, target = self._tables.charset(subject.schema, understood), self._tables.routed(subject)
        translated = self._downstream.translated(piece, structure, database, target)
        for note in translated.notes:
            log.warning("DDL at %s: %s", understood.place, note)
            self._note(note)
        if translated.ddl is None:
            return ""
        columns = column_names(before, structure)
        sql = with_quoted_names(translated.ddl.rename(self._tables.routed), columns, flavor=self._flavor)
        if self._flavor == "mysql" and self._downstream.server.flavor == "mariadb":
            sql = self._with_documents(sql, piece, before, structure, target)
        return self.literals(sql, understood.event.status)

    def _with_documents(
        self, sql: str, piece: Ddl, before: Table | None, after: Table | None, target: TableName
    ) -> str:
        if before is None or after is None or not converts_documents(piece, before):
            return sql
        return with_documents(sql, self._downstream.shown_table(target), before, after)

    def literals(self, sql: str, status: QueryStatus) -> str:
        """A statement or an expression as the target reads it: casts, literals of MySQL with a set or of digits."""
        flavor = self._downstream.server.flavor
        if self._flavor != "mysql":
            return with_collated_casts(sql, flavor)
        client, connection = (
            "utf8mb4" if number is None else charset_of(number)
            for number in (status.client_collation, status.connection_collation)
        )
        sql = with_hybrid_digits(sql) if flavor == "mariadb" else sql
        return as_read_by(flavor, sql, client=client, connection=connection)
