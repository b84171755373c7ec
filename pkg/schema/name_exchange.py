"""Columns that exchange their names in one statement: it could run a second time, and undo what the first did.

Servers keep a column's place when they rename it, so the order of the names in a table tells whether it ran.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from pkg.schema.alter import ChangeColumn, RenameColumn
from pkg.schema.letter_case import small
from pkg.schema.reflection import shape
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

Name = TypeVar("Name", bound=Hashable)


def exchanged_names(ddl: Ddl) -> frozenset[str]:
    """The names, in lower case, that columns give each other."""
    new_names: dict[str, str] = {}
    for one in ddl.alterations:
        match one:
            case RenameColumn(old, new) if small(old) != small(new):
                new_names[small(old)] = small(new)
            case ChangeColumn(old, column) if small(old) != small(column.name):
                new_names[small(old)] = small(column.name)
    return in_circles(new_names)


def in_circles(new_names: Mapping[Name, Name]) -> frozenset[Name]:
    """Those that lead back to themselves from each to its new name."""
    return frozenset(name for name in new_names if _comes_back(name, new_names))


def _comes_back(name: Name, new_names: Mapping[Name, Name]) -> bool:
    at = new_names[name]
    for _ in new_names:
        if at == name:
            return True
        if at not in new_names:
            return False
        at = new_names[at]
    return False


def is_exchanged(names: frozenset[str], before: Table, after: Table, there: Table) -> bool | None:
    """Whether ``there`` has had what led from ``before`` to ``after``; None when it does not tell."""
    for say in (_order, _shapes):
        old, new, found = (say(names, table) for table in (before, after, there))
        if old != new and found in (old, new):
            return found == new
    return None


def _order(names: frozenset[str], table: Table) -> object:
    return [small(column.name) for column in table.columns if small(column.name) in names]


def _shapes(names: frozenset[str], table: Table) -> object:
    return {small(column.name): shape(column) for column in table.columns if small(column.name) in names}
