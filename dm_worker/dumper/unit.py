"""The dump of one source to files (task-mode dump): plan, structures, chunk by chunk, metadata last.

1. Claim the folder: it is empty, or it holds this task's dump.  Where no lock holds, begin a folder of this run
   in it, and bring there what earlier runs have done (``runs.py``).
2. Without a stored plan: note the upstream's location, write the structures, cut tables into chunks, store
   the plan in the folder.
3. Write every chunk that is not done, each as a file of its own.
4. Note the location again, and write ``metadata``: the dump is complete.

A crash in 1-2 begins anew; in 3 it repeats the chunks that were under way, but where the task asks for one
consistent snapshot (``consistency``): that is gone, and the dump begins anew.  The target is not asked anything.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from dm_worker.dumper.chunks import ChunkSize
from dm_worker.dumper.consistency import Way, ways_of
from dm_worker.dumper.copy_plan import NO_RULES, TableCopy, plan_copy
from dm_worker.dumper.dump_plan import DumpSettings, file_chunks, file_tasks, place_of
from dm_worker.dumper.dump_snapshot import DumpMoment, KeptChunks, Snapshots
from dm_worker.dumper.dump_state import (
    DONE_FILE,
    STATE_FILE,
    DumpPlan,
    DumpState,
    Owner,
    done_line,
    read_state,
    refuse_another_server,
    refuse_missing_files,
    refuse_other_settings,
    write_journal,
    write_state,
)
from dm_worker.dumper.file_chunk import FileSink
from dm_worker.dumper.file_lane import MODULE, Dumped, DumpJob, FileTask, FreshReader
from dm_worker.dumper.file_lanes import FileLanes, spark_lanes, thread_lanes
from dm_worker.dumper.folder import write_file
from dm_worker.dumper.hadoop_folder import folder_at
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.metadata import Metadata, Place, parse_metadata, print_metadata
from dm_worker.dumper.plan import plan_tables
from dm_worker.dumper.runs import Runs
from dm_worker.dumper.schema_files import SchemaFiles
from dm_worker.dumper.source_tables import list_tables, read_structures
from dm_worker.dumper.upstream_lock import Stopped, TableName
from dm_worker.dumper.visible_location import visible_location
from dm_worker.loader.governed import Governed
from dm_worker.loader.misfit import explained
from dm_worker.loader.progress import FINISHED, Progress
from dm_worker.loader.traffic import Traffic
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import NO_BINLOG, Server
from pkg.adapters.spark import SPARK_FAILED, SparkEngine, SparkSettings
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError
from pkg.rules.router import Target
from pkg.schema.table import Table
from pkg.shardddl.lock import Order
from pkg.task.live import LiveSettings
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal, UnitName

log = logging.getLogger(__name__)

_TIME: Final = "%Y-%m-%d %H:%M:%S"
_MOST_ROWS: Final = 10_000_000  # a chunk is as large as its file shall be; small rows make no small files


class DumpToFiles:
    """Unit: Dump."""

    def __init__(self, config: SubtaskConfig) -> None:
        self._config = config
        self._upstream_options = ConnectionOptions.from_config(config.upstream, side="upstream")
        self._settings = DumpSettings.of(config)
        self._around = self._folder = folder_at(self._settings.folder, config.spark.conf)
        self._owner = Owner(config.task_name, config.source_id)
        self._runs: Runs | None = None
        self._is_ending = False  # ``metadata`` may be there
        self._progress = Progress()
        self._governed = Governed(config, self._progress, {"upstream": self._upstream_options})
        self._source: Server

    @property
    def name(self) -> UnitName:
        return UnitName.DUMP

    def status(self) -> Mapping[str, Any]:
        return {**self._progress.status(time.monotonic()), "dir": self._folder.name}

    def steer(self, settings: LiveSettings) -> None:
        """A dump's own are its limits."""
        self._governed.steer(settings)

    def look(self, number: int) -> None:
        """What it says of itself is never old."""

    def on_news(self, tell: Callable[[], None]) -> None:
        """Nobody waits for its progress."""

    def order(self, orders: tuple[Order, ...]) -> None:
        """They are all about replication."""

    def run(self, stop: StopSignal) -> None:
        """Dump, or go on with it, until all is written or ``stop``.  Raises DMError."""
        started = time.monotonic()
        if self._around.is_shared:
            self._run_beside(Runs(self._around, self._owner), stop, started)
            return
        self._folder.claim()
        try:
            self._folder.sweep()
            names = list(self._folder.sizes())
            state = read_state(self._folder, self._owner, names)
            if state is not None and METADATA in names:
                self._tell_finished(state)
                return
            with self._upstream_server():
                if state is None or state.plan is None or self._ways():
                    state = self._plan(names, stop)
                if state is not None and state.plan is not None:
                    self._refuse_other(state.plan)
                    self._dump(state, state.plan, stop, started)
        finally:
            self._folder.release()

    def _run_beside(self, runs: Runs, stop: StopSignal, started: float) -> None:
        """In a folder that only this run uses: earlier ones may write at any time."""
        complete = runs.look()
        if complete is not None:
            self._folder = complete
            self._progress.enter(FINISHED)
            return
        with self._upstream_server():
            plan = None if self._ways() else runs.furthest()
            if plan is not None:
                self._refuse_other(plan)
            self._runs, self._is_ending = runs, False
            self._folder = runs.begin()
            try:
                state = self._plan((), stop) if plan is None else self._take_over(runs, plan, stop)
                if state is not None and state.plan is not None and not stop.is_set():
                    runs.clear()
                    self._dump(state, state.plan, stop, started)
            finally:
                self._folder.release()
                if not self._is_ending:
                    runs.ended(self._folder)

    def _take_over(self, runs: Runs, plan: DumpPlan, stop: StopSignal) -> DumpState:
        self._progress.enter("taking over the files of an earlier run")
        return runs.take_over(plan, self._folder, stop)

    def _refuse_other(self, plan: DumpPlan) -> None:
        """Go on only with a dump that this task would make."""
        options, folder = self._upstream_options, self._around.name
        refuse_other_settings(plan, self._settings.kept(), folder)
        refuse_another_server(plan, options.server, options.address, folder)

    @contextmanager
    def _upstream_server(self) -> Iterator[None]:
        with closing(connect(self._upstream_options.only(""), side="upstream")) as connection:
            self._source = Server.probe(connection)
            self._upstream_options = self._upstream_options.only(self._source.identity(connection))
        yield

    # -- planning

    def _plan(self, names: Sequence[str], stop: StopSignal) -> DumpState | None:
        """Store the plan; None when stopped before."""
        self._progress.enter("planning")
        write_state(self._folder, self._owner, None)
        for name in names:  # a run that did not come as far as to its plan left them
            if name != STATE_FILE:
                self._folder.remove(name)
        crashpoint("dumper.claimed")
        started_at = time.strftime(_TIME)
        with self._upstream() as upstream:
            start = self._start_location(upstream, stop)
            listed, others = list_tables(upstream, self._config.allow_list())
            self._progress.estimated(
                sum(table.size.rows for table in listed),
                sum(table.size.rows * table.size.row_bytes for table in listed),
            )
            sources = list(read_structures(upstream, listed))
            settings = self._settings
            if settings.with_schemas:
                SchemaFiles(upstream, self._folder).write(sources, others, views=settings.with_views)
            named = [(one, Target(one.listed.schema, one.listed.name)) for one in sources] if settings.with_rows else []
            plans = plan_tables(upstream, named, self._chunk_size(), stop.is_set)
        if stop.is_set():
            return None
        tables = tuple(one.structure for one in sources)
        chunks = file_chunks(plans, tables, settings.compression)
        plan = DumpPlan(start, started_at, settings.kept(), tables, chunks, self._upstream_options.server)
        write_state(self._folder, self._owner, plan)
        crashpoint("dumper.plan_stored")
        return DumpState(self._owner, plan)

    def _chunk_size(self) -> ChunkSize:
        dump = self._config.dump
        return ChunkSize(dump.rows, dump.chunk_bytes, dump.threads, _MOST_ROWS)

    def _start_location(self, upstream: Connection, stop: StopSignal) -> Place | None:
        if self._ways():
            return self._location(lambda: self._source.fetch_location(upstream))  # where the snapshot is comes later

        def tables() -> list[TableName]:
            return [(one.schema, one.name) for one in list_tables(upstream, self._config.allow_list())[0]]

        return self._location(lambda: visible_location(self._upstream, self._source, tables, stop))

    def _location(self, asked: Callable[[], Location]) -> Place | None:
        try:
            location = asked()
        except DMError as exc:
            if not exc.is_a(NO_BINLOG):
                raise
            log.warning("the upstream writes no binary log: nothing can be replicated from this dump on")
            return None
        self._progress.starts_at(location)
        return place_of(location)

    # -- writing

    def _dump(self, state: DumpState, plan: DumpPlan, stop: StopSignal, started: float) -> None:
        job = DumpJob(
            self._upstream_options,
            self._source.upstream_session(),
            FileSink(self._folder, self._settings.statement_bytes, self._settings.compression, self._config.dump.where),
            tuple(map(_copy_of, plan.tables)),
        )
        tasks = file_tasks(state)
        write_journal(self._folder, state)
        self._expect(state, plan)
        if self._ways():
            plan = self._write_snapshot(job, plan, tasks, stop)
        elif tasks:
            self._write_chunks(job, plan, tasks, stop)
        if not stop.is_set():
            self._finish(plan, time.monotonic() - started)

    def _write_snapshot(self, job: DumpJob, plan: DumpPlan, tasks: Sequence[FileTask], stop: StopSignal) -> DumpPlan:
        """All chunks as they are at one moment; the plan with its location."""
        self._progress.enter("waiting for a consistent snapshot")
        snapshots = Snapshots(self._upstream_options, self._source, self._ways(), self._config.allow_list())
        lanes = max(1, min(self._config.dump.threads, len(tasks)))
        with suppress(Stopped), snapshots.held(job, plan.tables, lanes, stop) as held:
            crashpoint("dumper.snapshot_held")
            self._progress.starts_at(held.moment.location)
            plan = replace(plan, start=place_of(held.moment.location))
            self._write_chunks(job, plan, tasks, stop, held)
        return plan

    def _ways(self) -> tuple[Way, ...]:
        """How all lanes come to see one moment; none: each chunk sees its own."""
        return ways_of(self._config.consistency, self._source, self._upstream_options.address)

    def _expect(self, state: DumpState, plan: DumpPlan) -> None:
        """What there is to do, for the status."""
        chunks: dict[int, list[int]] = {}
        for number, chunk in enumerate(plan.chunks):
            chunks.setdefault(chunk.table, []).append(number)
        for index, numbers in chunks.items():
            done = [state.done[number] for number in numbers if number in state.done]
            table = plan.tables[index]
            name = (table.schema, table.name)
            self._progress.known(
                name, len(numbers), len(done), sum(rows for rows, _ in done), sum(size for _, size in done)
            )
        with self._upstream() as upstream:
            listed, _ = list_tables(upstream, self._config.allow_list())
        for one in listed:
            self._progress.expect((one.schema, one.name), one.size.rows, one.size.rows * one.size.row_bytes)

    def _write_chunks(
        self,
        job: DumpJob,
        plan: DumpPlan,
        tasks: Sequence[FileTask],
        stop: StopSignal,
        held: DumpMoment | None = None,
    ) -> None:
        self._progress.enter("dumping")
        self._progress.begin(time.monotonic())
        tables = {task.number: plan.tables[task.table] for task in tasks}
        names = {number: (table.schema, table.name) for number, table in tables.items()}
        files = {task.number: task.file for task in tasks}
        remaining, kept = set(names), KeptChunks(held.moment, names) if held is not None else None
        with self._governed.traffic(self._config.dump.threads, names) as traffic:
            lanes = self._lanes(job, len(tasks), traffic, held)
            for done in lanes.run(kept.first(tasks) if kept else tasks, stop):
                if done.error is not None:
                    with self._upstream() as upstream:
                        raise explained(done.error, upstream, tables[done.number], NO_RULES)
                self._take(done, names, files, remaining)
                if kept is not None:
                    kept.done(done.number)
        if remaining and not stop.is_set():
            raise SPARK_FAILED.error(
                master=self._config.spark.master, text=f"it ended, and {len(remaining)} chunks are not done"
            )

    def _take(
        self, done: Dumped, names: Mapping[int, tuple[str, str]], files: Mapping[int, str], remaining: set[int]
    ) -> None:
        if done.number in remaining:  # Spark may run a task twice
            remaining.discard(done.number)
            self._folder.keep(done.part, files[done.number])
            self._folder.append(DONE_FILE, done_line(done.number, done.rows, done.bytes))
            crashpoint("dumper.chunk_done")
            self._progress.done(names[done.number], done.rows, done.bytes, time.monotonic(), done.number)

    def _lanes(self, job: DumpJob, tasks: int, traffic: Traffic, held: DumpMoment | None) -> FileLanes:
        if held is not None:
            return thread_lanes(job, held.readers, traffic)
        spark, threads = self._config.spark, self._config.dump.threads
        settings = SparkSettings(
            spark.master, threads, f"spark-dm {self._config.task_name} {self._config.source_id}", spark.conf
        )
        if settings.is_local:
            return thread_lanes(job, [FreshReader(job) for _ in range(min(threads, tasks))], traffic)
        return spark_lanes(replace(job, line=traffic.address), lambda: SparkEngine(settings, MODULE))

    def _finish(self, plan: DumpPlan, seconds: float) -> None:
        self._folder.sweep()  # what executors left that died
        refuse_missing_files(plan, self._folder)
        crashpoint("dumper.all_written")
        end = None
        if not self._ways():
            with self._upstream() as upstream:
                end = self._location(lambda: self._source.fetch_location(upstream))
        metadata = Metadata(plan.start, end, plan.started_at, time.strftime(_TIME))
        if self._runs is not None:
            self._runs.before_the_end()
        self._is_ending = True
        crashpoint("dumper.before_metadata")
        write_file(self._folder, METADATA, print_metadata(metadata).encode())
        self._progress.enter(FINISHED)
        status = self.status()
        log.info(
            "dump is done: source=%s dir=%s rows=%d bytes=%d seconds=%.1f",
            self._config.source_id, self._folder.name, status["finishedRows"], status["finishedBytes"], seconds,
        )  # fmt: skip

    def _tell_finished(self, state: DumpState) -> None:
        if state.plan is not None:
            with suppress(ValueError):
                parse_metadata(self._folder.read(METADATA).decode())
        self._progress.enter(FINISHED)

    @contextmanager
    def _upstream(self) -> Iterator[Connection]:
        """A connection for one step: between steps a server may restart."""
        connection = connect(self._upstream_options, side="upstream", session=self._source.upstream_session())
        try:
            yield connection
        finally:
            connection._force_close()


def _copy_of(table: Table) -> TableCopy:
    copy = plan_copy(table, table.schema, table.name).read_for({}, frozenset())
    return replace(copy, form=copy.form.loose)
