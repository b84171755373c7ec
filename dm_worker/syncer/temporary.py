"""Temporary tables of the upstream's sessions, as far as the stream tells: the statement and mixed formats log them.

A temporary table hides a table of the same name from its session, so ``TRUNCATE t`` may be about either.  An event is
marked when its statement used a temporary table, but also when an earlier one of the same procedure did, or a default
asks for CONNECTION_ID(): what counts is whether the event's thread has made a temporary table of that name.  Servers
log a DROP of temporary and other tables as two statements.

What is known is kept with the checkpoint, and each table with the places where it came and went, so that it is right
at whatever location a run starts.  No I/O.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.statement import Ddl, DdlKind, TableName

TEMPORARY_OR_NOT = ErrorKind(
    36171,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "at {place} {name} may be a temporary table of session {thread}, {reason}: {sql}",
    workaround="if it is about a temporary table, `dmctl binlog skip <task>`; else `dmctl binlog replace <task> <the "
    "same statement>`; binlog_format = 'ROW' on the upstream logs no temporary tables",
)
_ABOUT_ONE_TABLE = frozenset(
    {DdlKind.TRUNCATE_TABLE, DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX, DdlKind.RENAME_TABLE}
)
_REMEMBERED = 200  # tables that are gone, which tell that their threads' temporary tables are known
Statement = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class _Temporary:
    thread: int
    name: TableName
    since: Position
    until: Position | None = None


class TemporaryTables:
    """Owned by the thread that reads the stream."""

    def __init__(self, known: Iterable[_Temporary] = ()) -> None:
        self._known = list(known)
        self._changed = False

    def owns(self, thread: int, name: TableName) -> bool:
        """Whether the session has a temporary table of that name."""
        return any(one.until is None and one.thread == thread and one.name == name for one in self._known)

    def knows(self, thread: int) -> bool:
        """Whether the session has made temporary tables before our eyes."""
        return any(one.thread == thread for one in self._known)

    def is_about_one(self, ddl: Ddl, thread: int) -> bool:
        """Whether all that the statement is about are temporary tables."""
        changed = [old for old, _ in ddl.renames] if ddl.kind is DdlKind.RENAME_TABLE else [ddl.subject]
        return ddl.kind in _ABOUT_ONE_TABLE and all(self.owns(thread, name) for name in changed)

    def doubtful(self, ddl: Ddl, thread: int, *, is_marked: bool) -> tuple[TableName, str] | None:
        """A table of a statement that may be temporary or not, and why that is not known."""
        for name in ddl.tables:
            if self.owns(thread, name):  # beside others
                if ddl.kind is DdlKind.RENAME_TABLE:
                    return name, "which others are not"
                if ddl.kind is DdlKind.CREATE_TABLE_LIKE and name != ddl.subject:
                    return name, "whose structure is not known"
        if ddl.kind in _ABOUT_ONE_TABLE and is_marked and not self.knows(thread):
            return ddl.subject, "which has none that is known"
        return None

    def note(self, ddl: Ddl, thread: int, place: Position) -> None:
        """Follow a statement about temporary tables."""
        if ddl.kind is not DdlKind.NOT_REPLICATED:
            for old, new in ddl.renames:
                if self.owns(thread, old):
                    self._end(thread, old, place)
                    self._begin(thread, new, place)
        elif ddl.text.lstrip()[:4].upper() == "DROP":
            for name in ddl.tables:
                self._end(thread, name, place)
        else:
            for name in ddl.tables:
                self._end(thread, name, place)
                self._begin(thread, name, place)

    def forget(self, place: Position) -> None:
        """The upstream was started anew at ``place``: no session of before is there."""
        for one in [one for one in self._known if one.until is None and one.since < place]:
            self._end(one.thread, one.name, place)

    def document(self, saved: Position) -> str | None:
        """What to store with a checkpoint at ``saved``; None if nothing has changed since the last call."""
        if not self._changed:
            return None
        self._changed = False
        gone = [one for one in self._known if one.until is not None and one.until <= saved]
        forgotten = gone[:-_REMEMBERED]
        self._known = [one for one in self._known if one not in forgotten]
        return json.dumps([_row(one) for one in self._known], ensure_ascii=False)

    @classmethod
    def at(cls, location: Position, document: str) -> TemporaryTables:
        """What a stored document says of the sessions at ``location``, which the stream goes on from."""
        rows = (_from_row(row) for row in json.loads(document or "[]"))
        known = (one for one in rows if one.since <= location)
        return cls(replace(one, until=None) if one.until and one.until > location else one for one in known)

    def _begin(self, thread: int, name: TableName, place: Position) -> None:
        self._known.append(_Temporary(thread, name, place))
        self._changed = True

    def _end(self, thread: int, name: TableName, place: Position) -> None:
        for number, one in enumerate(self._known):
            if one.until is None and (one.thread, one.name) == (thread, name):
                self._known[number] = replace(one, until=place)
                self._changed = True


def _row(one: _Temporary) -> list[Any]:
    return [one.thread, one.name.schema, one.name.table, str(one.since), str(one.until) if one.until else ""]


def _from_row(row: list[Any]) -> _Temporary:
    thread, schema, table, since, until = row
    ended = Position.parse(until) if until else None
    return _Temporary(thread, TableName(schema, table), Position.parse(since), ended)
