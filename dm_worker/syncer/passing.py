"""Statements of which nothing runs downstream: of other things than tables, of temporary ones, rows as text.

Which of those that change rows and are logged as text surely leave the task's tables alone: MySQL says which databases
a statement has changed, by triggers and functions, too.  Else its text says which tables it may write; the upstream is
asked whether one of them is a view, has a trigger or is there no more, and whether a name in it is a stored function,
or a view that calls one.  It answers for now: a trigger that has been dropped since cannot be seen any more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import Any, Protocol

from dm_worker.syncer.ddl_errors import STATEMENT_FORMAT
from dm_worker.syncer.filtering import DdlFilter
from dm_worker.syncer.temporary import TEMPORARY_OR_NOT, TemporaryTables
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.taken import taken_pieces
from pkg.schema.dml_text import Written, written_by
from pkg.schema.errors import shortened
from pkg.schema.not_replicated import NAMED_AS_TABLES, TEMPORARY, WRITERS
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table

_MAKES_TABLE = CREATIONS | {DdlKind.CREATE_TABLE_SELECT}
_MOST_TABLES = 10_000  # names that are kept
log = logging.getLogger(__name__)

Writers = Callable[[Written], tuple[list[str], set[TableName]]]
"""See AskedUpstream.writers."""
IsTemporary = Callable[[int, TableName], bool]
"""Whether a session, by its thread, has a temporary table of that name."""


class AskedUpstream(Protocol):
    """What a statement's text alone does not say."""

    def writers(self, written: Written) -> tuple[list[str], set[TableName]]:
        """Why a statement may write more than its text says, each as words, and those of its tables that are not there.

        Those that are views or have triggers; stored functions that it calls, or that a view calls which it may read.
        """

    def logs_temporary_tables(self) -> bool: ...

    def kind_of(self, schema: str, name: str) -> str: ...

    def table(self, schema: str, table: str) -> Table | None: ...

    def value_of(self, expression: str, zone: str) -> str: ...

    def rows(self, sql: str) -> list[Sequence[Any]]: ...


class Passing:
    """Owned by the thread that reads the stream."""

    def __init__(self, allow_list: BlockAllowList, events: DdlFilter, upstream: AskedUpstream, flavor: str) -> None:
        self._allow_list = allow_list
        self._filter = events
        self._upstream = upstream
        self._flavor = flavor
        self._text_rows = TextRows(allow_list, upstream.writers)
        self._others: set[TableName] = set()  # views and sequences that this stream has made
        self._tables: set[TableName] = set()  # tables that it has made, of the task or not
        self.temporary = TemporaryTables()  # set to those at the run's start

    def passes(self, ddl: Ddl, event: QueryEvent, place: str) -> bool:
        """Whether nothing of the statement is for the target, nor for the tracker.

        Raises STATEMENT_FORMAT where it may have changed rows of the task, TEMPORARY_OR_NOT.
        """
        if ddl.note in NAMED_AS_TABLES or ddl.kind is DdlKind.DROP_DATABASE:
            self._note_names(ddl)
        elif ddl.kind in _MAKES_TABLE and not ddl.if_exists:
            self._note_table(ddl.subject)
        if ddl.kind in (DdlKind.NOT_REPLICATED, DdlKind.DML_TEXT):
            self._pass_over(ddl, event, place)
            return True
        if not self._is_temporary(ddl, event, place):
            return False
        self.temporary.note(ddl, event.thread_id, Position.parse(place))
        log.info("about temporary tables of session %d, not replicated: %s", event.thread_id, shortened(event.sql))
        return True

    def _pass_over(self, ddl: Ddl, event: QueryEvent, place: str) -> None:
        """A statement that is no DDL of tables."""
        if ddl.note:
            log.info("not replicated: %s at %s", ddl.note, place)
        if ddl.note in WRITERS:
            self._text_rows.forget()
        if ddl.note == TEMPORARY:
            self.temporary.note(ddl, event.thread_id, Position.parse(place))
        if ddl.kind is DdlKind.DML_TEXT or ddl.note == TEMPORARY:
            self.refuse_text(ddl, event, place)

    def _note_names(self, ddl: Ddl) -> None:
        """Which names views and sequences have behind the statement.

        Servers log a CREATE VIEW IF NOT EXISTS that has made none: the name may be a table's.
        """
        if ddl.kind is DdlKind.DROP_DATABASE:
            self._others = {name for name in self._others if name.schema != ddl.subject.schema}
        elif ddl.kind is DdlKind.NOT_REPLICATED and ddl.text[:4].upper() == "DROP":
            self._others = self._others.difference(ddl.tables)
        elif not ddl.if_exists or ddl.kind is DdlKind.DROP_TABLE:  # which stands for CREATE OR REPLACE SEQUENCE
            self._others = self._others.union(ddl.tables)

    def _note_table(self, name: TableName) -> None:
        if len(self._tables) >= _MOST_TABLES:
            self._tables.clear()
        self._tables.add(name)

    def is_other(self, name: TableName) -> bool:
        """Whether the stream has made a view or sequence of that name."""
        return name in self._others

    def renames_other(self, piece: Ddl) -> bool:
        """Whether it gives another name to a view or sequence that the stream has made, which then bears it."""
        if piece.kind is not DdlKind.RENAME_TABLE or piece.subject not in self._others:
            return False
        for old, new in piece.renames:
            self._others = self._others - {old} | {new}
        log.info("not replicated: a view or sequence is renamed: %s", shortened(piece.text))
        return True

    def refuse_text(self, ddl: Ddl, event: QueryEvent, place: str) -> None:
        """Raise STATEMENT_FORMAT where the text may have changed rows of the task, unless a filter leaves it out."""
        reason = self._text_rows.may_write(ddl, event, self.temporary.owns, self._tables - self._others)
        if reason:
            if event.error_code:
                reason += f"; it failed upstream with error {event.error_code}, half-way"
            error = STATEMENT_FORMAT.error(place=place, reason=reason, sql=shortened(event.sql))
            if self._filter.passes_unread(error, event.schema, event.sql, place):
                raise error

    def _is_temporary(self, ddl: Ddl, event: QueryEvent, place: str) -> bool:
        """Whether the statement is about temporary tables alone.  Raises TEMPORARY_OR_NOT."""
        is_marked = event.is_thread_specific
        if not (is_marked or (self._flavor == "mariadb" and ddl.kind is DdlKind.RENAME_TABLE)):
            return False  # MariaDB marks no RENAME TABLE
        if self.temporary.is_about_one(ddl, event.thread_id):
            return True
        found = self.temporary.doubtful(ddl, event.thread_id, is_marked=is_marked)
        if found is None or not taken_pieces(ddl, self._allow_list.allows):
            return False
        if not self.temporary.knows(event.thread_id) and not self._upstream.logs_temporary_tables():
            return False  # a procedure has used one, or CONNECTION_ID() is in a default
        name, reason = found
        sql = shortened(event.sql)
        raise TEMPORARY_OR_NOT.error(place=place, name=name.quoted(), thread=event.thread_id, reason=reason, sql=sql)


class TextRows:
    """Owned by the thread that reads the stream."""

    def __init__(self, allow_list: BlockAllowList, writers: Writers) -> None:
        self._allow_list = allow_list
        self._writers = writers
        self._asked: dict[Written, list[str]] = {}

    def may_write(self, ddl: Ddl, event: QueryEvent, is_temporary: IsTemporary, made: Set[TableName]) -> str:
        """Why the statement may have changed rows of the task's tables; "" where it surely has not.

        ``made`` are tables, whether they are still there or not.
        """
        databases = event.status.databases
        if databases and not any(self._allow_list.allows(name) for name in databases):
            return ""
        written = written_by(ddl.text, event.schema)
        if ddl.kind is not DdlKind.DML_TEXT:
            written = replace(written, tables=())  # it makes its table; functions that it calls may write others
        elif written.tables is None:
            return "what it has changed is not in its text"
        for name in written.tables or ():
            if self._allow_list.allows(name.schema, name.table) and not is_temporary(event.thread_id, name):
                return f"it may change {name.quoted()}"
        stay = tuple(name for name in written.tables or () if not is_temporary(event.thread_id, name))
        found = self._found(replace(written, tables=stay), made)
        return f"it may change more than its text says, by {', '.join(found)}" if found else ""

    def forget(self) -> None:
        """Views, triggers or functions were changed."""
        self._asked = {}

    def _found(self, written: Written, made: Set[TableName]) -> list[str]:
        if written not in self._asked:
            found, gone = self._writers(written)
            found += [f"{name.quoted()}, which is there no more and may have been a view" for name in gone - made]
            self._asked[written] = found
        return self._asked[written]
