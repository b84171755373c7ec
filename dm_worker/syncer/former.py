"""Tables whose structure was read from the upstream as it is today, while the stream stands at an older location.

That is so where replication starts at a location that lies behind (`meta`, a start time, DM's checkpoint), and for a
table that is met with no stored structure (it was forgotten, or the task takes it since a while).  Where no
statement between the stream and the reading has changed a table's columns, today's structure is the one that its rows
have.  Else the binlog tells only where its table maps name the columns (binlog_row_metadata=FULL); columns of one
type may have changed places or names.  Then nothing is guessed: rows and DDL of the table are refused.

What lies ahead is looked up (ddl_ahead.py) when it is asked for the first time; ``NotLookedUp`` asks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import Final, TypeAlias

from pkg.binlog.position import Position
from pkg.binlog.table_layout import TableMap
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.alter import (
    AddColumn,
    AddIndex,
    Alteration,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    RenameColumn,
    SetOptions,
)
from pkg.schema.charset import Charset, is_default
from pkg.schema.checks import leaves_check_names
from pkg.schema.create import TableOptions
from pkg.schema.errors import DDL_DOES_NOT_FIT, shortened
from pkg.schema.key_names import before_keys, leaves_names
from pkg.schema.letter_case import small
from pkg.schema.statement import CREATIONS, DATABASE_KINDS, Ddl, DdlKind
from pkg.schema.table import Table

FORMER_STRUCTURE = ErrorKind(
    36192,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} had another structure at {place} than today, when it was read for this task, and the binlog does not say "
    "which column is which; changed since by {sql} at {changed}",
    workaround="say what it was like at {place} by `dmctl binlog-schema update <task> {schema} {name} FILE` (a CREATE "
    "TABLE with the columns in their order), then resume-task; or begin behind that statement, or by a full migration. "
    "With binlog_row_metadata=FULL upstream the binlog names the columns from then on",
)

FORMER_DEFAULT = ErrorKind(
    36293,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} takes its character set or collation from the database {schema}, and what that had at {place} is not "
    "known: {reason}",
    workaround="`dmctl binlog replace <task> <sql>` with the same statement and the CHARACTER SET and COLLATE that the "
    "table got upstream (SHOW CREATE TABLE says it, unless the table was altered since); or begin behind that "
    "statement, or by a full migration",
)
Name: TypeAlias = tuple[str, str]
"""A table, or a database's default character set: then with "" for the table."""


class Change(Flag):
    """What a statement may have done to the columns of a table."""

    NONE = 0
    MORE = auto()  # columns: rows before it have fewer
    FEWER = auto()  # columns: rows before it have more
    TYPES = auto()  # which minimal metadata of rows names
    KEY = auto()  # by which rows are told apart
    CALLED = auto()  # a key or CHECK got its name by what was there: rows are the same
    NAMES = auto()  # or places, labels, or the whole table
    DEFAULT = auto()  # of a database: the character set of new tables


_NUMBERS: Final = Change.MORE | Change.FEWER
_WHATEVER_IT_WAS: Final = DATABASE_KINDS | {DdlKind.DROP_TABLE}


class NotLookedUp(Exception):
    """It must be known which statements lie ahead."""


@dataclass(frozen=True, slots=True)
class ChangeAhead:
    """A statement that has changed a table's columns, and ends at ``position``."""

    position: Position
    change: Change
    sql: str


Ahead: TypeAlias = Mapping[Name, list[ChangeAhead]]


@dataclass(slots=True)
class Former:
    """Owned by the thread that reads the stream."""

    read_at: Mapping[Name, Position]  # tables of which today's structure is tracked, and where the binlog was then
    ahead: dict[Name, list[ChangeAhead]] | None = None  # None: not looked up yet
    is_asked: bool = False  # it was asked before it was looked up
    met: dict[Name, Table] = field(default_factory=dict)  # those of which no structure is stored yet

    def meet(self, table: Table, read: Position) -> None:
        """The table, whose structure was not stored, was read when the binlog was at ``read``."""
        name = table.schema, table.name
        self.met[name] = table
        self.read_at = {**self.read_at, name: read}
        self.ahead = None  # which was not looked up for this one

    def check_rows(self, table_map: TableMap, place: Position) -> bool:
        """Rows of the table come; whether its structure is known at their place, and is not today's.

        Raises FORMER_STRUCTURE, NotLookedUp.
        """
        name = table_map.schema, table_map.table
        if name not in self.read_at:
            return True
        is_known = place > self.read_at[name]
        if table_map.column_names is not None:
            return is_known  # where columns are named they are compared
        left = self._left(name)
        if table_map.unsigned is not None or table_map.collations is not None:
            left = [one for one in left if one.change is not Change.TYPES]
        if hides(left):
            raise _refused(name, place, left[0])
        return is_known

    def check_ddl(self, ddl: Ddl, place: Position) -> None:
        """The statement, which ends at ``place``, is to be tracked.  Raises FORMER_STRUCTURE.

        It says what it changes by names that today's structure has exchanged already.
        """
        if ddl.kind is DdlKind.CREATE_TABLE_LIKE:
            self._check_template(ddl, place)
        moved = {(old.schema, old.table) for old, _ in ddl.renames}
        for name, change in changes(ddl).items():
            read = self.read_at.get(name)
            if read is None or place > read or ddl.kind in _WHATEVER_IT_WAS or ddl.or_replace:
                continue
            if name in moved or Change.NAMES in change:
                raise _refused(name, place, ChangeAhead(place, change, shortened(ddl.text)))

    def before(self, today: Table, ddl: Ddl, place: Position) -> Table:
        """The altered table as it was before the statement behind ``place``, as far as names of keys tell.

        Raises FORMER_STRUCTURE: keys and CHECKs that have no name get one by what is there.
        """
        name = today.schema, today.name
        read = self.read_at.get(name)
        if read is None or place >= read:
            return today
        found = before_keys(ddl, today) if leaves_names(ddl) else today
        if found is None or leaves_check_names(ddl):
            raise _refused(name, place, ChangeAhead(place, Change.NAMES, shortened(ddl.text)))
        return found

    def said_of(self, exc: DMError, ddl: Ddl, place: Position) -> DMError:
        """Why the statement, which ends at ``place``, was refused: it has made today's structure what it is."""
        name = ddl.subject.schema, ddl.subject.table
        if not exc.is_a(DDL_DOES_NOT_FIT) or name not in self.read_at or place > self.read_at[name]:
            return exc
        return _refused(name, place, ChangeAhead(place, Change.NAMES, shortened(ddl.text)))

    def check_default(self, ddl: Ddl, place: Position, known: Charset | None) -> None:
        """The statement, which ends at ``place``, runs downstream; ``known``: what is tracked of its database.

        Raises FORMER_DEFAULT, NotLookedUp.
        """
        database = ddl.subject.schema, ""
        read = self.read_at.get(database)
        if not takes_default(ddl) or (known is not None and (read is None or place > read)):
            return
        if known is None:
            reason = "it was not there when databases were read for this task, nor was it created since in the binlog"
        elif left := self._left(database):
            reason = f"it was read as it is today, and was changed since by {left[0].sql} at {left[0].position}"
        else:
            return
        raise FORMER_DEFAULT.error(
            table=ddl.subject.quoted(), schema=ddl.subject.schema, place=str(place), reason=reason
        )

    def _check_template(self, ddl: Ddl, place: Position) -> None:
        template = ddl.tables[1].schema, ddl.tables[1].table
        if template in self.read_at and hides(left := self._left(template)):
            raise _refused(template, place, left[0])

    def _left(self, name: Name) -> list[ChangeAhead]:
        if self.ahead is None:
            self.is_asked = True
            raise NotLookedUp
        return self.ahead.get(name, [])

    def follow(self, ddl: Ddl, changed: Collection[Name]) -> None:
        """The statement was tracked, and has ``changed`` tables: some are known by it, whatever they are today."""
        known: set[Name] = set()
        if ddl.kind in DATABASE_KINDS and (ddl.kind is DdlKind.DROP_DATABASE or ddl.or_replace):
            known = {name for name in self.read_at if name[0] == ddl.subject.schema}
        elif ddl.kind in DATABASE_KINDS:
            known = {(ddl.subject.schema, "")} if _sets_default(ddl) else set()
        elif ddl.kind in CREATIONS or ddl.kind is DdlKind.DROP_TABLE:
            known = {(one.schema, one.table) for one in ddl.tables if (one.schema, one.table) in changed}
            known -= {(one.schema, one.table) for one in ddl.tables[1:] if ddl.kind is DdlKind.CREATE_TABLE_LIKE}
        known |= {(new.schema, new.table) for _, new in ddl.renames if (new.schema, new.table) in changed}
        self.read_at = {name: read for name, read in self.read_at.items() if name not in known}

    def passed(self, place: Position) -> None:
        """All up to there is behind."""
        if self.ahead:
            left = {name: [one for one in found if one.position > place] for name, found in self.ahead.items()}
            self.ahead = {name: found for name, found in left.items() if found}


def _refused(name: Name, place: Position, change: ChangeAhead) -> DMError:
    return FORMER_STRUCTURE.error(
        table=".".join(name),
        schema=name[0],
        name=name[1],
        place=str(place),
        sql=change.sql,
        changed=str(change.position),
    )


def hides(found: Iterable[ChangeAhead]) -> bool:
    """Whether rows before the statements may have the number and types of today's columns, and be others."""
    all_of = Change.NONE
    for one in found:
        all_of |= one.change & ~Change.CALLED
    return bool(all_of & ~_NUMBERS) or _NUMBERS in all_of


def changes(ddl: Ddl) -> dict[Name, Change]:
    """Tables that may have had other columns before the statement; a schema with the name "" for all of its tables."""
    if ddl.kind in DATABASE_KINDS:
        is_gone = ddl.kind is DdlKind.DROP_DATABASE or ddl.or_replace
        change = Change.NAMES if is_gone else Change.DEFAULT if _sets_default(ddl) else Change.NONE
        return {(ddl.subject.schema, ""): change} if change else {}
    names = [(one.schema, one.table) for one in ddl.tables]
    if ddl.kind is DdlKind.DROP_TABLE:
        return dict.fromkeys(names, Change.NAMES)
    if ddl.or_replace:
        return {names[0]: Change.NAMES}
    found = {(old.schema, old.table): Change.NAMES for old, _ in ddl.renames}
    change = Change.CALLED if ddl.kind is DdlKind.ALTER_TABLE and leaves_check_names(ddl) else Change.NONE
    for one in ddl.alterations:
        change |= _change(one)
    if change:
        found[names[0]] = found.get(names[0], Change.NONE) | change
    return found


def _change(one: Alteration) -> Change:
    match one:
        case AddColumn():
            return Change.MORE
        case DropColumn():
            return Change.FEWER
        case RenameColumn():
            return Change.NAMES
        case ChangeColumn(old=old, column=column, place=place):
            is_same = small(old) == small(column.name) and place is None
            return Change.TYPES if is_same and column.type.base not in ("enum", "set") else Change.NAMES
        case ConvertCharset():
            return Change.TYPES
        case AddIndex(index=index) if index.primary:
            return Change.KEY
        case AddIndex(index=index) if not index.name:
            return Change.CALLED
    return Change.NONE


def _sets_default(ddl: Ddl) -> bool:
    """Whether a statement about a database says what its default is from there on."""
    if ddl.kind is DdlKind.CREATE_DATABASE:
        return not ddl.if_exists
    return ddl.options is not None and (ddl.options.charset is not None or ddl.options.collation is not None)


def takes_default(ddl: Ddl) -> bool:
    """Whether a table gets its database's default character set by the statement."""
    if ddl.kind is DdlKind.CREATE_TABLE and ddl.create is not None:
        return _leaves(ddl.create.options)
    return any(
        (isinstance(one, ConvertCharset) and (one.charset is None or is_default(one.charset)))
        or (isinstance(one, SetOptions) and (is_default(one.options.charset) or is_default(one.options.collation)))
        for one in ddl.alterations
    )


def _leaves(options: TableOptions) -> bool:
    return all(one is None or is_default(one) for one in (options.charset, options.collation))
