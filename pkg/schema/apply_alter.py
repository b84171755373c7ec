"""What the clauses of one ALTER TABLE make of a table.

All clauses of a statement act at once, as in MySQL: they name columns as they are before the
statement, except for AFTER, which names those that come out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pkg.schema.added_again import moved_columns
from pkg.schema.alter import (
    FIRST,
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    PartitionChange,
    RenameColumn,
    SetDefault,
    SetNotNull,
    SetOptions,
    SetVersioning,
    SetVisibility,
)
from pkg.schema.bound_literals import read_by_columns
from pkg.schema.charset import Charset, is_default
from pkg.schema.columns import ColumnSpec, stored_empty
from pkg.schema.context import DdlContext
from pkg.schema.convert import converted
from pkg.schema.create import check_keys
from pkg.schema.cursor import Unreadable
from pkg.schema.effective import effective
from pkg.schema.expressions import with_names
from pkg.schema.indexes import is_replaced, named_keys, new_foreign_keys
from pkg.schema.kept_keys import kept_keys
from pkg.schema.key_parts import altered_part, part_again
from pkg.schema.letter_case import small
from pkg.schema.partition_list import Partition, changed, in_zone
from pkg.schema.table import Column, ForeignKey, Index, Table, has_foreign_keys, kind_of


def alter_table(table: Table, alterations: Sequence[Alteration], database: Charset, context: DdlContext) -> Table:
    """``table`` after the clauses; raises Unreadable when they do not fit it."""
    change = _Change(table, effective(table, alterations), database, context)
    columns = change.columns()
    indexes = change.indexes(columns)
    foreign_keys = change.foreign_keys()
    engines = [one.options.engine for one in change.of(SetOptions) if one.options.engine]
    engine = engines[-1] if engines else table.engine
    indexes = check_keys(indexes, columns)
    never_null = {small(name) for one in change.of(SetNotNull) for name in one.columns}
    comments = [one.options.comment for one in change.of(SetOptions) if one.options.comment is not None]
    said = [one.options.sequence for one in change.of(SetOptions) if one.options.sequence is not None]
    is_sequence = said[-1] if said else table.kind == "sequence"
    versioned = [one.versioned for one in change.of(SetVersioning)]
    methods = [one.partitioning for one in change.of(PartitionChange) if one.action in ("BY", "REMOVE")]
    altered = replace(
        table,
        columns=_not_null(columns, never_null | _primary(indexes)),
        indexes=indexes,
        charset=change.charset.name,
        collation=change.charset.collation,
        foreign_keys=foreign_keys if has_foreign_keys(engine) else (),
        engine=engine,
        kind="sequence" if is_sequence else kind_of(engine),
        comment=comments[-1] if comments else table.comment,
        system_versioned=versioned[-1] if versioned else table.system_versioned,
        partitioning=methods[-1] if methods else table.partitioning,
    )
    partitions = _partitions(table, change.of(PartitionChange), context)
    return replace(altered, partitions=read_by_columns(partitions, altered))


def _partitions(table: Table, changes: Iterable[PartitionChange], context: DdlContext) -> tuple[Partition, ...]:
    found = table.partitions
    for one in changes:
        clause = replace(one.clause, made=in_zone(one.clause.made, context.zone))
        match one.action:
            case "BY":
                found = clause.made
            case "REMOVE":
                found = ()
            case _:
                found = changed(found, one.action, clause)
    return found


class _Change:
    """One statement's clauses, by kind, against one table."""

    def __init__(self, table: Table, alterations: Sequence[Alteration], database: Charset, context: DdlContext) -> None:
        self.table = table
        self.alterations = alterations
        self.context = context
        converted = _converted_charset(table, alterations, database, context)
        self.converts = converted is not None
        self.texts = converted or Charset(table.charset, table.collation)  # of all texts, where they are converted
        self.charset = _table_charset(self.texts, alterations, database, context)
        self.dropped = {small(one.name) for one in self.of(DropColumn)}
        self.changed = {small(one.old): one for one in self.of(ChangeColumn)}
        self.renamed = {small(one.old): one.new for one in self.of(RenameColumn)}
        self._check_columns_exist()

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        return [one for one in self.alterations if isinstance(one, kind)]

    def _check_columns_exist(self) -> None:
        there = [*self.dropped, *self.changed, *self.renamed]  # before the statement
        new = {small(one.column.name) for one in self.of(AddColumn)} | moved_columns(self.alterations)
        named = [*(one.name for one in self.of(SetDefault)), *(one.name for one in self.of(SetVisibility))]
        for name in [*there, *(name for name in named if small(name) not in new)]:
            if self.table.column(name) is None:
                raise Unreadable(f"there is no column {name}")

    def columns(self) -> tuple[Column, ...]:
        """The columns in their new order."""
        changed = {name: self._settled(one.column) for name, one in self.changed.items()}
        columns = [
            changed.get(small(old.name)) or self._kept(old)
            for old in self.table.columns
            if small(old.name) not in self.dropped
        ]
        for one in self.alterations:
            if isinstance(one, AddColumn):
                _insert(columns, self._settled(one.column), one.place)
            elif isinstance(one, ChangeColumn) and one.place is not None:
                moved = changed[small(one.old)]
                columns = [column for column in columns if column is not moved]
                _insert(columns, moved, one.place)
        if self.context.flavor == "mysql" and self.table.has_generated_key:
            key = self.table.columns[0].name
            columns.sort(key=lambda column: column.name != key)
        _check_unique_names(columns)
        return tuple(map(self._renaming, columns))

    def _renaming(self, column: Column) -> Column:
        """With the new names of the columns that its expression reads; one that the statement says has them."""
        new = {old: one.column.name for old, one in self.changed.items()} | self.renamed
        if not column.expression or not new:
            return column
        specs = (one.column for one in self.alterations if isinstance(one, AddColumn | ChangeColumn))
        if any(spec.name == column.name for spec in specs):
            return column
        return replace(column, expression=with_names(column.expression, new))

    def _settled(self, spec: ColumnSpec) -> Column:
        column = spec.column(self.charset, self.context)
        if not self.converts or column.charset in (None, "binary"):
            return column
        if self.context.flavor == "mysql" and spec.type.inherits_charset() and self.table.column(spec.name):
            # MySQL takes the room for a text from the table's former character set.
            return converted(spec.column(Charset(self.table.charset, self.table.collation), self.context), self.texts)
        if self.texts.name == "binary":
            return converted(column, self.texts)
        return replace(column, charset=self.texts.name, collation=self.texts.collation)

    def _kept(self, old: Column) -> Column:
        column = converted(old, self.texts) if self.converts else old
        if small(old.name) in self.renamed:
            column = replace(column, name=self.renamed[small(old.name)])
            return column  # another clause that says the old name is about a column that takes it
        for one in self.alterations:
            if isinstance(one, SetDefault) and small(one.name) == small(old.name):
                none = "NULL" if column.nullable else None
                keeps_update = column.on_update and self.context.flavor == "mysql"  # which MariaDB drops with it
                default = none if one.default is None else stored_empty(one.default, self.context)
                if column.auto_increment:  # servers keep it, and show none
                    default = None
                column = replace(column, default=default, on_update=keeps_update)
            elif isinstance(one, SetVisibility) and small(one.name) == small(old.name):
                column = replace(column, invisible=one.invisible)
        return column

    def indexes(self, columns: Sequence[Column]) -> tuple[Index, ...]:
        """The keys: kept ones follow their columns, new ones come behind."""
        by_name = {small(column.name): column for column in columns}
        kept: list[Index] = []
        shorter: list[Index] = []
        for index in kept_keys(self.table, self.alterations):
            kept.append(self._following(index, by_name))
            shorter += kept[-1:] if len(kept[-1].columns) < len(index.columns) else []
        items = [
            one.index if isinstance(one, AddIndex) else one.key
            for one in self.alterations
            if isinstance(one, AddIndex | AddForeignKey)
        ]
        added, made = named_keys(items, kept, (column.name for column in columns))
        added = [replace(index, said=True) for index in added]
        new = [*added, *(index for _, index in made)]
        names = {small(one.name) for one in new}
        # One of such a name is a key that the server had made for a foreign key and dropped again by itself.
        kept = [one for one in kept if small(one.name) not in names]
        keys = [*kept, *added, *(index for _, index in made)]
        changed = [*new, *shorter]
        return tuple(one for number, one in enumerate(keys) if not _gives_way(number, keys, changed))

    def _new_name(self, column: str) -> str:
        name = small(column)
        if name in self.changed:
            return self.changed[name].column.name
        return self.renamed.get(name, column)

    def _following(self, index: Index, columns: Mapping[str, Column]) -> Index:
        """The key without dropped columns and with the new names of the others; ``columns`` behind the statement."""
        added = {small(one.column.name) for one in self.of(AddColumn)}
        taken = {name for name in added if self._is_taken_over(name, columns)}
        parts = [
            (
                name := column if small(column) in taken else self._new_name(column),
                self._part(column, prefix, columns.get(small(name)), is_new=small(column) in self.dropped | taken),
            )
            for column, prefix in zip(index.columns, index.prefixes, strict=True)
            if small(column) not in self.dropped or small(column) in added
        ]
        return replace(index, columns=tuple(name for name, _ in parts), prefixes=tuple(prefix for _, prefix in parts))

    def _is_taken_over(self, added: str, columns: Mapping[str, Column]) -> bool:
        """Whether keys over a column that gets another name are over the added one of its name: it stands before it."""
        new, order = small(self._new_name(added)), list(columns)
        return new != added and order.index(added) < order.index(new)

    def _part(self, column: str, prefix: int | None, new: Column | None, *, is_new: bool) -> int | None:
        old = self.table.column(column)
        if old is None or new is None:
            return prefix  # an expression
        if is_new:
            return part_again(prefix, old, new.base_type, new.length)
        return altered_part(prefix, new) if small(column) in self.changed else prefix

    def foreign_keys(self) -> tuple[ForeignKey, ...]:
        dropped = {small(one.name) for one in self.of(DropForeignKey)}
        dropped |= {small(one.name) for one in self.of(DropConstraint)}
        keys = tuple(
            replace(key, columns=tuple(self._new_name(column) for column in key.columns))
            for key in self.table.foreign_keys
            if small(key.name) not in dropped
        )
        specs = [one.key for one in self.of(AddForeignKey)]
        return (*keys, *new_foreign_keys(specs, self.table.foreign_keys, self.table.schema, self.table.name))


_Kind = TypeVar("_Kind", bound=Alteration)


def _converted_charset(
    table: Table, alterations: Iterable[Alteration], database: Charset, context: DdlContext
) -> Charset | None:
    """What CONVERT TO CHARACTER SET makes of all texts; None without one."""
    charset = Charset(table.charset, table.collation)
    # MySQL takes what the session says (collation_database), where its event tells that it is another one.
    default = (context.database if context.flavor == "mysql" else None) or database
    found = None
    for one in alterations:
        if isinstance(one, ConvertCharset):
            inherited = default if one.charset is None else charset
            found = context.resolved(one.charset or "default", one.collation, inherited)
    return found


def _table_charset(
    charset: Charset, alterations: Iterable[Alteration], database: Charset, context: DdlContext
) -> Charset:
    """The table's default character set after the statement: ``charset``, unless an option names another one."""
    names = [one.options for one in alterations if isinstance(one, SetOptions)]
    name = next((options.charset for options in reversed(names) if options.charset), None)
    collation = next((options.collation for options in reversed(names) if options.collation), None)
    return context.resolved(name, collation, database if is_default(name) else charset)


def _gives_way(number: int, keys: Sequence[Index], changed: Sequence[Index]) -> bool:
    """Whether a server drops its own key for another one; ``changed``: keys that are new, or have lost a column.

    Of two keys of its own that are the same the first one goes.
    """
    one = keys[number]
    return any(
        is_replaced(one, other) and (place > number or not is_replaced(other, one))
        for place, other in enumerate(keys)
        if place != number and (one in changed or other in changed)
    )


def _insert(columns: list[Column], column: Column, place: str | None) -> None:
    if place is None:
        columns.append(column)
    elif place == FIRST:
        columns.insert(0, column)
    else:
        before = small(place.removeprefix("AFTER "))
        names = [small(other.name) for other in columns]
        if before not in names:
            raise Unreadable(f"there is no column {before} to stand behind")
        columns.insert(names.index(before) + 1, column)


def _check_unique_names(columns: Iterable[Column]) -> None:
    seen = set()
    for column in columns:
        if small(column.name) in seen:
            raise Unreadable(f"there would be two columns {column.name}")
        seen.add(small(column.name))


def _primary(indexes: Iterable[Index]) -> set[str]:
    return {small(name) for index in indexes if index.primary for name in index.columns}


def _not_null(columns: Sequence[Column], names: set[str]) -> tuple[Column, ...]:
    return tuple(
        replace(column, nullable=False, default=None if column.default == "NULL" else column.default)
        if column.nullable and small(column.name) in names
        else column
        for column in columns
    )
