"""DDL that calculates something of the documents that rows have: the target's are texts, without types of SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.dumper.read_documents import same_of_text
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError
from pkg.schema.alter import ChangeColumn
from pkg.schema.calculated import calculated_columns
from pkg.schema.column_types import BINARY_TYPES, TEXT_TYPES
from pkg.schema.document_reads import reads_of
from pkg.schema.lexer import quote_name
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


def documents_changed(piece: Ddl, before: Table, after: Table, *, strict: bool) -> Iterator[tuple[str, str]]:
    """Columns of documents that become something else, by their old names, each with a condition.

    The condition is true upstream, behind the statement, of a value that was made of a DECIMAL, and that the target,
    whose documents have a double for it, would make another one: its text is none that a document has.  ``strict``: of
    the statement's session, which then has cut none.
    """
    for one in piece.alterations:
        if not isinstance(one, ChangeColumn):
            continue
        old, new = before.column(one.old), after.column(one.column.name)
        if old is not None and new is not None and old.base_type == "json" and (where := _of_decimals(new, strict)):
            yield old.name, where


def _of_decimals(new: Column, strict: bool) -> str:
    name = quote_name(new.name)
    if new.base_type not in TEXT_TYPES | BINARY_TYPES:
        return ""  # a number is the same one (36210 refuses more digits than a double has), and so are days and times
    whole = f"TRIM(TRAILING 0x00 FROM {name})" if new.base_type == "binary" else name
    text = f"CONVERT({whole} USING utf8mb4)"
    written = f"CAST(CAST(CAST({text} AS JSON) AS CHAR) AS BINARY)"
    cut = "FALSE" if strict else f"{text} LIKE '%.%'"
    return f"CASE WHEN JSON_VALID({text}) THEN {written} <> CAST({text} AS BINARY) ELSE {cut} END"


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
    return unlike_rows(table, f"NOT ({same})", ask)


def unlike_rows(table: TableName, where: str, ask: Callable[[str], list[Sequence[Any]]]) -> str:
    """What the upstream says of rows of which the target makes something else: "" where it has none now."""
    try:
        is_unlike = bool(ask(f"SELECT 1 FROM {table.quoted()} WHERE {where} LIMIT 1"))
    except DMError as exc:
        if errno_of(exc) not in NOT_THERE_NOW:
            raise
        return (
            "the upstream's table was changed since then, so that it is not known whether its documents had such values"
        )
    return f"rows have such values, for one those WHERE {where}" if is_unlike else ""
