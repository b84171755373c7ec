"""DDL whose effect on rows depends on a time zone in a way that the target cannot repeat: refused.

MySQL copies a table through the local times of the session (OPTIMIZE TABLE does, too): of an hour that the zone has
twice it moves moments of one pass to the other.  TiDB takes the other one of two moments for a local time than MySQL
and MariaDB do.  And a server that copies a table calculates its STORED columns anew, in the zone of that session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dm_worker.syncer.ddl_session import asks_for_moments, is_offset
from dm_worker.syncer.doubled_hours import DoubledHour, doubled_hours
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.unlike_values import Met
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, ChangeColumn
from pkg.schema.clause_steps import renamed_columns
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.statement import DdlKind
from pkg.schema.table import Column, Table
from pkg.schema.zone_reads import (
    calculated,
    columns_read,
    local_moments,
    moments_kept,
    moments_with_offset,
    stored_of_moments,
)

MOVED_MOMENTS = ErrorKind(
    36311,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "of upstream and target one alone may move moments of {column} by the statement at {place}: MySQL copies a table "
    "through local times, {zone} has an hour twice, and {target} has rows in it, for one of {moment} UTC, which "
    "{upstream}; the statement: {sql}",
    workaround="compare {column} of the rows of that hour with the upstream's, in sessions with time_zone = '+00:00'; "
    "where the upstream's are an hour away, move those of {target} by an UPDATE (which sets its columns with ON UPDATE "
    "to what they are), then `dmctl binlog replace <task> <the same statement>`",
)
DOUBLED_THERE = ErrorKind(
    36312,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the statement at {place} makes moments of local times, and {zone} has {local} of {column} twice: of the two "
    "moments TiDB may take another one than the upstream did; the statement: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with a statement that says the moments by their offset "
    "('2026-10-25 02:30:00+02:00'); where rows have such times, make the same change in {target} yourself, copy the "
    "column's values of these rows from the upstream by the table's key, then `dmctl binlog skip <task>`",
)
STORED_ANEW = ErrorKind(
    36313,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the upstream may have calculated {column} anew with the statement at {place}, from a TIMESTAMP in the time zone "
    "{zone}, and {target} would keep values of another zone; the statement: {sql}",
    workaround="make {column} a plain column in {target} (MODIFY it without the expression), make the statement's "
    "change there, copy the column's values from the upstream by the table's key, then `dmctl binlog skip <task>`: "
    "replication then fills the column",
)
OFFSET_LITERAL = ErrorKind(
    36314,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "an expression of the statement at {place} names a moment by its offset ({literal}), which the target reads "
    "otherwise than MySQL; the statement: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with the expression as SHOW CREATE TABLE prints it upstream",
)
_COPIED = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX})
_UTC = frozenset({"+00:00", "UTC", "ETC/UTC"})
_SAMPLE = 20  # rows of one pass, which the upstream moved all or none of
_TIMES = frozenset({"datetime", "date"})
_NO_MOMENTS = frozenset({"timestamp", "time", "year", "json", "bit"})
_KEY_TYPES = (int, str, bytes)
Rows = Callable[[str], list[Sequence[Any]]]


class MovingZones:
    """Owned by the thread that reads the stream; ``ask``: what a query gives upstream, in a session in UTC."""

    def __init__(self, downstream: Downstream, ask: Rows) -> None:
        self._downstream = downstream
        self._ask = ask
        self._hours: dict[str, tuple[DoubledHour, ...]] = {}

    def refuse(self, met: Met, zone: str, zone_there: Callable[[], str], *, is_online: bool) -> None:
        """Raise for rows, or values, that would be others than upstream.

        ``zone``: of the statement's session, "" where it depended on none; ``zone_there``: in which it runs.
        ``is_online``: rows were copied by a tool, whose session no event of the statement tells.
        """
        flavor = self._downstream.server.flavor
        if met.upstream == "mysql" != flavor and (literals := moments_with_offset(met.piece)):
            raise OFFSET_LITERAL.error(literal=quote_string(literals[0]), **met.said())
        if is_online and met.upstream == "mysql":
            ((zone,),) = self._ask("SELECT @@GLOBAL.time_zone")
        if not zone:
            return
        there = self._downstream.table(met.target.schema, met.target.table)
        if there is not None:
            self._refuse_stored(met, there, zone_there, is_online=is_online)
        if is_offset(zone):
            return
        is_named_there = asks_for_moments(met.piece, met.before)
        copies = met.upstream == "mysql" or (flavor == "mysql" and is_named_there)
        if there is not None and copies and met.piece.kind in _COPIED:
            self._refuse_moved(met, there, zone)
        if flavor == "tidb" and is_named_there:
            self._refuse_doubled(met, there, zone)

    def _doubled(self, zone: str) -> tuple[DoubledHour, ...]:
        if zone not in self._hours:
            self._hours[zone] = doubled_hours(self._ask, zone)
        return self._hours[zone]

    def _refuse_moved(self, met: Met, there: Table, zone: str) -> None:
        """Raise for rows of an hour that is there twice, unless one of their pass is seen upstream as it is here.

        A copy moves all moments of one pass, or none.
        """
        moments = moments_kept(met.piece, there)
        hours = self._doubled(zone) if moments else ()
        # Of a zone by its name MySQL takes the first moment, of SYSTEM the one of the season in which it was started.
        passes = (False, True) if zone == "SYSTEM" else (False,)
        for column in moments if hours else ():
            for is_first in passes:
                where = " OR ".join(hour.moments(column.name, first=is_first) for hour in hours)
                self._refuse_pass(met, there, column, zone, where)

    def _refuse_pass(self, met: Met, there: Table, column: Column, zone: str, where: str) -> None:
        name, keys = quote_name(column.name), [there.columns[place].name for place in there.identity_key]
        listed = ", ".join([f"UNIX_TIMESTAMP({name})", name, *map(quote_name, keys)])
        rows = self._downstream.rows(f"SELECT {listed} FROM {met.target.quoted()} WHERE {where} LIMIT {_SAMPLE}")
        is_named = met.upstream == "mysql" and bool(keys) and small(column.name) not in map(small, keys)
        names = renamed_columns(met.piece.alterations)
        above = [names.get(small(one), one) for one in (column.name, *keys)]
        kept = [self._is_kept(met, above, row) if is_named else None for row in rows]
        if rows and True not in kept:
            raise MOVED_MOMENTS.error(
                column=column.name,
                zone=zone,
                moment=rows[0][1],
                upstream="is another moment there" if False in kept else "cannot be seen there",
                **met.said(),
            )

    def _is_kept(self, met: Met, names: Sequence[str], row: Sequence[Any]) -> bool | None:
        """Whether the upstream has the row with the same moment; None where that cannot be seen.

        ``names``: of the column, and of the key's columns, behind the statement.
        """
        name, *keys = names
        if not all(isinstance(value, _KEY_TYPES) for value in row[2:]):
            return None
        same = " AND ".join(f"{quote_name(key)} = {_literal(value)}" for key, value in zip(keys, row[2:], strict=True))
        try:
            found = self._ask(
                f"SELECT UNIX_TIMESTAMP({quote_name(name)}) FROM {met.piece.subject.quoted()} WHERE {same}"
            )
        except DMError:
            return None  # the table has another name by now, or other columns
        return int(found[0][0]) == int(row[0]) if found and found[0][0] is not None else None

    def _refuse_doubled(self, met: Met, there: Table | None, zone: str) -> None:
        hours = self._doubled(zone)
        for literal in local_moments(met.piece):
            if any(hour.has(literal) for hour in hours):
                raise DOUBLED_THERE.error(column="the statement", local=literal, zone=zone, **met.said())
        for column in self._made_moments(met, there) if there is not None and hours else ():
            value = quote_name(column.name)
            value = value if column.base_type in _TIMES else f"CAST({value} AS DATETIME)"
            where = " OR ".join(hour.local_times(value) for hour in hours)
            rows = self._downstream.rows(f"SELECT {value} FROM {met.target.quoted()} WHERE {where} LIMIT 1")
            if rows:
                raise DOUBLED_THERE.error(column=column.name, local=rows[0][0], zone=zone, **met.said())

    @staticmethod
    def _made_moments(met: Met, there: Table) -> Iterator[Column]:
        """Columns of which the statement may make moments."""
        changed = {small(one.old) for one in met.piece.alterations if isinstance(one, ChangeColumn)}
        calculates = any(isinstance(one, AddColumn) for one in met.piece.alterations)
        for column in columns_read(met.piece, there):
            is_other = column.base_type not in _TIMES | _NO_MOMENTS
            if column.base_type in _TIMES or (is_other and (small(column.name) in changed or calculates)):
                yield column

    def _refuse_stored(self, met: Met, there: Table, zone_there: Callable[[], str], *, is_online: bool) -> None:
        """Raise for a column that the upstream has calculated anew, unless it is as the target has it, or makes it."""
        made_there = stored_of_moments(there) if self._downstream.server.flavor != met.upstream else []
        of_upstream = stored_of_moments(met.before) if met.before is not None else []
        kept_there = [one for one in of_upstream if (below := there.column(one.name)) and not below.generated]
        asked = [*made_there, *kept_there] if not is_online else of_upstream
        if not asked or not self._downstream.has_row(met.target):
            return
        zone = self._zone_of_tools() if is_online else zone_there()
        for column in asked:
            if not zone or self._differs(met, column, zone):
                raise STORED_ANEW.error(column=column.name, zone=zone or "of the tool", **met.said())

    def _zone_of_tools(self) -> str:
        """The zone in which a tool copies rows upstream; "" where it is not UTC, in which the target would."""
        ((zone, of_host),) = self._ask("SELECT @@GLOBAL.time_zone, @@GLOBAL.system_time_zone")
        named = str(of_host if zone == "SYSTEM" else zone)
        return "+00:00" if named.upper() in _UTC else ""

    def _differs(self, met: Met, column: Column, zone: str) -> bool:
        """Whether a row has another value than it would be given in the zone."""
        same = f"{quote_name(column.name)} <=> {calculated(column)}"
        try:
            self._downstream.rows(f"SET time_zone = {quote_string(zone)}")
            return bool(self._downstream.rows(f"SELECT 1 FROM {met.target.quoted()} WHERE NOT ({same}) LIMIT 1"))
        except DMError as exc:
            if exc.resumable:
                raise
            return True  # it cannot be seen
        finally:
            self._downstream.rows("SET time_zone = '+00:00'")


def _literal(value: Any) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return quote_string(value) if isinstance(value, str) else str(value)
