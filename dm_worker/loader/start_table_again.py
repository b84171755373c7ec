"""A table that was altered while it was copied without a lock starts again, alone.

1. While the table is locked, for milliseconds, its structure and the location are read.  Replication passes over
   its rows up to there, and its DDL up to there only reaches the tracker (syncer/copied.py).
2. The table is cut anew; the new chunks, the structure and the location are stored, and what was copied is
   forgotten: whatever still reads the table can commit no more.
3. The target's table is dropped and created as the upstream's was in 1, while no other run can claim the source.

A crash before 2 is stored changes nothing; after it, the next run begins with 3 (``go_on``).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from dm_worker.dumper.chunks import ChunkSize, Range, TableSize
from dm_worker.dumper.plan import plan_tables
from dm_worker.dumper.snapshot import CANNOT_LOCK, hold_still
from dm_worker.dumper.source_tables import ListedTable, SourceTable, read_structures
from dm_worker.loader.again_meta import Again, AgainMeta
from dm_worker.loader.altered import ERRORS_OF_DDL
from dm_worker.loader.later import postponed
from dm_worker.loader.later_meta import LaterMeta
from dm_worker.loader.schema import TargetSchema
from dm_worker.loader.start_again import not_empty_tables
from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import Connection, Link
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.structures import schema_collations, structure_of
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import check_upstream
from pkg.rules.router import Target
from pkg.schema.letter_case import small
from pkg.schema.reflection import shape
from pkg.schema.table import Table
from pkg.task.stage import ShardMode
from pkg.task.subtask import SubtaskConfig

_MOST: Final = 5  # times that one table starts again in one run
_LOCK_WAIT_SECONDS: Final = 5  # for whoever reads the target's table: meanwhile the task's other sources wait, too
_CHANGED: Final = "the target table {} was changed since this task created it, or this task has not created it"
log = logging.getLogger(__name__)

CANNOT_MAKE_ANEW = ErrorKind(
    34024,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{table} was altered while it was copied and starts again, and its target {target} cannot be made anew: {reason}",
    workaround="where the reason is gone, resume-task; else copy anew: stop-task, empty the task's tables downstream, "
    "start-task --remove-meta for all its sources",
)


@dataclass(slots=True)
class StartTableAgain:
    """For one run of one subtask; ``upstream`` and ``downstream`` open connections."""

    config: SubtaskConfig
    tables: MetaTables
    epoch: int
    servers: tuple[Server, Server]
    upstream: Link
    downstream: Link
    size: ChunkSize
    _times: Counter[tuple[str, str]] = field(default_factory=Counter)

    def start(self, name: tuple[str, str], differences: str, rows: TableSize) -> str:
        """Let the table start again; the reason where it cannot, and then nothing has changed.

        A table that is altered just now is left to the next chunk that fails.
        """
        self._times[name] += 1
        if self._times[name] > _MOST:
            return f"it has started again {_MOST} times"
        with self.downstream() as downstream:
            meta = self._meta(downstream)
            target = meta.target_of(*name)
            reason = self._hindrance(meta, downstream, target)
            if reason or target is None:
                return reason
            try:
                source, location = self._read(name, rows)
                ranges = self._ranges(source, target)
            except DMError as exc:
                if exc.is_a(CANNOT_LOCK):
                    return exc.message
                if errno_of(exc) not in ERRORS_OF_DDL:
                    raise
                log.info("table %s.%s is being altered: %s", *name, exc)
                return ""
            table = Again(*name, source.create_sql, target)
            reason = self._begin(table, location, ranges, meta, differences)
            if not reason:
                self._make(table, meta)
            return reason

    def _begin(
        self, table: Again, location: Location, ranges: Sequence[Range], meta: AgainMeta, differences: str
    ) -> str:
        name, structure = (table.schema, table.name), table.structure
        reason = referring(name, {(one.schema, one.name): one for one in meta.structures()}, structure)
        if reason:
            return reason
        check_upstream(structure, self.config.column_rules().of(*name))
        crashpoint("again.planned")
        other = meta.begin(table, location, ranges, self.config.router().route)
        if other:
            return f"{other} goes to its target {table.target.schema}.{table.target.table}, too"
        log.warning(
            "table %s.%s was altered while it was copied (%s): it starts again as it was at %s, in %d chunks",
            *name, differences, location.position, len(ranges),
        )  # fmt: skip
        crashpoint("again.begun")
        return ""

    def go_on(self) -> None:
        """Make what an earlier run was about to make."""
        with self.downstream() as downstream:
            meta = self._meta(downstream)
            allows = self.config.allow_list().allows
            for table in (one for one in meta.half_made() if allows(one.schema, one.name)):
                log.info("table %s.%s was about to start again", table.schema, table.name)
                self._make(table, meta)

    def _meta(self, downstream: Connection) -> AgainMeta:
        return AgainMeta(downstream, self.tables, self.config.source_id, self.epoch)

    def _hindrance(self, meta: AgainMeta, downstream: Connection, target: Target | None) -> str:
        if self.config.shard_mode is not ShardMode.NONE:
            return f"shard-mode is {self.config.shard_mode}"
        if target is None:
            return "nothing of it is planned"
        made = meta.made(target)
        if made is None or structure_of(downstream, target.schema, target.table) != made:
            return _CHANGED.format(target)
        return ""

    def _read(self, name: tuple[str, str], rows: TableSize) -> tuple[SourceTable, Location]:
        with self.upstream() as locker:
            location = hold_still(locker, *name)
            (source,) = read_structures(locker, [ListedTable(*name, rows)])
            return source, location

    def _ranges(self, source: SourceTable, target: Target) -> Sequence[Range]:
        with self.upstream() as upstream:
            return plan_tables(upstream, [(source, target)], self.size, lambda: False)[0].ranges

    def _make(self, table: Again, meta: AgainMeta) -> None:
        """The target's table, as the upstream's was.  Raises what the target says, and CANNOT_MAKE_ANEW."""
        source = SourceTable(ListedTable(table.schema, table.name, TableSize(0, 0)), table.create_sql, table.structure)
        rules = self.config.column_rules().of(table.schema, table.name)
        with self.downstream() as second:
            if self.servers[1].flavor != "tidb":  # where readers of the old table do not hinder it for long
                second.query(f"SET SESSION lock_wait_timeout = {_LOCK_WAIT_SECONDS}")
            schema = self._schema(table, meta, second)
            sql = schema.statement(source, table.target, rules)
            made = meta.made(table.target)
            work = partial(self._made_anew, second, schema, sql, source, table, made)
            other = meta.make(table, work, self.config.router().route)
            if other:
                raise _refused(table, f"{other} goes there, too")
            crashpoint("again.made")
            schema.provide(source, table.target, rules)

    def _made_anew(
        self, connection: Connection, schema: TargetSchema, sql: str, source: SourceTable, table: Again,
        made: Table | None,
    ) -> Table | None:  # fmt: skip
        """None where somebody has created the table by hand, as an operator does whom the target's refusal was told."""
        target = table.target
        there = structure_of(connection, target.schema, target.table)
        if there is not None and there != made:
            if not_empty_tables(connection, [(target.schema, target.table)]):
                raise _refused(table, "it is another table now, and has rows")
            return None
        connection.query(f"DROP TABLE IF EXISTS {quoted(target.schema)}.{quoted(target.table)}")
        crashpoint("again.dropped")
        now, is_mine = schema.make(sql, source, target, connection)
        crashpoint("again.created")
        return now if is_mine else None

    def _schema(self, table: Again, meta: AgainMeta, connection: Connection) -> TargetSchema:
        source, target = self.servers
        router, rules = self.config.router(), self.config.column_rules()
        later = LaterMeta(connection, self.tables, self.config.source_id, self.epoch)
        later.forget(table.target)  # what it has now may be less
        names = ((one, (one.schema, one.name)) for one in meta.structures())
        routed = ((one, router.route(*name), rules.of(*name)) for one, name in names)
        left_out = postponed(later, routed, indexes=self.config.load.late_indexes)
        with self.upstream() as upstream:
            collations = schema_collations(upstream)
        layouts = self.config.tidb_layouts()
        return TargetSchema(connection, target, source, collations, left_out, layouts, self.config.meta_schema)


def _refused(table: Again, reason: str) -> DMError:
    target = str(table.target)
    return CANNOT_MAKE_ANEW.error(table=f"{table.schema}.{table.name}", target=target, reason=reason)


def referring(name: tuple[str, str], tables: dict[tuple[str, str], Table], now: Table) -> str:
    """The table with a foreign key to columns that are other ones now: its key is stored as it was; "" for none."""
    before = tables[name]
    changed = {
        small(column.name)
        for column in before.columns
        if (there := now.column(column.name)) is None or shape(there) != shape(column)
    }
    for other in tables.values():
        if (other.schema, other.name) != name and _refers(other, name, changed):
            return f"a foreign key of {other.schema}.{other.name} refers to what has changed"
    return ""


def _refers(table: Table, name: tuple[str, str], columns: Iterable[str]) -> bool:
    wanted = name[0].lower(), name[1].lower(), set(columns)
    return any(
        (key.ref_schema.lower(), key.ref_table.lower()) == wanted[:2]
        and not wanted[2].isdisjoint(small(column) for column in key.ref_columns)
        for key in table.foreign_keys
    )
