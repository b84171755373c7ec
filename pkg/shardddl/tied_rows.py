"""Rows that wait for a shard DDL, and those of other tables that the target's foreign keys tie to them.  No I/O.

Rows that wait are applied late.  A parent's row that is deleted, or gets another key, then changes children that were
written after it; a child's row that comes late misses what its parent's change did to it.  Changes that are about
different values of the foreign key have no order; two that are about one value, and of which the first one waits, are
a conflict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pkg.rows.change import RowImage
from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.statement import TableName
from pkg.schema.table import Table

Value = tuple[bytes, ...]
ANY: Value = ()
"""A value that is not known, or is equal to others in a way that only the target knows."""
MOST_VALUES = 100_000  # that are remembered of one side of a foreign key; more are ANY


@dataclass(frozen=True, slots=True)
class Tie:
    """A foreign key of the target between two tables; the columns of both in one order."""

    child: TableName
    parent: TableName
    columns: tuple[str, ...]
    parent_columns: tuple[str, ...]


Side = tuple[Tie, TableName]
"""A foreign key, and which of its tables."""


class TiedRows:
    """Lives as long as its source's unit; it is told each event of tied tables, in the stream's order."""

    def __init__(self) -> None:
        self._ties: Sequence[Tie] = ()
        self._waiting: Collection[TableName] | None = None  # None: at the beginning
        self._late: dict[Side, set[Value]] = {}

    def update(self, ties: Iterable[Tie], waiting: Collection[TableName]) -> None:
        """The foreign keys, and the targets of which rows wait, from here on.

        What waited before the first call is not known: it may be about any value.
        """
        self._ties = [one for one in ties if one.child != one.parent]
        late: dict[Side, set[Value]] = {}
        for tie in self._ties:
            for target in {tie.child, tie.parent} & set(waiting):
                is_new = self._waiting is not None and target not in self._waiting
                late[tie, target] = self._late.get((tie, target), set() if is_new else {ANY})
        self._late, self._waiting = late, set(waiting)

    @property
    def counts(self) -> bool:
        """Whether anything waits that a foreign key ties to other tables."""
        return bool(self._late)

    def concern(self, target: TableName) -> bool:
        """Whether the order of the table's changes counts at present: it, or what it is tied to, waits."""
        return any(target in (tie.child, tie.parent) for tie, _ in self._late)

    def see(
        self, target: TableName, structure: Table, kind: str, rows: Sequence[RowImage], *, waits: bool, checked: bool
    ) -> TableName | None:
        """One event of a table with the ``structure``; the other table whose rows wait and had to come before.

        ``waits``: its rows do, too.  ``checked``: foreign keys were checked upstream, so that parents changed children.
        """
        met = None
        for tie in self._ties:
            if target == tie.child:
                values = _Key(structure, tie.columns).values(rows)
                met = tie.parent if self._meets(tie, tie.parent, values) else met
            elif target == tie.parent and checked:
                gone, come = _Key(structure, tie.parent_columns).changes(kind, rows)
                met = tie.child if self._meets(tie, tie.child, gone) else met
                values = gone | come
            else:
                continue
            if waits:
                self._add(tie, target, values)
        return met

    def _meets(self, tie: Tie, other: TableName, values: set[Value]) -> bool:
        late = self._late.get((tie, other), set())
        return bool(late and values) and (ANY in late or ANY in values or not late.isdisjoint(values))

    def _add(self, tie: Tie, target: TableName, values: set[Value]) -> None:
        late = self._late.get((tie, target))
        if late is not None and ANY not in late:
            late |= values
            if len(late) > MOST_VALUES:
                self._late[tie, target] = {ANY}


class _Key:
    """Columns of a table, by which foreign keys find its rows."""

    def __init__(self, structure: Table, names: Sequence[str]) -> None:
        found = [(structure.ordinal(name), column) for name in names if (column := structure.column(name)) is not None]
        self._ordinals = [ordinal for ordinal, _ in found]
        self._has_all = len(found) == len(names)
        self._is_known = self._has_all and all(column.base_type in INTEGER_TYPES for _, column in found)

    def values(self, rows: Iterable[RowImage]) -> set[Value]:
        """Of the rows that have one: with a NULL, they refer to nothing."""
        read = map(self._read, rows)
        return {value if self._is_known else ANY for value in read if b"NULL" not in value}

    def changes(self, kind: str, rows: Sequence[RowImage]) -> tuple[set[Value], set[Value]]:
        """Those that are given up, and those that are taken."""
        match kind:
            case "delete":
                return self.values(rows), set()
            case "update":
                pairs = zip(rows[::2], rows[1::2], strict=True)
                moved = [pair for pair in pairs if not self._has_all or self._read(pair[0]) != self._read(pair[1])]
                return self.values(old for old, _ in moved), self.values(new for _, new in moved)
            case _:
                return set(), self.values(rows)

    def _read(self, row: RowImage) -> Value:
        return tuple(row[ordinal] for ordinal in self._ordinals)
