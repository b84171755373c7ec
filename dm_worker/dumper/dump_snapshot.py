"""One consistent snapshot for all lanes of a dump, which are threads of this process.

A snapshot ends with its connections, so nothing of it can be gone on with: a dump that was interrupted
begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from dm_worker.dumper.consistency import Way
from dm_worker.dumper.file_lane import DumpJob, FileTask, Reader
from dm_worker.dumper.held_snapshot import HeldSnapshot
from dm_worker.dumper.moment import Moment, take_moment
from dm_worker.dumper.source_tables import list_tables, read_structures
from dm_worker.dumper.upstream_lock import TableName
from dm_worker.loader.consistent import TABLES_CHANGED
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.position import Position
from pkg.rules.block_allow_list import BlockAllowList
from pkg.schema.table import Table
from pkg.unit import StopSignal


@dataclass(frozen=True, slots=True)
class DumpMoment:
    """What all lanes see, and with what they read it."""

    moment: Moment
    readers: tuple[Reader, ...]


class KeptChunks:
    """The chunks of tables that are kept locked until they are read."""

    def __init__(self, moment: Moment, names: Mapping[int, TableName]) -> None:
        self._moment = moment
        self._left = {number for number, name in names.items() if name in moment.kept.tables}

    def first(self, tasks: Sequence[FileTask]) -> list[FileTask]:
        """Writers wait for them, so they come first."""
        return sorted(tasks, key=lambda task: task.number not in self._left)

    def done(self, number: int) -> None:
        if number in self._left:
            self._left.discard(number)
            if not self._left:
                self._moment.kept.release()


class SnapshotReader:
    """A lane's part of the snapshot."""

    may_retry = False  # another connection would see another moment

    def __init__(self, snapshot: HeldSnapshot) -> None:
        self._snapshot = snapshot

    def connection(self) -> Connection:
        return self._snapshot.usable()

    def release(self) -> None:
        """It is for all chunks."""

    def drop(self) -> None:
        self._snapshot.close()


class _Snapshots:
    def __init__(self, snapshots: Sequence[HeldSnapshot]) -> None:
        self._snapshots = snapshots

    def begin(self, attempt: int) -> list[Position | None]:
        return [snapshot.open() for snapshot in self._snapshots]


@dataclass(frozen=True, slots=True)
class Snapshots:
    """How snapshots of one upstream begin."""

    options: ConnectionOptions
    server: Server
    ways: tuple[Way, ...]
    allowed: BlockAllowList

    @contextmanager
    def held(self, job: DumpJob, tables: Sequence[Table], lanes: int, stop: StopSignal) -> Iterator[DumpMoment]:
        """As many readers as ``lanes`` at one moment, at which the tables are as planned; raises ``Stopped``."""
        session = {**job.session, **self.server.snapshot_session()}
        with ExitStack() as stack:
            snapshots: list[HeldSnapshot] = []
            for _ in range(lanes):
                snapshots.append(HeldSnapshot(connect(self.options, side="upstream", session=session), self.server))
                stack.callback(snapshots[-1].close)
            names: list[TableName] = [(table.schema, table.name) for table in tables]
            moment = take_moment(self._connect, self.server, self.ways, names, _Snapshots(snapshots), stop)
            stack.callback(moment.kept.close)
            self._check(tables)
            yield DumpMoment(moment, tuple(SnapshotReader(snapshot) for snapshot in snapshots))

    def _connect(self) -> Connection:
        return connect(self.options, side="upstream", session=self.server.upstream_session())

    def _check(self, planned: Sequence[Table]) -> None:
        """A DDL between the plan and the snapshot would be missing in the files."""
        upstream = self._connect()
        try:
            listed, _ = list_tables(upstream, self.allowed)
            now = {_name(one.structure): one.structure for one in read_structures(upstream, listed)}
        finally:
            upstream._force_close()
        before = {_name(table): table for table in planned}
        changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        if changed:
            raise TABLES_CHANGED.error(tables=", ".join(changed[:3]) + (", …" if len(changed) > 3 else ""))


def _name(table: Table) -> str:
    return f"{table.schema}.{table.name}"
