"""Keys that MariaDB makes over the beginning of a text by itself, where the target wants the length said.

So does MySQL in a session that is not strict.  A column under a key becomes a TEXT, or so long that no key has room
for it: MariaDB cuts the key, MySQL and TiDB refuse the statement.  There it drops the key and adds it again, with the
length that the target has room for (translate_elements.py says it, and makes a plain key of a unique one).  A key that
has room again is made again, too: it is unique once more.  So it is with CREATE INDEX, as an ALTER.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pkg.schema.alter import (
    AddColumn,
    AddIndex,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropConstraint,
    DropIndex,
    RenameIndex,
)
from pkg.schema.charset import MAX_BYTES
from pkg.schema.clause_steps import renamed_columns
from pkg.schema.ddl import parse_ddl
from pkg.schema.key_parts import key_bytes
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, edited
from pkg.schema.table import KEY_BYTES, Column, Index, Table

_IN_TIDB = 4  # bytes of a character, whatever the upstream's set is


def with_cut_keys(ddl: Ddl, before: Table | None, after: Table | None, flavors: tuple[str, str]) -> Ddl:
    """The statement with such keys made again; ``before``, ``after``: its table upstream."""
    if flavors not in (("mariadb", "mysql"), ("mariadb", "tidb"), ("mysql", "tidb")) or after is None:
        return ddl
    if ddl.kind is DdlKind.CREATE_INDEX:
        return _as_alter(ddl, after, flavors)
    kept = list(_cut_keys(ddl, before, after, flavors[1])) if before is not None else []
    if not kept:
        return ddl
    end = next(one.clause.end for one in ddl.clauses if any(map(_changes_columns, one.alterations)))
    text = "".join(f", DROP KEY {quote_name(one.name)}, ADD {key_text(one, flavors[0])}" for one in kept)
    return parse_ddl(edited(ddl.text, [(end, end, text)]), default_schema=ddl.default_schema, flavor=flavors[0])


def _cut_keys(ddl: Ddl, before: Table, after: Table, target: str) -> Iterator[Index]:
    """Keys that stay and that have no room any more, or have it again, as they are behind the statement."""
    if ddl.kind is not DdlKind.ALTER_TABLE or not any(map(_changes_columns, ddl.alterations)):
        return
    named = {small(name) for one in ddl.alterations for name in _named(one)}
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    again = dropped & {small(one.column.name) for one in ddl.alterations if isinstance(one, AddColumn)}
    new_names = renamed_columns(ddl.alterations)
    for index in before.indexes:
        names = {small(name) for name in index.columns}
        if index.primary or index.type != "" or small(index.name) in named or not again.isdisjoint(names):
            continue
        parts = [part for part in zip(index.columns, index.prefixes, strict=True) if small(part[0]) not in dropped]
        behind = replace(
            index,
            columns=tuple(new_names.get(small(name), name) for name, _ in parts),
            prefixes=tuple(prefix for _, prefix in parts),
        )
        if is_too_long(behind, after, target) != is_too_long(index, before, target):
            yield behind


def is_too_long(index: Index, table: Table, target: str) -> bool:
    """Whether the target has no room for all that the key says."""
    sizes = (
        _bytes(table.column(name), prefix, target) for name, prefix in zip(index.columns, index.prefixes, strict=True)
    )
    return sum(sizes) > KEY_BYTES


def _bytes(column: Column | None, prefix: int | None, target: str) -> float:
    if column is None:
        return 0
    charset = column.charset or "binary"
    least = _IN_TIDB if target == "tidb" and charset != "binary" else 1
    return key_bytes(column, prefix, max(MAX_BYTES.get(charset, 1), least), target)


def _changes_columns(one: object) -> bool:
    return isinstance(one, ChangeColumn | ConvertCharset)


def _named(one: object) -> Iterator[str]:
    match one:
        case DropIndex(name) | DropConstraint(name):
            yield name
        case AddIndex(index):
            yield index.name
        case RenameIndex(old, new):
            yield from (old, new)


def _as_alter(ddl: Ddl, after: Table, flavors: tuple[str, str]) -> Ddl:
    spec = next((one.index for one in ddl.alterations if isinstance(one, AddIndex)), None)
    if spec is None or spec.kind or spec.if_not_exists or ddl.or_replace is not None:
        return ddl
    index = spec.index(spec.name)
    if any(name.startswith("(") for name in index.columns) or not is_too_long(index, after, flavors[1]):
        return ddl
    text = f"ALTER TABLE {ddl.subject.quoted()} ADD {key_text(index, flavors[0])}"
    return parse_ddl(text, default_schema=ddl.default_schema, flavor=flavors[0])
