"""A DDL that was read, and the tables that it is about: upstream as they are tracked, and in the target."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.merge_tables import MergeTables
from dm_worker.syncer.passing import AskedUpstream
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Location
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.merged import Merged, nowhere
from pkg.rules.online_ddl import Exchange
from pkg.rules.router import Router
from pkg.schema.charset import Charset
from pkg.schema.context import DdlContext
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Understood:
    """A DDL with the session that it ran in."""

    ddl: Ddl
    context: DdlContext
    place: str
    event: QueryEvent
    kept: tuple[Ddl, ...] = ()  # what of it runs downstream
    after: Location | None = None  # behind it in the stream
    is_online: bool = False  # it names tables of gh-ost or pt-online-schema-change …
    exchanges: tuple[Exchange, ...] = ()  # … which take the places of these
    is_given: bool = False  # by an operator
    is_cut: bool = False  # an event filter leaves out some of it


class DdlTables:
    """Names without and with routes, structures of both sides, and which tables are merged."""

    def __init__(
        self,
        router: Router,
        allow_list: BlockAllowList,
        tracker: SchemaTracker,
        downstream: Downstream,
        asked: AskedUpstream,
    ) -> None:
        self._router = router
        self._allow_list = allow_list
        self._tracker = tracker
        self._downstream = downstream
        self._asked = asked
        self.merges = MergeTables(self.tracked, allow_list.allows, asked)
        self.is_coordinated = False  # DDL of merged tables waits for the other shards
        self.is_fed_elsewhere: Callable[[TableName], bool] = nowhere  # set where the task has other sources …
        self.has_other_sources = False  # … for which the DDL of merged tables is run, too

    def all_tracked(self) -> dict[TableName, Table]:
        return {TableName(one.schema, one.name): one for one in self._tracker.tables()}

    def allows(self, name: TableName) -> bool:
        """Whether the task takes the upstream's table."""
        return self._allow_list.allows(name.schema, name.table)

    def kind_above(self, schema: str, name: str) -> str:
        """What kind of table, or of something else, the upstream has now; "" where there is none."""
        kind = self._asked.kind_of(schema, name)
        return "MERGE TABLE" if kind == "BASE TABLE" and self.merges.is_merge(TableName(schema, name)) else kind

    def present(self, name: TableName) -> Table | None:
        """The table in the target."""
        target = self.routed(name)
        return self._downstream.table(target.schema, target.table)

    def merged(self) -> Merged:
        """The task's tables as they are now upstream."""
        return Merged(filter(self.allows, self.all_tracked()), self.routed, self.is_fed_elsewhere)

    def is_merged(self, name: TableName) -> bool:
        """Whether rows of other upstream tables, also those of other sources, may be in the table's target."""
        return (self.is_coordinated and self.routed(name) != name) or self.merged().is_shared(name)

    def tracked(self, name: TableName) -> Table | None:
        return self._tracker.table(name.schema, name.table)

    def known(self, name: TableName, ddl: Ddl) -> Table | None:
        """The structure before the statement, as far as it is tracked."""
        table = self.tracked(name)
        if table is not None and table.kind == "sequence" and ddl.kind in CREATIONS:
            return None  # it was dropped, which is not followed
        if table is None and ddl.kind is DdlKind.ALTER_TABLE:
            log.info("%s.%s was not tracked before it is altered", name.schema, name.table)
        return table

    def known_or_asked(self, piece: Ddl, before: Table | None) -> Table | None:
        """The table upstream as it was before the statement; as it is now where it was not tracked."""
        return before or self.asked_table(piece, piece)

    def asked_table(self, piece: Ddl, whole: Ddl) -> Table | None:
        """The table of an ALTER, which is a part of ``whole``, as it is upstream now."""
        name = whole.name_behind(piece.subject)
        return _named(self._asked.table(name.schema, name.table), piece.subject) if piece.alterations else None

    def is_there(self, piece: Ddl) -> bool:
        """Whether it creates a table, if it is not there, that is: servers read no further, or none of its faults."""
        creates = piece.kind in CREATIONS and piece.if_exists and not self.is_merged(piece.subject)
        return creates and self.present(piece.subject) is not None

    def structure(self, piece: Ddl, whole: Ddl) -> Table | None:
        """The structure that the table of a part has upstream after the whole statement, as far as it is tracked."""
        subject = piece.subject
        return _named(self.tracked(whole.name_behind(subject)), subject) if subject.table else None

    def routed(self, name: TableName) -> TableName:
        target = self._router.route(name.schema, name.table)
        return TableName(target.schema, target.table if name.table else "")

    def charset(self, schema: str, understood: Understood) -> Charset:
        return self._tracker.database(schema) or understood.context.database or understood.context.server


def _named(table: Table | None, name: TableName) -> Table | None:
    return replace(table, schema=name.schema, name=name.table) if table is not None else None
