"""One source: its stream, and a syncer over it whose decisions are the real ones.

`ShardPhases`, `Shards`, `DdlRunner`, `Bindings` and `Ranges` are those of dm-worker; this reader stands for
`Run` and `ResyncRun` without threads and connections: rows are applied at once, by one channel.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from dm_worker.syncer.bindings import Bindings
from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.ddl import DdlRunner
from dm_worker.syncer.ddl_target import UpstreamSettings
from dm_worker.syncer.resync import Ranges
from dm_worker.syncer.shard_phases import ShardPhases
from dm_worker.syncer.shards import Shards
from pkg.adapters.meta_tables import MetaTables
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.group import Group
from pkg.shardddl.lock import Order, Report
from pkg.task.operators import Op, Operator
from pkg.task.subtask import SubtaskConfig
from tests.unit.shardddl.text_store import TextStore
from tests.unit.shardddl.text_target import Row, TextTarget

Event = Row | QueryEvent
COLLATIONS = {"d": "utf8mb4_bin", "e": "utf8mb4_bin", "d2": "utf8mb4_bin"}


class Upstream:
    """The server: what it has in its binlog, and its tables as they are now."""

    def __init__(self, name: str, tables: Iterable[Table]) -> None:
        self.name = name
        self.tracker = SchemaTracker(COLLATIONS)
        self.stream: list[Event] = []
        for table in tables:
            self.tracker.load(table)

    def run(self, sql: str, flavor: str) -> None:
        """A statement, and a row of each table there is then."""
        ddl = parse_ddl(sql, default_schema="d", flavor=flavor)
        self.tracker.apply(ddl, DEFAULT_CONTEXT)
        self.stream.append(QueryEvent("d", sql, end_of(len(self.stream)), 0))
        self.insert()

    def insert(self) -> None:
        for table in sorted(self.tracker.tables(), key=lambda table: (table.schema, table.name)):
            self.stream.append(Row(self.name, end_of(len(self.stream)), table))


def end_of(place: int) -> int:
    return 100 * (place + 1)


def location(offset: int) -> Location:
    return Location(Position("mysql-bin.000001", offset))


class Reader:
    """A run over the stream from the checkpoint on."""

    def __init__(self, source: TextSource, tracker: SchemaTracker, shards: Shards, ranges: Ranges | None) -> None:
        self.source, self.store = source, source.store
        self.tracker, self.shards, self.ranges = tracker, shards, ranges
        self.read = self.store.checkpoint.location  # up to where
        self.until: Position | None = None  # what was applied ahead of the checkpoint is read first
        self._begun = self.store.checkpoint.ddl_location
        self._active: dict[TableName, int] = {}
        self._bindings = Bindings(
            tracker,
            source.router,
            source.allow_list,
            {},
            fetch_upstream=source.upstream.tracker.table,
            fetch_downstream=source.target.table,
        )
        self._ddl = source.runner(tracker)
        if ranges is None:
            self._ddl.shards = shards
            self._bindings.wants = shards.wants
        else:
            self._bindings.wants = lambda schema, table: TableName(schema, table) in self._active
            self._enter(self.read.position)

    @property
    def is_over(self) -> bool:
        if self.ranges is not None:
            return self.read.position >= self.ranges.main.position
        if self.until is not None:
            return self.read.position >= self.until
        return self.shards.synced is not None or self.source.phases.is_ordered

    def next(self) -> bool:
        """Handle one event; False when there is none.  Raises DMError."""
        place = self.read.position.offset // 100
        if place >= len(self.source.upstream.stream):
            return False
        event, after = self.source.upstream.stream[place], location(end_of(place))
        if isinstance(event, Row):
            self._row(event, after)
        elif self.ranges is None:
            self._query(event, after)
        else:
            self._query_again(event, after, self.ranges)
        self.read = after
        return True

    def save(self) -> None:
        self.store.save(self._checkpoint(self.read, self._begun))

    def _row(self, row: Row, after: Location) -> None:
        binding = self._bindings.of(row.structure.schema, row.structure.name)
        if binding is None or (self.store.channel is not None and after.position <= self.store.channel):
            return
        target = self.source.router.route(row.structure.schema, row.structure.name)
        self.source.target.write(row, binding.structure, TableName(target.schema, target.table))
        self.store.channel = after.position
        self.source.did(f"writes {after.position}")

    def _query(self, event: QueryEvent, after: Location) -> None:
        """As `Run._ddl`."""
        place = str(after.position)
        operator = self.store.decided.get(after.position)
        if operator is not None:
            self._behind_barrier(
                after, operator.mark, lambda again: self._ddl.operate(operator, event, place, again, after), operator
            )
            return
        understood = self._ddl.understand(event, place)
        if understood is not None:
            self._behind_barrier(after, place, lambda again: self._ddl.execute(understood, again, after))

    def _behind_barrier(
        self, after: Location, mark: str, execute: Callable[[bool], Any], operator: Operator | None = None
    ) -> None:
        marked = self._checkpoint(self.read, mark)
        self._ddl.pieces.journal = self.store.journal(marked, mark if self._begun == mark else "")
        try:
            changed = execute(self._begun == mark)
        except DMError as exc:
            if not exc.resumable and not self._ddl.pieces.parts_done:
                self.store.save(self._checkpoint(self.read, self._begun))
            raise
        self._begun = ""
        self._bindings.forget()
        also = self._ddl.take_changes()
        if operator is not None:
            also.append(self.store.forget_operator(operator.position))
        self.store.save(self._checkpoint(after), changed, also=also)

    def _query_again(self, event: QueryEvent, after: Location, ranges: Ranges) -> None:
        """As `ResyncRun._ddl`."""
        changed = self._ddl.follow(event, str(after.position))
        moved = [number for table, number in self._active.items() if (table.schema, table.table) in changed]
        self._enter(after.position)
        moved = [one for one in moved if one in self._active.values()]
        statements = []
        for number in moved:
            resync = ranges.resyncs[number]
            structure = self.tracker.table(resync.table.schema, resync.table.table)
            if structure is not None:
                ranges.resyncs[number] = replace(resync, start=after, structure=structure)
                statements.append(self.source.phases.statements.moved(number, ranges.resyncs[number]))
        if moved:
            self.store.save(self._checkpoint(after), also=statements)
        self._bindings.forget()

    def _enter(self, position: Position) -> None:
        assert self.ranges is not None
        active = {self.ranges.resyncs[number].table: number for number in self.ranges.active(position)}
        for table, number in active.items():
            if self._active.get(table) != number:
                self.tracker.load(self.ranges.resyncs[number].structure)
        self._active = active

    def _checkpoint(self, where: Location, mark: str = "") -> Checkpoint:
        return Checkpoint(where, 1, "server", mark)


class NoWriters:
    """An upstream without views, triggers and functions, whose sessions log rows."""

    def logs_temporary_tables(self) -> bool:
        return False

    def shown_merge(self, schema: str, table: str) -> str:
        return ""

    def rows(self, sql: str) -> list[Sequence[Any]]:
        return []

    def first_row(self, sql: str, holds: Callable[[Sequence[Any]], bool]) -> Sequence[Any] | None:
        return None

    def kind_of(self, schema: str, name: str) -> str:
        return "BASE TABLE"

    def table(self, schema: str, table: str) -> Table | None:
        return None

    def value_of(self, expression: str, zone: str) -> str:
        return ""


class TextSource:
    """The subtask of one source.  ``did`` is called after each effect that lasts, and may end it there."""

    def __init__(
        self, config: SubtaskConfig, upstream: Upstream, target: TextTarget, did: Callable[[str, str], None]
    ) -> None:
        self.config, self.upstream, self.target = config, upstream, target
        self.name = config.source_id
        self.did: Callable[[str], None] = lambda what: did(self.name, what)
        self.router, self.allow_list = config.router(), config.allow_list()
        self.store = TextStore(Checkpoint(location(0), 1, "server"), upstream.tracker.tables(), self.did)
        self.error: DMError | None = None
        self.saves_often = False
        self.is_started = True
        self.restart()

    def restart(self) -> None:
        """It has died: only what is stored is left."""
        self.phases = ShardPhases(self.config, MetaTables("dm_meta", "task"))
        self._waited: tuple[Order, ...] | None = None  # with these orders it had to wait
        self.reader: Reader | None = None

    def runner(self, tracker: SchemaTracker) -> DdlRunner:
        target = cast(Any, Told(self.target, self.did))
        return DdlRunner(
            self.config,
            tracker,
            self.router,
            self.allow_list,
            target,
            UpstreamSettings(self.config.flavor, {}, (), lambda zone, at: "+00:00", lambda zone: False),
            NoWriters(),
        )

    def step(self, orders: Iterable[Order]) -> bool:
        """Do one thing; False when there is nothing to do."""
        if self.error is not None or not self.is_started:
            return False
        self.phases.orders.give(orders := tuple(orders))
        try:
            return self._begin(orders) if self.reader is None else self._read(self.reader)
        except DMError as exc:
            self.error, self.reader = exc, None
            return True

    def _begin(self, orders: tuple[Order, ...]) -> bool:
        if orders == self._waited:
            return False
        self._waited = None
        tracker = SchemaTracker(COLLATIONS)
        for table in self.store.structures():
            tracker.load(table)
        store = cast(Any, self.store)
        shards = self.phases.load(store, tracker)
        assert shards is not None
        if shards.main is not None:
            if self.store.checkpoint.location.position >= shards.main.position:
                self.phases.end_resync(self.store.checkpoint, store, shards)
                return True
            self.reader = Reader(self, SchemaTracker(COLLATIONS), shards, Ranges(shards.resyncs, shards.main))
        elif (group := self.phases.next_group(shards, store)) is not None:
            applied = self.store.channel
            if applied is None or applied <= self.store.checkpoint.location.position:
                return self._resolve(group, orders)
            self.reader = Reader(self, tracker, shards, None)
            self.reader.until = applied
        else:
            self.reader = Reader(self, tracker, shards, None)
        return True

    def _resolve(self, group: Group, orders: tuple[Order, ...]) -> bool:
        if self.config.source_count > 1:
            target = group.target.quoted()
            ordered = any(order.target == target and order.number == group.number for order in orders)
            if not ordered and group.place_of(self.store.decided) is None:
                self.phases.look(group, cast(Any, self.target))
                self._waited = orders
                return False
        store, target_server = cast(Any, self.store), cast(Any, Told(self.target, self.did))
        known, stop = self.store.checkpoint, threading.Event()
        self.phases.resolve(group, known, store, self.runner, target_server, lambda *_: True, stop)
        return True

    def _read(self, reader: Reader) -> bool:
        moved = reader.next()
        if reader.is_over or (moved and self.saves_often):
            reader.save()
        if reader.is_over:
            self.reader = None
            return True
        return moved

    def reports(self) -> list[Report] | None:
        """What it tells dm-master; None before it knows."""
        status = self.phases.status({})
        if not self.is_started or "shardsKnown" not in status:
            return None
        return [
            Report(
                one["target"],
                one["number"],
                tuple(one["ddls"]),
                one["location"],
                one["meaning"],
                may_be_late=one["mayBeLate"],
            )
            for one in status["shardReports"]
        ]

    @property
    def unresolved(self) -> list[Any]:
        found: list[Any] = self.phases.status({}).get("unresolvedGroups", [])
        return found

    @property
    def is_at_end(self) -> bool:
        return self.reader is not None and self.reader.ranges is None and self._behind == len(self.upstream.stream)

    @property
    def _behind(self) -> int:
        assert self.reader is not None
        return self.reader.read.position.offset // 100

    def operate(self, op: Op, *sqls: str) -> None:
        """An operator decides about the statement where the source is paused."""
        assert self.error is not None, f"{self.name} is not paused"
        stream, offset = self.upstream.stream, self.store.checkpoint.location.position.offset
        event = next(one for one in stream[offset // 100 :] if isinstance(one, QueryEvent))
        position = Position("mysql-bin.000001", event.end)
        self.store.decided[position] = Operator(position, op, sqls)
        self.error = None

    def operate_held(self, op: Op, *sqls: str) -> None:
        """An operator decides about the DDL with which the source waits, or which the target has refused."""
        tracker = SchemaTracker(COLLATIONS)
        for table in self.store.structures():
            tracker.load(table)
        shards = self.phases.load(cast(Any, self.store), tracker)
        assert shards is not None
        head = (shards.synced or shards.waiting()[0]).head
        assert head is not None
        position = head.location.position
        self.store.decided[position] = Operator(position, op, sqls)
        self.error, self.reader, self._waited = None, None, None


class Told:
    """The target, which tells when a DDL has run."""

    def __init__(self, target: TextTarget, did: Callable[[str], None]) -> None:
        self._target, self._did = target, did

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def execute_ddl(self, sql: str, *arguments: Any) -> None:
        self._target.execute_ddl(sql, *arguments)
        self._did(f"executes {sql}")
