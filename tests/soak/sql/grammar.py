"""A round from its seed: statements of several connections, faults among them, comparisons.  No I/O.

Each connection has statements in hand: a statement by itself, or a transaction whose statements are said one by one while
other connections say theirs.  The model of a source is at once as if all that is in hand were done, so a DDL takes only
tables that no other connection has in hand.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.soak.sql import ddl, dml
from tests.soak.sql.dml import Said
from tests.soak.sql.group import Group
from tests.soak.sql.other import other
from tests.soak.sql.schema import Source, Table, types
from tests.soak.sql.settings import MERGED, Settings
from tests.soak.sql.steps import COMPARE, SETTLE, SQL, START, Step

CONNECTIONS = 3  # of each source
EACH = 300  # statements between two comparisons
_LENIENT: Said = ("set", "SET sql_mode = ''")  # so that no table refuses what others take
BEFORE = 60  # before a copy


@dataclass
class Writer:
    """One source: its model, and what its connections have in hand."""

    source: Source
    hands: dict[int, deque[Said]] = field(
        default_factory=lambda: {number: deque() for number in range(1, CONNECTIONS + 1)}
    )
    group: Group | None = None  # the tables that become one

    def next(self, rng: random.Random) -> Step:
        """One statement."""
        number = rng.randint(1, CONNECTIONS)
        while True:
            if not self.hands[number]:
                self.source.held[number] = set()
                self.hands[number].extend(self._unit(number, rng))
            if self.hands[number]:
                return self._step(number)

    def rest(self) -> Iterator[Step]:
        """What is still in hand, and an end of each transaction."""
        for number, hand in self.hands.items():
            while hand:
                yield self._step(number)
            self.source.held[number] = set()
        for table in self.source.tables if self.group is not None else ():
            while (said := self.group.take(table)) is not None:
                yield Step(SQL, f"{self.source.name}.1", *_LENIENT)
                yield Step(SQL, f"{self.source.name}.1", *said)

    def unit(self, rng: random.Random, *, is_ddl: bool) -> list[Step]:
        """A whole unit of the first connection, which has nothing in hand."""
        free = self.source.free(1)
        said = self._ddl(free, rng) if is_ddl else self._transaction(1, free, rng)
        self.source.held[1] = set()
        return [Step(SQL, f"{self.source.name}.1", *one) for one in said]

    def _step(self, number: int) -> Step:
        kind, sql = self.hands[number].popleft()
        return Step(SQL, f"{self.source.name}.{number}", kind, sql)

    def _unit(self, number: int, rng: random.Random) -> list[Said]:
        """A transaction, a statement by itself, a DDL, or a setting of the session."""
        free = self.source.free(number)
        chance = rng.random()
        if self.group is not None and chance > 0.9:
            return self._shard_ddl(number, free, rng)
        if not free or chance < 0.02 * (len(self.source.tables) < ddl.MOST_TABLES):
            return [ddl.create(self.source, rng)]
        if chance < 0.11:
            return self._ddl(free, rng)
        if chance < 0.14:
            return other(self.source, free, rng)
        if chance < 0.17:
            return self._temporary(free, rng)
        if chance < 0.45:
            return self._transaction(number, free, rng)
        return [dml.change(self.source, free, rng)]

    def _ddl(self, free: list[Table], rng: random.Random) -> list[Said]:
        table = rng.choice([one for one in free if not one.base] or [None])
        if table is None or (self.group is not None and not self.group.is_open):
            return []
        said = (ddl.alter if self.group is not None or rng.random() < 0.6 else ddl.whole)(self.source, table, rng)
        return [said] if said is not None else []

    def _shard_ddl(self, number: int, free: list[Table], rng: random.Random) -> list[Said]:
        """A DDL that a table is behind, or one more for all."""
        assert self.group is not None
        for table in rng.sample(free, len(free)):
            if (said := self.group.take(table)) is not None:
                self.source.held[number] = {
                    table.full
                }  # else a transaction could lock it before, and the DDL be refused
                return [_LENIENT, said]
        self.group.give(self.source, rng)
        return []

    def _transaction(self, number: int, free: list[Table], rng: random.Random) -> list[Said]:
        tables = rng.sample(free, min(len(free), rng.choice((1, 2, 2, 3))))
        self.source.held[number] = {table.full for table in tables}
        body: list[Said] = []
        saved = 0
        for _ in range(rng.randint(1, 8)):
            chance = rng.random()
            if chance < 0.08:
                saved += 1
                body.append(("savepoint", f"SAVEPOINT p{saved}"))
            elif chance < 0.16 and saved:
                verb = rng.choice(("ROLLBACK TO", "RELEASE"))
                body.append(("savepoint", f"{verb} SAVEPOINT p{rng.randint(1, saved)}"))
            else:
                body.append(dml.change(self.source, tables, rng))
        if rng.random() < 0.08 and saved == 0:
            name = f"'x{rng.randrange(1 << 30)}'"
            return [("xa", f"XA START {name}"), *body, ("xa", f"XA END {name}"), ("xa", f"XA COMMIT {name} ONE PHASE")]
        begin = rng.choice(("BEGIN", "START TRANSACTION"))
        return [("begin", begin), *body, ("commit", "COMMIT") if rng.random() < 0.85 else ("rollback", "ROLLBACK")]

    def _temporary(self, free: list[Table], rng: random.Random) -> list[Said]:
        """A table of the session, from which rows come."""
        table, name = rng.choice(free), f"{self.source.schemas[0]}.tmp{rng.randrange(1 << 20)}"
        table.next_id += 3
        ids = ", ".join(f"({table.base + table.next_id - past}, {past})" for past in (1, 2, 3))
        return [
            ("temporary", f"CREATE TEMPORARY TABLE {name} (id INT, n INT)"),
            ("temporary", f"INSERT INTO {name} VALUES {ids}"),
            ("insert-select", f"INSERT IGNORE INTO {table.full} (id, n) SELECT id, n FROM {name}"),
            ("temporary", f"DROP TEMPORARY TABLE {name}"),
        ]


def writers(settings: Settings) -> list[Writer]:
    """One for each source, without tables."""
    known = types(settings.upstream, settings.target)
    group = Group(Table("", "", [], "id")) if settings.routes == MERGED else None
    sources = [
        Source(name, *settings.kinds, known, [f"{name}_a", f"{name}_b"], group is not None) for name in settings.names
    ]
    return [Writer(source, group=group) for source in sources]


@dataclass(frozen=True)
class Troubles:
    """Where a round's faults come from, by what they are put among."""

    faults: Callable[[Settings, random.Random], list[Step]]  # of a stretch
    point: Callable[[str, random.Random], Step | None]  # a crash point for "copy", "ddl", "shard" or "dml"


def plan(settings: Settings, rng: random.Random, troubles: Troubles) -> list[Step]:
    """All steps of a round."""
    them = writers(settings)
    steps = [*_schemas(settings), *_tables(them, rng)]
    if settings.mode == "all":
        steps += [rng.choice(them).next(rng) for _ in range(BEFORE)]
        steps += [step for writer in them for step in writer.rest()]
        point = troubles.point("copy", rng)
        steps += [point] if point is not None else []
        steps.append(Step(START))
    else:
        steps.insert(0, Step(START))
    for _ in range(max(1, settings.statements // EACH)):
        steps += _stretch(them, rng, troubles.faults(settings, rng))
        if them[0].group is not None:
            them[0].group.is_open = True
        steps += _at_point(them, rng, troubles)
    return [*steps, Step(COMPARE)]


def _tables(them: list[Writer], rng: random.Random) -> Iterator[Step]:
    for writer in them:
        for _ in range(3):
            yield Step(SQL, f"{writer.source.name}.1", *ddl.create(writer.source, rng))
    group = them[0].group
    if group is not None:
        group.begin(them[0].source, rng)
        for writer in them:
            for number in range(1, rng.choice((2, 3))):
                yield Step(SQL, f"{writer.source.name}.1", *group.create(writer.source, number))


def _at_point(them: list[Writer], rng: random.Random, troubles: Troubles) -> list[Step]:
    """One unit alone, while a crash point is armed; of tables that become one, a DDL for all of them."""
    writer, group = rng.choice(them), them[0].group
    what = rng.choice(("ddl", "ddl", "dml") if group is None else ("shard", "shard", "ddl", "dml"))
    if group is not None and what == "shard":
        group.give(writer.source, rng)
        unit = [step for one in them for step in one.rest()]
    else:
        unit = writer.unit(rng, is_ddl=what == "ddl")
    point = troubles.point(what, rng)
    return [point, *unit, Step(SETTLE)] if unit and point is not None else unit


def _schemas(settings: Settings) -> Iterator[Step]:
    options = "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    for name in settings.names:
        for schema in settings.schemas(name):
            yield Step(SQL, f"{name}.1", "create-database", f"CREATE DATABASE {schema} {options}")
        for number in range(1, CONNECTIONS + 1):
            yield Step(SQL, f"{name}.{number}", "use", f"USE {name}_a")
            if number > 1:
                yield Step(SQL, f"{name}.{number}", "set", "SET sql_mode = ''")


def _stretch(them: list[Writer], rng: random.Random, faults: list[Step]) -> list[Step]:
    """Statements with faults among them, and a comparison."""
    steps = [rng.choice(them).next(rng) for _ in range(EACH)]
    places = sorted(rng.sample(range(len(steps)), len(faults)), reverse=True)
    for place, fault in zip(places, reversed(faults), strict=True):
        steps.insert(place, fault)
    return [*steps, *(step for writer in them for step in writer.rest()), Step(COMPARE)]
