"""Every interleaving of a few sources, tables and DDLs through the real machines of both levels, with crashes.

A state is what is stored (per source: its place, its group, what is to be read again; dm-master's locks; the
target) and what a source has done and not stored.  `explore` visits all states that can be reached and judges
each step: a DDL runs once and in order, a row is applied once and under its own structure; and each end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pkg.binlog.position import Location, Position
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.shardddl.group import Group, Resync
from pkg.shardddl.lock import Action, Report, TaskLocks

TARGET = TableName("all", "t")
DDLS = ("ADD b", "ADD c", "ADD d")
NOTHING = Group(TARGET)
Row = tuple[str, str, int, int]
"""Source, table, place in the stream, version of the table."""


def structure(version: int, table: str = "t") -> Table:
    """A table after so many of the DDLs."""
    columns = "".join(f", {name} INT" for name in ("b", "c", "d")[:version])
    return parse_create_table(f"CREATE TABLE {table} (id INT PRIMARY KEY{columns})", schema="db")


STRUCTURES = tuple(structure(version) for version in range(4))


@dataclass(frozen=True)
class Event:
    """What stands in a source's stream: a row, a DDL (its number), the drop or the creation of a table."""

    table: str
    kind: str = "row"
    number: int = 0


@dataclass(frozen=True)
class Source:
    """One source: the stored part, and `ran`, which is lost when it dies."""

    stream: tuple[Event, ...]
    place: int = 0
    group: Group = NOTHING
    resyncs: tuple[Resync, ...] = ()
    ran: bool = False

    @property
    def is_at_end(self) -> bool:
        return self.place == len(self.stream) and not self.resyncs

    def report(self) -> list[Report]:
        """As `dm_worker.syncer.shards` reports."""
        if not self.group.members and not self.group.waits:
            return []
        head = self.group.head
        if not self.group.is_synced or head is None or self.resyncs:
            return [Report("t", self.group.number)]
        return [Report("t", self.group.number, head.ddls)]


@dataclass(frozen=True)
class State:
    sources: tuple[Source, ...]
    locks: TaskLocks
    executed: tuple[str, ...] = ()
    rows: frozenset[Row] = frozenset()
    crashes: int = 1  # that may still happen


class Wrong(AssertionError):
    """A step that must never be."""


def begin(streams: list[list[Event]], crashes: int) -> State:
    sources = []
    for stream in streams:
        tables = {event.table for event in stream if event.kind != "create"}
        created = {event.table for event in stream if event.kind == "create"}
        members = frozenset(TableName("db", table) for table in tables - created)
        sources.append(Source(tuple(stream), group=Group(TARGET, members)))
    names = frozenset(f"s{number}" for number in range(len(sources)))
    return State(tuple(sources), TaskLocks("task", names), crashes=crashes)


def steps(state: State) -> Iterator[tuple[str, State]]:
    """All that can happen next, by name."""
    for number, source in enumerate(state.sources):
        name = f"s{number}"
        heard = state.locks.hear(name, source.report(), 0)
        if heard != state.locks:
            yield f"dm-master hears {name}", replace(state, locks=heard)
        yield from ((f"{name} {what}", after) for what, after in _own_steps(state, number, source))


def _own_steps(state: State, number: int, source: Source) -> Iterator[tuple[str, State]]:
    if source.ran and state.crashes:
        yield "dies", _with(replace(state, crashes=state.crashes - 1), number, replace(source, ran=False))
    if source.resyncs:
        yield "reads again", _resynced(state, number, source)
    elif source.group.is_synced:
        orders = [order for order in state.locks.orders_for(f"s{number}") if order.number == source.group.number]
        if orders and orders[0].action is Action.EXEC and not source.ran:
            yield "executes", _with(_executed(state, source), number, replace(source, ran=True))
        elif orders:
            yield "passes", _with(state, number, _passed(source))
    elif source.place < len(source.stream):
        yield "reads", _read(state, number, source)


def _read(state: State, number: int, source: Source) -> State:
    event, here = source.stream[source.place], _location(source.place + 1)
    name, group = TableName("db", event.table), source.group
    after = replace(source, place=source.place + 1)
    if event.kind == "row":
        if group.holds(name):
            return _with(state, number, after)
        return _with(_applied(state, [_row(number, source, source.place)]), number, after)
    if event.kind == "ddl":
        before, then = STRUCTURES[event.number], STRUCTURES[event.number + 1]
        group = group.meet(name, here, (DDLS[event.number],), before, then, "")
    elif event.kind == "drop":
        group = group.leave(name, here)
    else:
        group = group.join(name, STRUCTURES[event.number], here)
    return _with(state, number, replace(after, group=group))


def _executed(state: State, source: Source) -> State:
    """The DDL runs downstream; one that ran before is found to be there."""
    head = source.group.head
    assert head is not None
    ddl = head.ddls[0]
    if ddl in state.executed:
        return state
    if ddl != DDLS[len(state.executed)]:
        raise Wrong(f"{ddl} after {state.executed}")
    return replace(state, executed=(*state.executed, ddl))


def _passed(source: Source) -> Source:
    group, resyncs = source.group.resolve()
    here = _location(source.place)
    wanted = tuple(one for one in resyncs if (one.end or here).position > one.start.position)
    return replace(source, group=group, resyncs=wanted, ran=False)


def _resynced(state: State, number: int, source: Source) -> State:
    rows = []
    for resync in source.resyncs:
        end = resync.end.position.offset if resync.end else source.place
        for place in range(resync.start.position.offset, end):
            event = source.stream[place]
            if event.kind == "row" and event.table == resync.table.table:
                rows.append(_row(number, source, place))
    return _with(_applied(state, rows), number, replace(source, resyncs=()))


def _row(number: int, source: Source, place: int) -> Row:
    table, version = source.stream[place].table, 0
    for event in source.stream[:place]:
        if event.table == table and event.kind in ("ddl", "create"):
            version = event.number + (event.kind == "ddl")
    return f"s{number}", table, place, version


def _applied(state: State, rows: list[Row]) -> State:
    for row in rows:
        if row in state.rows:
            raise Wrong(f"{row} is applied twice")
        if row[3] != len(state.executed):
            raise Wrong(f"{row} is applied to a table after {state.executed}")
    return replace(state, rows=state.rows | set(rows))


def _location(place: int) -> Location:
    return Location(Position("mysql-bin.000001", place))


def _with(state: State, number: int, source: Source) -> State:
    return replace(state, sources=(*state.sources[:number], source, *state.sources[number + 1 :]))


@dataclass
class Explored:
    states: int
    ends: list[State]


def explore(streams: list[list[Event]], crashes: int = 1) -> Explored:
    """All states that can be reached; raises Wrong, with the way there, at the first step that must not be."""
    first = begin(streams, crashes)
    ways: dict[object, tuple[object, str] | None] = {_key(first): None}
    open_states, ends = [first], []
    while open_states:
        state = open_states.pop()
        moved = False
        try:
            for what, after in steps(state):
                moved = True
                if _key(after) not in ways:
                    ways[_key(after)] = (_key(state), what)
                    open_states.append(after)
        except Wrong as wrong:
            raise Wrong(f"{wrong}\n{_way(ways, _key(state))}\nin {streams}") from None
        if not moved:
            ends.append(state)
    return Explored(len(ways), ends)


def _key(state: State) -> object:
    """What tells states apart (mappings have no hash)."""
    sources = tuple(
        (one.place, one.ran, one.resyncs != (), one.group.resolved, one.group.members, len(list(one.group.all_queues)))
        for one in state.sources
    )
    locks = tuple(
        (lock.ddls, lock.ordinal, lock.owner, lock.stage, lock.done, lock.parties, frozenset(lock.waiting))
        for lock in state.locks.locks
    )
    return sources, locks, frozenset(state.locks.targets), state.executed, len(state.rows), state.crashes


def _way(ways: dict[object, tuple[object, str] | None], key: object) -> str:
    words = []
    while (step := ways[key]) is not None:
        key, what = step
        words.append(what)
    return " → ".join(reversed(words))


def assert_resolved(explored: Explored) -> None:
    """All ends are good ones: everything read, nothing waits, each row there."""
    assert explored.ends
    for end in explored.ends:
        assert all(source.is_at_end and not source.group.waits for source in end.sources), end
        assert not end.locks.locks, end.locks
        expected = {
            _row(number, source, place)
            for number, source in enumerate(end.sources)
            for place, event in enumerate(source.stream)
            if event.kind == "row"
        }
        assert end.rows == expected
