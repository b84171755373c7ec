"""DDL that calculates something of the documents that rows have: the target's are texts, without types of SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.dumper.read_documents import same_of_text
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.calculated import calculated_columns
from pkg.schema.document_reads import reads_of
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

NOT_THERE_NOW = frozenset({1049, 1054, 1146})  # the database, a column, the table

FILLED = "the default fills rows, and what documents they had then is not known any more"


def unlike_documents(
    piece: Ddl, before: Table | None, after: Table, ask: Callable[[str], list[Sequence[Any]]]
) -> Iterator[tuple[str, str, str]]:
    """Columns that ``piece`` calculates of documents otherwise, each with a document that it reads and the reason.

    ``ask`` is a query of the upstream.  It has the rows as they are by now: one that has changed since then comes
    behind the statement, and is looked at there.
    """
    for column, text, read in _reading(piece, before, after):
        # A row that has changed since then keeps what the default gave it, and does not show what that was.
        reason = _reason(piece.subject, same_of_text(text, column, after), ask) if column.generated else FILLED
        if reason:
            yield column.name, after.columns[after.ordinal(read)].name, reason


def reads_documents(piece: Ddl, before: Table | None, after: Table) -> bool:
    """Whether it adds or changes a column whose value depends on the types of a document's values."""
    return any(_reading(piece, before, after))


def _reading(piece: Ddl, before: Table | None, after: Table) -> Iterator[tuple[Column, str, str]]:
    """Columns that it calculates of documents, with the expression, and the first column of documents in it."""
    for column, text in calculated_columns(piece, before, after):
        if column.base_type != "json":
            read = next((name for name, _ in reads_of(column.name, text, column, after)), "")
            if read:
                yield column, text, read


def _reason(table: TableName, same: str, ask: Callable[[str], list[Sequence[Any]]]) -> str:
    try:
        is_unlike = bool(ask(f"SELECT 1 FROM {table.quoted()} WHERE NOT ({same}) LIMIT 1"))
    except DMError as exc:
        if errno_of(exc) not in NOT_THERE_NOW:
            raise
        return (
            "the upstream's table was changed since then, so that it is not known whether its documents had such values"
        )
    return "rows have such values, for one those WHERE NOT (" + same + ")" if is_unlike else ""
