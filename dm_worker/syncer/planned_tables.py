"""Tables that are altered while they are copied: what they were like when that began.  No I/O.

Two columns that exchange names, and a type that is changed and changed back, look as planned behind their statements.
So these are followed from the first statement on, also over a restart between two of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from dm_worker.dumper.copied_form import copied_form
from pkg.errors import DMError
from pkg.schema.alter import ChangeColumn, ConvertCharset, DropColumn
from pkg.schema.column_types import BINARY_TYPES, LABEL_TYPES
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

Name = tuple[str, str]
_TWICE = LABEL_TYPES | BINARY_TYPES | {"timestamp"}  # the latter: each way may be in a time zone of its own


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """``names``: its columns now → what they were called when the copy began, in lower case."""

    table: Table
    names: dict[str, str]
    is_other: bool = False  # it has values of another kind by now

    @classmethod
    def of(cls, table: Table) -> PlannedTable:
        names = [small(column.name) for column in table.columns]
        return cls(table, dict(zip(names, names, strict=True)))

    def taken(self, ddl: Ddl, renamed: dict[str, str]) -> tuple[PlannedTable, list[str]]:
        """Behind a statement that has ``renamed`` columns; names that columns have got which others had at first."""
        dropped = {small(one.name) for one in ddl.alterations if isinstance(one, DropColumn)}
        now = {renamed.get(column, column): first for column, first in self.names.items() if column not in dropped}
        known = {small(column.name) for column in self.table.columns}
        return replace(self, names=now), sorted(name for name, first in now.items() if name in known and name != first)

    def undone(self, present: Table, ddl: Ddl) -> tuple[PlannedTable, list[str]]:
        """Behind a statement on the table ``present``; columns that have their first types again, by way of others.

        Only of labels, bytes and moments: all other ways there and back give the same when they are gone twice.
        """
        after = _altered(present, ddl)
        if after is None or not any(isinstance(one, ChangeColumn | ConvertCharset) for one in ddl.alterations):
            return self, []
        before, now = self._others(present), self._others(after)
        return replace(self, is_other=bool(now)), [] if now else before or ["its columns"] * self.is_other

    def _others(self, now: Table) -> list[str]:
        """Columns that have values of another kind, which may be other ones when they are converted once more."""
        found = copied_form(self.table).loose.differences(now)
        names = [name for what, names in found if what == "columns with other values" for name in names]
        pairs = [(name, self.table.column(name), now.column(name)) for name in names]
        return [name for name, one, other in pairs if {kind.base_type for kind in (one, other) if kind} & _TWICE]


def _altered(table: Table, ddl: Ddl) -> Table | None:
    tracker = SchemaTracker()
    tracker.load(table)
    try:
        tracker.apply(ddl)
    except DMError:
        return None  # the statement itself meets that
    return tracker.table(table.schema, table.name)


class PlannedTables:
    """Those that were altered since their copy began."""

    def __init__(self, document: str = "") -> None:
        """``document``: what ``changed`` gave in an earlier run."""
        self._stored = document
        self.tables: dict[Name, PlannedTable] = {}
        for one in json.loads(document) if document else ():
            table = Table.from_json(one["table"])
            self.tables[table.schema, table.name] = PlannedTable(table, one["names"], one["isOther"])

    def changed(self) -> str:
        """All of them as a document, to be stored; "" where that is stored already."""
        known = [
            {"table": one.table.to_json(), "names": one.names, "isOther": one.is_other} for one in self.tables.values()
        ]
        document = json.dumps(known, ensure_ascii=False) if known else ""
        if document == self._stored:
            return ""
        self._stored = document
        return document
