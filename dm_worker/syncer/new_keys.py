"""A unique key that is added to a column whose collation in the target tells apart less than the upstream's."""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.syncer.servers import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, AddIndex, ChangeColumn, ConvertCharset
from pkg.schema.collation import nearest_in_key
from pkg.schema.errors import shortened
from pkg.schema.lexer import quote_name
from pkg.schema.mapping import joins
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table, key_words

JOINING_KEY = ErrorKind(
    36123,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a unique key comes over the column {column} of {target}, whose collation {there} may hold two rows equal that "
    "{collation} upstream holds different: one would be lost; the statement at {place}: {sql}",
    workaround="give the column a collation that tells apart as much: `{way_out}`, with the column's other attributes; "
    "then resume-task",
)


def refuse_joining_key(
    downstream: Downstream, piece: Ddl, structure: Table | None, target: TableName, place: str
) -> None:
    """Raises JOINING_KEY; ``structure`` is the upstream's after the statement, as far as it is tracked."""
    names = set(_new_key_columns(piece))
    present = downstream.table(target.schema, target.table) if names and structure is not None else None
    if present is None or structure is None:
        return
    flavor = downstream.server.flavor
    for below in present.columns:
        above = structure.column(below.name)
        if above is None or below.name.lower() not in names or not joins(above, below, flavor):
            continue
        chosen = nearest_in_key(above.collation or "", downstream.collations, flavor)
        raise JOINING_KEY.error(
            column=below.name,
            target=f"{target.schema}.{target.table}",
            there=below.collation,
            collation=above.collation,
            place=place,
            sql=shortened(piece.text, 400),
            way_out=f"ALTER TABLE {target.quoted()} MODIFY {quote_name(below.name)} {below.type} "
            f"CHARACTER SET {chosen.name} COLLATE {chosen.collation}",
        )


def _new_key_columns(piece: Ddl) -> Iterator[str]:
    """In lower case; columns that the statement defines itself, or converts, are made for their keys."""
    if any(isinstance(one, ConvertCharset) for one in piece.alterations):
        return
    defined = {one.column.name.lower() for one in piece.alterations if isinstance(one, (AddColumn, ChangeColumn))}
    for one in piece.alterations:
        if isinstance(one, AddIndex) and one.index.unique:
            yield from ({word.lower() for part, _ in one.index.parts for word in key_words(part)} - defined)
