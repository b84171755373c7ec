"""DDL that calculates something of the documents that rows have: the target's are texts, without types of SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.dumper.read_documents import same_of_text
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.ddl import defined_columns
from pkg.schema.document_reads import reads_of
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table
from pkg.schema.targets import is_literal

_NOT_THERE_NOW = frozenset({1049, 1054, 1146})  # the database, a column, the table


def unlike_documents(
    piece: Ddl, after: Table, ask: Callable[[str], list[Sequence[Any]]]
) -> Iterator[tuple[str, str, str]]:
    """Columns that ``piece`` calculates of documents otherwise, each with a document that it reads and the reason.

    ``ask`` is a query of the upstream.  It has the rows as they are by now: one that has changed since then comes
    behind the statement, and is looked at there.
    """
    for column, text in _calculated(piece, after):
        read = next((name for name, _ in reads_of(column.name, text, column, after)), "")
        if read:
            reason = _reason(piece.subject, same_of_text(text, column, after), ask)
            if reason:
                yield column.name, after.columns[after.ordinal(read)].name, reason


def _calculated(piece: Ddl, after: Table) -> Iterator[tuple[Column, str]]:
    if piece.create is not None:
        return
    for spec, is_new in defined_columns(piece):
        column = after.column(spec.name)
        if column is None or column.base_type == "json":
            continue
        if column.generated:
            yield column, column.expression
        elif is_new and column.default is not None and not is_literal(column.default):
            yield column, column.default


def _reason(table: TableName, same: str, ask: Callable[[str], list[Sequence[Any]]]) -> str:
    try:
        is_unlike = bool(ask(f"SELECT 1 FROM {table.quoted()} WHERE NOT ({same}) LIMIT 1"))
    except DMError as exc:
        if errno_of(exc) not in _NOT_THERE_NOW:
            raise
        return (
            "the upstream's table was changed since then, so that it is not known whether its documents had such values"
        )
    return "rows have such values, for one those WHERE NOT (" + same + ")" if is_unlike else ""
