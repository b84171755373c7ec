"""The plan of a full migration, from the upstream's tables to rows of the meta tables.

1. Note the upstream's location, read its tables' structures (start_location.py says why more than once).
2. Create what the target lacks.
3. Cut the tables into chunks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from dm_worker.dumper.chunks import ChunkSize, TableSize
from dm_worker.dumper.plan import TablePlan, plan_tables
from dm_worker.dumper.source_tables import Listing, SourceTable, read_structures, wanted_tables
from dm_worker.dumper.start_location import StartLocation
from dm_worker.dumper.upstream_lock import TableName
from dm_worker.dumper.visible_location import visible_location
from dm_worker.loader.again_meta import AgainMeta, Intended
from dm_worker.loader.altered import ERRORS_OF_DDL
from dm_worker.loader.consistent import ConsistentCopy
from dm_worker.loader.later import postponed
from dm_worker.loader.later_meta import LaterMeta
from dm_worker.loader.makers import makers
from dm_worker.loader.other_objects import OtherObjects
from dm_worker.loader.progress import Progress
from dm_worker.loader.schema import TargetSchema
from dm_worker.loader.start_again import not_empty_tables
from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import Connection, Link
from pkg.adapters.mysql.dialect import Server, folds_names
from pkg.adapters.structures import schema_collations, structure_of
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.column_rules import ShardNumbers
from pkg.rules.router import Target
from pkg.rules.target_names import check_copied
from pkg.rules.tidb_tables import TidbTables
from pkg.schema.table import Table
from pkg.task.stage import ShardMode
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

STALE_TABLE = ErrorKind(
    34142,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{target} was created by this task as {source} was before it was altered upstream, and cannot be made anew: other "
    "sources may use it, or it has rows",
    workaround="alter {target} so that it is as {source} is now, or stop-task, drop the tables of the task downstream, "
    "and start-task --remove-meta for all its sources; keep DDL off while a full migration with one snapshot begins",
)

log = logging.getLogger(__name__)
Sizes: TypeAlias = dict[tuple[str, str], TableSize]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the migration starts, and what it copies."""

    start: Location
    tables: list[TablePlan]
    collations: Mapping[str, str]  # the defaults of the upstream's databases at the start

    @property
    def sources(self) -> list[SourceTable]:
        return [table.source for table in self.tables]


@dataclass(frozen=True, slots=True)
class Planning:
    """For one run of one subtask; ``upstream`` and ``downstream`` open connections."""

    config: SubtaskConfig
    meta: MetaTables
    epoch: int
    servers: tuple[Server, Server]
    upstream: Link
    downstream: Link
    progress: Progress
    others: OtherObjects
    snapshot: ConsistentCopy | None
    size: ChunkSize
    sized: Callable[[Sizes], None]  # hears what the upstream's statistics say

    def plan(self, stop: StopSignal) -> Plan:
        """A stop ends it early, and the caller must not use it."""
        self.progress.enter("planning")
        with self.upstream() as upstream:
            start, sources, collations = self._settled(upstream, stop)
            self.progress.starts_at(start)
            log.info("full migration starts: source=%s location=%s", self.config.source_id, start.position)
            self._create_tables(upstream, sources)
            of_ddl = ERRORS_OF_DDL if self.snapshot is None else ()
            return Plan(start, plan_tables(upstream, sources, self.size, stop.is_set, of_ddl), collations)

    def _settled(
        self, upstream: Connection, stop: StopSignal
    ) -> tuple[Location, list[tuple[SourceTable, Target]], Mapping[str, str]]:
        """The start, its tables, and the collations that databases have before it and behind it."""
        before = schema_collations(upstream)
        while True:
            start, sources = self._sources(upstream, stop)
            now = schema_collations(upstream)
            if all(now.get(name) in (None, collation) for name, collation in before.items()) or stop.is_set():
                return start, sources, {name: one for name, one in before.items() if name in now}
            before = now

    def _sources(self, upstream: Connection, stop: StopSignal) -> tuple[Location, list[tuple[SourceTable, Target]]]:
        def tables() -> list[TableName]:
            return [(one.schema, one.name) for one in self._wanted(upstream)[0]]

        def location() -> Location:
            return visible_location(self.upstream, server, tables, stop)

        server = self.servers[0]
        start = location() if self.snapshot is None else server.fetch_location(upstream)
        listed, skipped = self._wanted(upstream)
        self.others.hear(skipped)
        self.sized({(table.schema, table.name): table.size for table in listed})
        sources = list(read_structures(upstream, listed))
        if self.snapshot is None:
            again = StartLocation(
                location,
                lambda: self._wanted(upstream)[0],
                partial(read_structures, upstream),
            )
            start, sources = again.settled(start, sources)
        router = self.config.router()
        return start, [(source, router.route(source.listed.schema, source.listed.name)) for source in sources]

    def _wanted(self, upstream: Connection) -> Listing:
        return wanted_tables(upstream, self.config.allow_list(), self.config.meta_schema)

    def _create_tables(self, upstream: Connection, sources: Sequence[tuple[SourceTable, Target]]) -> None:
        self.progress.enter("creating tables")
        source_server, target_server = self.servers
        run = self.meta, self.config.source_id, self.epoch
        with self.downstream() as downstream, makers(self.downstream, target_server.flavor, len(sources)) as made_by:
            meta = AgainMeta(downstream, *run)
            former = self._former(downstream, meta, sources)
            if folds_names(downstream):
                check_copied((one.structure, to) for one, to in sources)
            self.others.prepare(upstream, downstream, {target for _, target in sources})
            rules, router, numbers = self.config.column_rules(), self.config.router(), ShardNumbers()
            routed = ((one.structure, to, rules.of(one.listed.schema, one.listed.name)) for one, to in sources)
            later = LaterMeta(downstream, *run)
            left_out = postponed(later, routed, indexes=self.config.load.late_indexes)
            merged = (
                frozenset[Target]() if self.config.load.on_duplicate_logical else later.merged(to for _, to in sources)
            )
            collations, layouts = schema_collations(upstream), self._layouts(target_server)
            schema = TargetSchema(
                downstream, target_server, source_server, collations, left_out, layouts, self.meta.schema, made_by,
                merged, meta.intend,
            )  # fmt: skip
            try:
                for source, target in sources:
                    listed = source.listed
                    own = rules.of(listed.schema, listed.name)
                    for note in own.notes():
                        log.warning("table %s.%s: %s", listed.schema, listed.name, note)
                    numbers.add(f"{listed.schema}.{listed.name}", target.schema, target.table, own)
                    schema.begin(source, target, own)
                for name in self._empty_databases(collations, sources):
                    _provide_empty(schema, router.route(name, "").schema, collations[name])
                schema.end()
            except DMError as exc:
                if not exc.resumable:  # somebody looks at it, and may alter or make tables there
                    schema.wait()
                    meta.store_made(former | schema.created)
                raise
            meta.store_made(former | schema.created)
        if self.snapshot is not None:
            self.snapshot.planned([(target.schema, target.table) for _, target in sources])

    def _empty_databases(self, there: Iterable[str], sources: Iterable[tuple[SourceTable, Target]]) -> Iterator[str]:
        """Those without a table, which the task takes with whatever comes to be in them."""
        allowed, filled = self.config.allow_list(), {one.listed.schema for one, _ in sources}
        for name in there:
            if name not in filled and name != self.config.meta_schema and allowed.takes_all(name):
                yield name

    def _former(
        self, downstream: Connection, meta: AgainMeta, sources: Sequence[tuple[SourceTable, Target]]
    ) -> dict[Target, Table]:
        """Drop what an earlier run created, where it has no plan or its snapshot is lost; what stays of it.

        Upstream such a table may be gone by now, or another one.  Raises STALE_TABLE.
        """
        if self.snapshot is None:  # what was made before it had a plan is not known to be untouched since
            self._drop_made(meta)
            return {}
        planned = {(one.schema, one.name): one for one in meta.structures()}
        made = meta.all_made()
        dropped = self._drop_made(meta)
        for source, target in sources:
            name = source.listed.schema, source.listed.name
            before = planned.get(name)
            if before is None or before.to_json() == source.structure.to_json() or target in dropped:
                continue
            if target in made and _is_as_made(downstream, target, made[target]):
                raise STALE_TABLE.error(target=f"{target.schema}.{target.table}", source=".".join(name))
        return {to: table for to, table in made.items() if to not in dropped and isinstance(table, Table)}

    def _drop_made(self, meta: AgainMeta) -> set[Target]:
        if self.config.shard_mode is not ShardMode.NONE:
            return set()  # other sources may have taken it for theirs
        with self.downstream() as second:
            dropped = meta.take_back(partial(_dropped, second), self.config.router().route)
        for target in dropped:
            log.info("table %s was created by a run that came to no end: it is dropped", target)
        return set(dropped)

    def _layouts(self, target: Server) -> TidbTables:
        layouts = self.config.tidb_layouts()
        layouts.check_target(target.flavor)
        return layouts


def _dropped(connection: Connection, target: Target, made: Table | Intended) -> bool:
    """Whether the table was still as it was ``made``, without rows, and is dropped."""
    name = target.schema, target.table
    if not _is_as_made(connection, target, made) or not_empty_tables(connection, [name]):
        return False
    connection.query(f"DROP TABLE {quoted(target.schema)}.{quoted(target.table)}")
    return True


def _is_as_made(connection: Connection, target: Target, made: Table | Intended) -> bool:
    there = structure_of(connection, target.schema, target.table)
    if isinstance(made, Intended):
        return there is not None and tuple(column.name for column in there.columns) == made.columns
    return there == made


def _provide_empty(there: TargetSchema, name: str, collation: str) -> None:
    """An account that may not create it is told, and the rest goes on."""
    try:
        there.provide_database(name, collation)
    except DMError as exc:
        if exc.resumable:
            raise
        log.warning("database %s, which is empty upstream, is not created: %s", name, exc.message)
