"""Documents of which something is calculated, and which the target may read or write otherwise.

Those that rows have when a DDL adds such a column; and in rows that are written those of MySQL of whose objects TiDB
makes other texts, since it orders names otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dm_worker.syncer.unlike_documents import FILLED, NOT_THERE_NOW
from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.document_texts import UnlikeText, unlike_in_tidb, unlike_text
from pkg.binlog.errors import UNLIKE_READ
from pkg.errors import DMError
from pkg.rows.change import RowImage
from pkg.schema.calculated import calculated_columns
from pkg.schema.lexer import quote_name
from pkg.schema.named_documents import NamedPart, parts_named, texts_made
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

_MOST_SHOWN = 200
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
IsUnlike = Callable[[str, Sequence[NamedPart]], UnlikeText | None]
FirstRow = Callable[[str, Callable[[Sequence[Any]], bool]], Sequence[Any] | None]


def names_documents(piece: Ddl, before: Table | None, after: Table, present: Table) -> bool:
    """Whether it adds or changes a column that the target, where the table is ``present``, calculates of documents."""
    return any(_naming(piece, before, after, present))


def unlike_texts(
    piece: Ddl,
    before: Table | None,
    after: Table,
    present: Table,
    first_row: FirstRow,
    is_unlike: IsUnlike = unlike_text,
) -> Iterator[tuple[str, str, str]]:
    """Columns that ``piece`` calculates of documents otherwise, each with a column that it reads and the reason.

    ``is_unlike`` judges a document.  ``first_row`` asks the upstream, which has the rows as they are by now: one that
    has changed since then comes behind the statement, and is looked at there.
    """
    for column, parts in _naming(piece, before, after, present):
        for name, named in parts.items():
            reason = _reason(piece.subject, name, named, first_row, is_unlike) if column.generated else FILLED
            if reason:
                yield column.name, name, reason


def _naming(
    piece: Ddl, before: Table | None, after: Table, present: Table
) -> Iterator[tuple[Column, dict[str, list[NamedPart]]]]:
    """Columns that it calculates of documents, with what they name of these, by their names upstream.

    What is a text upstream may be JSON in the target.
    """
    for column, text in calculated_columns(piece, before, after):
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


@dataclass(frozen=True, slots=True)
class ObjectTexts:
    """What the target makes texts of, in an upstream table's documents: each column with its place."""

    source: str
    reads: tuple[tuple[int, str, tuple[NamedPart, ...]], ...]

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise UNLIKE_READ for one of the rows."""
        for row in rows:
            for ordinal, column, parts in self.reads:
                literal = row[ordinal]
                text = _ESCAPED.sub(r"\1", literal[1:-1].decode()) if literal.startswith(b"'") else ""
                unlike = unlike_in_tidb(text, parts) if text else None
                if unlike is not None:
                    of = unlike.part.of
                    raise UNLIKE_READ.error(
                        column=column, table=self.source, found=unlike.found, reader=of, place=place
                    )


def object_texts(structure: Table, there: Table, flavors: tuple[str, str]) -> ObjectTexts | None:
    """None where the target, whose table is ``there``, makes no such texts; ``flavors``: the upstream's and its own."""
    if flavors != ("mysql", "tidb") or not any(column.base_type == "json" for column in structure.columns):
        return None
    found = ((structure.column(name), parts) for name, parts in texts_made(there).items())
    reads = [
        (structure.ordinal(column.name), column.name, parts)
        for column, parts in found
        if column is not None and column.base_type == "json"
    ]
    return ObjectTexts(f"{structure.schema}.{structure.name}", tuple(reads)) if reads else None
