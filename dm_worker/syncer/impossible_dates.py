"""Impossible dates in a table that an ALTER copies, by a session that is not strict.

Tried on MariaDB 10.11, MySQL 9.7 and TiDB 8.5: MySQL makes zeros of `2024-02-30` in every column of the table, unless
the session allows invalid dates; MariaDB keeps them, unless it refuses zeros in dates; TiDB keeps them always.
"""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.syncer.ddl_errors import CUT_OTHERWISE
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.unlike_values import Met
from pkg.schema.alter import (
    AddColumn,
    AddIndex,
    Alteration,
    DropColumn,
    DropForeignKey,
    DropIndex,
    PartitionChange,
    RenameColumn,
    RenameIndex,
    RenameTo,
    SetDefault,
    SetVisibility,
)
from pkg.schema.errors import shortened
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.odd_days import off_calendar
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_IN_PLACE = (DropColumn, DropForeignKey, RenameColumn, RenameIndex, RenameTo, SetDefault, SetVisibility)
_COPY_WORDS = frozenset({"COPY", "ORDER"})  # ALGORITHM = COPY, ORDER BY


def refuse_impossible_dates(downstream: Downstream, met: Met) -> None:
    """Raise CUT_OTHERWISE where the target has rows with such dates; the statement's session was not strict."""
    if met.upstream == downstream.server.flavor or not may_copy(met.piece):
        return
    present = downstream.table(met.target.schema, met.target.table)
    for name, where in impossible(present) if present is not None else ():
        if downstream.has_row(met.target, where):
            what = f"the impossible dates of {name}, for one of the rows WHERE {where}"
            raise CUT_OTHERWISE.error(place=met.place, sql=shortened(met.piece.text), what=what)


def may_copy(piece: Ddl) -> bool:
    """Whether some server copies the rows of the table one by one."""
    if not piece.alterations:
        return False
    return not all(map(_is_in_place, piece.alterations)) or any(one.key in _COPY_WORDS for one in tokenize(piece.text))


def _is_in_place(one: Alteration) -> bool:
    if isinstance(one, AddColumn):
        return one.column.generated != "STORED" and not one.column.keys
    if isinstance(one, AddIndex):
        return not one.index.primary
    if isinstance(one, PartitionChange):  # of whole partitions
        return one.moves_rows or one.action in ("DROP", "TRUNCATE")
    return isinstance(one, _IN_PLACE) or (isinstance(one, DropIndex) and one.name.upper() != "PRIMARY")


def impossible(table: Table) -> Iterator[tuple[str, str]]:
    """Columns that may hold impossible dates, each with a condition that holds for rows where one does."""
    for column in table.columns:
        if column.base_type in ("date", "datetime") and not column.generated:
            yield column.name, _is_impossible(quote_name(column.name))


def _is_impossible(name: str) -> str:
    return f"LEFT(CAST({name} AS CHAR), 10) <> '0000-00-00' AND {off_calendar(name)}"
