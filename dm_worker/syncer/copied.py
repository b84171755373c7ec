"""DDL that moves or removes rows while tables are copied without a lock.

Chunks are read by the table's name.  A name that gets another table while it is copied (log rotation by RENAME,
a swap, EXCHANGE PARTITION) leaves rows of both in the target's table, and since no event tells of moved rows,
replication would not put that right.

A table without a key is copied as it was at its pin, and its changes up to there are passed over.  What removed
rows before, such as TRUNCATE, must not run again: the rows that have come since would not come again.

A table that was altered while it was copied was copied anew, into a table that was made as it then was.  Its DDL up
to there tells the tracker what its rows look like, which are passed over, too, and must not run again.

What DDL makes of a row by the other rows (the numbers of a new counter, the rows that ALTER IGNORE deletes) it makes
otherwise of rows of several moments.

All other DDL does no harm: it runs again on rows that have it, and the rows' own changes follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dm_worker.syncer.planned_tables import PlannedTable, PlannedTables
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, ChangeColumn, ConvertCharset, DropColumn, PartitionChange, RenameColumn
from pkg.schema.counters import begun_counters, new_counter
from pkg.schema.errors import shortened
from pkg.schema.ignoring import ignores_errors
from pkg.schema.letter_case import small
from pkg.schema.statement import CREATIONS, DATABASE_KINDS, Ddl, DdlKind, TableName
from pkg.schema.table import Table

_COPY_ANEW: Final = (
    "copy the table again: stop-task, empty the task's tables downstream, start-task --remove-meta (`consistency: "
    "auto` for mydumpers reads one moment). If the copy of {table} was over before the statement ran upstream, go on "
    "with `dmctl binlog replace <task> <the same statement>`"
)
MOVED_WHILE_COPIED = ErrorKind(
    36113,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows got another table while they were copied, at {place}: {sql}; the target's {tables} may have rows of both",
    workaround="copy again: stop-task, empty these tables downstream, start-task --remove-meta (`consistency: auto` "
    "for mydumpers reads one moment). If the copy of {tables} was over before the statement ran upstream, go on with "
    "`dmctl binlog replace <task> <the same statement>`",
)
REMOVED_BEFORE_PIN = ErrorKind(
    36114,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} was copied as it was at {pin}, behind the statement at {place}: {sql}; run here, it would find the table "
    "as it was made later, and change or remove rows that do not come again",
    workaround="where the target has what the statement made of its tables, `dmctl binlog skip <task>` passes over it "
    "(and over the CREATE TABLE that follows a DROP), or `dmctl binlog replace` runs what is missing; else copy anew: "
    "stop-task, empty the tables downstream, start-task --remove-meta",
)
NAMES_EXCHANGED = ErrorKind(
    36193,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a column of {table} got the name of another one while the table was copied ({columns}), at {place}: {sql}; some "
    "rows were read before it and some behind it, and it is not known which",
    workaround=_COPY_ANEW,
)
TYPES_UNDONE = ErrorKind(
    36205,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the type of {columns} of {table} was changed and changed back while the table was copied, at {place}: {sql}; rows "
    "that were read behind it have been converted already, and may become other values when that is done again",
    workaround=_COPY_ANEW,
)
DEPENDS_ON_ROWS = ErrorKind(
    36284,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "while {table} was copied a statement {does} at {place}: {sql}; which ones, all rows decide together, and the "
    "target has rows of several moments",
    workaround=_COPY_ANEW,
)
_REMOVING: Final = frozenset(("DROP", "TRUNCATE", "EXCHANGE"))  # of partitions
_NOWHERE: Final = Position("", 0)
Name = tuple[str, str]


@dataclass(frozen=True, slots=True)
class CopyWindow:
    """The part of the stream in which tables were copied."""

    until: Position
    pins: Mapping[Name, Position]  # of tables without a key, and of those that were made anew
    anew: Mapping[Name, Position]  # tables that were altered while they were copied, and made as they were there
    copied: Callable[[], Mapping[Name, bool]]  # tables that were read; True: gone before the end
    exists: Callable[[TableName], bool]  # upstream, now
    tracked: Callable[[TableName], Table | None]  # the table in the stream
    exact: frozenset[Name] = frozenset()  # tables without a key that had the planned columns at their pins
    ended: Mapping[Name, Position] = field(default_factory=dict)  # where tables had been read to their ends
    planned: PlannedTables = field(default_factory=PlannedTables)  # those that were altered since

    def is_copied(self, ddl: Ddl, position: Position) -> bool:
        """Whether the copy was made after the statement, and nothing of it is left to do.

        Raises the errors above.  ``position`` is behind the statement.
        """
        if position > self.until:
            return False
        if self._was_planned(ddl):
            return True
        later = [name for name in self._emptied(ddl) if position <= self.pins.get(name, _NOWHERE)]
        if later and ddl.kind is DdlKind.TRUNCATE_TABLE:
            return True
        if later:
            raise self._behind(later[0], ddl, position)
        self._refuse_moves(ddl, position)
        self._refuse_exchanges(ddl, position)
        self._refuse_choices(ddl, position)
        return False

    def is_only_tracked(self, ddl: Ddl, position: Position) -> bool:
        """Whether all that the statement changes was made anew behind it, so that only the tracker must know it.

        Raises REMOVED_BEFORE_PIN, MOVED_WHILE_COPIED where that is true of some of it.
        """
        if position > self.until or self._was_planned(ddl):
            return False
        if self._is_undone(ddl, position):
            return True
        changed = changed_names(ddl)
        if ddl.kind is DdlKind.CREATE_TABLE_LIKE and not self._is_later(ddl.subject, position):
            changed = ddl.tables  # the other one had another form then
        return self.is_behind(changed, ddl, position)

    def is_behind(self, changed: Sequence[TableName], ddl: Ddl, position: Position, *, also: bool = False) -> bool:
        """Whether all tables ``changed`` were made anew behind the statement; ``also``: it changes others, too."""
        later = [name for name in changed if self._is_later(name, position)]
        if not later:
            return False
        if len(later) == len(changed) and not also:
            return True
        if moved_names(ddl):
            tables = ", ".join(name.quoted() for name in later)
            raise MOVED_WHILE_COPIED.error(place=str(position), sql=shortened(ddl.text), tables=tables)
        raise self._behind((later[0].schema, later[0].table), ddl, position)

    def _is_undone(self, ddl: Ddl, position: Position) -> bool:
        """Whether the statement gave or took columns of a table that had the planned ones when it was read later.

        Run again, it would take values that were written since and do not come again.
        """
        name = ddl.subject.schema, ddl.subject.table
        if name not in self.exact or position > self.pins.get(name, _NOWHERE) or ddl.renames:
            return False
        return any(isinstance(one, AddColumn | DropColumn) for one in ddl.alterations) or bool(renamed_columns(ddl))

    def _refuse_exchanges(self, ddl: Ddl, position: Position) -> None:
        """Raise where a column gets the name that another one had when its table's copy began, or its type again."""
        name, renamed = (ddl.subject.schema, ddl.subject.table), renamed_columns(ddl)
        changes = any(isinstance(one, DropColumn | ChangeColumn | ConvertCharset) for one in ddl.alterations)
        table = self.tracked(ddl.subject) if renamed or changes else None
        if table is None or self._is_pinned(name) or not self.is_mixed(ddl.subject, position):
            return
        said: dict[str, Any] = {"place": str(position), "sql": shortened(ddl.text), "table": ".".join(name)}
        one, taken = (self.planned.tables.get(name) or PlannedTable.of(table)).taken(ddl, renamed)
        if taken:
            raise NAMES_EXCHANGED.error(columns=", ".join(taken), **said)
        one, undone = one.undone(table, ddl)
        if undone:
            raise TYPES_UNDONE.error(columns=", ".join(undone), **said)
        self.planned.tables[name] = one

    def _refuse_choices(self, ddl: Ddl, position: Position) -> None:
        """Raise where the statement numbers or deletes rows, and the copy has read rows of before and behind it."""
        name = ddl.subject.schema, ddl.subject.table
        counters = [new_counter(ddl), *(new for _, new in begun_counters(ddl, self.tracked(ddl.subject)))]
        does = ["gave rows numbers"] * any(counters) + ["deleted rows (IGNORE)"] * ignores_errors(ddl)
        if does and self.is_mixed(ddl.subject, position):
            place, sql = str(position), shortened(ddl.text)
            raise DEPENDS_ON_ROWS.error(table=".".join(name), does=" and ".join(does), place=place, sql=sql)

    def is_mixed(self, table: TableName, position: Position) -> bool:
        """Whether the target's rows of the table are of several moments, before and behind ``position``."""
        name = table.schema, table.table
        if position > self.until or self._is_over(name, position) or self.copied().get(name) is None:
            return False
        return not self._is_pinned(name) or position <= self.pins[name]

    def _is_pinned(self, name: Name) -> bool:
        """Whether all rows of the table were read at one place; not one with a key that was made anew at its place."""
        return name in self.pins and self.pins[name] != self.anew.get(name)

    def _is_over(self, name: Name, position: Position) -> bool:
        """Whether all of the table had been read before the statement."""
        return name in self.ended and position > self.ended[name]

    def _was_planned(self, ddl: Ddl) -> bool:
        """Whether the table was created while the copy was planned: its structure was read behind the statement."""
        return ddl.kind in CREATIONS and not ddl.or_replace and self.tracked(ddl.subject) is not None

    def _is_later(self, name: TableName, position: Position) -> bool:
        return position <= self.anew.get((name.schema, name.table), _NOWHERE)

    def _behind(self, name: Name, ddl: Ddl, position: Position) -> DMError:
        return REMOVED_BEFORE_PIN.error(
            table=".".join(name), pin=str(self.pins[name]), place=str(position), sql=shortened(ddl.text)
        )

    def _emptied(self, ddl: Ddl) -> list[Name]:
        """Tables that lose rows without an event of rows."""
        if ddl.kind in DATABASE_KINDS:
            if ddl.kind is not DdlKind.DROP_DATABASE and not ddl.or_replace:
                return []
            return [name for name in self.pins if name[0] == ddl.subject.schema]
        removes = any(isinstance(one, PartitionChange) and one.action in _REMOVING for one in ddl.alterations)
        if removes or ddl.kind in (DdlKind.TRUNCATE_TABLE, DdlKind.DROP_TABLE):
            return [(name.schema, name.table) for name in ddl.tables]
        return [(ddl.subject.schema, ddl.subject.table)] if ddl.or_replace else []

    def _refuse_moves(self, ddl: Ddl, position: Position) -> None:
        moved = moved_names(ddl)
        if not moved:
            return
        copied = self.copied()
        known = {name: is_gone for name in moved if (is_gone := copied.get((name.schema, name.table))) is not None}
        # The whole table was copied under a name that nobody has any more, if the copy did not miss it.
        met = {name: gone for name, gone in known.items() if not self._is_over((name.schema, name.table), position)}
        found = [name for name, is_gone in met.items() if is_gone or self.exists(name)]
        if found:
            tables = ", ".join(name.quoted() for name in found)
            raise MOVED_WHILE_COPIED.error(place=str(position), sql=shortened(ddl.text), tables=tables)


def renamed_columns(ddl: Ddl) -> dict[str, str]:
    """Columns of an altered table by their former names, in lower case."""
    found: dict[str, str] = {}
    for one in ddl.alterations:
        match one:
            case RenameColumn(old=old, new=new):
                found[small(old)] = small(new)
            case ChangeColumn(old=old, column=column) if small(old) != small(column.name):
                found[small(old)] = small(column.name)
    return found


def changed_names(ddl: Ddl) -> tuple[TableName, ...]:
    """Tables that are other ones after the statement; not those that it only refers to."""
    if ddl.kind in DATABASE_KINDS:
        return ()
    if ddl.kind is DdlKind.DROP_TABLE:
        return ddl.tables
    return tuple(dict.fromkeys((ddl.subject, *moved_names(ddl))))


def moved_names(ddl: Ddl) -> tuple[TableName, ...]:
    """Names whose rows are in another table after the statement."""
    if any(isinstance(one, PartitionChange) and one.moves_rows for one in ddl.alterations):
        return ddl.tables
    return tuple(dict.fromkeys(name for pair in ddl.renames for name in pair))
