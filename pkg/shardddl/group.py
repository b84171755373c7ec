"""Level 1 of shard DDL: the upstream tables of one source that are merged into one target.  No I/O.

1. A table meets a DDL: it is held back from there on, its rows are passed over, the DDL joins its queue.
2. When every table of the group has met the first DDL of the queues, the group is synced.
3. Level 2 decides who runs it; then the first DDL leaves the queues, and the rows that were passed over
   after it, up to the table's next DDL or to where the stream stands, are read again (re-sync).

All queues are beginnings of one sequence: a DDL that differs from the one that another table had in the
same place is an error.  docs/protocols/shard_ddl.md has the whole story.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any

from pkg.binlog.position import Location, Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.reflection import may_come_late, same_columns, was_made
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.meaning import NOTHING, meaning
from pkg.shardddl.sameness import does_the_same
from pkg.shardddl.settings import UNKNOWN, apart, weight

ANOTHER_DDL = ErrorKind(
    36008,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the tables that are merged into {target} do not have the same DDLs in the same order: as number {number}, "
    "{table} has: {sql} -- and {other} has: {other_sql}",
    workaround="let the wrong one be passed over or replaced (`dmctl binlog skip|replace <task>` at this place), so "
    "that all tables come to have the same sequence; then resume-task",
)
OTHER_SETTINGS = ErrorKind(
    36241,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "tables that are merged into {target} have the same DDL under settings with which it gives rows other values, or "
    "means something else: as number {number}, {table} has it with {settings} and {other} with {other_settings}: {sql}",
    workaround="`dmctl binlog replace <task> <the statement>` at this place lets it count as the other table's; then "
    "resume-task.  All rows get the values of one of the two: afterwards write those of the other table by hand",
)
CREATED_OTHERWISE = ErrorKind(
    36132,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} is created while the tables that are merged into {target} wait for a DDL, and has neither the columns "
    "from before it nor those after it",
    workaround="leave the table out by the block-allow-list, or `dmctl binlog replace <task>` with a CREATE TABLE "
    "that has the columns of the other tables",
)


@dataclass(frozen=True, slots=True)
class Held:
    """What a table met in the stream, up to where; its later rows wait until that is resolved.

    ``ddls`` are the upstream's statements with the target's names; a table that was
    dropped meets its end: ``ddls`` is empty and ``after`` None.  ``event`` is what runs it again
    (opaque here), on the table that ``before`` names: that of another member where this one was created
    with the DDL's effect.
    """

    seq: int  # in the order in which the group's tables met them
    table: TableName
    location: Location
    ddls: tuple[str, ...]
    before: Table | None = None
    after: Table | None = None
    event: str = ""
    meaning: str = field(default="", compare=False)  # of `ddls` for this table, see `pkg.shardddl.meaning`
    given: tuple[str, ...] = ()  # statements of an operator that are run …
    is_replaced: bool = False  # … in place of the DDL; else before it
    settings: str = UNKNOWN  # that the DDL depended on, see `pkg.shardddl.settings`
    became: TableName | None = None  # of an end: the name under which the table is another member of the group

    @property
    def is_end(self) -> bool:
        return not self.ddls


Queue = tuple[Held, ...]
"""What one table met, oldest first; its first entry is a DDL."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A table of a group got another name, while others waited; its rows before it have the old name."""

    old: TableName
    new: TableName
    location: Location


Member = tuple[TableName, int]
"""A table of the merge: a name that it has had, and which of those that had it one after the other."""


@dataclass(frozen=True, slots=True)
class Resync:
    """Rows of a table that are to be read again: after ``start``, up to ``end`` (None: to where the stream stands).

    ``member`` tells a table that was dropped from one that was made under its name, and is the same under each name
    that the table has had.
    """

    table: TableName
    start: Location
    end: Location | None
    structure: Table
    member: Member | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """One target table and what its upstream tables wait for.

    invariant: no queue is empty; only those of dropped tables have an end, as their last entry.
    """

    target: TableName
    members: frozenset[TableName] = frozenset()  # the living tables
    queues: Mapping[TableName, Queue] = field(default_factory=lambda: MappingProxyType({}))
    dropped: tuple[Queue, ...] = ()  # of tables that were dropped while they waited
    resolved: int = 0  # DDLs that this source has behind it
    last_seq: int = 0
    since: Location | None = None  # where the stream stood when the last one was resolved
    renamed: tuple[Renamed, ...] = ()  # since then, in the stream's order

    @property
    def all_queues(self) -> Iterator[Queue]:
        return chain(self.queues.values(), self.dropped)

    @property
    def waits(self) -> bool:
        return bool(self.queues or self.dropped)

    @property
    def number(self) -> int:
        """Of the DDL that is waited for, among all of this source's DDLs for the target."""
        return self.resolved + 1

    @property
    def head(self) -> Held | None:
        """The first DDL that is waited for, as the table that met it last has it.

        That is one that it changes, and whose statement depended on the most of its session.
        """
        first = (queue[0] for queue in self.all_queues)
        return max(first, key=lambda held: (held.meaning != NOTHING, *weight(held.settings), held.seq), default=None)

    @property
    def changes_nothing(self) -> bool:
        """Whether the head changes no table that has met it: such ones wait only where an older version held them."""
        return self.waits and all(queue[0].meaning == NOTHING for queue in self.all_queues)

    @property
    def met(self) -> frozenset[TableName]:
        """The living tables that have met the head."""
        return self.members & self.queues.keys()

    @property
    def awaited(self) -> frozenset[TableName]:
        """The living tables that have not."""
        return self.members - self.queues.keys() if self.waits else frozenset()

    @property
    def is_synced(self) -> bool:
        """Whether every living table has met the head, which may then be resolved."""
        return self.waits and (self.members <= self.queues.keys() or self.changes_nothing)

    @property
    def first(self) -> Location | None:
        """The location from which rows are still needed."""
        places = [queue[0].location for queue in self.all_queues]
        return min(places, key=lambda location: location.position, default=None)

    def is_made_in(self, present: Table) -> bool:
        """Whether the target, as it is at present, has what the head does."""
        return all(was_made(before, after, present) for before, after in self._steps())

    def may_be_late(self, present: Table) -> bool:
        """Whether the head may be passed where others have had it: the rows that the target has need no change."""
        return all(may_come_late(before, after, present) for before, after in self._steps())

    def _steps(self) -> Iterator[tuple[Table, Table]]:
        """What the head does to the tables that it changes; to nothing what an operator has changed."""
        for queue in self.all_queues:
            first = queue[0]
            if first.before is not None and first.after is not None and first.meaning != NOTHING:
                yield first.before, first.before if first.given else first.after

    def holds(self, table: TableName) -> bool:
        """Whether the table's rows are passed over at present."""
        return table in self.queues

    def meet(
        self,
        table: TableName,
        location: Location,
        ddls: tuple[str, ...],
        before: Table,
        after: Table,
        event: str,
        meaning: str = "",
        settings: str = UNKNOWN,
    ) -> Group:
        """A table of the group meets a DDL.  Raises ANOTHER_DDL, OTHER_SETTINGS."""
        held = Held(self.last_seq + 1, table, location, ddls, before, after, event, meaning, settings=settings)
        queue = (*self.queues.get(table, ()), held)
        self._check_same(held, len(queue) - 1)
        members = self.members if table in self.members else self.members | {table}
        return replace(self, members=members, queues=self._with(table, queue), last_seq=held.seq)

    def awaits(self, table: TableName, ddls: tuple[str, ...]) -> bool:
        """Whether others wait for the table with this very DDL."""
        place = len(self.queues.get(table, ()))
        return any(len(queue) > place and queue[place].ddls == ddls for queue in self.all_queues)

    def join(self, table: TableName, structure: Table, location: Location, like: TableName | None = None) -> Group:
        """A table of the group is created, perhaps ``like`` another one.  Raises CREATED_OTHERWISE.

        While the group waits it has behind it what that other one has, else what its columns tell: nothing,
        and it is awaited; or some of the DDLs, which it then counts as having met where it was created.
        """
        joined = replace(self, members=self.members | {table})
        known = [held for held in max(self.all_queues, key=len, default=()) if not held.is_end]
        count = len(self.queues.get(like, ())) if like in self.members else self._behind(known, table, structure)
        if not count:
            return joined
        queue = tuple(
            replace(held, seq=seq, table=table, location=location)
            for seq, held in enumerate(known[:count], self.last_seq + 1)
        )
        queue = (*queue[:-1], replace(queue[-1], after=structure))
        return replace(joined, queues=joined._with(table, queue), last_seq=queue[-1].seq)

    def _behind(self, known: list[Held], table: TableName, structure: Table) -> int:
        """How many of the known DDLs made a structure: as few as may be, for one that changes nothing that is seen."""
        if not known:
            return 0
        fits = [_likeness(one, structure) for one in (known[0].before, *(held.after for held in known))]
        if not max(fits):
            raise CREATED_OTHERWISE.error(table=_text(table), target=_text(self.target))
        return fits.index(max(fits))

    def leave(self, table: TableName, location: Location, became: TableName | None = None) -> Group:
        """A table is dropped: nobody waits for it any more, and its rows up to there stay in the target.

        One that ``became`` another one of the group, which has joined there, only has another name.
        """
        queue = self.queues.get(table)
        left = replace(self, members=self.members - {table})
        if queue is None:
            return left
        others = {name: one for name, one in self.queues.items() if name != table}
        end = Held(self.last_seq + 1, table, location, (), became=became)
        dropped = (*self.dropped, (*queue, end))
        return replace(left, queues=MappingProxyType(others), dropped=dropped, last_seq=end.seq)

    def rename(self, old: TableName, new: TableName, location: Location) -> Group:
        """A table that does not wait gets another name within the group."""
        renamed = (*self.renamed, Renamed(old, new, location)) if self.waits else ()
        return replace(self, members=self.members - {old} | {new}, renamed=renamed)

    def resolve(self, main: Location | None = None) -> tuple[Group, tuple[Resync, ...]]:
        """The head was run, or skipped for another source's running it: what is to be read again.

        ``main`` is where the stream stands.
        """
        resyncs = []
        for first, *rest in self.all_queues:
            end = rest[0].location if rest else None
            if first.after is not None and end != first.location:
                resyncs.append(Resync(first.table, first.location, end, first.after))
        queues = {table: queue[1:] for table, queue in self.queues.items() if len(queue) > 1}
        dropped = tuple(queue[1:] for queue in self.dropped if not queue[1].is_end)
        queues_left = MappingProxyType(queues)
        resolved = self.resolved + 1
        after = replace(self, queues=queues_left, dropped=dropped, resolved=resolved, since=main, renamed=())
        return after, tuple(resyncs)

    def ranges(self, tracked: Callable[[TableName], Table | None]) -> Iterator[tuple[int, Resync]]:
        """All rows of the target since the first that waits, each range with the number of the DDL that it waits for.

        0: it does not wait.  ``tracked`` are the structures of tables that have not met the head.
        """
        begin = max([one for one in (self.first, self.since) if one is not None], key=_position)
        gone: dict[TableName, Location] = {}  # where a table that had waited was dropped; another one may have its name
        for queue in sorted(self.all_queues, key=lambda queue: queue[0].seq):
            first = queue[0]
            is_own = first.before is not None and (first.before.schema, first.before.name) == (
                first.table.schema,
                first.table.table,
            )
            member = self._member(queue)
            if first.before is not None and is_own:
                early = self._under_all_names(first.before, begin, first.location, gone)
                yield from ((0, replace(one, member=member)) for one in early)
            ends = [*(held.location for held in queue[1:]), None]
            for number, (held, end) in enumerate(zip(queue, ends, strict=True), 1):
                if held.after is not None:
                    yield number, Resync(held.table, held.location, end, held.after, member)
            if queue[-1].is_end:
                gone[first.table] = max(begin, queue[-1].location, key=_position)
        for name in self.awaited:
            structure = tracked(name)
            if structure is not None:
                found = self._under_all_names(structure, begin, None, gone)
                yield from ((0, replace(one, member=(name, 0))) for one in found)

    def _member(self, queue: Queue) -> Member:
        """Whose rows the queue's table has."""
        first, end = queue[0], queue[-1]
        if not end.is_end:
            return first.table, 0
        for other in self.all_queues if end.became is not None else ():
            # What it had met, the other one counts as having met where it got its name.
            if other[0].table == end.became and other[0].location == end.location:
                return self._member(other)
        return first.table, end.seq

    def _under_all_names(
        self, structure: Table, begin: Location, end: Location | None, gone: Mapping[TableName, Location]
    ) -> Iterator[Resync]:
        """The rows of a table that has its ``structure`` and name up to ``end``, from where it came to be."""
        name = TableName(structure.schema, structure.name)
        start = gone.get(name, begin)
        for one in reversed(self.renamed):
            if end is not None and one.location.position > end.position:
                continue
            if name not in (one.old, one.new) or one.location.position < start.position:
                continue
            if structure.name != name.table or structure.schema != name.schema:
                structure = replace(structure, schema=name.schema, name=name.table)
            yield Resync(name, one.location, end, structure)
            if name == one.old:  # another table had the name before
                return
            name, end = one.old, one.location
            start = gone.get(name, begin)
        yield Resync(name, start, end, replace(structure, schema=name.schema, name=name.table))

    def place_of(self, operators: Collection[Position]) -> Position | None:
        """Where an operator has decided about the head, if one has: where a table met it."""
        places = (queue[0].location.position for queue in self.all_queues)
        return next((place for place in places if place in operators), None)

    def with_given(self, given: tuple[str, ...], ddls: tuple[str, ...] = ()) -> Group:
        """These statements run before the head; or in its place, where ``ddls`` say them with the target's names."""

        def changed(queue: Queue) -> Queue:
            if not ddls:
                return (replace(queue[0], given=given, is_replaced=False), *queue[1:])
            told = meaning(ddls, queue[0].before, queue[0].after)
            first = replace(queue[0], ddls=ddls, meaning=told, given=given, is_replaced=True, settings=UNKNOWN)
            return (first, *queue[1:])

        queues = {table: changed(queue) for table, queue in self.queues.items()}
        return replace(self, queues=MappingProxyType(queues), dropped=tuple(map(changed, self.dropped)))

    def _check_same(self, held: Held, place: int) -> None:
        there = [queue[place] for queue in self.all_queues if len(queue) > place and not queue[place].is_end]
        said: dict[str, Any] = {"target": _text(self.target), "number": self.number + place, "table": _text(held.table)}
        said["sql"] = "; ".join(held.ddls)
        for other in there[:1]:
            if not does_the_same(other, held):
                raise ANOTHER_DDL.error(**said, other=_text(other.table), other_sql="; ".join(other.ddls))
        for other in there:  # each may know of a setting that another one did not ask for
            own, others = apart(held.settings, other.settings)
            if own:
                raise OTHER_SETTINGS.error(**said, settings=own, other=_text(other.table), other_settings=others)

    def _with(self, table: TableName, queue: Queue) -> Mapping[TableName, Queue]:
        return MappingProxyType({**self.queues, table: queue})


def group_of(
    target: TableName,
    members: Iterable[TableName],
    held: Collection[Held],
    resolved: int,
    since: Location | None = None,
    renamed: Iterable[Renamed] = (),
) -> Group:
    """The group as it was stored: from what its tables had met."""
    queues: dict[TableName, Queue] = {}
    dropped: list[Queue] = []
    for one in sorted(held, key=lambda held: held.seq):
        queues[one.table] = (*queues.get(one.table, ()), one)
        if one.is_end:
            dropped.append(queues.pop(one.table))
    last_seq = max((one.seq for one in held), default=0)
    waiting = MappingProxyType(queues), tuple(dropped)
    return Group(target, frozenset(members), *waiting, resolved, last_seq, since, tuple(renamed))


def _position(location: Location) -> Position:
    return location.position


def _likeness(one: Table | None, other: Table) -> int:
    """0: the columns or keys differ; 1: only what `same_columns` does not look at; 2: nothing."""
    if one is None or not same_columns(one, other):
        return 0
    return 2 if _finer(one) == _finer(other) else 1


def _finer(table: Table) -> list[tuple[object, ...]]:
    return [(column.collation, column.auto_increment, column.invisible) for column in table.columns]


def _text(table: TableName) -> str:
    return f"{table.schema}.{table.table}"
