"""Columns whose values rows that are there get by an expression, when an ALTER TABLE runs.

It defines some of them itself.  Others are calculated anew, since it changes the type or the character set of a column
that their expression reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pkg.schema.alter import ChangeColumn, ConvertCharset, DropColumn, RenameColumn
from pkg.schema.ddl import defined_columns
from pkg.schema.letter_case import small
from pkg.schema.lexer import names_in
from pkg.schema.mapping import text_charset
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.targets import is_literal


def calculated_columns(ddl: Ddl, before: Table | None, after: Table) -> Iterator[tuple[Column, str]]:
    """Columns that rows get anew by an expression, each with that; the table upstream was ``before`` and is ``after``.

    Of the columns that are defined those with a default that fills rows, too.
    """
    for spec, is_new in defined_columns(ddl) if ddl.create is None else ():
        column = after.column(spec.name)
        if column is not None:
            fills = is_new and column.default is not None and not is_literal(column.default)
            text = column.expression if column.generated else (column.default or "") * fills
            if text:
                yield column, text
    for column in calculated_anew(ddl, before, after):
        yield column, column.expression


def calculated_anew(ddl: Ddl, before: Table | None, after: Table) -> Iterator[Column]:
    """The generated columns that an ALTER TABLE does not define, and which read a column that it changes."""
    changed = retyped_columns(ddl, before, after)
    defined = {small(spec.name) for spec, _ in defined_columns(ddl)}
    for column in after.columns if changed else ():
        if (
            column.expression
            and small(column.name) not in defined
            and not changed.isdisjoint(names_in(column.expression))
        ):
            yield column


def retyped_columns(ddl: Ddl, before: Table | None, after: Table) -> frozenset[str]:
    """Columns whose type, character set or collation an ALTER TABLE changes, by their names behind it in small letters.

    Where the table ``before`` is not known, all that it may change.  A text that only becomes longer is not changed.
    """
    changes = [one for one in ddl.alterations if isinstance(one, ChangeColumn)]
    converts = any(isinstance(one, ConvertCharset) for one in ddl.alterations)
    if not (changes or converts):
        return frozenset()
    named = {small(one.column.name) for one in changes}
    old = old_names(ddl)
    found = set[str]()
    for column in after.columns:
        name = small(column.name)
        was = before.column(old.get(name, name)) if before is not None else None
        is_said = name in named or (converts and column.collation is not None)
        if is_said and (was is None or _holds(was) != _holds(column) or _is_longer(was, column)):
            found.add(name)
    return frozenset(found)


def old_names(ddl: Ddl) -> dict[str, str]:
    """What columns were called, by the names that an ALTER TABLE gives them; all in small letters."""
    found = {small(one.new): small(one.old) for one in ddl.alterations if isinstance(one, RenameColumn)}
    return found | {small(one.column.name): small(one.old) for one in ddl.alterations if isinstance(one, ChangeColumn)}


def columns_then(
    ddl: Ddl, before: Table | None, after: Table, present: Table, flavor: str, collations: Collection[str]
) -> list[tuple[str, Column]]:
    """The columns of the target's table ``present`` that an ALTER TABLE leaves, each with the name that it has before.

    They have the names, and the sets of texts, that the statement gives them; the rest is as it is before.  ``flavor``
    and ``collations`` are the target's.
    """
    new = {old: name for name, old in old_names(ddl).items()}
    dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
    retyped = retyped_columns(ddl, before, after)
    found = list[tuple[str, Column]]()
    for column in present.columns:
        name = new.get(small(column.name), small(column.name))
        above = after.column(name)
        if small(column.name) in dropped:
            continue
        if above is None:
            found.append((column.name, column))
        elif name in retyped and above.collation and column.collation:
            made = as_made(above, after, flavor, collations)
            found.append(
                (column.name, replace(column, name=above.name, charset=made.charset, collation=made.collation))
            )
        else:
            found.append((column.name, replace(column, name=above.name)))
    return found


def as_made(column: Column, after: Table, flavor: str, collations: Collection[str]) -> Column:
    """A column of the table upstream, with the set and collation that it gets in the target."""
    if not column.collation:
        return column
    chosen, _ = text_charset(column, collations, flavor, in_key=small(column.name) in after.constrained_columns)
    return replace(column, charset=chosen.name, collation=chosen.collation)


def _holds(column: Column) -> tuple[object, ...]:
    """What its values are, but for how long a text may be."""
    of_length = column.type if column.length is None or column.charset is None else ""
    return column.base_type, of_length, column.nullable, column.charset, column.collation, column.labels, column.fsp


def _is_longer(one: Column, other: Column) -> bool:
    """Whether a text may be cut that has the other column's length."""
    return (one.length or 0) > (other.length or 0)
