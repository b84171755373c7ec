"""Statements of which nothing runs downstream: of other things than tables, of temporary ones, rows as text."""

from __future__ import annotations

import logging
from typing import Protocol

from dm_worker.syncer.ddl_errors import STATEMENT_FORMAT
from dm_worker.syncer.filtering import DdlFilter
from dm_worker.syncer.temporary import TEMPORARY_OR_NOT, TemporaryTables
from dm_worker.syncer.text_rows import TextRows
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.taken import taken_pieces
from pkg.schema.errors import shortened
from pkg.schema.not_replicated import TEMPORARY, WRITERS
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table

log = logging.getLogger(__name__)


class AskedUpstream(Protocol):
    """What a statement's text alone does not say."""

    def writers(self, tables: tuple[TableName, ...], functions: tuple[TableName, ...]) -> list[str]: ...

    def logs_temporary_tables(self) -> bool: ...

    def kind_of(self, schema: str, name: str) -> str: ...

    def table(self, schema: str, table: str) -> Table | None: ...


class Passing:
    """Owned by the thread that reads the stream."""

    def __init__(self, allow_list: BlockAllowList, events: DdlFilter, upstream: AskedUpstream, flavor: str) -> None:
        self._allow_list = allow_list
        self._filter = events
        self._upstream = upstream
        self._flavor = flavor
        self._text_rows = TextRows(allow_list, upstream.writers)
        self.temporary = TemporaryTables()  # set to those at the run's start

    def passes(self, ddl: Ddl, event: QueryEvent, place: str) -> bool:
        """Whether nothing of the statement is for the target, nor for the tracker.

        Raises STATEMENT_FORMAT where it may have changed rows of the task, TEMPORARY_OR_NOT.
        """
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

    def refuse_text(self, ddl: Ddl, event: QueryEvent, place: str) -> None:
        """Raise STATEMENT_FORMAT where the text may have changed rows of the task, unless a filter leaves it out."""
        reason = self._text_rows.may_write(ddl, event, self.temporary.owns)
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
