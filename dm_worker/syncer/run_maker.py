"""The parts of one run of replication, put together as the task's file and the stored state say."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dm_worker.syncer.ahead import Ahead, AheadByPosition
from dm_worker.syncer.applier import ApplySettings, Counters
from dm_worker.syncer.bindings import Bindings
from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore, LoadMeta
from dm_worker.syncer.copied import CopyWindow
from dm_worker.syncer.ddl import DdlRunner
from dm_worker.syncer.ddl_target import UpstreamSettings
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.former import Former
from dm_worker.syncer.missing_rows import on_missing_row
from dm_worker.syncer.move_search import MoveSearch, PhasedRange, as_it_will_be
from dm_worker.syncer.moved_rows import MovedRows
from dm_worker.syncer.online import OnlineDdl
from dm_worker.syncer.online_rows import RecordStatements
from dm_worker.syncer.other_sources import OtherSources
from dm_worker.syncer.planned_tables import PlannedTables
from dm_worker.syncer.replicator import Replicator
from dm_worker.syncer.resync import Ranges, ResyncRun
from dm_worker.syncer.row_orders import RowOrders
from dm_worker.syncer.run import End, Run, RunSettings, queue_rows
from dm_worker.syncer.same_binlog import SameBinlog
from dm_worker.syncer.shard_rows import ShardStatements
from dm_worker.syncer.shards import Shards
from dm_worker.syncer.temporary import TemporaryTables
from dm_worker.syncer.tied_order import TiedOrder
from dm_worker.syncer.tracked_check import Compared, TrackedCheck
from dm_worker.syncer.unlike_cascades import MAKES_IDLE_KEYS, Above, UnlikeCascades
from dm_worker.syncer.upstream import Upstream
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.compared_expressions import ComparedExpressions
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.letter_maps import LetterMaps
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import TableMap
from pkg.binlog.position import Location, Position
from pkg.binlog.stream import EventStream
from pkg.rows.foreign_keys import Name
from pkg.rows.statements import Limits
from pkg.rules.event_filter import EventFilter
from pkg.rules.target_names import TargetNames
from pkg.schema.mapping import stores_unicode
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker
from pkg.shardddl.moves import MoveFinder
from pkg.shardddl.tied_rows import TiedRows
from pkg.task.stage import ShardMode
from pkg.task.start_time import seconds_ahead
from pkg.task.subtask import SubtaskConfig

QUEUE_BUDGET_BYTES = 48 << 20


@dataclass(frozen=True, slots=True)
class Start:
    """Where and how a run starts."""

    checkpoint: Checkpoint
    fresh: bool  # the channels have no rows yet
    load: LoadMeta
    ahead: Ahead  # what the channels applied beyond the checkpoint
    switched: bool = False


@dataclass(frozen=True, slots=True)
class RunMaker:
    """Makes runs of one unit, all with the settings of this moment."""

    config: SubtaskConfig
    tables: MetaTables
    upstream: Upstream
    downstream: Downstream
    counters: Counters
    epoch: int
    shard_statements: ShardStatements
    tied_rows: TiedRows
    compared: Compared

    def tracker(self, store: CheckpointStore) -> SchemaTracker:
        """The tables as they are at the checkpoint."""
        tracker = self._empty_tracker(store)
        for table in store.structures():
            tracker.load(table)
        return tracker

    def _empty_tracker(self, store: CheckpointStore) -> SchemaTracker:
        """What databases are like at the checkpoint; at the first start without a copy: what they are like today."""
        present, known = self.upstream.default_collations(), store.database_collations()
        if known is None:
            known, read = dict(present), self.upstream.present_location().position
            store.store_collations(known, {(schema, ""): read for schema in known})
        return SchemaTracker(known, present=present, case_sensitive=not self.upstream.folds_names)

    def ddl_runner(self, tracker: SchemaTracker) -> DdlRunner:
        upstream, config = self.upstream, self.config
        runner = DdlRunner(
            config,
            tracker,
            config.router(),
            config.allow_list(),
            self.downstream,
            UpstreamSettings(
                upstream.server.gtid_flavor,
                upstream.collation_names(),
                upstream.expression_variables(),
                upstream.zone_offset,
                upstream.zone_moves,
                upstream.folds_names,
                upstream.server.flavor == "mariadb" and upstream.server.version >= (10, 9),
                upstream.utf8_is_utf8mb4(),
                upstream.times_have_no_day(),
            ),
            upstream,
            config.timezone,
            self._target_names(tracker),
        )
        runner.unseen_cascades = upstream.unseen_cascades
        if config.shard_mode is ShardMode.NONE:
            runner.tables.is_fed_elsewhere = OtherSources(config, self.tables, self.downstream.rows).lead_to
        return runner

    def _target_names(self, tracker: SchemaTracker) -> TargetNames | None:
        """Where the target takes names for one that the upstream tells apart.  Raises COLLIDING_NAMES."""
        if self.upstream.folds_names or not self.downstream.folds_names:
            return None
        allow_list, router = self.config.allow_list(), self.config.router()
        tracked = sorted((table.schema, table.name) for table in tracker.tables())
        known = [TableName(*name) for name in tracked if allow_list.allows(*name)]
        wanted = [TableName(*name) for name in sorted(self.upstream.tables()) if allow_list.allows(*name)]
        databases = [TableName(one, "") for one in self.upstream.default_collations() if allow_list.allows(one)]

        def route(name: TableName) -> TableName:
            target = router.route(name.schema, name.table)
            return TableName(target.schema, target.table if name.table else "")

        def is_known(name: TableName) -> bool:
            found = tracker.table(name.schema, name.table) if name.table else tracker.database(name.schema)
            return found is not None

        return TargetNames(route, known, [*databases, *wanted], is_known)

    def run(
        self,
        start: Start,
        store: CheckpointStore,
        stream: EventStream,
        end: End,
        tracker: SchemaTracker,
        shards: Shards | None,
        former: Former,
        moved: MovedRows,
    ) -> Run:
        """A run from ``start`` to ``end``; a re-sync where ``shards`` say that rows are to be read again."""
        if shards is not None and shards.main is not None:
            known = self._empty_tracker(store)  # of what is read again, as it was there
            parts = self._parts(start, store, stream, known, former, moved)
            ranges = Ranges(shards.resyncs, shards.main)
            statements = self.shard_statements
            resync = ResyncRun(
                self._settings(start, end), ranges=ranges, tracker=known, statements=statements, moved=moved, **parts
            )
            parts["bindings"].wants = resync.wants
            return resync
        parts = self._parts(start, store, stream, tracker, former, moved)
        parts["ddl"].online = online = self._online(store, start, tracker)
        if online is not None:
            parts["bindings"].counted.append(lambda table_map: online.plan(table_map, tracker))
            parts["bindings"].counts.append(online.rows.counts)
        run = Run(self._settings(start, end), **parts)
        if shards is not None:
            parts["ddl"].shards = shards
            parts["bindings"].wants = shards.wants
            if self.downstream.checks_keys:
                references = self.downstream.references
                applied = None if start.switched else start.ahead.until
                run.tied = TiedOrder(self.tied_rows, shards, tracker, self.downstream, references, applied)
                parts["bindings"].counted.append(run.tied.plan)
                parts["bindings"].counts.append(run.tied.counts)
        return run

    def search(
        self,
        store: CheckpointStore,
        stream: EventStream,
        begin: Checkpoint,
        end: Location,
        ranges: Sequence[PhasedRange],
        finder: MoveFinder,
    ) -> MoveSearch:
        """What tells ``finder`` the rows of ``ranges``, up to ``end``."""
        start = Start(begin, False, LoadMeta(None, None, True), AheadByPosition({}))
        known = self._empty_tracker(store)
        parts = self._parts(start, store, stream, known, Former({}), MovedRows())
        search = MoveSearch(
            self._settings(start, End(end.position)),
            ranges=Ranges([one for _, one in ranges], end),
            phases=[phase for phase, _ in ranges],
            finder=finder,
            tracker=known,
            statements=self.shard_statements,
            moved=MovedRows(),
            **parts,
        )
        parts["bindings"].wants = search.wants
        parts["bindings"].downstream_as = lambda target: as_it_will_be(target, ranges, finder.keys)
        return search

    def _parts(
        self,
        start: Start,
        store: CheckpointStore,
        stream: EventStream,
        tracker: SchemaTracker,
        former: Former,
        moved: MovedRows,
    ) -> dict[str, Any]:
        events, replicator = self.config.event_filter(), self._replicator(start)

        def check_rows(table_map: TableMap) -> bool:
            return former.check_rows(table_map, replicator.commits.read.position)

        def met(table: Table) -> None:
            former.meet(table, self.upstream.present_location().position)  # all DDL that was seen is before it

        orders = self._row_orders(start, store)
        ddl = self.ddl_runner(tracker)
        ddl.reader.former = lambda today, statement: former.before(today, statement, replicator.commits.read.position)
        bindings = self._bindings(start, store, tracker, events, check_rows, met, orders, ddl)
        if not start.switched:  # places of the former server
            ddl.passing.temporary = TemporaryTables.at(start.checkpoint.location.position, store.temporary_tables())
        return {
            "stream": stream,
            "decoder": Decoder(
                flavor=self.upstream.server.gtid_flavor,
                framing=stream.framing,
                resolve=bindings.resolve,
                passes_over=bindings.passes_over if events.has_rules else None,
                file_name=start.checkpoint.location.position.name,
                checksum=stream.checksum,
            ),
            "replicator": replicator,
            "bindings": bindings,
            "ddl": ddl,
            "store": store,
            "row_orders": orders,
            "apply": self._apply_settings(moved, store.batches),
            "channels": start.checkpoint.channels,
            "counters": self.counters,
            "ping": lambda: self._ping(store),
            "cut": self.downstream.cut,
            "copy_window": self._copy_window(start, store, tracker),
            "former": former,
            "same_binlog": SameBinlog(self.upstream, is_asked=stream.binlog_type == "remote"),
            "tracked_check": TrackedCheck(
                self.upstream, lambda name: tracker.table(name.schema, name.table), self.compared
            ),
        }

    def _bindings(
        self,
        start: Start,
        store: CheckpointStore,
        tracker: SchemaTracker,
        events: EventFilter,
        check_rows: Callable[[TableMap], bool],
        met: Callable[[Table], None],
        orders: RowOrders,
        ddl: DdlRunner,
    ) -> Bindings:
        config = self.config
        flavors = self.upstream.server.flavor, self.downstream.server.flavor
        compared = ComparedExpressions(config.meta_schema, flavors, self.downstream.collations)
        return Bindings(
            tracker,
            config.router(),
            config.allow_list(),
            {} if start.switched else store.pins(),  # places of the former server, which are behind
            fetch_upstream=self.upstream.table,
            fetch_downstream=self.downstream.table,
            fetch_references=lambda: self._references(tracker),
            fetch_triggers=self.downstream.triggers,
            column_rules=config.column_rules(),
            events=events,
            row_filters=config.row_filters(self.upstream.server.flavor),
            flavor=self.downstream.server.flavor,
            upstream=self.upstream.server.flavor,
            keeps_bytes=not stores_unicode(self.downstream.server.flavor),
            keeps_own=config.shard_mode is ShardMode.NONE,
            seconds_ahead=(lambda: seconds_ahead(config.timezone, time.time())) if config.timezone else None,
            other_expression=lambda above, below: compared.differing(self.downstream.own(), above, below),
            unlike_letters=LetterMaps(self.upstream.rows, self.downstream.rows).unlike,
            check_rows=check_rows,
            met=met,
            ordered=orders.taken,
            is_way_in=ddl.tables.merges.reaches,
            is_other=ddl.passing.is_other,
        )

    @staticmethod
    def _row_orders(start: Start, store: CheckpointStore) -> RowOrders:
        begin = start.checkpoint.location.position
        until = start.ahead.until  # of a former server: in its binlog
        if until is not None and (start.switched or until <= begin):
            until = begin if start.switched else None
        return RowOrders(store.row_orders(), until, lambda: start.ahead.is_over, store.store_row_order)

    def _references(self, tracker: SchemaTracker) -> list[tuple[Name, Name]]:
        """See Downstream.references; none where the target does not check them.  Raises DMError."""
        if not self.downstream.checks_keys:
            return []
        if self.downstream.makes_idle_keys:
            raise MAKES_IDLE_KEYS.error()
        upstream, config = self.upstream, self.config
        ignored, is_logged = config.event_filter().ignored_rows, upstream.logs_cascades
        unlike = UnlikeCascades(config.allow_list().allows, config.router().route, ignored, is_logged)
        above, below = Above(upstream.tables(), upstream.cascades(), tracker.tables()), self.downstream.cascades()
        unlike.check(above, below, loses=self.downstream.loses_cascades)
        return self.downstream.references()

    def _online(self, store: CheckpointStore, start: Start, tracker: SchemaTracker) -> OnlineDdl | None:
        """What was recorded of online DDL; None where it is not followed."""
        tables = self.config.online_tables()
        if tables is None:
            return None
        statements = RecordStatements(self.tables.online_ddl, self.config.source_id)
        records, location = store.online_ddl(), start.checkpoint.location
        if start.switched:  # places of the former server
            records = {name: replace(record, begun="") for name, record in records.items()}
        allow_list, flavor = self.config.allow_list(), self.upstream.server.gtid_flavor
        return OnlineDdl(tables, allow_list, records, statements, location.position, tracker, flavor)

    def _ping(self, store: CheckpointStore) -> None:
        store.ping()
        self.downstream.ping()

    def _settings(self, start: Start, end: End) -> RunSettings:
        sync = self.config.sync
        return RunSettings(
            batch=sync.batch,
            queue_rows=queue_rows(sync),
            budget_bytes=QUEUE_BUDGET_BYTES,
            checkpoint_seconds=sync.checkpoint_flush_interval,
            server=self.upstream.identity,
            until=end.position,
            ddl_begun=start.checkpoint.ddl_location,
            ddl_gtid=start.checkpoint.ddl_gtid,
            inside=start.checkpoint.inside,
            file_begun=start.checkpoint.file_begun,
            max_rows_per_second=sync.max_rows_per_second,
            by_gtid=self.upstream.goes_by_gtid(start.checkpoint.location),
            switched=start.switched,
            may_renew=not start.switched and end.may_come_earlier,
        )

    def _copy_window(self, start: Start, store: CheckpointStore, tracker: SchemaTracker) -> CopyWindow | None:
        until = _copied_until(start)
        if until is None or start.switched:
            return None
        return CopyWindow(
            until,
            {name: location.position for name, location in store.pins().items()},
            {name: location.position for name, location in store.made_anew().items()},
            store.copied,
            lambda name: self.upstream.table(name.schema, name.table) is not None,
            lambda name: tracker.table(name.schema, name.table),
            store.exact_pins(),
            store.ended(),
            PlannedTables(store.planned()),
        )

    def _replicator(self, start: Start) -> Replicator:
        return Replicator(
            start.checkpoint.location,
            start.checkpoint.channels,
            ahead=start.ahead,
            switched=start.switched,
            safe_until=_copied_until(start),
            always_safe=self.config.sync.safe_mode,
        )

    def _apply_settings(self, moved: MovedRows, batches: dict[int, int]) -> ApplySettings:
        packet_bytes = self.downstream.packet_bytes
        return ApplySettings(
            connect=self.downstream.connect,
            tables=self.tables,
            source_id=self.config.source_id,
            epoch=self.epoch,
            limits=Limits(min(1 << 20, packet_bytes), multiple_rows=self.config.sync.multiple_rows),
            packet_bytes=packet_bytes,
            largest_bytes=self.downstream.largest_bytes,
            compact=self.config.sync.compact,
            on_duplicate=self.config.sync.on_duplicate,
            on_missing_row=on_missing_row(self.config.sync),
            to_tidb=self.downstream.server.flavor == "tidb",
            moved=moved,
            is_shared=self._is_shared,
            batches=batches,
        )

    def _is_shared(self, connection: Connection, target: TableName) -> bool:
        """For the channels, each on its own connection."""

        def rows(sql: str) -> Sequence[Sequence[Any]]:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall()

        return OtherSources(self.config, self.tables, rows).share(target, self.config.source_id)


def _copied_until(start: Start) -> Position | None:
    """Rows up to there may be in the target already; None where the run starts behind them."""
    until = None if start.load.end is None else start.load.end.position
    return None if until is None or until <= start.checkpoint.location.position else until
