"""Why a chunk could not be read: the row whose value a column mapping does not take, whose text Unicode lacks, or that
has the value of an ENUM that no text names, or a number of JSON that the target has no room for."""

from __future__ import annotations

from typing import Any, Final

from dm_worker.dumper.expressions import (
    beginning_unnamed,
    misfits,
    with_more_digits,
    with_other_labels,
    with_two_empty_values,
    without_characters,
)
from dm_worker.dumper.read_documents import read_documents
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import NOT_AN_ID, VALUE_DOES_NOT_FIT, TableColumnRules
from pkg.schema.table import Column, Table

TEXT_WITHOUT_CHARACTER = ErrorKind(
    34130,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a text in column {column} of {schema}.{table} does not go through Unicode as it is: {text}; the row: {row}",
    workaround="give the target's column the character set {charset} where the target has it (MySQL, MariaDB), or "
    "correct the value upstream; then resume-task; or leave the table out",
)

TWO_EMPTY_VALUES = ErrorKind(
    34131,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has the empty value of index 0 in column {column}, an ENUM that has a label '', too; "
    "the copy could only write the label; the row: {row}",
    workaround="correct the value upstream (`UPDATE … SET {column} = '' WHERE {column} + 0 = 0` makes it the label), "
    "or take the label '' out of the column; then resume-task; or leave the table out",
)

UNNAMED_LABEL = ErrorKind(
    34139,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has a value that begins with the label '' in column {column}, a SET; no text says so, "
    "and what it is written to takes no numbers of these labels; the row: {row}",
    workaround="give the target's column the upstream's type, with the same labels in the same order, or correct the "
    "value upstream; then resume-task; or leave the table out",
)

INEXACT_NUMBER = ErrorKind(
    34135,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a document in column {column} of {schema}.{table} has a number of which the target's type JSON would lose digits; "
    "the row: {row}",
    workaround="make the target's column a LONGTEXT (`ALTER TABLE … MODIFY {column} LONGTEXT`), or correct the value "
    "upstream (`{column} = CAST(CAST({column} AS CHAR) AS JSON)` makes doubles of all such numbers); then resume-task; "
    "or leave the table out",
)

UNLIKE_READ = ErrorKind(
    34140,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a document in column {column} of {schema}.{table} has {found}, and {reader} of the target would have another "
    "value than upstream; the row: {row}",
    workaround="{cure}, then resume-task; or make the table in "
    "the target by hand, without the expression (a plain column takes the upstream's values), and start the task anew "
    "(start-task --remove-meta); or leave the table out",
)

LABEL_NOT_SHOWN = ErrorKind(
    34143,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has a label of column {column} with a character of four bytes, which the upstream's "
    "SHOW CREATE TABLE shows as ?, so that the target has no such label; the row: {row}",
    workaround="give the column other labels upstream, or make it a VARCHAR there (`ALTER TABLE … MODIFY {column}`), "
    "and start the task anew (start-task --remove-meta); or leave the table out",
)

_TYPED: Final = "a value whose type its text does not say (a DECIMAL, a DATE)"
_MAKE_PLAIN: Final = (
    "have the upstream write such values as texts or plain numbers (`CAST(price AS CHAR)`; of rows that are there "
    "`{column} = CAST(CAST({column} AS CHAR) AS JSON)` makes them such)"
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
    """``error``, or the one that shows the row, where a value was the cause."""
    if errno_of(error) != _OUT_OF_RANGE:
        return error
    for one, condition in misfits(table, rules):
        row = _first(upstream, table, condition)
        if row is not None:
            value = row[1 + table.ordinal(one.source)]
            return VALUE_DOES_NOT_FIT.error(
                rule=one.rule, column=one.source, value=repr(value), schema=table.schema, table=table.name,
                reason=NOT_AN_ID, row=_shown(table, row), cause=error,
            )  # fmt: skip
    for column, condition in without_characters(table, table.constrained_columns):
        row = _first(upstream, table, condition, column)
        if row is not None:
            return TEXT_WITHOUT_CHARACTER.error(
                column=column.name, schema=table.schema, table=table.name, charset=column.charset,
                text=f"its bytes in {column.charset} are {str(row[0])[:_MOST_SHOWN]}", row=_shown(table, row),
                cause=error,
            )  # fmt: skip
    for column, condition in with_two_empty_values(table):
        row = _first(upstream, table, condition)
        if row is not None:
            return TWO_EMPTY_VALUES.error(
                column=column.name, schema=table.schema, table=table.name, row=_shown(table, row), cause=error
            )
    for column, condition in beginning_unnamed(table):
        row = _first(upstream, table, condition)
        if row is not None:
            return UNNAMED_LABEL.error(
                column=column.name, schema=table.schema, table=table.name, row=_shown(table, row), cause=error
            )
    for column, condition in with_other_labels(table):
        row = _first(upstream, table, condition)
        if row is not None:
            return LABEL_NOT_SHOWN.error(
                column=column.name, schema=table.schema, table=table.name, row=_shown(table, row), cause=error
            )
    for column, condition in with_more_digits(table):
        row = _first(upstream, table, condition)
        if row is not None:
            return INEXACT_NUMBER.error(
                column=column.name, schema=table.schema, table=table.name, row=_shown(table, row), cause=error
            )
    for read in read_documents(table):
        row = _first(upstream, table, f"NOT ({read.condition})")
        if row is not None:
            return UNLIKE_READ.error(
                column=read.document, schema=table.schema, table=table.name, reader=read.name, row=_shown(table, row),
                found=_TYPED, cure=_MAKE_PLAIN.format(column=read.document), cause=error,
            )  # fmt: skip
    return error


def _first(upstream: Connection, table: Table, condition: str, shown: Column | None = None) -> Any:
    """The bytes of the column ``shown`` as hexadecimal digits, then all columns, of a row that the condition finds."""
    first = f"HEX({quoted(shown.name)})" if shown is not None else "NULL"
    columns = ", ".join([first, *(quoted(one.name) for one in table.columns)])
    with upstream.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {quoted(table.schema)}.{quoted(table.name)} WHERE {condition} LIMIT 1")
        return cursor.fetchone()


def _shown(table: Table, row: Any) -> str:
    values = zip(table.columns, row[1:], strict=True)
    return ", ".join(f"{column.name}={value!r}" for column, value in values)[:_MOST_SHOWN]
