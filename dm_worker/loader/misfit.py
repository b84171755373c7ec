"""Why a chunk could not be read: the row whose value a column mapping does not take, or whose text Unicode lacks."""

from __future__ import annotations

from typing import Any, Final

from dm_worker.dumper.expressions import misfits, without_characters
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import NOT_AN_ID, VALUE_DOES_NOT_FIT, TableColumnRules
from pkg.schema.table import Table

TEXT_WITHOUT_CHARACTER = ErrorKind(
    34130,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a text in column {column} of {schema}.{table} does not go through Unicode as it is: {text}; the row: {row}",
    workaround="give the target's column the character set {charset} where the target has it (MySQL, MariaDB), or "
    "correct the value upstream; then resume-task; or leave the table out",
)

_OUT_OF_RANGE: Final = 1690  # ER_DATA_OUT_OF_RANGE, which the expression of a mapped column ends in
_MOST_SHOWN: Final = 400


class ChunkFailed(Exception):
    """A chunk was not copied."""

    def __init__(self, chunk_id: int, error: DMError) -> None:
        super().__init__(chunk_id, error)
        self.chunk_id = chunk_id
        self.error = error


def explained(error: DMError, upstream: Connection, table: Table, rules: TableColumnRules) -> DMError:
    """``error``, or the one that shows the row, where a mapped value was the cause."""
    if errno_of(error) != _OUT_OF_RANGE:
        return error
    columns = ", ".join(quoted(column.name) for column in table.columns)
    for one, condition in misfits(table, rules):
        with upstream.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns} FROM {quoted(table.schema)}.{quoted(table.name)} WHERE {condition} LIMIT 1"
            )
            row: Any = cursor.fetchone()
        if row is not None:
            shown = ", ".join(f"{column.name}={value!r}" for column, value in zip(table.columns, row, strict=True))
            return VALUE_DOES_NOT_FIT.error(
                rule=one.rule, column=one.source, value=repr(row[table.ordinal(one.source)]), schema=table.schema,
                table=table.name, reason=NOT_AN_ID, row=shown[:_MOST_SHOWN], cause=error,
            )  # fmt: skip
    return _without_character(error, upstream, table) or error


def _without_character(error: DMError, upstream: Connection, table: Table) -> DMError | None:
    """The error that shows the row, where a text without a character in Unicode was the cause."""
    for column, condition in without_characters(table, table.constrained_columns):
        name = quoted(column.name)
        columns = ", ".join([f"HEX({name})", *(quoted(one.name) for one in table.columns)])
        with upstream.cursor() as cursor:
            cursor.execute(
                f"SELECT {columns} FROM {quoted(table.schema)}.{quoted(table.name)} WHERE {condition} LIMIT 1"
            )
            row: Any = cursor.fetchone()
        if row is not None:
            shown = ", ".join(f"{one.name}={value!r}" for one, value in zip(table.columns, row[1:], strict=True))
            return TEXT_WITHOUT_CHARACTER.error(
                column=column.name, schema=table.schema, table=table.name, charset=column.charset,
                text=f"its bytes in {column.charset} are {str(row[0])[:_MOST_SHOWN]}", row=shown[:_MOST_SHOWN],
                cause=error,
            )  # fmt: skip
    return None
