"""A target made of dictionaries: it runs net changes as statements.py groups them, and breaks where a real one would.

Every row knows the change that wrote it, so a change that comes out of order, twice or not at all meets
a row that is not the one that it changed upstream.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.compact import NetChange, TableSegment
from tests.simulation.shapes import DEFAULT, Shape, Value
from tests.simulation.workload import Workload


class Broken(AssertionError):
    """A rule was broken."""


@dataclass(slots=True)
class Row:
    image: RowImage
    version: int  # the change that wrote it


class ModelTable:
    """Rows by identity (a keyless table's by a number of their own), and who has each unique value."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.width = len(shape.columns)
        self.rows: dict[Value, Row] = {}
        self.history: dict[Value, list[int]] = {}
        self._identity = shape.identity_of()
        self._uniques = shape.unique_keys()
        self._holders: list[dict[Value, Value]] = [{} for _ in self._uniques]
        self._copies: dict[RowImage, list[Value]] = {}  # of a keyless table
        self._next = 0

    def add_column(self) -> None:
        self.width += 1
        for row in self.rows.values():
            row.image = (*row.image, DEFAULT)
        self._copies = {(*image, DEFAULT): keys for image, keys in self._copies.items()}

    def key_of(self, image: RowImage) -> Value:
        if self.shape.identity:
            key = self._identity(image)
            assert key is not None
            return key
        self._next += 1
        return (self._next,)

    def copies(self, image: RowImage) -> list[Value]:
        """The keys of the rows of a keyless table that are ``image``."""
        return self._copies.get(image, [])

    def insert(self, image: RowImage, version: int) -> None:
        image += (DEFAULT,) * (self.width - len(image))
        key = self.key_of(image)
        if key in self.rows:
            raise Broken(
                f"{self.shape.name}: change {version} inserts {image}, where change {self.rows[key].version} is"
            )
        for unique, holders in zip(self._uniques, self._holders, strict=True):
            value = unique.value_of(image)
            if value is not None and holders.setdefault(value, key) != key:
                raise Broken(
                    f"{self.shape.name}: change {version} writes {image}, whose value row {holders[value]} has"
                )
        self.rows[key] = Row(image, version)
        if not self.shape.identity:
            self._copies.setdefault(image, []).append(key)
        self.history.setdefault(key, []).append(version)

    def delete(self, key: Value) -> None:
        row = self.rows.pop(key)
        for unique, holders in zip(self._uniques, self._holders, strict=True):
            value = unique.value_of(row.image)
            if value is not None:
                del holders[value]
        if not self.shape.identity:
            self._copies[row.image].remove(key)

    def replace(self, image: RowImage, version: int) -> None:
        """REPLACE: whoever has its key or one of its unique values gives way."""
        key = self.key_of(image)
        for unique, holders in zip(self._uniques, self._holders, strict=True):
            value = unique.value_of(image)
            if value is not None and holders.get(value, key) != key:
                self.delete(holders[value])
        if key in self.rows:
            self.delete(key)
        self.insert(image, version)

    def update(self, key: Value, before: RowImage, after: RowImage, version: int) -> None:
        """Set the columns in which ``after`` differs from ``before``."""
        row = self.rows[key]
        old = row.image
        new = tuple([after[i] if i < len(after) and after[i] != before[i] else value for i, value in enumerate(old)])
        for unique, holders in zip(self._uniques, self._holders, strict=True):
            was, value = unique.value_of(old), unique.value_of(new)
            if was == value:
                continue
            if was is not None:
                del holders[was]
            if value is not None and holders.setdefault(value, key) != key:
                raise Broken(f"{self.shape.name}: change {version} writes {new}, whose value row {holders[value]} has")
        row.image, row.version = new, version
        if not self.shape.identity:
            self._copies[old].remove(key)
            self._copies.setdefault(new, []).append(key)
        self.history[key].append(version)


class Statements:
    """The effects of segments on the model's tables."""

    def __init__(self, workload: Workload, rng: random.Random, *, any_order: bool) -> None:
        self.tables = [ModelTable(shape) for shape in workload.shapes]
        self._by_name = {b"`s`.`%s`" % table.shape.name.encode(): table for table in self.tables}
        self._made_by = workload.made_by
        self._rng = rng
        self._any_order = any_order

    def of(self, target: TargetTable) -> ModelTable:
        return self._by_name[target.qualified]

    def run(self, segment: TableSegment) -> None:
        table = self.of(segment.table)
        if segment.table.keyless:
            for change in segment.changes():
                self._keyless(table, change)
        elif segment.safe:
            self._safe(table, self._ordered(segment.changes()))
        else:
            self._exact(table, self._ordered(segment.changes()))

    def _ordered(self, changes: Iterable[NetChange]) -> list[NetChange]:
        """In the order of compact.py's promise, which is any, where the seed wants to see that."""
        ordered = list(changes)
        if self._any_order:
            self._rng.shuffle(ordered)
        return ordered

    def _exact(self, table: ModelTable, changes: list[NetChange]) -> None:
        """Deletes, then updates by the columns that they change, then inserts."""
        for change in changes:
            if change.kind is Kind.DELETE or change.replaced:
                self._delete(table, change)
        groups: dict[tuple[int, ...], list[NetChange]] = {}
        for change in changes:
            if change.kind is Kind.UPDATE:
                before, after = known(change.before), known(change.after)
                changed = tuple([i for i, value in enumerate(before) if value != after[i]])
                groups.setdefault(changed, []).append(change)
        for group in groups.values():
            for change in group:
                self._update(table, change)
        for change in changes:
            if change.kind is Kind.INSERT:
                self._insert(table, change)

    def _insert(self, table: ModelTable, change: NetChange) -> None:
        table.insert(known(change.after), self._made_by[id(change.after)])

    def _delete(self, table: ModelTable, change: NetChange) -> None:
        before = known(change.before)
        key = table.key_of(before)
        row = table.rows.get(key)
        if row is None:
            if change.expected:
                raise Broken(f"{table.shape.name}: a delete finds no row {key}")
            return
        self._is_expected(table, key, row, before)
        table.delete(key)

    def _update(self, table: ModelTable, change: NetChange) -> None:
        before, version = known(change.before), self._made_by[id(change.after)]
        key = table.key_of(before)
        row = table.rows.get(key)
        if row is None:
            raise Broken(f"{table.shape.name}: change {version} finds no row {key}")
        self._is_expected(table, key, row, before)
        table.update(key, before, known(change.after), version)

    def _is_expected(self, table: ModelTable, key: Value, row: Row, before: RowImage) -> None:
        if row.version != self._made_by[id(before)]:
            raise Broken(
                f"{table.shape.name}: row {key} is of change {row.version}, "
                f"and what changes it comes behind change {self._made_by[id(before)]}"
            )

    def _safe(self, table: ModelTable, changes: list[NetChange]) -> None:
        """Deletes, then REPLACE."""
        for change in changes:
            if change.kind is Kind.DELETE:
                key = table.key_of(known(change.before))
                if key in table.rows:
                    table.delete(key)
        for change in changes:
            if change.after is not None:
                table.replace(change.after, self._made_by[id(change.after)])

    def _keyless(self, table: ModelTable, change: NetChange) -> None:
        if change.before is None:
            self._insert(table, change)
            return
        keys = table.copies(change.before)
        if not keys:
            raise Broken(f"{table.shape.name}: no row {change.before} is there to be changed")
        if change.after is None:
            table.delete(keys[0])
        else:
            table.update(keys[0], change.before, change.after, self._made_by[id(change.after)])


def known(image: RowImage | None) -> RowImage:
    """An image that a change of this kind has."""
    assert image is not None
    return image
