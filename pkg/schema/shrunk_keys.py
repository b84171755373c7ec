"""Keys that lose a column with DROP COLUMN.

TiDB drops no column of a key that has several, MariaDB none of a primary or unique one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pkg.schema.alter import AddIndex, Alteration, DropColumn, DropIndex, RenameIndex
from pkg.schema.column_types import is_bulky
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl
from pkg.schema.table import PRIMARY, Index, Table


def drops_columns(ddl: Ddl) -> bool:
    return any(isinstance(one, DropColumn) for one in ddl.alterations)


def shrunk_keys(ddl: Ddl, present: Table, after: Table | None) -> Iterator[tuple[Index, bool]]:
    """The keys of the target's table ``present`` that have fewer columns behind the statement, as they are then.

    With each whether it stays: ``after`` is the table upstream behind the whole statement, None where it is not known.
    """
    dropped = {one.name.lower() for one in ddl.alterations if isinstance(one, DropColumn)}
    for index in _smaller(dropped, present):
        last = after.index(index.name) if after is not None else None
        is_made_again = last is not None and not dropped.isdisjoint(name.lower() for name in last.columns)
        if not index.primary and not is_made_again:
            yield index, after is None or last is not None


def _smaller(dropped: Collection[str], present: Table) -> Iterator[Index]:
    """Keys of several columns that keep some of them, as they are without the dropped ones."""
    for index in present.indexes:
        parts = list(zip(index.columns, index.prefixes, strict=True))
        left = [(name, prefix) for name, prefix in parts if name.lower() not in dropped]
        if left and len(left) < len(parts):
            columns, prefixes = zip(*left, strict=True)
            yield replace(index, columns=columns, prefixes=prefixes)


def with_unique_keys(ddl: Ddl, present: Table) -> Ddl:
    """MySQL's statement for MariaDB, whose table is ``present``: with the unique keys that lose a column made again."""
    drops = {
        one.name.lower(): clause for clause in ddl.clauses for one in clause.alterations if isinstance(one, DropColumn)
    }
    touched = {name.lower() for one in ddl.alterations for name in _named(one)}
    added = [
        f", DROP {_key(index)}, ADD {_key(index, kind='UNIQUE KEY')} ({_parts(index)})"
        for index in _smaller(drops, present)
        if index.unique and index.name.lower() not in touched
    ]
    if not added:
        return ddl
    end = next(iter(drops.values())).clause.end
    return replace(ddl, edits=(*ddl.edits, (end, end, "".join(added))))


def _named(one: Alteration) -> Iterator[str]:
    """Names of keys that the statement itself makes, drops or renames."""
    match one:
        case DropIndex(name):
            yield name
        case AddIndex(index):
            yield PRIMARY if index.primary else index.name
        case RenameIndex(old, new):
            yield from (old, new)


def _key(index: Index, kind: str = "KEY") -> str:
    return "PRIMARY KEY" if index.primary else f"{kind} {quote_name(index.name)}"


def _parts(index: Index) -> str:
    pairs = zip(index.columns, index.prefixes, strict=True)
    return ", ".join(quote_name(name) + (f"({prefix})" if prefix else "") for name, prefix in pairs)


def lost_keys(ddl: Ddl, before: Table, present: Table, after: Table | None) -> Iterator[Index]:
    """Those of the upstream's table ``before`` that the target lacks, since an earlier run dropped them."""
    for index, stays in shrunk_keys(ddl, before, after):
        columns = [before.column(name) for name in index.columns]
        is_plain = not any(one is None or is_bulky(one.base_type) for one in columns)
        if stays and is_plain and present.index(index.name) is None:
            yield index
