"""The type of each part of a DDL: of a whole statement, or of each clause of an ALTER TABLE.

Types come from the parsed statement, and for MODIFY and CHANGE from the column as it was before.  Where
that is not known, or no longer what the statement speaks of, the change counts as one that may lose data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pkg.rules.column_change import column_change
from pkg.rules.event_types import ALTER_TABLE, EventType
from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    PartitionChange,
    RenameColumn,
    RenameIndex,
    RenameTo,
    SetDefault,
    SetNotNull,
    SetOptions,
)
from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import PRIMARY, Table

_WHOLE = {
    DdlKind.CREATE_TABLE: EventType("create table"),
    DdlKind.CREATE_TABLE_LIKE: EventType("create table"),
    DdlKind.CREATE_TABLE_SELECT: EventType("create table"),
    DdlKind.DROP_TABLE: EventType("drop table"),
    DdlKind.RENAME_TABLE: EventType("rename table"),
    DdlKind.TRUNCATE_TABLE: EventType("truncate table"),
    DdlKind.CREATE_INDEX: EventType("create index"),
    DdlKind.CREATE_DATABASE: EventType("create database"),
    DdlKind.ALTER_DATABASE: EventType("alter database", frozenset({"modify schema charset and collate"})),
    DdlKind.DROP_DATABASE: EventType("drop database"),
}
_HINTS = frozenset({"ALGORITHM", "LOCK", "WAIT", "NOWAIT", "WITH", "WITHOUT", "FORCE"})
_PARTITIONS = {
    "DROP": "drop table partition",
    "TRUNCATE": "truncate table partition",
    "REORGANIZE": "reorganize table partition",
    "REBUILD": "rebuild table partition",
    "COALESCE": "coalesce table partition",
    "EXCHANGE": "exchange table partition",
    "CONVERT TABLE": "exchange table partition",
    "CONVERT PARTITION": "exchange table partition",
}
_PARTITIONS_ALSO = {
    "ADD": "add table partition",
    "BY": "alter table partitioning",
    "REMOVE": "remove table partitioning",
}
_Words = tuple[str, ...]
"""The type for the groups, then the further ones."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that the filter judges by itself, with the tables whose rules it has to pass.

    ``clause`` None: the whole statement.
    """

    event: EventType
    tables: tuple[TableName, ...]
    clause: AlterClause | None = None


def parts_of(ddl: Ddl, before: Table | None, context: DdlContext) -> tuple[Part, ...]:
    """The parts of a statement about one table (or database), whose structure was ``before``."""
    if ddl.kind is DdlKind.ALTER_TABLE:
        judged = [clause for clause in ddl.clauses if clause.alterations or clause.clause.key not in _HINTS]
        if judged:
            return tuple(_clause_part(ddl, clause, before, context) for clause in judged)
    if ddl.kind is DdlKind.DROP_INDEX:
        event = _event(tuple(_words(ddl.alterations[0], before, context)))
    else:
        event = _WHOLE.get(ddl.kind, EventType(ALTER_TABLE))
    new_names = tuple(new for _, new in ddl.renames) if ddl.kind is DdlKind.RENAME_TABLE else ()
    return (Part(event, (ddl.subject, *new_names)),)


def _clause_part(ddl: Ddl, clause: AlterClause, before: Table | None, context: DdlContext) -> Part:
    words = tuple(word for one in clause.alterations for word in _words(one, before, context))
    renamed = any(isinstance(one, RenameTo) for one in clause.alterations)
    tables = (ddl.subject, *(new for _, new in ddl.renames)) if renamed else (ddl.subject,)
    return Part(_event(words or _without_structure(clause)), tables, clause)


def _event(words: _Words) -> EventType:
    return EventType(words[0], frozenset(words[1:]) - {ALTER_TABLE, words[0]})


def _without_structure(clause: AlterClause) -> _Words:
    """Clauses that change no column or key that we track."""
    match clause.clause.key:
        case "ADD":  # CHECK
            return ("modify constraint",)
        case "DROP":  # CHECK, PERIOD
            return (ALTER_TABLE, "modify constraint")
        case "ALTER":  # an index's visibility, a CHECK's enforcement
            return (ALTER_TABLE, "alter index visibility", "modify constraint")
    return (ALTER_TABLE,)


def _words(change: Alteration, before: Table | None, context: DdlContext) -> Iterator[str]:
    match change:
        case AddColumn():
            yield from (ALTER_TABLE, "add column")
        case ChangeColumn():
            yield from _changed(change, before, context) or (ALTER_TABLE,)
        case DropColumn():
            yield "drop column"
        case RenameColumn():
            yield "rename column"
        case SetDefault():
            yield from ("modify default value", "set default value")
        case AddIndex(index):
            yield from _added_index(index.primary, index.unique)
        case DropIndex(name) | DropConstraint(name):
            yield from _dropped_index(name, before, isinstance(change, DropIndex))
        case RenameIndex():
            yield "rename index"
        case AddForeignKey():
            yield from ("modify constraint", "add foreign key")
        case DropForeignKey():
            yield from (ALTER_TABLE, "drop foreign key")
        case SetNotNull():
            yield "modify constraint"
        case RenameTo():
            yield "rename table"
        case SetOptions():
            yield from _options(change)
        case ConvertCharset():
            yield from ("modify charset", "modify collation", "modify table charset and collate")
        case PartitionChange(action):
            yield from _partitions(action)
        case _:
            yield ALTER_TABLE


def _changed(change: ChangeColumn, before: Table | None, context: DdlContext) -> _Words:
    old = before.column(change.old) if before is not None else None
    if before is None or old is None:
        return ("modify column",)
    in_key = small(old.name) in {small(name) for index in before.indexes if index.primary for name in index.columns}
    new = change.column.column(Charset(before.charset, before.collation), context, key_column=in_key)
    return column_change(old, new, change.place is not None)


def _added_index(primary: bool, unique: bool) -> _Words:
    """A key that may refuse rows constrains them; DM counts each ADD INDEX so."""
    if primary:
        return ("modify constraint", "add primary key")
    return ("modify constraint",) if unique else (ALTER_TABLE, "modify constraint")


def _dropped_index(name: str, before: Table | None, as_index: bool) -> _Words:
    if name.upper() == PRIMARY:
        return ("drop primary key",)
    index = before.index(name) if before is not None else None
    if index is not None and index.unique:
        return ("drop unique key", "drop index")
    return ("drop index",) if as_index else (ALTER_TABLE, "modify constraint", "drop foreign key")


def _options(change: SetOptions) -> _Words:
    options = change.options
    keys = {clause.key for clause in options.clauses}
    words = ["modify charset"] if options.charset is not None else []
    words += ["modify collation"] if options.collation is not None else []
    if words:
        words.append("modify table charset and collate")
    words += ["modify storage engine"] if keys & {"ENGINE", "TYPE"} else []
    words = words or [ALTER_TABLE]
    words += ["modify table comment"] if options.comment is not None else []
    words += ["rebase auto id"] if "AUTO_INCREMENT" in keys else []
    return tuple(words)


def _partitions(action: str) -> _Words:
    if action in _PARTITIONS:
        return (_PARTITIONS[action],)
    return (ALTER_TABLE, _PARTITIONS_ALSO[action]) if action in _PARTITIONS_ALSO else (ALTER_TABLE,)
