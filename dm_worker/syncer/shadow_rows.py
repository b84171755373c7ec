"""Online DDL whose shadow table has fewer rows, other columns or another definition than its DDL tells: refused.

The rows of shadow tables are passed over.  Where a new unique key may have kept rows out of one, or a column has got
another name, the binlog since the shadow table was made is read once more, and its rows are counted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from dm_worker.syncer.servers import Downstream
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import QueryEvent, RowsEvent
from pkg.binlog.position import Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.stream import EventStream
from pkg.binlog.table_layout import TableMap
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.lexer import quote_name
from pkg.schema.shadow_tables import ShadowRows, difference, new_unique_keys, renamed_columns
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.unit import StopSignal

OTHER_ROWS = ErrorKind(
    36183,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place} with the new unique key {key}, and it is not certain that it has "
    "the rows that {target} has: {reason}. Where gh-ost or pt-online-schema-change copied rows, INSERT IGNORE left out "
    "those that the key refused at that moment",
    workaround="delete the rows from {target} that {real} lacks upstream (compare the keys of both), then resume-task, "
    "which counts again; or `dmctl binlog replace <task> <sql>`, with that ALTER TABLE of the real table, runs it "
    "without counting",
)
NOT_COPIED = ErrorKind(
    36184,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "column `{old}` of {real} got the name `{new}` in {shadow}, which takes its place at {place}, and it is not "
    "certain that its values were copied, which {target} has: {reason}",
    workaround="`dmctl binlog replace <task> <sql>`, with an ALTER TABLE of the real table that drops `{old}` and adds "
    "`{new}`, gives the target what the upstream has; with CHANGE it keeps the values",
)
OTHER_DEFINITION = ErrorKind(
    36185,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place}, and was made in another way than by altering a copy of it: "
    "{reason}",
    workaround="`dmctl binlog replace <task> <sql>`, with an ALTER TABLE of the real table that makes the same change; "
    "rows that {real} has lost or got on this way are to be brought to the target by hand",
)
Streams = Callable[[Position], EventStream]
_READ_SECONDS: Final = 1.0
log = logging.getLogger(__name__)


class Stopped(Exception):
    """Replication is to end while rows are counted."""


@dataclass(frozen=True, slots=True)
class Binlog:
    """Reads a part of the binlog beside replication."""

    stream: Streams
    flavor: str
    read: Callable[[QueryEvent], Ddl]
    stop: StopSignal

    def rows_of(
        self, shadow: Table, begin: Position, end: Position, columns: frozenset[int], *, counts: bool
    ) -> ShadowRows:
        """The rows of a table that was made at ``begin``.  Raises DMError, Stopped.

        Where it does not count: those up to where each of the columns has several values.
        """
        found = ShadowRows(columns)
        with closing(self.stream(begin)) as stream:
            decoder = Decoder(
                flavor=self.flavor, framing=stream.framing, resolve=lambda table_map: _plan(shadow, table_map),
                file_name=begin.name, checksum=stream.checksum,
            )  # fmt: skip
            while Position(decoder.file_name, decoder.end) < end and (counts or not found.are_filled):
                event = decoder.next()
                if isinstance(event, RowsEvent):
                    found.see(event.kind, event.rows)
                elif isinstance(event, QueryEvent):
                    decoder.forget_tables()
                    if shadow.name in event.sql and self._empties(event, shadow):
                        found.emptied()
                elif event is not None:
                    continue
                elif self.stop.is_set():
                    raise Stopped
                elif received := stream.read(_READ_SECONDS):
                    decoder.feed(received)
        return found

    def _empties(self, event: QueryEvent, shadow: Table) -> bool:
        try:
            ddl = self.read(event)
        except DMError:
            return False
        return ddl.kind is DdlKind.TRUNCATE_TABLE and ddl.subject == TableName(shadow.schema, shadow.name)


def _plan(shadow: Table, table_map: TableMap) -> RowPlan | None:
    if (table_map.schema, table_map.table) != (shadow.schema, shadow.name):
        return None
    return RowPlan.build(shadow.columns, table_map, most_hidden=shadow.most_hidden_columns)


@dataclass(frozen=True, slots=True)
class ShadowTable:
    """A shadow table at its exchange, beside the real one ``before`` and as the shadow's DDL would make it."""

    shadow: Table
    before: Table
    altered: Table
    ddls: tuple[Ddl, ...]
    begun: Position | None  # where it was made; None where that is not known
    place: Position
    target: TableName

    def said(self) -> dict[str, Any]:
        """What each of the errors says of it."""
        return {
            "shadow": f"{self.shadow.schema}.{self.shadow.name}",
            "real": f"{self.before.schema}.{self.before.name}",
            "target": f"{self.target.schema}.{self.target.table}",
            "place": str(self.place),
        }


def refuse_other_rows(downstream: Downstream, one: ShadowTable, binlog: Binlog, *, counts: bool) -> None:
    """Raises OTHER_DEFINITION, OTHER_ROWS, NOT_COPIED, Stopped.

    ``counts``: the target has the rows of this table, and no other ones.
    """
    if reason := difference(one.shadow, one.altered):
        raise OTHER_DEFINITION.error(reason=reason, **one.said())
    present = downstream.table(one.target.schema, one.target.table)
    if present is None or not downstream.has_row(one.target):
        return
    renamed = renamed_columns(one.ddls, one.shadow)
    renamed = {new: old for new, old in renamed.items() if present.column(old) is not None}
    keys = new_unique_keys(one.before, one.shadow, origins(one, renamed))
    if not keys and not renamed:
        return
    rows, unread = _rows(one, binlog, frozenset(one.shadow.ordinal(new) for new in renamed), counts=bool(keys))
    if keys and (reason := unread or _other_count(downstream, one, rows, counts)):
        key = ", ".join(f"{index.name} ({', '.join(index.columns)})" for index in keys)
        raise OTHER_ROWS.error(key=key, reason=reason, **one.said())
    for new, old in renamed.items():
        if reason := unread or _lost(downstream, one, rows, new, old):
            raise NOT_COPIED.error(old=old, new=new, reason=reason, **one.said())


def origins(one: ShadowTable, renamed: dict[str, str]) -> dict[str, str]:
    """Columns of the shadow table → those of the real one, in lower case."""
    found = {column.name.lower(): column.name.lower() for column in one.shadow.columns}
    return found | {new.lower(): old.lower() for new, old in renamed.items()}


def _rows(one: ShadowTable, binlog: Binlog, columns: frozenset[int], *, counts: bool) -> tuple[ShadowRows, str]:
    """The shadow table's rows, and why they cannot be read, "" where they can."""
    if one.begun is None:
        return ShadowRows(columns), "where the shadow table was made is not known (an earlier version followed it)"
    log.info("the rows of %s.%s are counted since %s", one.shadow.schema, one.shadow.name, one.begun)
    try:
        return binlog.rows_of(one.shadow, one.begun, one.place, columns, counts=counts), ""
    except DMError as exc:
        if exc.resumable:
            raise
        return ShadowRows(columns), f"the shadow table's rows cannot be read from {one.begun} on: {exc}"


def _other_count(downstream: Downstream, one: ShadowTable, rows: ShadowRows, counts: bool) -> str:
    if not counts:
        return "rows of other tables are in the target, or rows are left out by filters, so that they cannot be counted"
    there = downstream.count(one.target)
    return "" if there == rows.count else f"the shadow table has {rows.count} rows, the target {there}"


def _lost(downstream: Downstream, one: ShadowTable, rows: ShadowRows, new: str, old: str) -> str:
    """Why values are not in the shadow table: each row was written with one value, and the target has other ones."""
    value = rows.one_value(one.shadow.ordinal(new))
    if value is None or not value.isascii():
        return ""
    text = value.decode("ascii")
    is_other = downstream.has_row(one.target, f"NOT ({quote_name(old)} <=> {text})")
    return f"each row of the shadow table was written with {text}, and the target has other values" if is_other else ""
