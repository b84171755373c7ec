"""ALTER TABLE with RENAME TO beside other clauses: MariaDB loses all foreign keys of a table that it copies for these.

It then counts those that the statement adds from 1.  No binlog tells whether it has copied the table: its present
structure does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pkg.schema.alter import (
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    DropForeignKey,
    DropIndex,
    RenameTo,
    SetOptions,
)
from pkg.schema.ddl import HINTS, parse_ddl
from pkg.schema.indexes import new_foreign_keys
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.references import name_edits
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import PRIMARY, ForeignKey, Table
from pkg.schema.translate_elements import removed


def doubtful_foreign_keys(ddl: Ddl, before: Table, flavor: str) -> list[ForeignKey]:
    """Those that the upstream may have lost: all, or none."""
    if flavor != "mariadb" or ddl.kind is not DdlKind.ALTER_TABLE or not ddl.renames:
        return []
    if not any(one.clause.key == "ALGORITHM" or any(map(_may_copy, one.alterations)) for one in ddl.clauses):
        return []
    return _kept(ddl, before)


def lost_by_sessions(ddl: Ddl, before: Table, flavor: str) -> list[ForeignKey]:
    """Keys that change rows of the table, and that the upstream has lost only if its session's `alter_algorithm`, which
    no binlog has, says COPY.
    """
    if flavor != "mariadb" or not _renames_beside(ddl) or doubtful_foreign_keys(ddl, before, flavor):
        return []
    return [key for key in _kept(ddl, before) if key.acts]


def _kept(ddl: Ddl, before: Table) -> list[ForeignKey]:
    """Those that the statement does not drop itself."""
    gone = {small(one.name) for one in ddl.alterations if isinstance(one, DropForeignKey)}
    return [key for key in before.foreign_keys if small(key.name) not in gone]


def _renames_beside(ddl: Ddl) -> bool:
    others = (one for one in ddl.clauses if not _renames(one))
    is_other = any(one.alterations or one.clause.key not in HINTS for one in others)
    return ddl.kind is DdlKind.ALTER_TABLE and bool(ddl.renames) and is_other


def _may_copy(one: Alteration) -> bool:
    match one:
        case ChangeColumn() | ConvertCharset() | AddForeignKey() | SetOptions():
            return True
        case AddIndex(index):
            return index.primary
        case DropIndex(name):
            return name.upper() == PRIMARY
    return False


def are_lost(keys: Sequence[ForeignKey], now: Table) -> bool:
    """Whether none of the keys is there: their names have changed with the table's."""
    there = [(key.columns, key.ref_table, key.ref_columns) for key in now.foreign_keys]
    return not any((key.columns, key.ref_table, key.ref_columns) in there for key in keys)


def with_lost_dropped(ddl: Ddl, keys: Sequence[ForeignKey], flavor: str) -> Ddl:
    """The statement which drops the keys itself, with the names of those that it adds."""
    new = ddl.renames[0][1]
    specs = [one.key for one in ddl.alterations if isinstance(one, AddForeignKey)]
    named = new_foreign_keys(specs, (), new.schema, new.table)
    names = {id(spec): key.name for spec, key in zip(specs, named, strict=True)}
    edits: list[Edit] = list(name_edits(ddl, names))
    start = next(one.clause.start for one in ddl.clauses if _renames(one))
    edits.append((start, start, "".join(f"DROP FOREIGN KEY {quote_name(key.name)}, " for key in keys)))
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def renamed_apart(ddl: Ddl, flavor: str) -> tuple[Ddl, ...]:
    """The statement with RENAME TO as one of its own, behind the others: what these leave to write is for the old name.

    MariaDB would lose foreign keys, and let those of other tables follow for a RENAME TO alone.
    """
    if not _renames_beside(ddl):
        return (ddl,)
    kept = [not _renames(one) for one in ddl.clauses]
    cuts: Iterator[Edit] = ((*removed(ddl.clauses, kept, at), "") for at, stays in enumerate(kept) if not stays)
    texts = [edited(ddl.text, cuts), f"ALTER TABLE {ddl.subject.quoted()} RENAME TO {ddl.renames[-1][1].quoted()}"]
    first, last = (parse_ddl(text, default_schema=ddl.default_schema, flavor=flavor) for text in texts)
    return first, last


def _renames(clause: AlterClause) -> bool:
    return any(isinstance(one, RenameTo) for one in clause.alterations)
