"""A full migration that reads one consistent snapshot: from the plan to the location at which it was.

A snapshot ends with its connections, so a run that was interrupted begins anew with another one
(``start_again``).  The snapshot's location is where the migration starts and where it ends.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from dm_worker.dumper.consistency import ways_of
from dm_worker.dumper.moment import Moment, tables_without_snapshots, take_moment
from dm_worker.dumper.source_tables import read_structures, wanted_tables
from dm_worker.dumper.upstream_lock import Stopped
from dm_worker.loader.chunk_copy import ChunkDone, ChunkTask
from dm_worker.loader.ends import CopyJob
from dm_worker.loader.lane_meta import SnapshotMeta
from dm_worker.loader.meta import LoadMeta
from dm_worker.loader.progress import COPYING
from dm_worker.loader.snapshot_lane import LaneJob
from dm_worker.loader.snapshot_lanes import (
    Desk,
    LaneFailed,
    OwnReaders,
    SparkReaders,
    living_connections,
    tasks_in_order,
)
from dm_worker.loader.start_again import empty_targets, not_empty_tables
from dm_worker.loader.traffic import Traffic
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.owned_connections import OwnedConnections
from pkg.adapters.spark import SparkEngine
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import ErrorKind, Level, Scope, listed
from pkg.schema.table import Table
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

TABLES_CHANGED = ErrorKind(
    32017,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{tables} changed upstream between the plan and the snapshot",
    workaround="nothing was copied, and it begins again by itself; make no DDL while a full migration begins",
    resumable=True,
)

WAITING: Final = "waiting for a consistent snapshot"
_SHOWN: Final = 3
TableName = tuple[str, str]


class ConsistentCopy:
    """The snapshot of one run of one subtask."""

    def __init__(
        self,
        config: SubtaskConfig,
        upstream: ConnectionOptions,
        source: Server,
        target: Server,
        epoch: int,
        tell: Callable[[str], None],
    ) -> None:
        """``tell`` is called with each phase that begins."""
        self._config = config
        self._tell = tell
        self._source = source
        self._target = target
        self._epoch = epoch
        self._tables = MetaTables(config.meta_schema, config.task_name)
        self._upstream_options = upstream
        self._target_options = ConnectionOptions.from_config(config.target, side="downstream")
        self._consistency = config.consistency
        self._ways = ways_of(self._consistency, source, self._upstream_options.address)
        self._moment: Moment | None = None
        self._owned = OwnedConnections(self._tables, config.source_id, target.flavor)

    @property
    def is_wanted(self) -> bool:
        return bool(self._ways)

    def stored_location(self) -> Location:
        """Where the snapshot is, or was before all was copied: the migration's start and its end."""
        with self._downstream() as link:
            return self._meta(link).stored_location(self._source.gtid_flavor)

    def status(self) -> Mapping[str, Any]:
        """What the unit's status shows beside the location."""
        moment = self._moment
        if moment is None:
            return {"snapshot": {"consistency": self._consistency}}
        return {
            "metaBinlog": str(moment.location.position),
            "metaBinlogGTID": str(moment.location.gtid_set or ""),
            "snapshot": {
                "consistency": self._consistency,
                "by": str(moment.way),
                "connections": moment.connections,
                "lockWaitedMs": round(moment.waited_seconds * 1000, 1),
                "lockHeldMs": round(moment.held_seconds * 1000, 1),
            },
        }

    def summary(self) -> Mapping[str, Any]:
        """The same for the migration's summary, which stays."""
        status = self.status()
        return {"location": status["metaBinlog"], "gtid": status["metaBinlogGTID"], **status["snapshot"]}

    # -- before the plan is stored

    def start_again(self) -> None:
        """Empty what an earlier run has copied: its snapshot is gone."""
        with self._downstream() as link, self._downstream() as other:
            meta = self._meta(link)
            empty_targets(meta, other, meta.copied_targets())

    def planned(self, targets: Sequence[TableName]) -> None:
        """The target tables are there, and nothing was copied yet."""
        with self._downstream() as link:
            self._meta(link).begin(not_empty_tables(link, targets))

    # -- copying

    def lanes(self, job: CopyJob, count: int, engine: SparkEngine | None, traffic: Traffic) -> SnapshotLanes:
        self._tell(WAITING)
        tables = tuple(replace(table, is_pinned=False, form=table.form.loose) for table in job.tables)
        return SnapshotLanes(self, replace(job, tables=tables), count, engine, traffic)

    def take(self, readers: OwnReaders | SparkReaders, tables: Sequence[TableName], stop: StopSignal) -> Moment:
        """All readers begin, the tables are as planned, and the location is stored."""
        moment = take_moment(self._connect_upstream, self._source, self._ways, tables, readers, stop)
        crashpoint("snapshot.begun")
        try:
            with self._downstream() as link:
                planned = LoadMeta(link, self._tables, self._config.source_id, self._epoch).structures()
                self._check_tables(planned)
                self._meta(link).store_location(moment.location)
        except BaseException:
            moment.kept.close()
            raise
        self._moment = moment
        self._tell(COPYING)
        return moment

    def _check_tables(self, planned: Sequence[Table]) -> None:
        """A DDL between the plan and the snapshot would be missing in the target."""
        upstream = self._connect_upstream()
        try:
            there, _ = wanted_tables(upstream, self._config.allow_list(), self._config.meta_schema)
            now = {_name(one.structure): _text(one.structure) for one in read_structures(upstream, there)}
        finally:
            upstream._force_close()
        before = {_name(table): _text(table) for table in planned}
        changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        if changed:
            raise TABLES_CHANGED.error(tables=listed(changed, _SHOWN))

    def without_snapshots(self, tables: Sequence[TableName]) -> frozenset[TableName]:
        """Tables whose engine has no transactions."""
        return frozenset(tables_without_snapshots(self._connect_upstream, tables))

    # -- what lanes need

    def lane_job(self, job: CopyJob, tasks: Sequence[ChunkTask], count: int) -> LaneJob:
        return LaneJob(job, tuple(tasks), count, self._snapshot_session(), self._meta_session())

    def desk(self) -> Desk:
        return Desk(self._connect_downstream, self._meta)

    def alive(self, numbers: Sequence[int]) -> set[int]:
        connection = self._connect_upstream()
        try:
            return living_connections(connection, numbers)
        finally:
            connection._force_close()

    def _meta(self, connection: Connection) -> SnapshotMeta:
        return SnapshotMeta(connection, self._tables, self._config.source_id, self._epoch)

    def _snapshot_session(self) -> dict[str, str]:
        return self._source.upstream_session() | self._source.snapshot_session()

    def _meta_session(self) -> dict[str, str]:
        return self._target.downstream_session(self._target_options.session) | {"foreign_key_checks": "0"}

    def _connect_upstream(self) -> Connection:
        return connect(self._upstream_options, side="upstream", session=self._source.upstream_session())

    def _connect_downstream(self) -> Connection:
        return connect(self._target_options, side="downstream", session=self._meta_session())

    @contextmanager
    def _downstream(self) -> Iterator[Connection]:
        connection = self._connect_downstream()
        try:
            self._owned.register(connection, self._epoch)
            yield connection
        finally:
            with suppress(Exception):
                connection._force_close()


class SnapshotLanes:
    """Runs the chunks of one job in one snapshot; on Spark where there is an engine."""

    def __init__(
        self, snapshot: ConsistentCopy, job: CopyJob, count: int, engine: SparkEngine | None, traffic: Traffic
    ) -> None:
        self._snapshot = snapshot
        self._job = job
        self._count = count
        self._engine = engine
        self._traffic = traffic
        self._opened = ExitStack()

    def run(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        """What comes of each chunk, as it comes; ends early when stopped."""
        try:
            run = self._alone if self._engine is None else self._on_spark
            yield from run(tasks, stop)
        except LaneFailed as failed:
            yield failed.done
        except Stopped:
            return

    def close(self) -> None:
        self._opened.close()
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _names(self) -> list[TableName]:
        return [(table.schema, table.name) for table in self._job.tables]

    def _ordered(self, tasks: Sequence[ChunkTask]) -> tuple[ChunkTask, ...]:
        without = self._snapshot.without_snapshots(self._names())
        return tasks_in_order(tasks, {number for number, name in enumerate(self._names()) if name in without})

    def _alone(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        lanes = max(1, min(self._count, len(tasks) // 2))  # commits wait for each that begins
        readers = OwnReaders(self._snapshot.lane_job(self._job, self._ordered(tasks), lanes), self._traffic)
        self._opened.callback(readers.close)
        moment = self._take(readers, stop)
        yield from self._released(readers.copy(stop), tasks, moment)

    def _on_spark(self, tasks: Sequence[ChunkTask], stop: StopSignal) -> Iterator[ChunkDone]:
        assert self._engine is not None, "there is an engine"
        # The driver sees chunks by their rows of the meta tables: one that is done must not have a rest elsewhere.
        uncut = replace(self._job, chunk_rows=0)
        job = self._snapshot.lane_job(uncut, self._ordered(tasks), self._count)
        readers = SparkReaders(self._engine, job, self._snapshot.desk(), self._snapshot.alive)
        self._opened.callback(readers.close)
        if not readers.gather(stop):
            return
        moment = self._take(readers, stop)
        readers.hold()
        yield from self._released(readers.copy(stop), tasks, moment)

    def _take(self, readers: OwnReaders | SparkReaders, stop: StopSignal) -> Moment:
        moment = self._snapshot.take(readers, self._names(), stop)
        self._opened.callback(moment.kept.close)
        return moment

    def _released(self, copied: Iterator[ChunkDone], tasks: Sequence[ChunkTask], moment: Moment) -> Iterator[ChunkDone]:
        """Unlock the tables without snapshots as soon as they are read."""
        tables = {number for number, name in enumerate(self._names()) if name in moment.kept.tables}
        kept = {task.chunk_id for task in tasks if task.table in tables}
        if not kept:
            moment.kept.close()
        for done in copied:
            if done.chunk_id in kept and done.error is None:
                kept.discard(done.chunk_id)
                if not kept:
                    moment.kept.release()
                    log.info("tables without snapshots are read, and may be written again")
            yield done


def _name(table: Table) -> str:
    return f"{table.schema}.{table.name}"


def _text(table: Table) -> str:
    return json.dumps(table.to_json(), ensure_ascii=False, sort_keys=True)
