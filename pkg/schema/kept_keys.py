"""The keys of a table that an ALTER TABLE leaves there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pkg.schema.alter import AddColumn, Alteration, DropColumn, DropConstraint, DropIndex, RenameIndex
from pkg.schema.dropped_constraints import dropped_by
from pkg.schema.letter_case import small
from pkg.schema.table import Index, Table


def kept_keys(table: Table, alterations: Sequence[Alteration]) -> Iterator[Index]:
    """Under their names behind the statement, with the columns that they had before it.

    A key goes with the last of its columns, and its name is free then; a column that is dropped and added again keeps
    it.
    """
    dropped = {small(one.name) for one in alterations if isinstance(one, DropIndex)}
    found = (dropped_by(one, table) for one in alterations if isinstance(one, DropConstraint))
    dropped |= {small(one.name) for one in found if isinstance(one, DropIndex)}
    renamed = {small(one.old): one.new for one in alterations if isinstance(one, RenameIndex)}
    gone = {small(one.name) for one in alterations if isinstance(one, DropColumn)}
    gone -= {small(one.column.name) for one in alterations if isinstance(one, AddColumn)}
    for index in table.indexes:
        if small(index.name) in dropped or all(small(column) in gone for column in index.columns):
            continue
        new_name = renamed.get(small(index.name))
        yield index if new_name is None else replace(index, name=new_name, made=False, said=True)
