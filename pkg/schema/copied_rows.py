"""Where rows that were copied hold other values than those of a table that is altered.

gh-ost and pt-online-schema-change alter an empty shadow table and copy the rows into it, by INSERT IGNORE … SELECT and
REPLACE, column by column of the same name.  An ALTER of the table itself gives the same rows but for what is found
here.  Tried on MariaDB 10.11 and MySQL 9.7: each kind of type into each other one, altered and copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from pkg.schema.alter import AddColumn, ChangeColumn, DropColumn, RenameColumn, SetDefault
from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, LABEL_TYPES, TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.targets import is_constant

_FRACTIONS = frozenset({"decimal", "float", "double"})
_NUMBERS = INTEGER_TYPES | _FRACTIONS
_TEXTS = TEXT_TYPES | BINARY_TYPES
_DAYS = frozenset({"date", "datetime", "timestamp"})
_MOMENTS = frozenset({
    "NOW", "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "CURDATE", "CURTIME", "LOCALTIME", "LOCALTIMESTAMP",
    "UNIX_TIMESTAMP", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class CopyDoubt:
    """A column of the altered table, ``old`` its name before, "" where it is new.

    ``where``: the rows that may differ, by names before the change; "": all of them.
    """

    column: str
    reason: str
    old: str = ""
    where: str = ""


@dataclass(slots=True)
class _Origins:
    """Where the columns of a shadow table come from.  Names are in lower case."""

    by_name: dict[str, str]  # the column of the first table that an ALTER in place keeps the values of
    added: dict[str, ColumnSpec] = field(default_factory=dict)  # new columns …
    changed: set[str] = field(default_factory=set)  # … whose value for rows is another one by a later clause
    renamed: set[str] = field(default_factory=set)  # by RENAME COLUMN

    def follow(self, ddl: Ddl) -> None:
        """One statement; its clauses name columns as they are called before it."""
        was, added = dict(self.by_name), dict(self.added)
        for one in ddl.alterations:
            match one:
                case DropColumn(name):
                    self._end(name.lower())
                case ChangeColumn(old, column):
                    self._end(old.lower())
                case RenameColumn(old, _):
                    self._end(old.lower())
        for one in ddl.alterations:
            match one:
                case AddColumn(column):
                    self.added[column.name.lower()] = column
                case ChangeColumn(old, column):
                    self._begin(column.name.lower(), was.get(old.lower()), column)
                    is_other = old.lower() in added and _value(added[old.lower()]) != _value(column)
                    if is_other or old.lower() in self.changed:
                        self.changed.add(column.name.lower())
                case RenameColumn(old, new):
                    self.renamed.add(new.lower())
                    self.changed |= {new.lower()} if old.lower() in self.changed else set()
                    self._begin(new.lower(), was.get(old.lower()), added.get(old.lower()))
                case SetDefault(name) if name.lower() in self.added:
                    self.changed.add(name.lower())

    def _end(self, name: str) -> None:
        self.by_name.pop(name, None)
        self.added.pop(name, None)

    def _begin(self, name: str, origin: str | None, spec: ColumnSpec | None) -> None:
        """``origin`` None: of a column that is new itself."""
        if origin is not None:
            self.by_name[name] = origin
        elif spec is not None:
            self.added[name] = spec


def _value(column: ColumnSpec) -> tuple[object, ...]:
    """What a row gets that does not name the column."""
    return column.type, column.default, column.nullable


def copy_doubts(ddls: Sequence[Ddl], before: Table, after: Table) -> Iterator[CopyDoubt]:
    """What ``ddls``, which make ``after`` of the table ``before``, give rows in place and not rows that are copied."""
    origins = _Origins({column.name.lower(): column.name.lower() for column in before.columns})
    for ddl in ddls:
        origins.follow(ddl)
    for column in after.columns:
        name = column.name.lower()
        origin = origins.by_name.get(name)
        old = before.column(origin) if origin is not None else None
        if column.generated or (old is None and name not in origins.added):
            continue
        if old is not None:
            yield from _of_old(old, column, before, is_renamed=name in origins.renamed)
        elif before.column(name) is not None:
            reason = "the column that had this name is dropped, and its values were copied all the same"
            yield CopyDoubt(column.name, reason, old=name)
        elif reason := _of_new(column, after, origins):
            yield CopyDoubt(column.name, reason)


def _of_new(column: Column, table: Table, origins: _Origins) -> str:
    """Why rows that are copied may have another value in a new column than a row that is there."""
    if column.auto_increment:
        return "rows got their numbers in the order in which they were copied"
    if column.name.lower() in origins.changed:
        return "it was changed after it was added, when no row was copied yet"
    if column.on_update:
        return "rows that were written while they were copied have the moment at which that was"
    if column.default is None or is_constant(column.default):
        return ""
    words = {token.value.upper() for token in tokenize(column.default) if token.is_name}
    if words & _MOMENTS:
        return "each row has the moment at which it was copied"
    if words & {one.name.upper() for one in table.columns}:
        return "each row has the value of the moment at which it was copied, and its columns may have changed since"
    return ""


def _of_old(old: Column, new: Column, before: Table, *, is_renamed: bool) -> Iterator[CopyDoubt]:
    """Values of a column that is kept."""
    name = quote_name(old.name)
    doubt = partial(CopyDoubt, new.name, old=old.name)
    if old.generated:
        yield doubt("generated values are not copied")
        return
    if is_renamed:
        yield doubt("versions of these tools that do not know RENAME COLUMN copy no values of it")
    if old.name.lower() != new.name.lower() and before.column(new.name) is not None:
        yield doubt("another column had its name before, and values are copied by names")
    if new.auto_increment and not old.auto_increment:
        yield doubt("rows with 0 or NULL may have got numbers", where=f"{name} IS NULL OR {name} = 0")
    if new.base_type == "timestamp" and old.nullable and not new.nullable:
        yield doubt("NULL becomes the moment of the copy, or 0000-00-00", where=f"{name} IS NULL")
    if reason := _converted(old, new):
        yield doubt(f"{reason} ({old.type} → {new.type})", where=f"{name} IS NOT NULL")


def _converted(old: Column, new: Column) -> str:
    """Why a value that is copied becomes another one than a value that is altered."""
    was, becomes = old.base_type, new.base_type
    if (was == "timestamp") != (becomes == "timestamp"):
        return "a moment becomes a local time, or back, in the time zone of the copying session"
    if was == "time" and becomes in _DAYS:
        return "the day of the copy is added to the time"
    if was in _NUMBERS and becomes in LABEL_TYPES:
        return "ALTER takes a number for a label's text on some servers, copying for its place"
    if (becomes == "bit" and was not in _NUMBERS | {"bit", "year"}) or (was == "json" and becomes == "time"):
        return "copying reads such a value in another way than ALTER"
    if was in _FRACTIONS and becomes in _DAYS | {"time"}:
        return "copying reads a time out of a number in another way than ALTER"
    if becomes in _TEXTS and (was in ("float", "year") or "zerofill" in old.type):
        return "copying writes the digits of a number in another way than ALTER"
    return ""
