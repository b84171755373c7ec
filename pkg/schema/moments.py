"""Statements that turn other moments than their own into local times or back, for which one offset is too little."""

from __future__ import annotations

from pkg.schema.alter import AddColumn, Alteration, ChangeColumn, SetDefault
from pkg.schema.columns import ColumnSpec
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_LOCAL = ("UNIX_TIMESTAMP", "FROM_UNIXTIME")


def asks_for_moments(ddl: Ddl, present: Table | None) -> bool:
    """Whether values depend on the whole zone of the session.  ``present``: the table before the statement."""
    if ddl.create is not None:
        return any(_of_column(one.item) for one in ddl.create.elements if isinstance(one.item, ColumnSpec))
    return any(_of_clause(one, present) for one in ddl.alterations)


def _of_clause(one: Alteration, present: Table | None) -> bool:
    match one:
        case AddColumn(column):
            return _of_column(column)
        case ChangeColumn(old, column):
            before = present.column(old) if present is not None else None
            is_moment = column.type.base == "timestamp"
            return _of_column(column) or before is None or is_moment != (before.base_type == "timestamp")
        case SetDefault(name, default):
            before = present.column(name) if present is not None else None
            return _is_literal(default) and (before is None or before.base_type == "timestamp")
    return False


def _of_column(column: ColumnSpec) -> bool:
    if any(word in (column.default or "").upper() for word in _LOCAL):
        return True
    return column.type.base == "timestamp" and _is_literal(column.default)


def _is_literal(default: str | None) -> bool:
    return default is not None and default[:1] in "'0123456789(" and "0000-00-00" not in default
