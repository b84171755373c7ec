"""What the binlog event filter does to the stream: which parts of a DDL go downstream, what pauses the task.

The tracker follows a DDL all the same.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping

from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.ddl_verdicts import Judged, Uncuttable, judged, remaining
from pkg.rules.event_filter import Action, EventFilter
from pkg.schema.context import DdlContext
from pkg.schema.errors import shortened
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

FILTER_SAYS_ERROR = ErrorKind(
    36150,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the binlog event filter {rule} has the action Error for what comes at {place}: {event} of {table}{sql}",
    workaround="take the filter out of the task file, or change it (stop-task, start-task); `dmctl binlog skip <task>` "
    "passes over a DDL, `dmctl binlog replace <task> <sql>` runs another one in its place",
)
UNCUTTABLE = ErrorKind(
    36151,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the binlog event filter {rule} leaves out a part of the DDL at {place}, and its text cannot be cut there: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` runs what shall be left of it, `dmctl binlog skip <task>` nothing",
)
NOTHING: Mapping[TableName, Table] = {}
log = logging.getLogger(__name__)


def rows_refused(event: RowsEvent, rule: str, position: Position) -> DMError:
    """The error of a change of rows at ``position`` that a filter has the action Error for."""
    table = f"{event.table_map.schema}.{event.table_map.table}"
    return FILTER_SAYS_ERROR.error(rule=rule, place=str(position), event=event.kind, table=table, sql="")


class DdlFilter:
    """Judges with the structures at the statement's place, so before the tracker follows it."""

    def __init__(self, events: EventFilter, tracker: SchemaTracker, flavor: str) -> None:
        self._events = events
        self._tracker = tracker
        self._flavor = flavor

    def kept(
        self,
        pieces: Iterable[Ddl],
        context: DdlContext,
        sql: str,
        place: str,
        before: Mapping[TableName, Table] = NOTHING,
    ) -> tuple[Ddl, ...]:
        """What of the ``pieces`` of a statement, written as ``sql`` upstream, is to run downstream.

        ``before``: structures before the statement, of tables that the tracker has behind it already.
        Raises FILTER_SAYS_ERROR, UNCUTTABLE.
        """
        if not self._events.has_rules:
            return tuple(pieces)
        return tuple(self._kept(pieces, context, sql, place, before))

    def passes_unread(self, exc: DMError, schema: str, sql: str, place: str) -> bool:
        """Whether a statement that cannot be read counts; its ``sql-pattern`` may say that it does not."""
        verdict = self._events.ddl(schema, "", None, sql)
        if verdict.action is Action.IGNORE:
            log.warning("left out by the filter %s and not understood: %s at %s", verdict.rule, exc, place)
        return verdict.action is not Action.IGNORE

    def _kept(
        self, pieces: Iterable[Ddl], context: DdlContext, sql: str, place: str, before: Mapping[TableName, Table]
    ) -> Iterator[Ddl]:
        for piece in pieces:
            parts = judged(piece, before.get(piece.subject) or self._tracked(piece), context, self._events, sql)
            for one in parts:
                self._tell(one, sql, place)
            try:
                kept = remaining(piece, parts, self._flavor)
            except Uncuttable as exc:
                rule = next(one.verdict.rule for one in parts if not one.verdict.passes)
                raise UNCUTTABLE.error(rule=rule, place=place, sql=shortened(piece.text)) from exc
            if kept is not None:
                yield kept

    def _tell(self, one: Judged, sql: str, place: str) -> None:
        """Log what is left out.  Raises FILTER_SAYS_ERROR."""
        event, verdict, name = one.part.event, one.verdict, one.part.tables[0]
        if verdict.action is Action.ERROR:
            table = f"{name.schema}.{name.table}".rstrip(".")
            text = f": {shortened(sql)}"
            raise FILTER_SAYS_ERROR.error(rule=verdict.rule, place=place, event=event, table=table, sql=text)
        if not verdict.passes:
            log.info("left out by the filter %s: %s at %s: %s", verdict.rule, event, place, shortened(sql))

    def _tracked(self, piece: Ddl) -> Table | None:
        subject = piece.subject
        return self._tracker.table(subject.schema, subject.table) if subject.table else None
