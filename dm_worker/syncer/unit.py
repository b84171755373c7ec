"""The sync unit: sets up runs of replication from what the target's meta tables say.

Where a run starts: at the checkpoint; else where the full migration began to read; else at the
location or time that the task names; else at the upstream's present location.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from dm_worker.syncer.applier import Counters
from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore, TableName
from dm_worker.syncer.ddl import DdlRunner
from dm_worker.syncer.ddl_ahead import changes_ahead
from dm_worker.syncer.ddl_jobs import running_job
from dm_worker.syncer.doubtful_labels import ask_again
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.finding_moves import Read
from dm_worker.syncer.former import ChangeAhead, Former, NotLookedUp
from dm_worker.syncer.grace import Grace
from dm_worker.syncer.move_search import PhasedRange
from dm_worker.syncer.moved_rows import UNKNOWN_MOVE
from dm_worker.syncer.observer import Observer
from dm_worker.syncer.relay_damage import damage_of, refused_by_both
from dm_worker.syncer.run import End, Run
from dm_worker.syncer.run_maker import RunMaker, Start
from dm_worker.syncer.shadow_rows import Binlog, Stopped
from dm_worker.syncer.shard_phases import ShardPhases
from dm_worker.syncer.start_finder import StartFinder
from dm_worker.syncer.tracked_check import OF_EARLIER_RUN, Compared
from dm_worker.syncer.upstream import Upstream
from dm_worker.syncer.upstream_watch import UpstreamWatch
from pkg.adapters.kept_runs import refuse_to_ignore
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables, store_taken
from pkg.adapters.owned_connections import OwnedConnections
from pkg.binlog.position import Location, Position
from pkg.binlog.stream import EventStream
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.rows.foreign_keys import asks_for_key_checks
from pkg.schema.statement import TableName as QualifiedName
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.group import Group
from pkg.shardddl.lock import Order
from pkg.shardddl.moves import MoveFinder
from pkg.task.live import LiveSettings, with_live
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal, UnitName

log = logging.getLogger(__name__)


class Syncer:
    """Unit: replicates one source into the target until stopped; a `full` task ends where its copy ended."""

    name = UnitName.SYNC

    def __init__(self, config: SubtaskConfig, bind_epoch: int, relay_folder: str = "") -> None:
        self._config = config
        self._bind_epoch = bind_epoch
        self._tables = MetaTables(config.meta_schema, config.task_name)
        self._upstream = Upstream(config, relay_folder)
        self._downstream = Downstream(config)
        self._counters = Counters()
        self._observer = Observer(self._counters)
        self._run: Run | None = None
        self._begins: Location | None = None
        self._compared = Compared()
        self._is_first = True  # no run has begun yet
        self._steering = threading.Lock()  # whoever is last to steer a run does so by the newest settings
        self._binlog_type = "remote"
        self._after_dm = False
        self._epoch = 0
        self._ahead: dict[TableName, list[ChangeAhead]] | None = None  # DDL, where it was looked up …
        self._ahead_of = ""  # … in the binlog of this server
        self._earlier_statement = ""  # that is waited for
        self._phases = ShardPhases(config, self._tables)
        self._starts = StartFinder(config, self._tables, self._upstream, self._downstream)

    def status(self) -> Mapping[str, Any]:
        run, earlier = self._run, self._earlier_statement
        status = self._phases.status(self._observer.status(run, **self._facts(run)))
        if earlier:
            waiting = f"a statement that an earlier run began: {earlier}"
            return {**status, "blockingDDLs": [earlier], "waitsFor": waiting}
        return {**status, "waitsFor": self._upstream.waits_for} if self._upstream.waits_for else status

    def on_news(self, tell: Callable[[], None]) -> None:
        self._phases.tell = tell

    def order(self, orders: tuple[Order, ...]) -> None:
        """What dm-master has decided about shard DDL."""
        self._phases.orders.give(orders)
        self._end_if_ordered()

    def _end_if_ordered(self) -> None:
        """A run that reads on while tables wait for an order ends when that has come."""
        run = self._run
        if run is not None and run.reads_on and self._phases.is_ordered:
            run.end()

    def _facts(self, run: Run | None) -> dict[str, Any]:
        return {
            "binlog_type": self._binlog_type,
            "epoch": self._epoch,
            "safe_mode_reason": self._safe_mode_reason(run),
            "relay_damage": str(self._upstream.relay_damage or ""),
            "begins": self._begins,
            "unlike": self._compared.said(),
        }

    def steer(self, settings: LiveSettings) -> None:
        """The rate and the batch change at once, the number of channels with the next run, which then begins."""
        self._config = with_live(self._config, settings)
        self._steer_run()

    def _steer_run(self) -> None:
        with self._steering:
            if self._run is not None:
                self._run.steer(self._config.sync)

    def _drop_run(self) -> None:
        if self._run is not None:
            self._run.drop()

    def _see(self) -> None:
        """Once a second, in the watching thread."""
        run = self._run
        self._observer.look(run, self._facts(run))

    def _read_to(self) -> Position | None:
        run = self._run
        return None if run is None or run.is_over else run.replicator.commits.read.position

    def _has_all_of(self, upstream: Location) -> bool:
        run = self._run
        return run is not None and run.has_all_of(upstream)

    def _compare_binlog(self) -> None:
        run = self._run
        if run is not None:
            run.compare_binlog()

    def look(self, number: int) -> None:
        self._observer.ask(number)

    def run(self, stop: StopSignal) -> None:
        """Replicate until `stop`, or the end of a `full` task.  Raises DMError."""
        _collect_seldom()
        grace = Grace(stop, self._drop_run, self._downstream.cut)
        grace.start()
        try:
            self._run_until(stop)
        except Exception as exc:
            if not grace.has_cut:
                raise
            log.info("replication has ended in the middle of a transaction: %s", exc)
        finally:
            grace.end()

    def _run_until(self, stop: StopSignal) -> None:
        self._upstream.open()
        self._downstream.open(self._upstream.computing_values())
        store = CheckpointStore(
            self._downstream.connect, self._tables, self._config.source_id, self._upstream.server.gtid_flavor
        )
        watch = UpstreamWatch(
            self._upstream.location,
            self._upstream.clock_offset,
            self._see,
            read_to=self._read_to,
            has_all_of=self._has_all_of,
            tell=self._phases.tell,
            went_back=self._compare_binlog,
        )
        try:
            self._observer.start(watch)
            self._take_over(stop)
            crashpoint("syncer.taken_over")
            store.epoch = self._epoch
            while not stop.is_set() and not self._replicate(store, stop):
                pass
        finally:
            watch.stop()
            store.close()
            self._upstream.close()
            self._downstream.close()

    def _compare_tracked(self, tracker: SchemaTracker, store: CheckpointStore) -> None:
        """What earlier runs track is compared with the upstream, as an earlier process may have died before it did."""
        if self._is_first and self._config.shard_mode is ShardMode.NONE:
            allows, today = self._config.allow_list().allows, store.read_at()
            names = [(table.schema, table.name) for table in tracker.tables()]
            due = [QualifiedName(*name) for name in names if allows(*name) and name not in today]
            self._compared.due.update(dict.fromkeys(due, OF_EARLIER_RUN))
        self._is_first = False
        self._compared.begin_anew()

    def _take_over(self, stop: StopSignal) -> None:
        """No connection of an earlier run writes any more, and ours only until somebody takes over."""
        downstream = self._downstream
        owned = OwnedConnections(self._tables, self._config.source_id, downstream.server.flavor)
        with downstream.connect() as connection:
            create_meta_tables(connection, self._tables)
            self._epoch = owned.take_over(connection, self._bind_epoch, stop, self._wait_for)
            refuse_to_ignore(connection, self._tables, self._config)
            store_taken(connection, self._tables, self._config.source_id, self._epoch, self._config.taken)
        if not stop.is_set():
            downstream.register_by(lambda made, of_rows: owned.register(made, self._epoch, of_rows=of_rows))

    def _wait_for(self, statement: str) -> None:
        if statement and self._downstream.server.flavor == "tidb":
            job = running_job(self._downstream.own(), statement)
            statement = f"{statement} /* {job} */" if job is not None else statement
        self._earlier_statement = statement

    def _replicate(self, store: CheckpointStore, stop: StopSignal) -> bool:
        """One run with one number of channels; True when the task is done."""
        store.checks_keys = asks_for_key_checks(self._config.target.session)
        start = self._starts.find(store)
        self._begins = start.checkpoint.location
        self._downstream.checks_keys = store.checks_keys
        self._after_dm = start.load.start is None and start.load.end is not None
        end = self._end(start, store)
        location = start.checkpoint.location
        is_there = end.position is not None and location.position >= end.position
        if is_there and not (end.is_last and store.shards().waits):
            return self._at_end(store, location, end.is_last, start)
        maker = self._maker()
        tracker = maker.tracker(store)
        self._compare_tracked(tracker, store)
        shards = self._phases.load(store, tracker)
        self._phases.moves.copied_until = None if start.load.end is None else start.load.end.position
        if shards is not None and (end.position is None or end.is_last):
            if shards.main is not None:
                if location.position >= shards.main.position:
                    self._phases.end_resync(start.checkpoint, store, shards)
                    return False
                end = End(shards.main.position)
            elif (group := self._phases.next_group(shards, store)) is not None:
                ahead = max(self._applied(store), default=location.position)
                if ahead <= location.position:
                    self._resolve(group, start, store, stop)
                    return False
                end = End(ahead)  # an earlier run read on while the group waited
            elif shards.waits:
                end = End()  # of a full task, too: its held back rows are not applied yet
        channels = start.checkpoint.channels
        log.info("replication starts: location=%s channels=%d epoch=%d", location, channels, self._epoch)
        former = self._former(store, start)
        ask_again(self._upstream, tracker, former)
        self._upstream.check_cascades()
        stream = self._upstream.stream(location, stop)
        self._binlog_type = stream.binlog_type
        moved = self._phases.moves.known(shards)
        try:
            run = self._run = maker.run(start, store, stream, end, tracker, shards, former, moved)
            run.ddl.binlog = self._binlog(run.ddl, stop)
            self._steer_run()  # an order may have come meanwhile
            self._end_if_ordered()
            reached = run.go(stop)
        except (NotLookedUp, Stopped):
            reached = False
        except DMError as exc:
            if shards is not None and moved.asked is not None and exc.is_a(UNKNOWN_MOVE):
                read_up_to = run.replicator.commits.read.position
                self._phases.moves.answer(moved, shards, read_up_to, store, self._reader(store, stop))
            elif not self._goes_past(exc, stream, location):
                raise
            return False
        finally:
            stream.close()
        if former.is_asked:
            self._look_ahead(store, start, former, maker.ddl_runner(tracker), stop)
            return False
        if not reached or (shards is not None and shards.waits):
            return False
        return self._at_end(store, run.saved, end.is_last, start, run.shadow_rows(run.saved))

    def _former(self, store: CheckpointStore, start: Start) -> Former:
        """Tables that are tracked as they are today, while the stream stands before their reading."""
        position = start.checkpoint.location.position
        read_before = store.read_at() | store.databases_read_at()
        read_at = {name: read for name, read in read_before.items() if start.switched or read > position}
        former = Former(read_at, self._ahead if self._ahead_of == self._upstream.identity else None)
        former.passed(position)
        return former

    def _look_ahead(
        self, store: CheckpointStore, start: Start, former: Former, reader: DdlRunner, stop: StopSignal
    ) -> None:
        """Look which of the tables have had other columns at the stream's location; the others count as known."""
        store.store_present(former.met, former.read_at)
        began, location = time.monotonic(), start.checkpoint.location
        until = self._upstream.present_location().position if start.switched else max(former.read_at.values())

        found: dict[TableName, list[ChangeAhead]] = {}

        def look(stream: EventStream, start: Position, *, waits: bool = True) -> Position:
            flavor, names = self._upstream.server.gtid_flavor, former.read_at
            with closing(stream):
                return changes_ahead(stream, start, until, flavor, reader.read, names, stop, found, waits=waits)

        try:
            reached = look(self._upstream.remote_stream(location, beside=True), location.position)
        except DMError as exc:
            if exc.resumable or not self._upstream.has_relay:
                raise
            found.clear()  # the upstream has purged it; and what the relay log does not hold yet, the upstream has
            reached = look(self._upstream.stream(location, stop, beside=True), location.position, waits=False)
            if reached < until:
                reached = look(self._upstream.remote_stream(Location(reached), beside=True), reached)
        if reached < until:
            return  # stopped
        self._ahead, self._ahead_of = found, self._upstream.identity
        store.settle_structures(former.read_at.keys() - found.keys())
        log.info(
            "looked for DDL between %s and %s, where structures were read: tables=%d altered=%d seconds=%.1f",
            location.position, until, len(former.read_at), len(found), time.monotonic() - began,
        )  # fmt: skip

    def _goes_past(self, exc: DMError, stream: EventStream, location: Location) -> bool:
        """Whether the upstream can be read where the relay log is damaged.  Raises DAMAGED where it lacks that."""
        upstream = self._upstream
        damage = damage_of(exc, stream, is_inside=self._run is not None and self._run.replicator.is_inside)
        if damage is None:
            told = refused_by_both(exc, upstream.relay_damage, location)
            if told is not exc:
                raise told from exc
            return False
        log.error("%s", damage)
        upstream.relay_damage = damage
        return True

    def _resolve(self, group: Group, start: Start, store: CheckpointStore, stop: StopSignal) -> None:
        read = self._reader(store, stop)
        self._phases.resolve(group, start.checkpoint, store, self._maker().ddl_runner, self._downstream, read, stop)

    def _binlog(self, ddl: DdlRunner, stop: StopSignal) -> Binlog:
        """Reads what is behind the stream's place once more."""
        upstream = self._upstream

        def stream(position: Position) -> EventStream:
            return upstream.stream(Location(position), stop, beside=True)

        return Binlog(stream, upstream.server.gtid_flavor, ddl.read, stop)

    def _reader(self, store: CheckpointStore, stop: StopSignal) -> Read:
        """Reads the stream once more for rows that moved."""

        def read(begin: Checkpoint, end: Location, ranges: Sequence[PhasedRange], finder: MoveFinder) -> bool:
            stream = self._upstream.stream(begin.location, stop, beside=True)
            try:
                return self._maker().search(store, stream, begin, end, ranges, finder).search(stop)
            finally:
                stream.close()

        return read

    def _maker(self) -> RunMaker:
        return RunMaker(
            self._config,
            self._tables,
            self._upstream,
            self._downstream,
            self._counters,
            self._epoch,
            self._phases.statements,
            self._phases.tied_rows,
            self._compared,
        )

    def _at_end(
        self,
        store: CheckpointStore,
        location: Location,
        last: bool,
        start: Start,
        also: Sequence[tuple[str, Sequence[Any]]] = (),
    ) -> bool:
        """A run came to its end with all channels drained: the task is done, or its channels start anew."""
        if not last:
            known = start.checkpoint
            store.checks_keys = asks_for_key_checks(self._config.target.session)
            checkpoint = replace(
                known.moved_to(location), channels=self._config.sync.worker_count, server=self._upstream.identity,
                ddl_location=known.ddl_location, ddl_gtid=known.ddl_gtid, inside=known.inside,
            )  # fmt: skip
            store.save(checkpoint, new_channels=True, forget_copy=start.switched, also=also)
        return last

    def _end(self, start: Start, store: CheckpointStore) -> End:
        """Where the run ends by itself.

        Rows go to channels by their number, and by whether foreign keys are checked, so what an earlier run
        applied ahead of the checkpoint is replayed as it was before the present settings take over.
        """
        if start.switched:
            return End()
        is_new_order = store.checks_keys != asks_for_key_checks(self._config.target.session)
        if is_new_order or start.checkpoint.channels != self._config.sync.worker_count:
            return End(max(self._applied(store), default=start.checkpoint.location.position))
        if self._config.task_mode is TaskMode.FULL and start.load.end is not None:
            return End(start.load.end.position, is_last=True)
        return End()

    @staticmethod
    def _applied(store: CheckpointStore) -> list[Position]:
        """Up to where each channel has applied its rows."""
        return [Position(place.file_name, place.end) for place in store.channels().values() if place.file_name]

    def _safe_mode_reason(self, run: Run | None) -> str:
        if self._config.sync.safe_mode:
            return "safe-mode: true in the task file"
        if run is not None and run.is_switched:
            return "the upstream was switched; until what was applied on the former server is passed"
        if run is None or run.replicator.safe_until is None:
            return ""
        if self._after_dm:
            return f"DM ran this task and may have applied more than its checkpoint; until {run.replicator.safe_until}"
        return f"tables were copied while they were written to; until {run.replicator.safe_until}"


def _collect_seldom() -> None:
    """Rows come and go by reference counts; looking for cycles among those in the queues took half of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
