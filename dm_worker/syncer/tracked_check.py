"""Tables that a DDL has changed are compared, as they are tracked, with what the upstream shows.

What a statement makes of a table is read from its text and its session.  The upstream shows a table as it is now: it is
asked when nothing is left to read, and judged when all up to that moment has been read without another DDL about the
table.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pkg.binlog.position import Location, Position
from pkg.compare.structure import unlike
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.hidden_characters import with_told_labels
from pkg.schema.statement import TableName
from pkg.schema.table import Table

NOT_AS_UPSTREAM = ErrorKind(
    44013,
    "schema-tracker",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} is not as replication takes it to be behind {ddl}; upstream {found}",
    workaround="if it was altered without the binlog (sql_log_bin = 0), make the same change in the target; else "
    "report the statement as a defect, and alter the target's table so that it is as upstream; then "
    "`dmctl binlog-schema delete <task> {schema} {name}`, by which the structure is read anew, and resume-task",
)
OF_EARLIER_RUN = "a DDL that an earlier run has read"
_PAUSE_SECONDS = 0.5
_TABLES_AT_ONCE = 20
_SHOWN = 5
log = logging.getLogger(__name__)


class Upstream(Protocol):
    def table(self, schema: str, table: str) -> Table | None: ...

    def present_location(self) -> Location: ...


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as the upstream has shown it, at or before a position; and the DDL that changed it last."""

    table: Table | None
    position: Position
    ddl: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What outlives a run.

    What a process did not compare before it died is compared by the next one, which begins with all tables that are
    tracked.
    """

    due: dict[TableName, str] = field(default_factory=dict)  # not compared yet, with the DDL that changed them last
    unlike: dict[TableName, str] = field(default_factory=dict)  # with what was found

    def said(self) -> list[str]:
        """What was found of the tables that are not as replication takes them to be; any thread may ask."""
        return list(self.unlike.values())

    def begin_anew(self) -> None:
        """What was found is looked at again by a run that begins: it may have been mended meanwhile."""
        self.due.update((name, OF_EARLIER_RUN) for name in self.unlike if name not in self.due)


class TrackedCheck:
    """Owned by the thread that reads the stream."""

    def __init__(self, upstream: Upstream, tracked: Callable[[TableName], Table | None], compared: Compared) -> None:
        self._upstream = upstream
        self._tracked = tracked
        self._due, self._unlike = compared.due, compared.unlike
        self._shown: dict[TableName, Shown] = {}
        self._next_look = 0.0

    def changed(self, names: Iterable[TableName], at: str) -> None:
        """A DDL has changed tables."""
        for name in names:
            self._shown.pop(name, None)
            self._due[name] = f"the DDL at {at}"

    def look(self, read: Position, now: float) -> None:
        """Ask for what is due, now and then, and say what differs.  ``read``: all before it has been read."""
        self._judge(read)
        if self._due.keys() - self._shown.keys() and now >= self._next_look:
            self._next_look = now + _PAUSE_SECONDS
            self._ask()
            self._judge(read)

    def _ask(self) -> None:
        names = [name for name in self._due if name not in self._shown][:_TABLES_AT_ONCE]
        tables: dict[TableName, Table | None] = {}
        for name in names:
            try:
                tables[name] = self._upstream.table(name.schema, name.table)
            except DMError as exc:
                self._give_up([name], exc)
        try:
            position = self._upstream.present_location().position  # not before what the tables show
        except DMError as exc:
            self._give_up(list(tables), exc)
            return
        self._shown |= {name: Shown(table, position, self._due[name]) for name, table in tables.items()}

    def _give_up(self, names: Iterable[TableName], exc: DMError) -> None:
        for name in names:
            log.warning("%s is not compared with the upstream's behind a DDL: %s", name.quoted(), exc)
            del self._due[name]

    def _judge(self, read: Position) -> None:
        for name in [name for name, shown in self._shown.items() if shown.position <= read]:
            shown = self._shown.pop(name)
            del self._due[name]
            found = _found(shown.table, self._tracked(name))
            self._unlike.pop(name, None)
            if found:
                differing = NOT_AS_UPSTREAM.error(
                    table=name.quoted(),
                    schema=name.schema,
                    name=name.table,
                    ddl=shown.ddl,
                    found="; ".join(found[:_SHOWN]),
                )
                # Not a pause: a start at an older place tracks what was read later, whose keys may stand twice.
                log.warning("%s", differing)
                self._unlike[name] = str(differing)


def _found(shown: Table | None, tracked: Table | None) -> list[str]:
    if tracked is not None and tracked.kind != "table":
        return []
    if shown is None or tracked is None:
        return [] if shown is tracked else ["there is no such table" if shown is None else "it is there"]
    return unlike(with_told_labels(shown, tracked), with_told_labels(tracked, shown))
