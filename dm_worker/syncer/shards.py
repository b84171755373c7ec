"""The shard groups of one source: which DDL of the stream waits, for whom, and what each does to its group.  No I/O.

Level 1 of pessimistic shard DDL (DESIGN.md §5, docs/protocols/shard_ddl.md).  The groups are values;
what of them is stored goes into the transaction that stores the checkpoint behind the DDL.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

from dm_worker.syncer.shard_rows import ShardStatements, Statement, StoredShards
from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.binlog.position import Location
from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.block_allow_list import BlockAllowList
from pkg.rules.router import Router
from pkg.rules.taken import moves
from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import Charset
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.counters import sets_counter_only
from pkg.schema.reflection import catches_up
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import Changes, SchemaTracker
from pkg.shardddl.group import Group, Resync, group_of
from pkg.shardddl.lock import Report
from pkg.shardddl.meaning import NOTHING, meaning

RENAMED_SHARD = ErrorKind(
    36131,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{old} is renamed to {new} at {place}: {reason}",
    workaround="where the target shall not follow it, `dmctl binlog skip <task>` passes over the statement; rows of "
    "the new name then go where its route leads",
)
UNKNOWN_SHARD = ErrorKind(
    36133,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the structure of {table}, which is merged into {target}, is not known at {place}, where it is changed: {sql}",
    workaround="say what it was like by `dmctl binlog-schema update`, then resume-task",
)

MADE_IN_CIRCLE = ErrorKind(
    38104,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} is created at {place}, while the sources wait for each other with DDL of several targets, and has not had "
    "the one that {target} waits for: {sql}",
    workaround="`dmctl shard-ddl-lock unlock` of the lock of {target}, then resume-task; where the new table waits "
    "with that DDL later: `dmctl binlog skip`",
)
_COORDINATED = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX})
_NOT_FOLLOWED = frozenset({DdlKind.DROP_TABLE, DdlKind.TRUNCATE_TABLE, DdlKind.RENAME_TABLE, DdlKind.DROP_DATABASE})
log = logging.getLogger(__name__)


Present = Callable[[], Table | None]
"""Reads a table of the target as it is now."""


class Shards:
    """Owned by the thread that reads the stream; `reports` and `unresolved` may be read by any."""

    def __init__(
        self,
        stored: StoredShards,
        tracker: SchemaTracker,
        router: Router,
        allow_list: BlockAllowList,
        sql: ShardStatements,
        *,
        has_other_sources: bool = False,
        reads_on: Mapping[TableName, int] = MappingProxyType({}),
    ) -> None:
        self.reads_on = reads_on  # numbers of DDL with which groups wait while the stream goes on, by target
        self._tracker = tracker
        self._router = router
        self._allow_list = allow_list
        self._sql = sql
        self._has_other_sources = has_other_sources
        self._between: Mapping[TableName, TableName] = {}  # names that are gone behind a RENAME → their tables' targets
        self.resyncs = stored.resyncs
        self.main = stored.main
        self.moves = stored.moves
        members: dict[TableName, set[TableName]] = {target: set() for target in (*stored.held, *stored.resolved)}
        for table in tracker.tables():
            name = TableName(table.schema, table.name)
            if self._is_ours(name):
                members.setdefault(self.target_of(name), set()).add(name)
        self._groups = {
            target: group_of(
                target,
                names,
                stored.held.get(target, ()),
                stored.resolved.get(target, 0),
                stored.since.get(target),
                stored.renamed.get(target, ()),
            )
            for target, names in members.items()
        }
        self._saved = dict(self._groups)

    @contextmanager
    def in_pieces(self, ddl: Ddl) -> Iterator[None]:
        """A statement is met piece by piece: names that tables of a group have in between alone do not count."""
        try:
            self._between = self._names_between(ddl) if ddl.kind is DdlKind.RENAME_TABLE else {}
            yield
        finally:
            self._between = {}

    def _names_between(self, ddl: Ddl) -> dict[TableName, TableName]:
        found: dict[TableName, set[TableName]] = {}
        ways = list(moves(ddl))
        ends = {name for _, *names in ways for name in names}
        for piece, first, last in ways:
            new = piece.renames[0][1]
            if new not in ends and self._is_ours(first) and self._is_ours(last) and self.is_shared(first):
                found.setdefault(new, set()).update((self.target_of(first), self.target_of(last)))
        return {name: next(iter(targets)) for name, targets in found.items() if len(targets) == 1}

    def _is_ours(self, name: TableName) -> bool:
        return name in self._between or self._allow_list.allows(name.schema, name.table or None)

    def is_shared(self, name: TableName) -> bool:
        """Whether the target of a table (or the database) may hold rows of other tables, here or in other sources."""
        target = self.target_of(name)
        if target != name or self._has_other_sources:
            return True
        members = self._group(name).members if name.table else self._members_in(name.schema)
        return any(self.target_of(member) != member for member in members) or (bool(name.table) and len(members) > 1)

    def tracker_with(self, table: Table) -> SchemaTracker:
        """All tables as they are where the stream stands, but for this one."""
        tracker = self._tracker.copy()
        tracker.load(table)
        return tracker

    def holds(self, schema: str, table: str) -> bool:
        """Whether the table's rows are passed over at present."""
        name = TableName(schema, table)
        return any(group.holds(name) for group in self._groups.values())

    def wants(self, schema: str, table: str) -> bool:
        """Whether the table's rows are applied at present."""
        return not self.holds(schema, table)

    @property
    def waits(self) -> bool:
        """Whether a group waits for anything."""
        return any(group.waits for group in self._groups.values())

    def waiting(self) -> list[Group]:
        """The groups that wait."""
        return [group for group in self._groups.values() if group.waits]

    @property
    def synced(self) -> Group | None:
        """A group whose first DDL may be resolved, and with which the stream stops."""
        return next((group for group in self.all_synced() if self.reads_on.get(group.target) != group.number), None)

    def all_synced(self) -> list[Group]:
        """Those, too, with which the stream goes on."""
        return [group for group in list(self._groups.values()) if group.is_synced]

    def takes(self, piece: Ddl) -> bool:
        """Whether a statement about one table waits for the other shards, or is none of the target's business."""
        if not self._is_ours(piece.subject):
            return False
        if piece.kind in _COORDINATED and not piece.renames:
            return not sets_counter_only(piece)
        return (piece.kind in _NOT_FOLLOWED or bool(piece.renames)) and self.is_shared(piece.subject)

    def meet(
        self,
        piece: Ddl,
        texts: tuple[str, ...],
        before: Table | None,
        location: Location,
        event: QueryEvent,
        present: Present,
        settings: str = "",
    ) -> None:
        """A statement that `takes` takes.  Raises DMError.

        ``texts`` say it with the target's names; () where nothing of it would run downstream.  ``present``: the target.
        ``settings``: see `pkg.shardddl.settings`.
        """
        name, place = piece.subject, location.position
        if piece.kind is DdlKind.RENAME_TABLE or piece.renames:
            self._rename(piece, location)
        elif piece.kind is DdlKind.DROP_TABLE:
            log.info("%s is dropped at %s; its rows stay in %s", name.quoted(), place, self.target_of(name).quoted())
            self._leave(name, location)
        elif piece.kind is DdlKind.DROP_DATABASE:
            log.info("%s is dropped at %s; rows of its tables stay where they are merged", name.quoted(), place)
            for table in self._members_in(name.schema):
                self._leave(table, location)
        elif piece.kind is DdlKind.TRUNCATE_TABLE:
            log.info("%s is emptied at %s; its rows stay in %s", name.quoted(), place, self.target_of(name).quoted())
        elif texts:
            self._hold(piece, texts, before, location, event, present, settings)

    def _hold(
        self,
        piece: Ddl,
        texts: tuple[str, ...],
        before: Table | None,
        location: Location,
        event: QueryEvent,
        present: Present,
        settings: str,
    ) -> None:
        """The table waits with a DDL, unless that changes no table of the group."""
        name, place = piece.subject, location.position
        group, after = self._group(name), self._tracker.table(name.schema, name.table)
        if before is None or after is None:
            raise UNKNOWN_SHARD.error(
                table=name.quoted(), target=group.target.quoted(), place=place, sql="; ".join(texts)
            )
        does = meaning(texts, before, after)
        if does == NOTHING and not group.awaits(name, texts):
            others = [] if group.waits else self._others(group, before, present())  # while it waits they differ anyhow
            if all(meaning(texts, other, altered(other, piece)) == NOTHING for other in others):
                log.info("at %s nothing changes, and nothing runs downstream: %s", place, "; ".join(texts))
                return
        if self._catches_up(group, name, before, after, present):
            log.info("at %s %s gets what the others of %s have: %s", place, name.quoted(), group.target.quoted(), texts)
            return
        known = settings if does != NOTHING else ""
        self._groups[group.target] = group.meet(name, location, texts, before, after, to_text(event), does, known)
        log.info("%s waits from %s on: %s", name.quoted(), place, "; ".join(texts))

    def _catches_up(self, group: Group, name: TableName, before: Table, after: Table, present: Present) -> bool:
        """Whether the table was made without a DDL that was resolved before, and has it now."""
        if group.waits or not group.resolved:
            return False
        others = [self._tracker.table(one.schema, one.table) for one in group.members if one != name]
        return any(one is not None and catches_up(before, after, one, present()) for one in others)

    def _others(self, group: Group, own: Table, target: Table | None) -> list[Table]:
        """Tables that the same statement may change: the group's, and the target's but for what is mapped there."""
        found = [self._tracker.table(one.schema, one.table) for one in group.members]
        if target is not None:
            found.append(replace(target, engine=own.engine, charset=own.charset, collation=own.collation))
        return [one for one in found if one is not None]

    def ran(self, piece: Ddl, location: Location) -> None:
        """A statement that `takes` does not take has run: groups get or lose members by it.  Raises DMError."""
        if piece.kind is DdlKind.DROP_DATABASE:
            for table in self._members_in(piece.subject.schema):
                self._leave(table, location)
        elif piece.kind is DdlKind.DROP_TABLE:
            self._leave(piece.subject, location)
        for old, new in piece.renames:
            group = self._group(old)
            if group.waits and old in group.awaited and self._is_ours(new) and self.target_of(new) == group.target:
                self._groups[group.target] = group.rename(old, new, location)
                continue
            self._join(new, location, old)
            self._leave(old, location, new)
        if piece.kind in CREATIONS:
            like = piece.tables[1] if piece.kind is DdlKind.CREATE_TABLE_LIKE else None
            self._join(piece.subject, location, like)

    def follow(self, ddl: Ddl, location: Location | None, changes: Changes) -> Changes:
        """The rules pass over a statement: what it does to the tables upstream it does to their groups, too."""
        if location is not None:
            for piece in ddl.pieces():
                self.ran(piece, location)
        return changes

    def _join(self, name: TableName, location: Location, like: TableName | None = None) -> None:
        structure = self._tracker.table(name.schema, name.table)
        if structure is None or not self._is_ours(name):
            return
        group = self._group(name)
        if name in group.members:
            return
        joined = self._groups[group.target] = group.join(name, structure, location, like)
        # Others may run the DDL at any moment: they count on all tables here having met it.
        if group.is_synced and not joined.is_synced and group.head is not None:
            raise MADE_IN_CIRCLE.error(
                table=name.quoted(),
                place=location.position,
                target=group.target.quoted(),
                sql="; ".join(group.head.ddls),
            )

    def resolve(self, group: Group, main: Location) -> tuple[tuple[Resync, ...], list[Statement]]:
        """The group's first DDL is done: what is to be read again, and the statements that store all this."""
        after, resyncs = group.resolve(main)
        resyncs = tuple(one for one in resyncs if (one.end or main).position > one.start.position)
        statements = [*self._sql.change(self._saved[group.target], after)]
        if resyncs:
            statements += self._sql.resync(resyncs, main)
        return resyncs, statements

    def end_of_resync(self) -> Iterator[Statement]:
        """What stores that all is read again."""
        yield from self._sql.end_of_resync()
        for target in self.moves:
            if not self._group_of(target).waits:
                yield self._sql.forget_moves(target)

    def waiting_for(self, target: TableName) -> Group | None:
        """The group of a target, if it waits."""
        group = self._group_of(target)
        return group if group.waits else None

    def disordered(self) -> frozenset[TableName]:
        """Targets whose rows are applied in another order than the stream's.  For any thread."""
        late = {self.target_of(one.table) for one in self.resyncs}
        return frozenset(late | {target for target, group in list(self._groups.items()) if group.waits})

    def ranges(self, group: Group) -> list[tuple[int, Resync]]:
        """See Group.ranges."""
        return list(group.ranges(lambda name: self._tracker.table(name.schema, name.table)))

    def take_changes(self) -> list[Statement]:
        """Statements that store what changed since the last call."""
        changed = [target for target, group in self._groups.items() if self._saved.get(target) != group]
        statements: list[Statement] = []
        for target in changed:
            group = self._groups[target]
            statements += self._sql.change(self._saved.get(target, Group(target)), group)
            self._saved[target] = group
        return statements

    def reports(self) -> list[Report]:
        """What the master is to know of this source.

        It waits with no further DDL while it reads again: those rows belong into the target as it is now.
        """
        said = [group for group in list(self._groups.values()) if group.members or group.waits]
        return [_report(group, may_wait=self.main is None) for group in said]

    def needed(self) -> Location | None:
        """From where the binlog must stay readable for the rows that wait, beside the checkpoint."""
        held = [group.first for group in list(self._groups.values())]
        places = [one for one in held if one is not None] + [resync.start for resync in self.resyncs]
        return min(places, key=lambda location: location.position, default=None)

    def unresolved(self) -> list[Mapping[str, Any]]:
        """Groups that wait, as DM's status has them."""
        return [_unresolved(group) for group in list(self._groups.values()) if group.waits]

    def _rename(self, piece: Ddl, location: Location) -> None:
        for old, new in piece.renames:
            words: dict[str, Any] = {"old": old.quoted(), "new": new.quoted(), "place": str(location.position)}
            if self.holds(old.schema, old.table):
                raise RENAMED_SHARD.error(**words, reason="its rows wait for a DDL of the other shards")
            if len(piece.alterations) > 1:
                raise RENAMED_SHARD.error(**words, reason="the same statement changes it, too")
            if not self._is_ours(new) or self.target_of(new) != self.target_of(old):
                raise RENAMED_SHARD.error(**words, reason="the new name does not lead to the same target")
            group = self._group(old)
            self._groups[group.target] = group.rename(old, new, location)

    def _members_in(self, schema: str) -> list[TableName]:
        return [table for group in self._groups.values() for table in group.members if table.schema == schema]

    def _leave(self, name: TableName, location: Location, became: TableName | None = None) -> None:
        group = self._group(name)
        if name in group.members:
            stays = became is not None and became in group.members
            self._groups[group.target] = group.leave(name, location, became if stays else None)

    def _group(self, name: TableName) -> Group:
        return self._group_of(self.target_of(name))

    def _group_of(self, target: TableName) -> Group:
        return self._groups.get(target) or Group(target)

    def target_of(self, name: TableName) -> TableName:
        """Where a table's rows go."""
        if name in self._between:
            return self._between[name]
        target = self._router.route(name.schema, name.table)
        return TableName(target.schema, target.table)


def to_text(event: QueryEvent) -> str:
    """An event for the meta table."""
    return json.dumps(asdict(event), ensure_ascii=False)


def from_text(text: str) -> QueryEvent:
    document = json.loads(text)
    return QueryEvent(**document | {"status": QueryStatus.of(document["status"])})


def altered(table: Table, piece: Ddl) -> Table | None:
    """A table behind a statement about another one; None where it does not fit."""
    try:
        return alter_table(table, piece.alterations, Charset(table.charset, table.collation), DEFAULT_CONTEXT)
    except ValueError:
        return None


def _report(group: Group, *, may_wait: bool) -> Report:
    head = group.head
    if not may_wait or not group.is_synced or group.changes_nothing or head is None:
        return Report(group.target.quoted(), group.number)
    place = str(head.location.position)
    return Report(group.target.quoted(), group.number, head.ddls, place, head.meaning, head.settings)


def _unresolved(group: Group) -> Mapping[str, Any]:
    first, head = group.first, group.head
    return {
        "target": group.target.quoted(),
        "DDLs": list(head.ddls) if head else [],
        "firstLocation": str(first.position) if first else "",
        "synced": sorted(name.quoted() for name in group.met),
        "unsynced": sorted(name.quoted() for name in group.awaited),
    }
