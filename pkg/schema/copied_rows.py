"""Where rows that were copied hold other values than those of a table that is altered.

gh-ost and pt-online-schema-change alter an empty shadow table and copy the rows into it, by INSERT IGNORE … SELECT and
REPLACE, column by column of the same name.  An ALTER of the table itself gives the same rows but for what is found
here.  Tried on MariaDB 10.11 and MySQL 9.7: each kind of type into each other one, altered and copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from pkg.schema.alter import AddColumn, AddForeignKey, ChangeColumn, DropColumn, RenameColumn, SetDefault
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES, LABEL_TYPES, TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.conversions import replaced_characters
from pkg.schema.inexact import inexact
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, closing_of, quote_name, tokenize
from pkg.schema.statement import Ddl, Edit, TableName, edited
from pkg.schema.table import Column, Table
from pkg.schema.targets import is_constant

_FRACTIONS = frozenset({"decimal", "float", "double"})
_NUMBERS = INTEGER_TYPES | _FRACTIONS
_TEXTS = TEXT_TYPES | BINARY_TYPES
_WIDTH = re.compile(r"\((\d+)\)", re.ASCII)
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
                    self._end(small(name))
                case ChangeColumn(old, column):
                    self._end(small(old))
                case RenameColumn(old, _):
                    self._end(small(old))
        for one in ddl.alterations:
            match one:
                case AddColumn(column):
                    self.added[small(column.name)] = column
                case ChangeColumn(old, column):
                    self._begin(small(column.name), was.get(small(old)), column)
                    is_other = small(old) in added and _value(added[small(old)]) != _value(column)
                    if is_other or small(old) in self.changed:
                        self.changed.add(small(column.name))
                case RenameColumn(old, new):
                    self.renamed.add(small(new))
                    self.changed |= {small(new)} if small(old) in self.changed else set()
                    self._begin(small(new), was.get(small(old)), added.get(small(old)))
                case SetDefault(name) if small(name) in self.added:
                    self.changed.add(small(name))

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


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A new constraint, and the rows that it keeps from being copied, by names before the change."""

    constraint: str
    where: str


def left_out(
    ddls: Sequence[Ddl],
    before: Table,
    after: Table,
    target: TableName,
    parents: Callable[[TableName], TableName | None],
) -> Iterator[LeftOut]:
    """Rows that INSERT IGNORE leaves out where an ALTER would be refused, and targets do not check.

    ``parents``: the target's table for one that a foreign key refers to, None where it is not there.
    """
    origins = _origins(ddls, before)
    for ddl in ddls:
        for check in _checks(ddl):
            if (text := _said_before(check, origins, after)) is not None:
                yield LeftOut(f"CHECK {check}", f"NOT {text}")
        for one in ddl.alterations:
            if isinstance(one, AddForeignKey):
                parent = parents(TableName(one.key.ref_schema or ddl.subject.schema, one.key.ref_table))
                old = [origins.by_name.get(small(column), "") for column in one.key.columns]
                if parent is not None and all(old):
                    where = _orphans(target, old, parent, one.key.ref_columns)
                    yield LeftOut(f"FOREIGN KEY ({', '.join(one.key.columns)})", where)


def _orphans(child: TableName, columns: Sequence[str], parent: TableName, referred: Sequence[str]) -> str:
    own = [f"{child.quoted()}.{quote_name(column)}" for column in columns]
    equal = " AND ".join(f"p.{quote_name(one)} = {column}" for one, column in zip(referred, own, strict=True))
    present = " AND ".join(f"{column} IS NOT NULL" for column in own)
    return f"{present} AND NOT EXISTS (SELECT 1 FROM {parent.quoted()} AS p WHERE {equal})"


def _checks(ddl: Ddl) -> Iterator[str]:
    """The conditions of CHECKs that the statement brings and enforces, in parentheses."""
    tokens = tokenize(ddl.text)
    for number, token in enumerate(tokens[:-1]):
        if token.kind is Kind.WORD and token.key == "CHECK" and tokens[number + 1].key == "(":
            end = closing_of(tokens, number + 1)
            end = len(tokens) - 1 if end is None else end
            if [one.key for one in tokens[end + 1 : end + 3]] != ["NOT", "ENFORCED"]:
                yield ddl.text[tokens[number + 1].start : tokens[end].end]


def _said_before(condition: str, origins: _Origins, after: Table) -> str | None:
    """A condition by the columns' names before, new ones by their default; None where that cannot be said."""
    edits: list[Edit] = []
    for token, behind in pairwise(tokenize(condition)):
        column = after.column(token.value) if token.is_name and behind.key != "(" else None
        if column is None:
            continue
        name = small(column.name)
        if name in origins.by_name:
            edits.append((token.start, token.end, quote_name(origins.by_name[name])))
        elif column.default is not None and is_constant(column.default):
            number = " + 0" if column.base_type in _NUMBERS else ""  # whose default may be said as a text
            edits.append((token.start, token.end, f"({column.default}{number})"))
        else:
            return None
    return edited(condition, edits)


def _origins(ddls: Sequence[Ddl], before: Table) -> _Origins:
    origins = _Origins({small(column.name): small(column.name) for column in before.columns})
    for ddl in ddls:
        origins.follow(ddl)
    return origins


def copy_doubts(ddls: Sequence[Ddl], before: Table, after: Table, *, to_tidb: bool = False) -> Iterator[CopyDoubt]:
    """What ``ddls``, which make ``after`` of the table ``before``, give rows in place and not rows that are copied.

    ``to_tidb``: the target keeps characters in place that the column's set lacks.
    """
    origins = _origins(ddls, before)
    for column in after.columns:
        name = small(column.name)
        origin = origins.by_name.get(name)
        old = before.column(origin) if origin is not None else None
        if column.generated or (old is None and name not in origins.added):
            continue
        if old is not None:
            yield from _of_old(old, column, before, is_renamed=name in origins.renamed)
            if to_tidb and (found := replaced_characters(old, column)):
                yield CopyDoubt(column.name, found[0], old.name, found[1].format(c=quote_name(old.name)))
        elif before.column(name) is not None:
            reason = "the column that had this name is dropped, and its values were copied all the same"
            yield CopyDoubt(column.name, reason, old=name)
        elif reason := _of_new(column, after, origins):
            yield CopyDoubt(column.name, reason)


def detours(before: Table, between: Sequence[Table], after: Table) -> Iterator[CopyDoubt]:
    """Columns that an earlier statement gives a type which loses values that the last one has: no copied row had it."""
    for old in before.columns:
        new = after.column(old.name)
        if new is None or old.generated or inexact(old, new):
            continue
        for table in between:
            middle = table.column(old.name)
            if middle is not None and inexact(old, middle):
                reason = f"a statement makes it {middle.type} on the way to {new.type}, when no row was copied yet"
                yield CopyDoubt(new.name, reason, old.name, f"{quote_name(old.name)} IS NOT NULL")


def _of_new(column: Column, table: Table, origins: _Origins) -> str:
    """Why rows that are copied may have another value in a new column than a row that is there."""
    if column.auto_increment:
        return "rows got their numbers in the order in which they were copied"
    if small(column.name) in origins.changed:
        return "it was changed after it was added, when no row was copied yet"
    if column.on_update:
        return "rows that were written while they were copied have the moment at which that was"
    if column.default is None or is_constant(column.default):
        return ""
    words = {token.value for token in tokenize(column.default) if token.is_name}
    if _MOMENTS & {word.upper() for word in words}:
        return "each row has the moment at which it was copied"
    if {small(word) for word in words} & {small(one.name) for one in table.columns}:
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
    if small(old.name) != small(new.name) and before.column(new.name) is not None:
        yield doubt("another column had its name before, and values are copied by names")
    if new.auto_increment and not old.auto_increment:
        yield doubt("rows with 0 or NULL may have got numbers", where=f"{name} IS NULL OR {name} = 0")
    if new.base_type == "timestamp" and old.nullable and not new.nullable:
        yield doubt("NULL becomes the moment of the copy, or 0000-00-00", where=f"{name} IS NULL")
    if new.base_type == "enum" and old.nullable and not new.nullable:
        yield doubt("NULL becomes no label by ALTER, the first one by copying", where=f"{name} IS NULL")
    if (reason := _converted(old, new)) or (reason := _converted_or_cut(old, new)):
        yield doubt(f"{reason[0]} ({old.type} → {new.type})", where=reason[1].format(c=name))


def _converted(old: Column, new: Column) -> tuple[str, str] | None:
    """Why a value that is copied becomes another one than a value that is altered, and which do, with ``{c}``."""
    was, becomes, reason = old.base_type, new.base_type, ""
    if (was == "timestamp") != (becomes == "timestamp"):
        reason = "a moment becomes a local time, or back, in the time zone of the copying session"
    elif was == "time" and becomes in _DAYS:
        reason = "the day of the copy is added to the time"
    elif was in _NUMBERS | {"year"} and becomes in LABEL_TYPES:
        reason = "ALTER takes a number for a label's text on some servers, copying for its place"
    elif (
        (becomes == "bit" and was not in INTEGER_TYPES | {"bit", "year"})
        or (was in _FRACTIONS and becomes in _DAYS | {"time"})
        or (was in _DAYS and becomes == "year")
        or (was == "json" and becomes == "time")
    ):
        reason = "copying reads such a value in another way than ALTER"
    elif becomes in _TEXTS and (was in ("float", "year") or "zerofill" in old.type):
        reason = "copying writes the digits of a number in another way than ALTER"
    return (reason, "{c} IS NOT NULL") if reason else None


def _converted_or_cut(old: Column, new: Column) -> tuple[str, str] | None:
    """The same of values that do not fit, which is an error where the session of the ALTER was strict."""
    was, becomes = old.base_type, new.base_type
    if was in CHARACTER_TYPES and becomes in INTEGER_TYPES:
        return "copying rounds a text to an integer in another way than ALTER", "{c} NOT REGEXP '^-?[0-9]+$'"
    if was in ("float", "double") and becomes == "bigint":
        return "copying cuts a number that is too large in another way than ALTER", "ABS({c}) >= 9e18"
    if was in INTEGER_TYPES and becomes == "time":
        return "copying cuts a number that is too large in another way than ALTER", "ABS({c}) > 8385959"
    width = _WIDTH.search(new.type)
    if was == "double" and becomes in _TEXTS and width is not None:
        return "copying cuts the digits of a number in another way than ALTER", f"LENGTH({{c}}) > {width[1]}"
    return None
