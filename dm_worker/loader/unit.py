"""The full migration of one source: plan, copy chunk by chunk, record where it ended.

1. Claim an epoch; from now on no earlier run of this subtask can commit anything.
2. Without a stored plan: note the upstream's location, read its structures, create what the target
   lacks, cut tables into chunks, and store the plan in one transaction.
3. Copy every chunk that is not done, each in a transaction of its own.
4. Note the upstream's location again: up to there replication meets rows that are copied already.
   Create what was left out of the tables while their rows came in, and the views, then store the location.

A crash in 1-2 starts again from nothing (the target may have empty tables by then, which are taken as
they are); in 3 it repeats the chunks that were under way; before 4 is stored, only 4.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from dm_worker.dumper.chunks import TARGET_ROWS, ChunkSize, TableSize
from dm_worker.dumper.copy_plan import TableCopy, plan_copy, plan_filled_copy
from dm_worker.dumper.held_structure import digest
from dm_worker.dumper.moment import tables_without_snapshots
from dm_worker.dumper.source_tables import wanted_tables
from dm_worker.loader.altered import Altered
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask
from dm_worker.loader.consistent import ConsistentCopy, SnapshotLanes
from dm_worker.loader.ended_tables import EndedTables
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.executor import MODULE as EXECUTOR_MODULE
from dm_worker.loader.governed import Governed
from dm_worker.loader.lanes import ChunkLanes
from dm_worker.loader.later import LaterObjects
from dm_worker.loader.meta import FINISHED, LoadMeta, PlannedChunk, numbered
from dm_worker.loader.misfit import ChunkFailed, explained
from dm_worker.loader.other_objects import OtherObjects
from dm_worker.loader.planning import Planning, Sizes
from dm_worker.loader.progress import Progress
from dm_worker.loader.recording import recorded
from dm_worker.loader.spark_start import SparkStart
from dm_worker.loader.start_table_again import StartTableAgain
from dm_worker.loader.streamed import allows_local
from dm_worker.loader.summary import Journal
from dm_worker.loader.traffic import Traffic
from dm_worker.loader.verifying import Verifying
from pkg.adapters.kept_runs import refuse_to_ignore
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import COPY_OF_ANOTHER, MetaTables
from pkg.adapters.mysql.computing import computing_session, computing_values, making_session
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.owned_connections import OwnedConnections
from pkg.adapters.spark import NO_JAVA, SPARK_FAILED, SparkEngine, SparkSettings
from pkg.adapters.structures import structure_of
from pkg.adapters.summaries import Summary, load_summary, store_summary
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import TableColumnRules
from pkg.schema.table import Table
from pkg.shardddl.lock import Order
from pkg.task.kept import RUNNING
from pkg.task.live import LiveSettings
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal, UnitName

log = logging.getLogger(__name__)

LEFT_OUT = ErrorKind(
    34218,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "these tables were left out by the block-allow-list before all their rows were copied, and it takes them again: "
    "{tables}",
    workaround="leave them out again, and copy them by a task of their own; or start the task with --remove-meta, "
    "which copies all tables anew",
)


class FullMigration:
    """Unit: Dump while it plans, Load while it copies."""

    def __init__(self, config: SubtaskConfig, bind_epoch: int) -> None:
        self._config = config
        self._bind_epoch = bind_epoch
        self._meta_tables = MetaTables(config.meta_schema, config.task_name)
        self._upstream_options = ConnectionOptions.from_config(config.upstream, side="upstream")
        self._target_options = ConnectionOptions.from_config(config.target, side="downstream")
        self._progress = Progress()
        self._journal = Journal()
        self._verifying = Verifying(config)
        self._journal.verify = self._verifying.summary
        self._governed = Governed(
            config, self._progress, {"upstream": self._upstream_options, "downstream": self._target_options}
        )
        self._sizes: Sizes = {}  # by the upstream's statistics
        self._name = UnitName.DUMP
        self._epoch = 0
        self._streams = False  # rows go by LOAD DATA LOCAL
        self._altered = Altered()
        self._texts: dict[tuple[str, str], str] = {}  # digests of the tables' texts, where this run has planned
        self._engine: SparkEngine | None = None
        self._spark_start = SparkStart.of(config.spark)
        self._snapshot: ConsistentCopy | None = None  # where one is asked for
        self._again: StartTableAgain
        self._others: OtherObjects
        self._owned: OwnedConnections
        self._source: Server
        self._target: Server

    @property
    def name(self) -> UnitName:
        return self._name

    def status(self) -> Mapping[str, Any]:
        snapshot = self._snapshot.status() if self._snapshot is not None else {}
        return {**self._progress.status(time.monotonic()), **snapshot, **self._verifying.status()}

    def steer(self, settings: LiveSettings) -> None:
        """The full migration's own are its limits."""
        self._governed.steer(settings)

    def look(self, number: int) -> None:
        """What it says of itself is never old."""

    def on_news(self, tell: Callable[[], None]) -> None:
        """Nobody waits for its progress."""

    def order(self, orders: tuple[Order, ...]) -> None:
        """They are all about replication, too."""

    def run(self, stop: StopSignal) -> None:
        """Migrate, or go on with it, until all is copied or ``stop``.  Raises DMError."""
        with recorded(self._journal, self._progress, self._config.source_id, stop, self._store_summary):
            self._migrate(stop)

    def _migrate(self, stop: StopSignal) -> None:
        started = time.monotonic()
        try:
            self._probe(stop)
            if stop.is_set():
                return
            with self._meta() as meta:
                status = meta.load_status()
                if status == FINISHED:
                    self._refuse_left_out(meta)
                    return
                if status == RUNNING and self._snapshot is not None and self._unfinished(meta):
                    self._snapshot.start_again()
                    status = ""
                if status == RUNNING:
                    self._refuse_another_server(meta.server())
                    meta.store_taken(self._config.taken)
                elif not self._plan(meta, stop):
                    return
            self._again.go_on()
            self._copy(stop)
            if not stop.is_set():
                self._finish(started, stop)
        finally:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _probe(self, stop: StopSignal) -> None:
        """Who the servers are; from then on no earlier run writes."""
        with _closing(connect(self._upstream_options.only(""), side="upstream")) as connection:
            self._source = Server.probe(connection)
            self._upstream_options = self._upstream_options.only(self._source.identity(connection))
            computing = computing_values(connection)
        with _closing(connect(self._target_options, side="downstream")) as connection:
            self._target = Server.probe(connection)
            computing = computing_session(self._target, connection, computing) | making_session(connection)
            self._target_options = replace(self._target_options, session={**computing, **self._target_options.session})
            set_session(connection, self._target.downstream_session(self._target_options.session))
            self._streams = allows_local(connection)
            create_meta_tables(connection, self._meta_tables)
            self._owned = OwnedConnections(self._meta_tables, self._config.source_id, self._target.flavor)
            self._epoch = self._owned.take_over(connection, self._bind_epoch, stop, self._progress.wait_for_earlier)
            refuse_to_ignore(connection, self._meta_tables, self._config)
        snapshot = ConsistentCopy(
            self._config, self._upstream_options, self._source, self._target, self._epoch, self._progress.enter
        )
        self._snapshot = snapshot if snapshot.is_wanted else None
        tell = self._progress.enter
        self._others = OtherObjects(self._config, self._target, self._meta_tables, self._epoch, self._journal, tell)
        self._again = StartTableAgain(
            self._config, self._meta_tables, self._epoch, (self._source, self._target),
            self._upstream, self._downstream, self._chunk_size(),
        )  # fmt: skip

    def _refuse_another_server(self, known: str) -> None:
        """Raises COPY_OF_ANOTHER where the stored plan is known to be another server's."""
        found = self._upstream_options.server
        if known not in ("", found):
            address = self._upstream_options.address
            raise COPY_OF_ANOTHER.error(source=self._config.source_id, known=known, found=found, address=address)

    # -- planning

    def _plan(self, meta: LoadMeta, stop: StopSignal) -> bool:
        """Store the plan; False when stopped before."""
        planning = Planning(
            self._config, self._meta_tables, self._epoch, (self._source, self._target), self._upstream,
            self._downstream, self._progress, self._others, self._snapshot, self._chunk_size(), self._sized,
        )  # fmt: skip
        plan = planning.plan(stop)
        if stop.is_set():
            return False
        crashpoint("loader.before_plan_stored")
        structures = [one.structure for one in plan.sources]
        server, taken = self._upstream_options.server, self._config.taken
        meta.store_plan(plan.start, numbered(plan.tables), structures, server, taken, plan.collations)
        self._texts = {(one.structure.schema, one.structure.name): digest(one.create_sql) for one in plan.sources}
        crashpoint("loader.plan_stored")
        return True

    def _sized(self, sizes: Sizes) -> None:
        self._sizes = sizes
        size = sum(one.rows * one.row_bytes for one in sizes.values())
        self._progress.estimated(sum(one.rows for one in sizes.values()), size)
        if self._spark_start.for_bytes(size):
            self._engine = self._start_engine()

    def _chunk_size(self) -> ChunkSize:
        return ChunkSize(self._config.dump.rows, self._config.dump.chunk_bytes, self._lanes())

    def _lanes(self) -> int:
        """Chunks at a time: as many as the task lets read the upstream and write to the target."""
        return min(self._config.dump.threads, self._config.load.pool_size)

    # -- copying

    def _copy(self, stop: StopSignal) -> None:
        allows = self._config.allow_list().allows
        with self._meta() as meta:
            unfinished = self._unfinished(meta)
            planned = {(table.schema, table.name): table for table in meta.structures()}
            copied = {name: state for name, state in meta.copied().items() if allows(*name)}
            for table, state in copied.items():
                self._progress.known(table, state.chunks, state.done, state.rows, state.bytes)
            self._verifying.known(sum(state.compared for state in copied.values()))
        if not unfinished:
            return
        self._expect_sizes()
        structures = {name: self._altered.readable(table) for name, table in planned.items()}
        tables: dict[tuple[str, str], int] = {}
        copies: list[TableCopy] = []
        rules, filled = self._config.column_rules(), self._filled(structures, unfinished)
        for chunk in unfinished:
            name = (chunk.schema, chunk.table)
            if name not in tables:
                tables[name] = len(copies)
                names_there, own = (chunk.target_schema, chunk.target_table), rules.of(*name)
                copy = (
                    plan_filled_copy(structures[name], *names_there, filled[name], own)
                    if name in filled
                    else plan_copy(structures[name], *names_there, own)
                )
                is_narrowed = self._altered.is_narrowed(name)
                copies.append(replace(copy, planned_text=self._texts.get(name, ""), is_narrowed=is_narrowed))
        tasks = [ChunkTask(one.chunk_id, tables[one.schema, one.table], one.range) for one in unfinished]
        names = {one.chunk_id: (one.schema, one.table) for one in unfinished}
        job = self._with_comparison(self._job(copies), structures, tasks)
        try:
            self._run_chunks(job, tasks, names, stop)
        except ChunkFailed as failed:
            failing = names.get(failed.chunk_id)  # None: no chunk is at fault
            if failing is None or failed.error.resumable:
                raise failed.error from None
            self._settle(failed.error, planned[failing], rules.of(*failing))
        if not stop.is_set():
            self._copy_rest(stop)

    def _filled(
        self, structures: Mapping[tuple[str, str], Table], chunks: Sequence[PlannedChunk]
    ) -> dict[tuple[str, str], Table]:
        """The target's tables of those with generated columns: their values may go to plain ones there."""
        targets = {(one.schema, one.table): (one.target_schema, one.target_table) for one in chunks}
        wanted = [name for name in targets if any(column.generated for column in structures[name].columns)]
        if not wanted:
            return {}
        with self._downstream() as downstream:
            found = {name: structure_of(downstream, *targets[name]) for name in wanted}
        return {name: table for name, table in found.items() if table is not None}

    def _unfinished(self, meta: LoadMeta) -> list[PlannedChunk]:
        """Without those of tables that the task's file leaves out by now, say because they stopped the copy."""
        allows, unfinished = self._config.allow_list().allows, meta.unfinished()
        left_out = sorted({f"{one.schema}.{one.table}" for one in unfinished if not allows(one.schema, one.table)})
        if left_out:
            log.warning("not copied any further, since the block-allow-list leaves them out: %s", ", ".join(left_out))
        return [one for one in unfinished if allows(one.schema, one.table)]

    def _refuse_left_out(self, meta: LoadMeta) -> None:
        """Raises LEFT_OUT where the file takes a table again that it left out before it was copied to the end."""
        tables = sorted({f"{one.schema}.{one.table}" for one in self._unfinished(meta)})
        if tables:
            raise LEFT_OUT.error(tables=", ".join(tables))

    def _copy_rest(self, stop: StopSignal) -> None:
        """What is left: of altered tables, and what was cut off from a chunk whose executor then died."""
        with self._meta() as meta:
            unfinished = self._unfinished(meta)
        if unfinished and self._snapshot is not None:
            raise SPARK_FAILED.error(
                master=self._config.spark.master, text=f"it ended, and {len(unfinished)} chunks are not done"
            )
        if unfinished:
            self._copy(stop)

    def _settle(self, error: DMError, planned: Table, rules: TableColumnRules) -> None:
        """Find out whether DDL upstream made a chunk fail, and let the copy go on with what is left.  Else raises."""
        with self._upstream() as upstream, self._meta() as meta:
            name = planned.schema, planned.name
            self._texts.pop(name, None)
            again = partial(self._again.start, name, rows=self._sizes.get(name, TableSize(0, 0)))
            if self._snapshot is None and self._altered.settle(planned, error, upstream, meta, again):
                return
            raise explained(error, upstream, planned, rules) from None

    def _with_comparison(
        self, job: CopyJob, structures: Mapping[tuple[str, str], Table], tasks: Sequence[ChunkTask]
    ) -> CopyJob:
        if not self._verifying.is_wanted:
            return job
        self._progress.enter("planning checksums")
        with self._downstream() as downstream:
            feeders = LoadMeta(downstream, self._meta_tables, self._config.source_id, self._epoch).feeders()
            moving: list[tuple[str, str]] = []
            if self._snapshot is None:
                with self._upstream() as upstream:
                    moving = tables_without_snapshots(lambda: upstream, [(one.schema, one.name) for one in job.tables])
            flavors = self._source.flavor, self._target.flavor
            compared = self._verifying.plan(job.tables, structures, tasks, downstream, flavors, moving, feeders)
        return replace(job, compared=compared)

    def _expect_sizes(self) -> None:
        """What the upstream says of tables of which nothing is copied yet; a run that goes on asks again."""
        if not self._sizes:
            with self._upstream() as upstream:
                listed, _ = wanted_tables(upstream, self._config.allow_list(), self._config.meta_schema)
            self._sizes = {(table.schema, table.name): table.size for table in listed}
        for table, size in self._sizes.items():
            self._progress.expect(table, size.rows, size.rows * size.row_bytes)

    def _run_chunks(
        self, job: CopyJob, tasks: Sequence[ChunkTask], names: Mapping[int, tuple[str, str]], stop: StopSignal
    ) -> None:
        self._name = UnitName.LOAD
        if not self._streams:
            log.warning("rows go by multi-row INSERT, which is slower: local_infile is off on the target")
        self._progress.enter("copying")
        self._progress.begin(time.monotonic())
        if self._engine is None and self._spark_start.for_chunks(len(tasks)):
            self._engine = self._start_engine()
        remaining = set(names)
        ended = EndedTables(self._store_ended)
        ended.begin(names.values())
        with self._governed.traffic(self._lanes(), names) as traffic:
            lanes = self._lanes_for(replace(job, line=traffic.address), traffic)
            try:
                for done in lanes.run(tasks, stop):
                    if self._take(done, names, remaining) and self._snapshot is None:
                        ended.done(names[done.chunk_id], time.monotonic())
                ended.store(time.monotonic())
            finally:
                self._engine = None
                lanes.close()
        if remaining and not stop.is_set():
            raise SPARK_FAILED.error(
                master=self._config.spark.master, text=f"it ended, and {len(remaining)} chunks are not done"
            )

    def _lanes_for(self, job: CopyJob, traffic: Traffic) -> ChunkLanes | SnapshotLanes:
        if self._snapshot is None:
            return ChunkLanes(job, self._start_engine, self._engine, self._spark_start, traffic, self._lanes())
        return self._snapshot.lanes(job, self._lanes(), self._engine, traffic)

    def _store_ended(self, names: Sequence[tuple[str, str]]) -> None:
        with self._upstream() as upstream, self._meta() as meta:
            meta.store_ended(names, self._source.fetch_location(upstream))

    def _take(self, done: ChunkDone, names: Mapping[int, tuple[str, str]], remaining: set[int]) -> bool:
        """Whether the chunk was still to be done."""
        if done.error is not None:
            raise ChunkFailed(done.chunk_id, done.error)
        if done.chunk_id in names:
            self._journal.spent(names[done.chunk_id], done.seconds)  # lanes of a snapshot tell it at their ends
            self._verifying.heard(names[done.chunk_id], done)
        is_new = done.chunk_id in remaining
        if is_new:  # Spark may run a task twice; the second time it finds the chunk done
            remaining.discard(done.chunk_id)
            self._verifying.taken(done)
            self._progress.done(names[done.chunk_id], done.rows, done.bytes, time.monotonic(), done.chunk_id)
        return is_new

    def _job(self, tables: Sequence[TableCopy]) -> CopyJob:
        return CopyJob(
            upstream=self._upstream_options,
            downstream=self._target_options,
            upstream_session=self._source.upstream_session(),
            downstream_session=self._target.copy_session(self._target_options.session),
            timezone=self._config.timezone,
            meta=self._meta_tables,
            source_id=self._config.source_id,
            epoch=self._epoch,
            on_duplicate=self._config.load.on_duplicate_logical,
            tables=tuple(tables),
            flavor=self._target.flavor,
            upstream_flavor=self._source.flavor,
            streams=self._streams,
            chunk_rows=self._config.dump.rows or TARGET_ROWS,
        )

    def _start_engine(self) -> SparkEngine | None:
        """None: there is no Java, and threads of this process do it, too."""
        spark = self._config.spark
        name = f"spark-dm {self._config.task_name} {self._config.source_id}"
        # A second attempt of a lane would end the first one's snapshot.
        conf = spark.conf | ({"spark.speculation": "false"} if self._snapshot is not None else {})
        try:
            return SparkEngine(SparkSettings(spark.master, self._lanes(), name, conf), EXECUTOR_MODULE)
        except DMError as exc:
            if not (exc.is_a(NO_JAVA) and self._spark_start.waits):
                raise
            log.warning("threads of this process copy all: there is no Java for Spark's (%s)", exc.fields["text"])
            return None

    def _finish(self, started: float, stop: StopSignal) -> None:
        crashpoint("loader.all_copied")
        with self._upstream() as upstream:
            end = self._snapshot.stored_location() if self._snapshot else self._source.fetch_location(upstream)
        run = self._config.source_id, self._epoch
        later = LaterObjects(self._target_options, self._target, self._meta_tables, run, self._progress.enter)
        later.create(stop, is_consistent=self._snapshot is not None)
        if not stop.is_set():
            self._others.create(stop, self._upstream, self._downstream)
        if stop.is_set():
            return
        with self._meta() as meta:
            meta.store_end(end)
        status = self.status()
        if self._snapshot is not None and "metaBinlog" in self._snapshot.status():
            self._journal.snapshot = self._snapshot.summary()
        self._progress.enter("finished")
        log.info(
            "full migration is done: source=%s location=%s rows=%d bytes=%d seconds=%.1f",
            self._config.source_id, end.position, status["finishedRows"], status["finishedBytes"],
            time.monotonic() - started,
        )  # fmt: skip

    def _store_summary(self, make: Callable[[Summary | None], Summary]) -> None:
        if not self._epoch:
            return
        with self._downstream() as connection:
            earlier = load_summary(connection, self._meta_tables, self._config.source_id)
            store_summary(connection, self._meta_tables, self._config.source_id, self._epoch, make(earlier))

    # -- connections, each for one step: between steps a server may restart

    @contextmanager
    def _upstream(self) -> Iterator[Connection]:
        session = self._source.upstream_session()
        with _closing(connect(self._upstream_options, side="upstream", session=session)) as connection:
            yield connection

    @contextmanager
    def _downstream(self) -> Iterator[Connection]:
        session = self._target.downstream_session(self._target_options.session) | {"foreign_key_checks": "0"}
        with _closing(connect(self._target_options, side="downstream", session=session)) as connection:
            self._owned.register(connection, self._epoch)
            yield connection

    @contextmanager
    def _meta(self) -> Iterator[LoadMeta]:
        with self._downstream() as connection:
            yield LoadMeta(connection, self._meta_tables, self._config.source_id, self._epoch)


@contextmanager
def _closing(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
    finally:
        connection._force_close()
