"""Keys that a statement leaves without a name, with the names that the upstream gives them.

Servers choose such names in different ways (TiDB looks at keys behind columns last, calls a key over an expression
otherwise, and takes the name of CONSTRAINT before the key's own).  A later statement names the key as the upstream
does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    AlterClause,
    ChangeColumn,
    RenameColumn,
)
from pkg.schema.create import keys_said
from pkg.schema.ddl import parse_ddl
from pkg.schema.indexes import ForeignKeySpec, IndexSpec, named_keys
from pkg.schema.kept_keys import kept_keys
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import Index, Table

Items = Sequence[IndexSpec | ForeignKeySpec]


def leaves_names(ddl: Ddl) -> bool:
    """Whether the statement makes a key whose name servers choose otherwise."""
    if ddl.kind not in (DdlKind.CREATE_TABLE, DdlKind.ALTER_TABLE):
        return False
    return any(isinstance(item, IndexSpec) and _is_open(item) for item in _items(ddl))


def with_key_names(ddl: Ddl, before: Table | None, flavor: str) -> Ddl:
    """The statement with these names said; ``before``: the table that it alters."""
    if ddl.kind is DdlKind.ALTER_TABLE and before is None:
        return ddl
    items = _items(ddl)
    kept = list(kept_keys(before, ddl.alterations)) if before is not None and ddl.kind is DdlKind.ALTER_TABLE else []
    keys, _ = named_keys(items, kept, _columns(ddl, before))
    specs = [item for item in items if isinstance(item, IndexSpec)]
    names = {id(spec): index.name for spec, index in zip(specs, keys, strict=True)}
    places = [spec for spec in specs if _is_open(spec) and spec.name_at]
    edits = [edit for spec in places for edit in _edits(ddl.text, spec, names[id(spec)])]
    for clause in ddl.clauses:
        edits += _column_edits(clause, names)
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def before_keys(ddl: Ddl, today: Table) -> Table | None:
    """A table before a statement that adds keys without a name, by what it is today, behind the statement.

    None where today's keys do not tell which they are.
    """
    left = list(today.indexes)
    for item in _items(ddl):
        if isinstance(item, IndexSpec) and _is_open(item):
            same = [index for index in left if _is_of(index, item.index(index.name))]
            if len(same) != 1:
                return None
            left.remove(same[0])
    return replace(today, indexes=tuple(left))


def _is_of(index: Index, said: Index) -> bool:
    columns = [[small(column) for column in one.columns] for one in (index, said)]
    return columns[0] == columns[1] and index.prefixes == said.prefixes and index.unique == said.unique


def new_keys(ddl: Ddl, before: Table) -> list[Index]:
    """The keys that an ALTER TABLE says, with the names that the upstream gives them."""
    return named_keys(_items(ddl), list(kept_keys(before, ddl.alterations)), _columns(ddl, before))[0]


def made_keys(ddl: Ddl, before: Table) -> list[tuple[ForeignKeySpec, Index]]:
    """The keys that the upstream makes for foreign keys of an ALTER TABLE."""
    return named_keys(_items(ddl), list(kept_keys(before, ddl.alterations)), _columns(ddl, before))[1]


def _items(ddl: Ddl) -> Items:
    if ddl.create is not None:
        return list(keys_said(ddl.create))
    found = (one for one in ddl.alterations if isinstance(one, AddIndex | AddForeignKey))
    return [one.index if isinstance(one, AddIndex) else one.key for one in found]


def _columns(ddl: Ddl, before: Table | None) -> Iterator[str]:
    """The names of the table's columns, the statement's own last."""
    if ddl.create is not None:
        yield from (column.name for column in ddl.create.columns)
    elif before is not None:
        yield from (column.name for column in before.columns)
        yield from (one.new for one in ddl.alterations if isinstance(one, RenameColumn))
        yield from (one.column.name for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn))


def _is_open(spec: IndexSpec) -> bool:
    return not spec.primary and (not spec.name or spec.constraint is not None)


def _edits(text: str, spec: IndexSpec, name: str) -> Iterator[Edit]:
    if spec.name:
        assert spec.constraint is not None, "a name alone is the key's"
        yield spec.constraint.start, spec.constraint.end, ""
    else:
        space = "" if text[spec.name_at - 1].isspace() else " "
        yield spec.name_at, spec.name_at, f"{space}{quote_name(name)} "


def _column_edits(clause: AlterClause, names: dict[int, str]) -> Iterator[Edit]:
    """UNIQUE behind a column of an ALTER as its own clause, where the key has another name, or TiDB takes none."""
    match clause.alterations:
        case (
            AddColumn(column, if_not_exists=False) | ChangeColumn(_, column, if_exists=False) as one,
            AddIndex(index),
        ):
            name = names[id(index)]
            words = [part for part in column.clauses if part.key == "UNIQUE"]
            is_plain = isinstance(one, AddColumn) and small(name) == small(column.name)
            if index.primary or len(words) != 1 or is_plain:
                return
            yield words[0].start, words[0].end, ""
            key = f", ADD UNIQUE KEY {quote_name(name)} ({quote_name(column.name)})"
            yield clause.clause.end, clause.clause.end, key
