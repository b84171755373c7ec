"""DDL that calculates something of documents that rows have, and that the target may read or write otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.syncer.unlike_documents import FILLED, NOT_THERE_NOW, calculation
from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.document_texts import UnlikeText, unlike_text
from pkg.errors import DMError
from pkg.schema.ddl import defined_columns
from pkg.schema.lexer import quote_name
from pkg.schema.named_documents import NamedPart, parts_named
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

_MOST_SHOWN = 200
IsUnlike = Callable[[str, Sequence[NamedPart]], UnlikeText | None]
FirstRow = Callable[[str, Callable[[Sequence[Any]], bool]], Sequence[Any] | None]


def names_documents(piece: Ddl, after: Table, present: Table) -> bool:
    """Whether it adds or changes a column that the target, where the table is ``present``, calculates of documents."""
    return any(_naming(piece, after, present))


def unlike_texts(
    piece: Ddl, after: Table, present: Table, first_row: FirstRow, is_unlike: IsUnlike = unlike_text
) -> Iterator[tuple[str, str, str]]:
    """Columns that ``piece`` calculates of documents otherwise, each with a column that it reads and the reason.

    ``is_unlike`` judges a document.  ``first_row`` asks the upstream, which has the rows as they are by now: one that
    has changed since then comes behind the statement, and is looked at there.
    """
    for column, parts in _naming(piece, after, present):
        for name, named in parts.items():
            reason = _reason(piece.subject, name, named, first_row, is_unlike) if column.generated else FILLED
            if reason:
                yield column.name, name, reason


def _naming(piece: Ddl, after: Table, present: Table) -> Iterator[tuple[Column, dict[str, list[NamedPart]]]]:
    """Columns that it calculates of documents, with what they name of these, by their names upstream.

    What is a text upstream may be JSON in the target.
    """
    for spec, is_new in defined_columns(piece) if piece.create is None else ():
        column = after.column(spec.name)
        text = "" if column is None else calculation(column, is_new=is_new)
        if column is not None and text:
            parts: dict[str, list[NamedPart]] = {}
            named = (*parts_named(text, column, after), *parts_named(text, column, present))
            for name, path, taken in dict.fromkeys(named):
                read = after.column(name)
                if read is not None:
                    parts.setdefault(read.name, []).append(NamedPart(column.name, path, taken))
            if parts:
                yield column, parts


def _reason(table: TableName, column: str, named: Sequence[NamedPart], first_row: FirstRow, is_unlike: IsUnlike) -> str:
    def found(row: Sequence[Any]) -> UnlikeText | None:
        return is_unlike(row[0], named) if isinstance(row[0], str) else None

    name = quote_name(column)
    sql = f"SELECT {name} FROM {table.quoted()} WHERE {name} IS NOT NULL"
    try:
        row = first_row(sql, lambda one: found(one) is not None)
    except DMError as exc:
        if errno_of(exc) not in NOT_THERE_NOW:
            raise
        return "the upstream's table was changed since then, so that it is not known what its documents were"
    unlike = None if row is None else found(row)
    if row is None or unlike is None:
        return ""
    return f"rows have such documents, for one with {unlike.found}: {row[0][:_MOST_SHOWN]}"
