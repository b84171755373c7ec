"""Online DDL whose shadow table has fewer rows, other columns or another definition than its DDL tells: refused.

Rows of shadow tables go nowhere: they are counted (``shadow_counts``), and compared with the target's when the table
takes the real one's place.  Where an earlier run has not kept the counts the binlog since the shadow table was made is
read once more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.passing import AskedUpstream
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import QueryEvent, RowsEvent
from pkg.binlog.position import Position
from pkg.binlog.rows import RowPlan
from pkg.binlog.stream import EventStream
from pkg.binlog.table_layout import TableMap
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.alter import PartitionChange
from pkg.schema.checks_there import names_behind_like, renamed_checks
from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.shadow_statements import lost_rows
from pkg.schema.shadow_tables import (
    Looks,
    Measured,
    ShadowRows,
    difference,
    filled_column,
    new_unique_keys,
    other_rows,
    renamed_columns,
)
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
NO_TABLE = ErrorKind(
    36287,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} gets the name {real} at {place}, and {target} is not there, whose place it would take: what was written "
    "to {shadow}, a shadow table of gh-ost or pt-online-schema-change by its name, was left out",
    workaround="make {target} with the structure and the rows that {shadow} had at that place (or those that {real} "
    "has upstream now, and set safe-mode: true until the task is in step), then `dmctl binlog skip <task>`. Tables of "
    "your own that have such names need online-ddl: false, or other shadow-table-rules (stop-task, start-task)",
)
UNKNOWN_BEFORE = ErrorKind(
    36288,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} gets the name {real} at {place}, and there was no {real} upstream whose rows {target} could have",
    workaround="give {target} the structure and the rows that {shadow} had at that place (or those that {real} has "
    "upstream now, and set safe-mode: true until the task is in step), then `dmctl binlog skip <task>`",
)
EXCHANGED_ROWS = ErrorKind(
    36243,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place}, and it is not certain that it has the rows of that, which {target} "
    "has: {reason}. gh-ost and pt-online-schema-change copy all rows; a rotation of tables, and `--where`, do not",
    workaround="give {target} the rows that {shadow} had at that place (or those that {real} has upstream now, and set "
    "safe-mode: true until the task is in step); then resume-task, which counts again, or `dmctl binlog replace <task> "
    "<sql>`, with that ALTER TABLE of the real table, which does not (where nothing was altered, `dmctl binlog skip`)",
)
FILLED = ErrorKind(
    36245,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place}, and the values of its new column `{column}` were written to it "
    "before, which {target} does not get: an ALTER of the table gives all rows the default",
    workaround="make the same change in {target} yourself, write the values that `{column}` has upstream by the "
    "table's key (as they are now: replication brings what has been written since), then `dmctl binlog skip <task>`; "
    "or `dmctl binlog replace <task> <sql>`, with that ALTER TABLE of the real table, where the values do not matter",
)
LOST_ROWS = ErrorKind(
    36274,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place}, and a statement that ran on it when it had not the table's rows "
    "would run on {target}, which has such rows: {reason}: {sql}",
    workaround="give {target} the structure that {real} has upstream by a statement that keeps rows (ALTER TABLE … "
    "REORGANIZE PARTITION in place of DROP PARTITION, nothing in place of TRUNCATE PARTITION), compare the rows of "
    "both, and other tables that the statement names, then `dmctl binlog skip <task>`; or `dmctl binlog replace <task> "
    "<sql>` with such an ALTER TABLE of the real table",
)
OTHER_CHECKS = ErrorKind(
    36275,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{shadow} takes the place of {real} at {place}. LIKE gave its CHECKs other names than those that {target} has, "
    "which has rows of other tables, too; a later DROP CHECK would drop another one: {names}",
    workaround="give the CHECKs of {target} these names (ALTER TABLE … DROP CONSTRAINT …, ADD CONSTRAINT … CHECK …), "
    "then resume-task",
)
_KEEPS = frozenset({"", "RESTRICT", "NO ACTION"})
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

    def rows_of(self, shadow: Table, real: Table, begin: Position, end: Position) -> ShadowRows:
        """The rows of a table that was made at ``begin``, beside those of ``real``.  Raises DMError, Stopped."""
        found, looks = ShadowRows(), Looks.at(shadow, real)
        with closing(self.stream(begin)) as stream:
            decoder = Decoder(
                flavor=self.flavor, framing=stream.framing, resolve=lambda table_map: _plan(shadow, table_map),
                file_name=begin.name, checksum=stream.checksum,
            )  # fmt: skip
            while Position(decoder.file_name, decoder.end) < end:
                event = decoder.next()
                if isinstance(event, RowsEvent):
                    found.see(event.kind, event.rows, looks)
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


def what_is_said(shadow: TableName, real: TableName, target: TableName, place: str) -> dict[str, Any]:
    """What each of the errors says of an exchange."""
    names = {"shadow": shadow, "real": real, "target": target}
    return {"place": place} | {key: f"{name.schema}.{name.table}" for key, name in names.items()}


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
    rows: ShadowRows | None  # as the stream brought them; None: they were not counted from the beginning
    trash: TableName | None  # what the real table becomes upstream

    def said(self) -> dict[str, Any]:
        """What each of the errors says of it."""
        shadow, real = (TableName(one.schema, one.name) for one in (self.shadow, self.before))
        return what_is_said(shadow, real, self.target, str(self.place))


class Holds(Enum):
    """What the target's table has of the real one's rows."""

    THESE = auto()
    CHANGED = auto()  # some may be left out, or have other values
    OTHERS = auto()  # those of other tables, too


@dataclass(frozen=True, slots=True)
class Compared:
    """A shadow table's rows, or why they are not known (``unread``), and what the target's table has."""

    rows: ShadowRows
    unread: str
    there: Measured | None  # None: rows of other tables, too


def on_both_ends(
    downstream: Downstream, before: Table | None, one: dict[str, Any], target: TableName
) -> tuple[Table, Table]:
    """The real table upstream, ``before`` its exchange, and the target's.  Raises NO_TABLE, UNKNOWN_BEFORE."""
    there = downstream.table(target.schema, target.table)
    if there is None:
        raise NO_TABLE.error(**one)
    if before is None:
        raise UNKNOWN_BEFORE.error(**one)
    return before, there


def refuse_lost_rows(
    downstream: Downstream, ddls: Sequence[Ddl], ends: tuple[Table, Table], one: dict[str, Any], target: TableName
) -> None:
    """Raises LOST_ROWS; ``ddls``: what is to run in the target, ``one``: what the error says of the table."""
    if not any(isinstance(change, PartitionChange) for ddl in ddls for change in ddl.alterations):
        return
    for lost in lost_rows(ddls, *ends):
        if downstream.rows(f"SELECT 1 FROM {target.quoted()}{lost.rows} LIMIT 1"):
            of = f" from {', '.join(lost.partitions)}" if lost.partitions else ""
            raise LOST_ROWS.error(reason=f"{lost.reason}{of}", sql=shortened(lost.sql, 400), **one)


def checks_of_like(
    downstream: Downstream, real: TableName, one: dict[str, Any], target: TableName, *, is_merged: bool
) -> str:
    """The ALTER of ``real`` that gives the target's CHECKs the names of a shadow table that MySQL's LIKE made, or "".

    Raises OTHER_CHECKS where ``target`` is of several tables, which have the names of the others.
    """
    shown = downstream.shown_table(target)
    names = names_behind_like(shown, real.table)
    if names and is_merged:
        raise OTHER_CHECKS.error(names=", ".join(f"{old} is {new} upstream" for old, new in names.items()), **one)
    return renamed_checks(shown, real, names) if names else ""


def refuse_other_rows(
    downstream: Downstream, one: ShadowTable, present: Table, binlog: Binlog, holds: Holds
) -> Compared:
    """Raises OTHER_DEFINITION, OTHER_ROWS, NOT_COPIED, Stopped; ``present``: the target's table."""
    if reason := difference(one.shadow, one.altered):
        raise OTHER_DEFINITION.error(reason=reason, **one.said())
    rows, unread = _rows(one, binlog)
    there = measured(downstream.rows, one.target, rows, present) if holds is not Holds.OTHERS else None
    compared = Compared(rows, unread, there)
    if not (there.count if there is not None else downstream.has_row(one.target)):
        return compared
    renamed = renamed_columns(one.ddls, one.shadow)
    renamed = {new: old for new, old in renamed.items() if present.column(old) is not None}
    keys = new_unique_keys(one.before, one.shadow, origins(one, renamed))
    if keys and (reason := unread or _other_count(rows, there, holds)):
        key = ", ".join(f"{index.name} ({', '.join(index.columns)})" for index in keys)
        raise OTHER_ROWS.error(key=key, reason=reason, **one.said())
    for new, old in renamed.items():
        if reason := unread or _lost(downstream, one, rows, new, old):
            raise NOT_COPIED.error(old=old, new=new, reason=reason, **one.said())
    return compared


def refuse_exchanged(upstream: AskedUpstream, one: ShadowTable, compared: Compared, holds: Holds) -> None:
    """Raises EXCHANGED_ROWS unless the shadow's rows are the target's, or the former table's upstream; FILLED."""
    rows, there = compared.rows, compared.there
    name, renamed = one.shadow.name, renamed_columns(one.ddls, one.shadow)
    if (filled := filled_column(rows, one.before, one.shadow, renamed)) is not None:
        raise FILLED.error(column=filled, **one.said())
    if one.begun is None and one.rows is None:  # another program, or version, followed it until now
        log.warning("it is not known whether %s has all rows: %s", name, compared.unread)
        return
    if any(not {key.on_delete, key.on_update} <= _KEEPS for key in one.shadow.foreign_keys):
        log.warning("foreign keys change rows of %s, which no binlog tells: they are not counted", name)
        return
    reason = compared.unread or (other_rows(rows, there) if there is not None and holds is Holds.THESE else None)
    if reason == "":
        return
    former = None if compared.unread else _former(upstream, one, rows)
    if former is not None:
        reason = other_rows(rows, former)
        reason = f"{reason} in {one.trash.quoted()} upstream" if reason and one.trash is not None else ""
    if reason:
        raise EXCHANGED_ROWS.error(reason=reason, **one.said())
    if former is not None:
        log.warning("%s has the rows of the table that it replaces upstream, and the target has other ones", name)
    else:
        log.warning("it is not known whether %s has all rows: the target's are not the table's alone", name)


def _former(upstream: AskedUpstream, one: ShadowTable, rows: ShadowRows) -> Measured | None:
    """The rows that the real table had, where it is kept upstream; None where it is not, or may not be read."""
    if one.trash is None:
        return None
    try:
        kept = upstream.table(one.trash.schema, one.trash.table)
        return None if kept is None else measured(upstream.rows, one.trash, rows, kept)
    except DMError as exc:
        if exc.resumable:
            raise
        log.info("%s cannot be read upstream: %s", one.trash.quoted(), exc)
        return None


def measured(
    ask: Callable[[str], Sequence[Sequence[Any]]], name: TableName, rows: ShadowRows, table: Table
) -> Measured:
    """How many rows a server's table has, and the sums of its columns that are known of ``rows``."""
    columns = [one for one in rows.sums if (found := table.column(one)) and found.base_type in INTEGER_TYPES]
    asked = ", ".join(["COUNT(*)", *(f"SUM({quote_name(one)})" for one in columns)])
    count, *sums = ask(f"SELECT {asked} FROM {name.quoted()}")[0]
    return Measured(int(count), {one: int(sum_ or 0) for one, sum_ in zip(columns, sums, strict=True)})


def origins(one: ShadowTable, renamed: dict[str, str]) -> dict[str, str]:
    """Columns of the shadow table → those of the real one, in lower case."""
    found = {small(column.name): small(column.name) for column in one.shadow.columns}
    return found | {small(new): small(old) for new, old in renamed.items()}


def _rows(one: ShadowTable, binlog: Binlog) -> tuple[ShadowRows, str]:
    """The shadow table's rows, and why they cannot be read, "" where they can."""
    if one.rows is not None:
        return one.rows, ""
    if one.begun is None:
        return ShadowRows(), "where the shadow table was made is not known (an earlier version followed it)"
    log.info("the rows of %s.%s are counted since %s", one.shadow.schema, one.shadow.name, one.begun)
    try:
        return binlog.rows_of(one.shadow, one.before, one.begun, one.place), ""
    except DMError as exc:
        if exc.resumable:
            raise
        return ShadowRows(), f"the shadow table's rows cannot be read from {one.begun} on: {exc}"


def _other_count(rows: ShadowRows, there: Measured | None, holds: Holds) -> str:
    if holds is not Holds.THESE or there is None:
        return "rows of other tables are in the target, or rows are left out by filters, so that they cannot be counted"
    return "" if there.count == rows.count else f"the shadow table has {rows.count} rows, the target {there.count}"


def _lost(downstream: Downstream, one: ShadowTable, rows: ShadowRows, new: str, old: str) -> str:
    """Why values are not in the shadow table: each row was written with one value, and the target has other ones."""
    value = rows.one_value(new)
    if value is None or not value.isascii():
        return ""
    text = value.decode("ascii")
    is_other = downstream.has_row(one.target, f"NOT ({quote_name(old)} <=> {text})")
    return f"each row of the shadow table was written with {text}, and the target has other values" if is_other else ""
