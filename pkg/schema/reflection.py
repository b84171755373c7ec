"""Whether a change of one table's structure is already there in another table, made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pkg.schema.column_types import is_bulky
from pkg.schema.letter_case import small
from pkg.schema.mapping import larger_text
from pkg.schema.same_defaults import is_another_default
from pkg.schema.table import Column, ForeignKey, Index, Table
from pkg.schema.targets import is_constant


def reflects(before: Table, after: Table, other: Table) -> bool:
    """Whether ``other`` has what the step from ``before`` to ``after`` added or changed, and lacks what it removed.

    Only what the step touched is looked at: the two tables may differ in all else.
    """
    agree = (*_columns_agree(before, after, other), *_indexes_agree(before, after, other))
    return all(agree) and _references_agree(before, after, other)


def was_made(before: Table, after: Table, other: Table) -> bool:
    """Whether the step was made in ``other``, too: it is seen in columns, keys or foreign keys, and all of it is there.

    A step that changes none of these, such as one of a CHECK, leaves no trace here.
    """
    old, new = _references(before), _references(after)
    is_seen = before.columns != after.columns or _keys(before) != _keys(after) or old != new
    return is_seen and reflects(before, after, other)


def catches_up(before: Table, after: Table, other: Table, target: Table | None) -> bool:
    """Whether a step makes a table what ``other`` is already, and ``target``, so that rows there need no change."""
    if target is None or not fills_alike(before, after, target) or not was_made(before, after, target):
        return False
    steps = [(before.column(column.name), column) for column in after.columns if before.column(column.name) != column]
    if not all(old is None or _is_seen(old, new, target.column(new.name)) for old, new in steps):
        return False
    is_like = all(_is_same(new, other.column(new.name)) for _, new in steps) and _is_on_the_way(after, other)
    return is_like and was_made(before, after, other)


def may_come_late(before: Table, after: Table, target: Table) -> bool:
    """Whether rows that a table wrote before a step, which ``target`` had first, are there as they are behind it.

    Only where it leaves them as they were but for what it adds: columns that go and come may be one that is renamed.
    """
    gone = [column for column in before.columns if after.column(column.name) is None]
    if gone and len(after.columns) > len(before.columns) - len(gone):
        return False
    stays = ((column, after.column(column.name)) for column in before.columns if column not in gone)
    if not all(there is not None and _is_same(column, there, but_default=True) for column, there in stays):
        return False
    if (before.partitioning, before.partitions) != (after.partitioning, after.partitions):
        return False
    return was_made(before, after, target) and fills_alike(before, after, target)


def fills_alike(before: Table, after: Table, target: Table) -> bool:
    """Whether ``target`` gives a row without the columns that a step adds what the step gives it.

    That is a constant, which is their default there, too.
    """
    added = (column for column in after.columns if before.column(column.name) is None)
    return all(_is_filled_alike(column, target.column(column.name)) for column in added)


def fills_otherwise(before: Table, after: Table, target: Table) -> bool:
    """Whether ``target`` has a column that the step adds with another constant: the step did not make that one.

    Not of long texts and documents, whose defaults TiDB leaves out.
    """
    added = [one for one in after.columns if before.column(one.name) is None and not is_bulky(one.base_type)]
    pairs = [(one, target.column(one.name)) for one in added if _has_constant(one)]
    return any(there is not None and is_another_default(one, there) for one, there in pairs)


def _is_filled_alike(column: Column, there: Column | None) -> bool:
    if there is None or column.auto_increment or is_another_default(column, there):
        return False
    return _has_constant(column)


def _has_constant(column: Column) -> bool:
    """Whether its default is a constant, or there is none; not one that some servers pad with zeros."""
    is_padded = column.base_type == "binary" and column.default not in (None, "NULL")
    return column.default is None or (is_constant(column.default) and not is_padded)


def _is_seen(old: Column, new: Column, there: Column | None) -> bool:
    """Whether a change of a column shows in a target's, so that it says that it has had it: a collation's does not."""
    if there is None or shape(old) != shape(new):
        return there is not None
    return is_another_default(old, new) and not is_another_default(new, there)


def _is_same(one: Column, other: Column | None, *, but_default: bool = False) -> bool:
    """Of two tables of one server."""
    if other is None or small(one.name) != small(other.name):
        return False
    return one == replace(other, name=one.name, default=one.default if but_default else other.default)


def _references_agree(before: Table, after: Table, other: Table) -> bool:
    old, new, there = _references(before), _references(after), _references(other)
    return not (old - new) & there and new - old <= there


def _references(table: Table) -> set[tuple[tuple[str, ...], ...]]:
    return set(map(_reference, table.foreign_keys))


def _reference(key: ForeignKey) -> tuple[tuple[str, ...], ...]:
    """What it is over; its name and its parent's may be others there."""
    return tuple(small(name) for name in key.columns), tuple(small(name) for name in key.ref_columns)


def _columns_agree(before: Table, after: Table, other: Table) -> Iterator[bool]:
    old = {small(column.name): column for column in before.columns}
    new = {small(column.name): column for column in after.columns}
    for name in old.keys() - new.keys():
        yield other.column(name) is None
    for name, column in new.items():
        if old.get(name) != column:
            there = other.column(name)
            yield there is not None and shape(there) in (shape(column), shape(_enlarged(column, there)))


def _enlarged(column: Column, there: Column) -> Column:
    """The column as it is in the target's character set."""
    larger = larger_text(column, there.charset or "")
    return replace(column, type=larger, base_type=larger) if larger else column


def shape(column: Column) -> tuple[object, ...]:
    """What two servers print alike of one definition: without widths of integers and names of collations."""
    sized = column.base_type not in ("tinyint", "smallint", "mediumint", "int", "bigint", "year")
    base = "longtext" if column.base_type == "json" else column.base_type
    return base, column.unsigned, column.nullable, column.labels, column.fsp, column.length if sized else None


def _indexes_agree(before: Table, after: Table, other: Table) -> Iterator[bool]:
    old, new, there = (_keys(table) for table in (before, after, other))
    yield not (old - new) & there
    yield new - old <= there


def _keys(table: Table) -> set[tuple[object, ...]]:
    return {_key(index) for index in table.indexes}


def _key(index: Index) -> tuple[object, ...]:
    return tuple(small(name) for name in index.columns), index.prefixes, index.unique


def same_columns(one: Table, other: Table) -> bool:
    """Whether two tables have the same columns in the same order, and the same keys; names of tables do not count."""
    return _columns(one) == _columns(other) and _keys(one) == _keys(other)


def _is_on_the_way(table: Table, other: Table) -> bool:
    """Whether the other table has its columns, in their order, and its keys; it may have more."""
    names = {small(column.name) for column in table.columns}
    shared = [one for one in _columns(other) if one[0] in names]
    return _columns(table) == shared and _keys(table) <= _keys(other)


def _columns(table: Table) -> list[tuple[object, ...]]:
    return [(small(column.name), column.default, column.generated, *shape(column)) for column in table.columns]
