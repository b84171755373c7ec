"""Loading a dump's files into the target (task-mode load): plan, structures, file by file.

1. Claim an epoch; from now on no earlier run of this subtask can commit anything.
2. Without a stored plan: read the folder's names and structures, create what the target lacks, and store
   the plan (every file, with its size) in one transaction.
3. Load every file that is not done; a file's row says how far it is, in the transactions of its rows.
4. Create what was left out of the tables while their rows came in, and the views.  The load is finished;
   where the dump's metadata has a location, replication can begin there.

A crash in 1-2 starts again from nothing, in 3 it repeats the batches that were under way.  The upstream is
not asked anything.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, Final

from dm_worker.dumper.dump_plan import dump_folder
from dm_worker.dumper.hadoop_folder import folder_at
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.runs import AROUND, dump_in, inside
from dm_worker.loader.chunk_copy import ChunkDone
from dm_worker.loader.dump_stream import DUMP_CHANGED
from dm_worker.loader.dump_tables import Dump, TableFiles, read_dump, read_start
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.file_columns import FileTable
from dm_worker.loader.file_load import MODULE, FileTask, LoadJob
from dm_worker.loader.file_load_lanes import FileLoadLanes, spark_lanes, thread_lanes
from dm_worker.loader.file_meta import FileMeta, FileState
from dm_worker.loader.governed import Governed
from dm_worker.loader.later import LaterObjects, postponed
from dm_worker.loader.later_meta import LaterMeta
from dm_worker.loader.makers import makers
from dm_worker.loader.meta import FINISHED
from dm_worker.loader.progress import FINISHED as OVER
from dm_worker.loader.progress import Progress
from dm_worker.loader.recording import recorded
from dm_worker.loader.schema import TargetSchema
from dm_worker.loader.streamed import allows_local
from dm_worker.loader.summary import Journal
from dm_worker.loader.traffic import Traffic
from dm_worker.loader.views import Views
from pkg.adapters.kept_runs import refuse_to_ignore
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.computing import making_session
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, set_session
from pkg.adapters.mysql.dialect import Server, folds_names
from pkg.adapters.owned_connections import OwnedConnections
from pkg.adapters.spark import SPARK_FAILED, SparkEngine, SparkSettings
from pkg.adapters.structures import has_row, structure_of
from pkg.adapters.summaries import Summary, load_summary, store_summary
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope, listed
from pkg.rules.router import Target
from pkg.rules.target_names import check_copied
from pkg.shardddl.lock import Order
from pkg.task.kept import RUNNING
from pkg.task.live import LiveSettings
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal, UnitName

log = logging.getLogger(__name__)

NO_MAPPING = ErrorKind(
    34217,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "a column mapping holds for {table}, and rows from files are not mapped",
    workaround="take the column mapping out of the instance, or migrate with task-mode full or all: there the upstream "
    "calculates the values",
)
ROWS_BEFORE = ErrorKind(
    34147,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "these target tables have rows before anything is loaded: {tables}; {what}",
    workaround="empty them (TRUNCATE TABLE), then resume-task; where these rows are to stay, stop-task, put "
    "`downstream_table_empty` into ignore-checking-items, start-task",
)
_LOG_FORMAT: Final = "load of the dump is done: source=%s dir=%s rows=%d bytes=%d seconds=%.1f location=%s"


class LoadFromFiles:
    """Unit: Load."""

    def __init__(self, config: SubtaskConfig, bind_epoch: int) -> None:
        self._config = config
        self._bind_epoch = bind_epoch
        self._meta_tables = MetaTables(config.meta_schema, config.task_name)
        self._target_options = ConnectionOptions.from_config(config.target, side="downstream")
        place = dump_folder(config.load.dir, config.source_id, config.source_count)
        self._around = self._folder = folder_at(place, config.spark.conf)
        self._progress = Progress()
        self._journal = Journal()
        self._governed = Governed(config, self._progress, {"downstream": self._target_options})
        self._epoch = 0
        self._streams = False  # rows go by LOAD DATA LOCAL
        self._target: Server
        self._owned: OwnedConnections

    @property
    def name(self) -> UnitName:
        return UnitName.LOAD

    def status(self) -> Mapping[str, Any]:
        return {**self._progress.status(time.monotonic()), "dir": self._folder.name}

    def steer(self, settings: LiveSettings) -> None:
        """A load's own are its limits."""
        self._governed.steer(settings)

    def look(self, number: int) -> None:
        """What it says of itself is never old."""

    def on_news(self, tell: Callable[[], None]) -> None:
        """Nobody waits for its progress."""

    def order(self, orders: tuple[Order, ...]) -> None:
        """They are all about replication."""

    def run(self, stop: StopSignal) -> None:
        """Load, or go on with it, until all is there or ``stop``.  Raises DMError."""
        with recorded(self._journal, self._progress, self._config.source_id, stop, self._store_summary):
            self._run(stop)

    def _run(self, stop: StopSignal) -> None:
        started = time.monotonic()
        self._probe(stop)
        if stop.is_set():
            return
        with self._meta() as meta:
            status = meta.load_status()
            if status not in (RUNNING, FINISHED):
                self._plan(meta)
            else:
                meta.store_taken(self._config.taken)
            files, structures = meta.files(), meta.structures()
            start = meta.start()
        self._folder = inside(self._around, files[0].file().folder if files else AROUND)
        if status == RUNNING:
            self._refuse_other_dump(start)
        if start is not None:
            self._progress.starts_at(start)
        self._expect(files)
        if status == FINISHED:
            self._progress.enter(OVER)
            return
        waiting = [one for one in files if not one.is_done]
        if waiting:
            self._load(waiting, {(table.schema, table.name): table for table in structures}, stop)
        if not stop.is_set():
            self._finish(started, stop)

    def _probe(self, stop: StopSignal) -> None:
        """Who the target is; from then on no earlier run writes."""
        with closing(connect(self._target_options, side="downstream")) as connection:
            self._target = Server.probe(connection)
            session = {**making_session(connection), **self._target_options.session}
            self._target_options = replace(self._target_options, session=session)
            set_session(connection, self._target.downstream_session(session))
            self._streams = allows_local(connection)
            create_meta_tables(connection, self._meta_tables)
            self._owned = OwnedConnections(self._meta_tables, self._config.source_id, self._target.flavor)
            self._epoch = self._owned.take_over(connection, self._bind_epoch, stop, self._progress.wait_for_earlier)
            refuse_to_ignore(connection, self._meta_tables, self._config)

    # -- planning

    def _plan(self, meta: FileMeta) -> None:
        self._progress.enter("planning")
        run = dump_in(self._around)
        self._folder = inside(self._around, run)
        dump = read_dump(self._folder, self._config.allow_list(), run)
        for name in dump.left_out:
            log.warning("not loaded: %s", name)
            self._journal.left_out.append(name)
        router = self._config.router()
        routed = [(one, router.route(one.source.structure.schema, one.source.structure.name)) for one in dump.tables]
        log.info(
            "load of a dump starts: source=%s dir=%s tables=%d files=%d",
            self._config.source_id, self._folder.name, len(routed), sum(len(one.files) for one, _ in routed),
        )  # fmt: skip
        self._refuse_rows_before({target for _, target in routed})
        self._create_target(dump, routed)
        with self._downstream() as downstream:
            self._views().note_all(downstream, dump.views)
        crashpoint("files.before_plan_stored")
        meta.store_files(dump.start, dump.end, routed, self._config.taken)
        crashpoint("files.plan_stored")

    def _refuse_rows_before(self, targets: Set[Target]) -> None:
        """Raises ROWS_BEFORE where rows would be there twice, or stay: dm-master does not see the files."""
        if {"all", "downstream_table_empty"}.intersection(self._config.ignore_checking_items):
            return
        with self._downstream() as downstream:
            found = {one: structure_of(downstream, one.schema, one.table) for one in targets}
            tables = {one: table for one, table in found.items() if table is not None}
            filled = {one: table for one, table in tables.items() if has_row(downstream, one.schema, one.table)}
            later = LaterMeta(downstream, self._meta_tables, self._config.source_id, self._epoch)
            own = filled.keys() - later.other_feeders(filled)  # asked last: another one's plan is older than its rows
        doubled = {one for one in own if not filled[one].identity_key}
        for refused, what in (
            (doubled, "they have no key, so rows of the files would come on top of them"),
            (own if self._config.remove_meta else set(), "those that the files have no longer would stay"),
        ):
            if refused:
                named = listed(sorted(f"{one.schema}.{one.table}" for one in refused))
                raise ROWS_BEFORE.error(tables=named, what=what)

    def _refuse_other_dump(self, start: Location | None) -> None:
        """A run that goes on must find what it began with."""
        try:
            found = read_start(self._folder)
        except DMError as exc:  # of a folder that is not there, too: lanes name the first file that they miss
            log.warning("the dump's metadata cannot be read: %s", exc)
            return
        if found is not None and start is not None and str(found) != str(start):
            raise DUMP_CHANGED.error(file=METADATA, reason=f"says {found.position}, and said {start.position}")

    def _create_target(self, dump: Dump, routed: Sequence[tuple[TableFiles, Target]]) -> None:
        self._progress.enter("creating tables")
        rules = self._config.column_rules()
        with self._downstream() as downstream, makers(self._downstream, self._target.flavor, len(routed)) as made_by:
            later = LaterMeta(downstream, self._meta_tables, self._config.source_id, self._epoch)
            tables = [(one.source.structure, to) for one, to in routed]
            if folds_names(downstream):
                check_copied(tables)
            ruled = ((table, to, rules.of(table.schema, table.name)) for table, to in tables)
            left_out = postponed(later, ruled, indexes=self._config.load.late_indexes)
            layouts = self._config.tidb_layouts()
            layouts.check_target(self._target.flavor)
            meta = self._config.meta_schema
            merged = (
                frozenset[Target]() if self._config.load.on_duplicate_logical else later.merged(to for _, to in tables)
            )
            schema = TargetSchema(
                downstream, self._target, self._target, dump.collations, left_out, layouts, meta, made_by, merged,
                has_generated=False,
            )  # fmt: skip
            for one, target in routed:
                structure = one.source.structure
                own = rules.of(structure.schema, structure.name)
                if own.mapped:
                    raise NO_MAPPING.error(table=f"{structure.schema}.{structure.name}")
                for note in own.notes():
                    log.warning("table %s.%s: %s", structure.schema, structure.name, note)
                schema.begin(one.source, target, own)
            schema.end()

    def _views(self) -> Views:
        return Views(self._config, self._target, self._meta_tables, self._epoch, self._journal, self._progress.enter)

    def _expect(self, files: Sequence[FileState]) -> None:
        """What there is to do, for the status: bytes of files."""
        tables: dict[tuple[str, str], list[FileState]] = {}
        for one in files:
            tables.setdefault((one.chunk.schema, one.chunk.table), []).append(one)
        for name, of_table in tables.items():
            done = [one for one in of_table if one.is_done]
            size = sum(one.file().size for one in done)
            self._progress.known(name, len(of_table), len(done), sum(one.rows for one in done), size)
            self._progress.expect(name, 0, sum(one.file().size for one in of_table))

    # -- loading

    def _load(self, files: Sequence[FileState], structures: Mapping[tuple[str, str], Any], stop: StopSignal) -> None:
        if not self._streams:
            log.warning("rows go by multi-row INSERT, which is slower: local_infile is off on the target")
        self._progress.enter("loading")
        self._progress.begin(time.monotonic())
        rules = self._config.column_rules()
        index: dict[tuple[str, str], int] = {}
        tables: list[FileTable] = []
        for one in files:
            name = (one.chunk.schema, one.chunk.table)
            if name not in index:
                index[name] = len(tables)
                chunk = one.chunk
                tables.append(
                    FileTable(
                        structures[name], chunk.target_schema, chunk.target_table, self._target.flavor,
                        rules.of(*name).extracted,
                    )
                )  # fmt: skip
        tasks = [FileTask(one.chunk.chunk_id, index[one.chunk.schema, one.chunk.table], one.file()) for one in files]
        names = {one.chunk.chunk_id: (one.chunk.schema, one.chunk.table) for one in files}
        self._run_lanes(LoadJob(self._job(), self._around, tuple(tables)), tasks, names, stop)

    def _run_lanes(
        self, job: LoadJob, tasks: Sequence[FileTask], names: Mapping[int, tuple[str, str]], stop: StopSignal
    ) -> None:
        remaining = set(names)
        with self._governed.traffic(self._config.load.pool_size, names) as traffic:
            for done in self._lanes(job, traffic).run(tasks, stop):
                self._take(done, names, remaining)
        if remaining and not stop.is_set():
            raise SPARK_FAILED.error(
                master=self._config.spark.master, text=f"it ended, and {len(remaining)} files are not done"
            )

    def _take(self, done: ChunkDone, names: Mapping[int, tuple[str, str]], remaining: set[int]) -> None:
        if done.error is not None:
            raise done.error
        if done.chunk_id in remaining:  # Spark may run a task twice; the second time it finds the file done
            remaining.discard(done.chunk_id)
            self._journal.spent(names[done.chunk_id], done.seconds)
            self._progress.done(names[done.chunk_id], done.rows, done.bytes, time.monotonic(), done.chunk_id)

    def _lanes(self, job: LoadJob, traffic: Traffic) -> FileLoadLanes:
        spark, lanes = self._config.spark, self._config.load.pool_size
        name = f"spark-dm {self._config.task_name} {self._config.source_id}"
        settings = SparkSettings(spark.master, lanes, name, spark.conf)
        if settings.is_local:
            return thread_lanes(job, lanes, traffic)
        told = replace(job, copy=replace(job.copy, line=traffic.address))
        return spark_lanes(told, lambda: SparkEngine(settings, MODULE))

    def _job(self) -> CopyJob:
        with self._meta() as meta:  # a value may have moved from one row to another while a dump was made
            unsaid = "" if meta.is_of_one_moment() else "replace"
        return CopyJob(
            upstream=self._target_options,
            downstream=self._target_options,
            upstream_session={},
            downstream_session=self._target.copy_session(self._target_options.session),
            timezone=self._config.timezone,
            meta=self._meta_tables,
            source_id=self._config.source_id,
            epoch=self._epoch,
            on_duplicate=self._config.load.on_duplicate_logical or unsaid,
            tables=(),
            flavor=self._target.flavor,
            streams=self._streams,
        )

    def _store_summary(self, make: Callable[[Summary | None], Summary]) -> None:
        if not self._epoch:
            return
        with self._downstream() as connection:
            earlier = load_summary(connection, self._meta_tables, self._config.source_id)
            store_summary(connection, self._meta_tables, self._config.source_id, self._epoch, make(earlier))

    def _finish(self, started: float, stop: StopSignal) -> None:
        crashpoint("files.all_loaded")
        with self._meta() as meta:
            start, is_consistent = meta.start(), meta.is_of_one_moment()
        run = self._config.source_id, self._epoch
        later = LaterObjects(self._target_options, self._target, self._meta_tables, run, self._progress.enter)
        later.create(stop, is_consistent=is_consistent)
        if not stop.is_set():
            self._views().create(stop)
        if stop.is_set():
            return
        with self._meta() as meta:
            meta.finish()
        self._progress.enter(OVER)
        status = self.status()
        log.info(
            _LOG_FORMAT, self._config.source_id, self._folder.name, status["finishedRows"], status["finishedBytes"],
            time.monotonic() - started, "unknown" if start is None else start.position,
        )  # fmt: skip

    # -- connections, each for one step: between steps a server may restart

    @contextmanager
    def _downstream(self) -> Iterator[Connection]:
        session = self._target.downstream_session(self._target_options.session) | {"foreign_key_checks": "0"}
        connection = connect(self._target_options, side="downstream", session=session)
        try:
            self._owned.register(connection, self._epoch)
            yield connection
        finally:
            connection._force_close()

    @contextmanager
    def _meta(self) -> Iterator[FileMeta]:
        with self._downstream() as connection:
            yield FileMeta(connection, self._meta_tables, self._config.source_id, self._epoch)
