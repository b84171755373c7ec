"""DDL that gives rows values which no column mapping, and no route that fills columns, has seen.

Both change rows on their way.  What a statement writes itself (a default, the value of a NULL that may not be one), and
what it moves from a table with other rules, is in the target as the statement makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from pkg.rules.column_rules import TableColumnRules
from pkg.rules.taken import exchanged, moves
from pkg.schema.alter import AddColumn, ChangeColumn, RenameColumn
from pkg.schema.letter_case import small
from pkg.schema.lexer import names_in, quote_name
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

RulesOf = Callable[[TableName], TableColumnRules]


@dataclass(frozen=True, slots=True)
class Unmapped:
    """Why rows would not be as the rules make them; ``where``: which, "" for all that are there."""

    reason: str
    where: str = ""


def unmapped(
    piece: Ddl, statement: Ddl, rules_of: RulesOf, after: Table | None, present: Table, *, strict: bool
) -> Iterator[Unmapped]:
    """Of one ``piece`` of a statement, whose table is ``after`` upstream behind it and ``present`` in the target.

    ``strict``: the statement's session cut no values.
    """
    rules = rules_of(piece.subject)
    for first, second in (*((piece.subject, other) for other in exchanged(piece)), *_renamed(piece, statement)):
        if _effect(rules_of(first)) != _effect(rules_of(second)):
            yield Unmapped(f"the rules for {first.quoted()} and {second.quoted()} are different ones")
    targets = {small(one.target) for one in rules.mapped}
    names = targets | {small(one.source) for one in rules.mapped}
    for one in piece.alterations if names else ():
        match one:
            case AddColumn(column):
                yield from _added(column.name, after, present, rules)
            case ChangeColumn(old, column):
                yield from _renamed_to(old, column.name, names)
                if small(old) in targets and after is not None:
                    yield from _changed(present.column(old), after.column(column.name), strict=strict)
            case RenameColumn(old, new):
                yield from _renamed_to(old, new, names)


def _effect(rules: TableColumnRules) -> tuple[object, ...]:
    """What they do to rows, whatever they are called."""
    mapped = {(small(one.source), small(one.target), one.change) for one in rules.mapped}
    return mapped, rules.extracted


def _renamed(piece: Ddl, statement: Ddl) -> Iterator[tuple[TableName, TableName]]:
    """What the piece's table is called before and behind the whole statement."""
    for one, first, last in moves(statement) if statement.renames else ():
        if one.renames == piece.renames:
            yield first, last


def _added(name: str, after: Table | None, present: Table, rules: TableColumnRules) -> Iterator[Unmapped]:
    column = after.column(name) if after is not None else None
    if present.column(name) is not None or column is None or column.generated:
        return
    for one in rules.mapped:
        is_filled = column.default != "NULL" and small(name) in (small(one.source), small(one.target))
        if is_filled or (small(name) == small(one.target) != small(one.source)):
            yield Unmapped(f"the column {name} is mapped, and what it gives the rows that are there is not")
    default = column.default or "''"
    read = names_in(default)
    for one in rules.mapped if not default.startswith("'") else ():
        if small(one.target) in read:
            yield Unmapped(f"the default of {name} reads {one.target}, which is mapped")


def _renamed_to(old: str, new: str, names: Collection[str]) -> Iterator[Unmapped]:
    if small(old) != small(new) and small(new) in names:
        yield Unmapped(f"the column {old} becomes {new}, which is mapped")


def _changed(there: Column | None, new: Column | None, *, strict: bool) -> Iterator[Unmapped]:
    if there is None or new is None:
        return
    name = quote_name(there.name)
    if there.nullable and not new.nullable:
        yield Unmapped(f"the column {new.name} is mapped, and NULL becomes a value in it", f"{name} IS NULL")
    is_wide = there.base_type == new.base_type and (there.length or 0) <= (new.length or 0)
    if not strict and not is_wide:
        yield Unmapped(f"the column {new.name} is mapped, and cut or converted", f"{name} IS NOT NULL")
