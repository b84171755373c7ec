"""Keys that are in the way of a change of their columns.

TiDB drops no column of a key that has several, MariaDB none of a primary or unique one; TiDB gives no column of a key
another collation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AddIndex,
    Alteration,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropIndex,
    RenameIndex,
)
from pkg.schema.clause_steps import renamed_columns
from pkg.schema.column_types import is_bulky
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl
from pkg.schema.table import PRIMARY, Column, Index, Table


def drops_columns(ddl: Ddl) -> bool:
    return any(isinstance(one, DropColumn) for one in ddl.alterations)


def added_columns(ddl: Ddl) -> frozenset[str]:
    """In lower case; of a whole statement, also those that are dropped and come again."""
    return frozenset(small(one.column.name) for one in ddl.alterations if isinstance(one, AddColumn))


def by_old_names(ddl: Ddl, table: Table) -> Table:
    """``table`` with the keys that the whole statement renames under their old names, too, where these are free."""
    renamed = [one for one in ddl.alterations if isinstance(one, RenameIndex)]
    keys = [(one.old, index) for one in renamed if (index := table.index(one.new)) and table.index(one.old) is None]
    return replace(table, indexes=(*table.indexes, *(replace(index, name=old) for old, index in keys)))


def shrunk_keys(ddl: Ddl, added: Collection[str], present: Table, after: Table | None) -> Iterator[tuple[Index, bool]]:
    """The keys of the target's table ``present`` that have fewer columns behind the statement, as they are then.

    With each whether it stays: ``after`` is the table upstream behind the whole statement, None where it is not known,
    which has the new columns ``added``; see by_old_names.
    """
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    for index in _smaller(dropped, present):
        last = after.index(index.name) if after is not None else None
        again = dropped.intersection(added)
        is_made_again = last is not None and not again.isdisjoint(small(name) for name in last.columns)
        if not index.primary and not is_made_again:
            yield index, after is None or last is not None


def _smaller(dropped: Collection[str], present: Table) -> Iterator[Index]:
    """Keys of several columns that keep some of them, as they are without the dropped ones."""
    for index in present.indexes:
        parts = list(zip(index.columns, index.prefixes, strict=True))
        left = [(name, prefix) for name, prefix in parts if small(name) not in dropped]
        if left and len(left) < len(parts):
            columns, prefixes = zip(*left, strict=True)
            yield replace(index, columns=columns, prefixes=prefixes)


def with_unique_keys(ddl: Ddl, present: Table) -> Ddl:
    """MySQL's statement for MariaDB, whose table is ``present``: with the unique keys that lose a column made again."""
    drops = {
        small(one.name): clause for clause in ddl.clauses for one in clause.alterations if isinstance(one, DropColumn)
    }
    new_names = renamed_columns(ddl.alterations)
    touched = {small(name) for one in ddl.alterations for name in _named(one)}
    added = [
        f", DROP {_dropped(index)}, ADD {key_text(index, 'mariadb', new_names)}"
        for index in _smaller(drops.keys() - added_columns(ddl), present)
        if index.unique and small(index.name) not in touched
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


def _dropped(index: Index) -> str:
    return "PRIMARY KEY" if index.primary else f"KEY {quote_name(index.name)}"


def lost_keys(ddl: Ddl, added: Collection[str], before: Table, present: Table, after: Table | None) -> Iterator[Index]:
    """Those of the upstream's table ``before`` that the target lacks, since an earlier run dropped them."""
    for index, stays in shrunk_keys(ddl, added, before, after):
        columns = [before.column(name) for name in index.columns]
        is_plain = not any(one is None or is_bulky(one.base_type) for one in columns)
        if stays and is_plain and present.index(index.name) is None:
            yield index


def changes_collations(ddl: Ddl) -> bool:
    """Whether the statement may give columns that are there another collation."""
    return any(isinstance(one, ChangeColumn | ConvertCharset) for one in ddl.alterations)


def recollated_keys(ddl: Ddl, before: Table, after: Table, table: Table) -> Iterator[tuple[Index, Index]]:
    """Keys of ``table`` over columns that get another collation, as they are before and behind the statement.

    ``before``, ``after``: the table upstream; ``table`` is the target's, or ``before`` itself.  A primary key stays.
    """
    changed = {small(one.old): one.column.name for one in ddl.alterations if isinstance(one, ChangeColumn)}
    if any(isinstance(one, ConvertCharset) for one in ddl.alterations):
        changed = {small(column.name): column.name for column in before.columns} | changed
    names = {old: new for old, new in changed.items() if _is_recollated(before.column(old), after.column(new))}
    for index in table.indexes:
        if not index.primary and not names.keys().isdisjoint(small(name) for name in index.columns):
            yield index, replace(index, columns=tuple(names.get(small(name), name) for name in index.columns))


def _is_recollated(old: Column | None, new: Column | None) -> bool:
    if old is None or new is None or old.collation is None or new.collation is None:
        return False
    return old.collation != new.collation


def lost_recollated(ddl: Ddl, before: Table, after: Table, present: Table) -> Iterator[Index]:
    """Those that the target lacks, since an earlier run dropped them, as they are behind the statement."""
    named = {small(one.name) for one in ddl.alterations if isinstance(one, DropIndex)}
    for index, behind in recollated_keys(ddl, before, after, before):
        columns = [before.column(name) for name in index.columns]
        is_plain = all(
            one is not None and (prefix or not is_bulky(one.base_type))
            for one, prefix in zip(columns, index.prefixes, strict=True)
        )
        if is_plain and small(index.name) not in named and present.index(index.name) is None:
            yield behind
