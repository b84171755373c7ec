"""DROP CONSTRAINT: the kind of constraint that the name is of upstream, said.

TiDB takes every such name for a CHECK's, and drops nothing, without a word, where it is a key or a foreign key.
MariaDB keeps, without a word, a foreign key of a table that it copies: for another clause of the statement, or since
the table has a unique key by hash.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pkg.schema.alter import (
    Alteration,
    AlterClause,
    ChangeColumn,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    RenameColumn,
)
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import ForeignKey, Table
from pkg.schema.translate_elements import removed


def dropped_by(one: DropConstraint, table: Table) -> DropForeignKey | DropIndex | None:
    """What it drops of the table as it is before the statement; None: a CHECK, or nothing.

    MariaDB takes the foreign key where a unique key has its name, too; MySQL drops neither then.  A key that is not
    unique is no constraint.
    """
    if any(small(key.name) == small(one.name) for key in table.foreign_keys):
        return DropForeignKey(one.name, one.if_exists)
    index = table.index(one.name)
    return DropIndex(index.name, one.if_exists) if index is not None and index.unique else None


def drops_constraint(ddl: Ddl) -> bool:
    return any(isinstance(one, DropConstraint) for one in ddl.alterations)


def doubtful_foreign_keys(ddl: Ddl, before: Table, flavor: str) -> list[ForeignKey]:
    """Those that the upstream may have kept: its present structure tells."""
    drops = [one for one in ddl.alterations if isinstance(one, DropConstraint)]
    if flavor != "mariadb" or (len(drops) == len(ddl.clauses) and not before.most_hidden_columns):
        return []
    names = {small(one.name) for one in drops}
    return [key for key in before.foreign_keys if small(key.name) in names]


def left_columns(ddl: Ddl, before: Table) -> set[str]:
    """In small letters, the columns that the table has before and behind the statement."""
    names = {small(one.name) for one in before.columns}
    for one in ddl.alterations:
        match one:
            case DropColumn(name) | ChangeColumn(old=name) | RenameColumn(old=name):
                names.discard(small(name))
    return names


def with_kinds_said(ddl: Ddl, before: Table, flavor: str, kept: Collection[ForeignKey] = ()) -> Ddl:
    """The statement with DROP FOREIGN KEY or DROP KEY in place of the word for all; without foreign keys ``kept``."""
    names = {small(key.name) for key in kept}
    stays = [not any(_is_of(one, names) for one in clause.alterations) for clause in ddl.clauses]
    if not any(stays):
        return replace(ddl, kind=DdlKind.NOT_REPLICATED, clauses=(), note="what dropped nothing upstream")
    edits = [edit for stay, clause in zip(stays, ddl.clauses, strict=True) if stay for edit in _edits(clause, before)]
    cuts = [removed(ddl.clauses, stays, number) for number, stay in enumerate(stays) if not stay]
    edits += [(start, end, "") for start, end in cuts]
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)


def _is_of(one: Alteration, names: Collection[str]) -> bool:
    return isinstance(one, DropConstraint) and small(one.name) in names


def _edits(clause: AlterClause, before: Table) -> Iterator[Edit]:
    match clause.alterations:
        case (DropConstraint() as one,) if (found := dropped_by(one, before)) is not None:
            kind = "FOREIGN KEY" if isinstance(found, DropForeignKey) else "KEY"
            words = f"DROP {kind} {'IF EXISTS ' * one.if_exists}{quote_name(found.name)}"
            yield clause.clause.start, clause.clause.end, words
