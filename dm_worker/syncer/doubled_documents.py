"""DDL that calculates something of documents of MariaDB that rows have: a name may stand twice in one object there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.syncer.unlike_documents import FILLED, NOT_THERE_NOW, calculation
from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.doubled_names import TWICE, doubled_name
from pkg.errors import DMError
from pkg.schema.ddl import defined_columns
from pkg.schema.lexer import quote_name
from pkg.schema.named_documents import documents_named
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

_MOST_SHOWN = 200
FirstRow = Callable[[str, Callable[[Sequence[Any]], bool]], Sequence[Any] | None]


def names_documents(piece: Ddl, after: Table, present: Table) -> bool:
    """Whether it adds or changes a column that the target, where the table is ``present``, calculates of documents."""
    return any(_naming(piece, after, present))


def doubled_documents(piece: Ddl, after: Table, present: Table, first_row: FirstRow) -> Iterator[tuple[str, str, str]]:
    """Columns that ``piece`` calculates of documents otherwise, each with a document that it reads and the reason.

    ``first_row`` asks the upstream.  It has the rows as they are by now: one that has changed since then comes behind
    the statement, and is looked at there.
    """
    for column, names in _naming(piece, after, present):
        for name in names:
            reason = _reason(piece.subject, name, first_row) if column.generated else FILLED
            if reason:
                yield column.name, name, reason


def _naming(piece: Ddl, after: Table, present: Table) -> Iterator[tuple[Column, list[str]]]:
    """Columns that it calculates of documents, with the names of these upstream.

    What is a text upstream may be JSON in the target.
    """
    for spec, is_new in defined_columns(piece) if piece.create is None else ():
        column = after.column(spec.name)
        text = "" if column is None else calculation(column, is_new=is_new)
        if column is not None and text:
            named = {*documents_named(text, after), *documents_named(text, present)}
            names = [one.name for one in after.columns if one.name.lower() in named]
            if names:
                yield column, names


def _reason(table: TableName, column: str, first_row: FirstRow) -> str:
    name = quote_name(column)
    try:
        row = first_row(f"SELECT {name} FROM {table.quoted()} WHERE {name} IS NOT NULL", _is_doubled)
    except DMError as exc:
        if errno_of(exc) not in NOT_THERE_NOW:
            raise
        return (
            "the upstream's table was changed since then, so that it is not known whether its documents had such names"
        )
    if row is None:
        return ""
    found = json.dumps(doubled_name(row[0]), ensure_ascii=False)
    return f"rows have such documents, for one with {TWICE.format(name=found)}: {row[0][:_MOST_SHOWN]}"


def _is_doubled(row: Sequence[Any]) -> bool:
    return isinstance(row[0], str) and doubled_name(row[0]) is not None
