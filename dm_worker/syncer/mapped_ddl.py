"""DDL after which rows of the target would not be as column mappings and routes make them: refused."""

from __future__ import annotations

from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.column_rules import ColumnRules
from pkg.rules.mapped_ddl import unmapped
from pkg.schema.errors import shortened
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table

UNMAPPED_ROWS = ErrorKind(
    36231,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows of {target} would not have the values that column mappings or the columns of routes give them: {reason}; the "
    "statement at {place}: {sql}",
    workaround="make the same change in the target, give the rows that are there the values that the rules make of the "
    "upstream's, then `dmctl binlog skip <task>`",
)


def refuse_unmapped(
    downstream: Downstream,
    pieces: tuple[Ddl, Ddl],
    rules: ColumnRules,
    after: Table | None,
    target: TableName,
    place: str,
    *,
    strict: bool,
) -> None:
    """Raises UNMAPPED_ROWS; ``pieces``: what is about one table, and the statement that it is of."""
    piece, statement = pieces
    names = {*piece.tables, *statement.tables} if piece.alterations or piece.renames else ()
    if not any(rules.of(name.schema, name.table) for name in names):
        return
    present = downstream.table(target.schema, target.table)
    if present is None:
        return
    found = unmapped(piece, statement, lambda name: rules.of(name.schema, name.table), after, present, strict=strict)
    for one in found:
        if downstream.has_row(target, one.where):
            raise UNMAPPED_ROWS.error(
                target=target.quoted(), reason=one.reason, place=place, sql=shortened(piece.text, 400)
            )
