"""Where a run of a sync unit begins: at the stored checkpoint, behind DM, at another server, or for the first time."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from dm_worker.syncer.ahead import AheadByGtid, AheadByPosition
from dm_worker.syncer.checkpoint import Checkpoint, CheckpointStore, LoadMeta, TableName
from dm_worker.syncer.dm_checkpoint import marks, read_take_over
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.run_maker import Start
from dm_worker.syncer.same_binlog import SameBinlog
from dm_worker.syncer.switch import (
    BETWEEN_SERVERS,
    SWITCHED_BEHIND,
    SWITCHED_UNLOGGED,
    SWITCHED_UPSTREAM,
    channels_ahead,
    first_checkpoint,
    lacking,
    needed_of,
    refusal,
    unlogged,
    way_by_gtid,
    without_server,
)
from dm_worker.syncer.upstream import Upstream
from pkg.adapters.meta_tables import COPY_OF_ANOTHER, MetaTables
from pkg.binlog.position import Location, Position
from pkg.rows.job import Place
from pkg.schema.table import Table
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig

log = logging.getLogger(__name__)


class StartFinder:
    """What it finds is stored before it is given."""

    def __init__(self, config: SubtaskConfig, tables: MetaTables, upstream: Upstream, downstream: Downstream) -> None:
        self._config = config
        self._tables = tables
        self._upstream = upstream
        self._downstream = downstream

    def find(self, store: CheckpointStore) -> Start:
        """The stored checkpoint, or the first one of this task, which is stored with its channels' rows."""
        load = store.load_meta()
        known = store.load()
        if known is not None:
            # Then no binlog is read, which few accounts may.
            is_over = self._is_copied_to(known.location, load) and not store.shards().waits
            if not is_over and known.server != self._upstream.identity:
                return self._switched(known, load, store)
            applied = store.take_channels()
            if not is_over:
                self._refuse_another_binlog(known, applied.values())
            return Start(known, False, load, AheadByPosition(applied))
        taken = None if load.start or self._config.start_time else self._left_by_dm(store)
        if taken is not None:
            return taken
        copied = store.copied_server() if load.start is not None else ""
        if load.start is not None and copied and not self._is_copied_to(load.start, load):
            self._refuse_another_copy(load.start, copied)
        location = load.start or self._upstream.start_location()
        checkpoint = Checkpoint(location, self._config.sync.worker_count, copied or self._upstream.identity)
        # The full migration stored the structures that go with its start; else today's are the nearest there is.
        structures, read_at = ({}, {}) if load.start is not None else self._present_structures(location)
        store.save(checkpoint, structures, new_channels=True, read_at=read_at)
        return Start(checkpoint, True, load, AheadByPosition({}))

    def _refuse_another_copy(self, start: Location, server: str) -> None:
        """Replication begins where the copy began: on the same server, in the same binlog.

        Raises COPY_OF_ANOTHER, ANOTHER_BINLOG.
        """
        upstream = self._upstream
        if server != upstream.identity:
            raise COPY_OF_ANOTHER.error(
                source=self._config.source_id, known=server, found=upstream.identity, address=upstream.address
            )
        SameBinlog(upstream).check(start, 0)

    def _left_by_dm(self, store: CheckpointStore) -> Start | None:
        """The start after DM, which has replicated this source until now; None when it has not."""
        config, upstream = self._config, self._upstream
        if config.task_mode is TaskMode.FULL:
            return None
        taken = read_take_over(
            self._downstream.own(), self._tables, config.source_id,
            flavor=upstream.server.gtid_flavor, by_gtid=config.enable_gtid, present=upstream.present_location(),
        )  # fmt: skip
        if taken is None:
            return None
        log.info("taken over from DM, safe mode until %s", taken.safe_until or "nowhere: its checkpoint is exact")
        checkpoint = Checkpoint(taken.start, config.sync.worker_count, upstream.identity)
        also = marks(self._tables, config.source_id, taken)
        structures, read_at = self._present_structures(taken.start)
        store.save(checkpoint, structures, new_channels=True, also=also, read_at=read_at)
        return Start(checkpoint, True, store.load_meta(), AheadByPosition({}))

    def _is_copied_to(self, location: Location, load: LoadMeta) -> bool:
        """Whether a `full` task is where it ends: it read one moment, or all that came meanwhile."""
        is_full = self._config.task_mode is TaskMode.FULL
        return is_full and load.end is not None and location.position >= load.end.position

    def _refuse_another_binlog(self, known: Checkpoint, applied: Iterable[Place]) -> None:
        """The same server may have begun its binlog anew, or have been restored.  Raises ANOTHER_BINLOG."""
        ends = [one.end for one in applied if one.file_name == known.location.position.name]
        SameBinlog(self._upstream).check(known.location, known.file_begun, max(ends, default=0))

    def _switched(self, known: Checkpoint, load: LoadMeta, store: CheckpointStore) -> Start:
        """The first start on another server than the checkpoint's.  Raises SWITCHED_UPSTREAM, _BEHIND, _UNLOGGED."""
        upstream, gtids = self._upstream, known.location.gtid_set
        by_gtid, shards = self._config.enable_gtid, store.shards()
        reason = refusal(known, load, enable_gtid=by_gtid, shards=shards)
        if reason or gtids is None:
            raise SWITCHED_UPSTREAM.error(
                source=self._config.source_id,
                known=known.server,
                found=upstream.identity,
                address=upstream.address,
                reason=reason,
                way=way_by_gtid(known, load, enable_gtid=by_gtid, shards=shards),
            )
        applied = store.take_channels()
        places = channels_ahead(applied, known)
        ahead = AheadByGtid(places, gtids)
        held, hidden, needed = upstream.held_transactions(), upstream.unlogged_gtids(), needed_of(known, ahead)
        missing = "all of them" if held is None else lacking(held, needed)
        if missing:
            raise SWITCHED_BEHIND.error(address=upstream.address, missing=missing)
        if hidden is not None and (missing := unlogged(hidden, gtids, needed)):
            raise SWITCHED_UNLOGGED.error(address=upstream.address, missing=missing)
        structures, read_at = self._read_again(known, store)
        store.save(
            without_server(known),
            structures,
            also=[*store.forget_places(applied.keys() - places.keys()), *self._defaults_again(store)],
            read_at=read_at,
        )
        log.info("upstream switched: from=%s to=%s gtid=%s", known.server, upstream.identity, gtids)
        return Start(first_checkpoint(known), False, LoadMeta(None, None, True), ahead, switched=True)

    def _present_structures(self, start: Location) -> tuple[dict[TableName, Table | None], dict[TableName, Position]]:
        """Today's structures, and where the binlog was then, where that is behind ``start``."""
        allow_list = self._config.allow_list()
        names = [name for name in self._upstream.tables() if allow_list.allows(*name)]
        structures = {name: self._upstream.table(*name) for name in names}
        read = self._upstream.present_location().position  # all DDL that was seen is before it
        return structures, {} if read == start.position else dict.fromkeys(names, read)

    def _read_again(
        self, known: Checkpoint, store: CheckpointStore
    ) -> tuple[dict[TableName, Table | None], dict[TableName, Position]]:
        """Of tables that were read behind the checkpoint on another server: their structures on this one, and where."""
        position, read_before = known.location.position, store.read_at() | store.databases_read_at()
        is_between = known.server == BETWEEN_SERVERS
        settled = {name for name, read in read_before.items() if read <= position and not is_between}
        store.settle_structures(settled)
        there = set(self._upstream.tables())
        structures = {
            name: self._upstream.table(*name) if name in there else None
            for name in read_before.keys() - settled
            if name[1]
        }
        return structures, dict.fromkeys(structures, self._upstream.present_location().position)

    def _defaults_again(self, store: CheckpointStore) -> list[tuple[str, Sequence[Any]]]:
        """The same of databases' defaults, when those that are known have been settled: what stores them."""
        doubtful, known = store.databases_read_at(), store.database_collations() or {}
        if not doubtful:
            return []
        today = self._upstream.default_collations()
        collations = {name: today.get(name, known[name]) if (name, "") in doubtful else known[name] for name in known}
        read = self._upstream.present_location().position
        return [store.collations_change(collations, dict.fromkeys(doubtful, read))]
