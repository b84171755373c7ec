"""Statements of which nothing runs downstream: of other things than tables, of temporary ones, rows as text.

Which of those that change rows and are logged as text leave the task's tables alone: text_rows.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from dm_worker.syncer.ddl_errors import STATEMENT_FORMAT
from dm_worker.syncer.filtering import DdlFilter
from dm_worker.syncer.merge_tables import ShowsMerge
from dm_worker.syncer.temporary import TEMPORARY_OR_NOT, TemporaryTables
from dm_worker.syncer.text_rows import AskedUpstream as AskedAboutText
from dm_worker.syncer.text_rows import TextRows
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.taken import taken_pieces
from pkg.schema.alter import SetOptions
from pkg.schema.errors import shortened
from pkg.schema.not_replicated import NAMED_AS_TABLES, TEMPORARY, WRITERS
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table

_OF_OTHERS = frozenset({DdlKind.RENAME_TABLE, DdlKind.ALTER_TABLE, DdlKind.DROP_TABLE})
_MAKES_TABLE = CREATIONS | {DdlKind.CREATE_TABLE_SELECT}
_MOST_TABLES = 10_000  # names that are kept
log = logging.getLogger(__name__)


class AskedUpstream(AskedAboutText, ShowsMerge, Protocol):
    """What a statement's text alone does not say."""

    def logs_temporary_tables(self) -> bool: ...

    def kind_of(self, schema: str, name: str) -> str: ...

    def table(self, schema: str, table: str) -> Table | None: ...

    def value_of(self, expression: str, zone: str) -> str: ...

    def rows(self, sql: str) -> list[Sequence[Any]]: ...

    def first_row(self, sql: str, holds: Callable[[Sequence[Any]], bool]) -> Sequence[Any] | None: ...


class Passing:
    """Owned by the thread that reads the stream."""

    def __init__(
        self,
        allow_list: BlockAllowList,
        events: DdlFilter,
        upstream: AskedUpstream,
        flavor: str,
        reaches: Callable[[TableName], bool],
        tracked: Callable[[], Iterable[Table]],
    ) -> None:
        """``reaches``, ``tracked``: see TextRows."""
        self._allow_list = allow_list
        self._filter = events
        self._upstream = upstream
        self._flavor = flavor
        self._text_rows = TextRows(allow_list, upstream, reaches, tracked)
        self._others: set[TableName] = set()  # views and sequences that this stream has made
        self._tables: set[TableName] = set()  # tables that it has made, of the task or not, and no others since
        self.temporary = TemporaryTables()  # set to those at the run's start

    def passes(self, ddl: Ddl, event: QueryEvent, place: str) -> bool:
        """Whether nothing of the statement is for the target, nor for the tracker.

        Raises STATEMENT_FORMAT where it may have changed rows of the task, TEMPORARY_OR_NOT.
        """
        if ddl.note in NAMED_AS_TABLES or ddl.kind is DdlKind.DROP_DATABASE:
            self._note_names(ddl)
        elif ddl.kind in _MAKES_TABLE and not ddl.if_exists:
            self._note_table(ddl.subject)
        elif any(isinstance(one, SetOptions) and one.options.sequence is False for one in ddl.alterations):
            self._others = self._others - {ddl.subject}
        if ddl.kind in (DdlKind.NOT_REPLICATED, DdlKind.DML_TEXT):
            self._pass_over(ddl, event, place)
            return True
        self._text_rows.forget()
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
            self._note_others(ddl.tables)

    def _note_others(self, names: Iterable[TableName]) -> None:
        self._others = self._others.union(names)
        self._tables = self._tables.difference(names)

    def _note_table(self, name: TableName) -> None:
        if len(self._tables) >= _MOST_TABLES:
            self._tables.clear()
        self._tables.add(name)
        self._others = self._others - {name}

    def is_other(self, name: TableName) -> bool:
        """Whether the stream has made a view or sequence of that name."""
        return name in self._others

    def is_of_other(self, piece: Ddl, *, is_tracked: bool) -> bool:
        """Whether it renames, alters or drops a view or sequence that the stream has made, which a new name follows.

        ``is_tracked``: it is about a table.  A DROP TABLE IF EXISTS leaves a view where it is.
        """
        is_about_it = piece.kind in _OF_OTHERS and not piece.note  # which says that it makes a sequence
        is_other = is_about_it and not is_tracked and piece.subject in self._others
        for old, new in piece.renames:
            self._others = self._others - {old, new}
            if is_other:
                self._note_others([new])
        if is_other:
            log.info("not replicated, about a view or sequence: %s", shortened(piece.text))
        return is_other

    def refuse_text(self, ddl: Ddl, event: QueryEvent, place: str) -> None:
        """Raise STATEMENT_FORMAT where the text may have changed rows of the task, unless a filter leaves it out."""
        reason = self._text_rows.may_write(ddl, event, self.temporary.owns, self._tables)
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
