"""Runs a case: real sources' machines, real locks, the target of texts; in an order, and with deaths, as it is told."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.reflection import same_columns
from pkg.schema.table import Table
from pkg.shardddl.document import from_text, to_text
from pkg.shardddl.lock import Action, Lock, TaskLocks
from pkg.task.blocks import BlockAllowListConfig, EventFilter, RouteRule
from pkg.task.connection import ConnectionConfig
from pkg.task.operators import Op
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.unit.shardddl.text_case import Case, Step
from tests.unit.shardddl.text_source import TextSource, Upstream
from tests.unit.shardddl.text_target import Row, TextTarget, Wrong

SERVER = ConnectionConfig(host="server", port=3306, user="root")
ROUTES = {
    "t": RouteRule.model_validate(
        {"schema-pattern": "d*", "table-pattern": "t*", "target-schema": "all", "target-table": "t"}
    ),
    "u": RouteRule.model_validate(
        {"schema-pattern": "d*", "table-pattern": "u*", "target-schema": "all", "target-table": "u"}
    ),
}
MOST_STEPS = 5_000  # of a case that ends


class Died(BaseException):
    """A source ends here."""


@dataclass(frozen=True)
class Way:
    """How a case is gone through.

    ``late``: all sources have written everything before the first one reads.  ``burst``: how many steps a source
    does before the next one's turn.  ``dies``: each source dies once behind every effect that it has.
    """

    name: str
    late: bool = False
    backwards: bool = False
    burst: int = 1
    dies: bool = False
    saves_often: bool = False
    seed: str = ""  # turns are taken at random


def config_of(case: Case, source: str, sources: int) -> SubtaskConfig:
    rule = {"schema-pattern": "d*", "table-pattern": "t*", "events": case.filters, "action": "Ignore"}
    return SubtaskConfig(
        task_name="task",
        source_id=source,
        task_mode=TaskMode.INCREMENTAL,
        upstream=SERVER,
        target=SERVER,
        flavor="mysql",
        case_sensitive=True,
        routes=tuple(ROUTES.values()),
        block_allow_list=BlockAllowListConfig.model_validate({"do-dbs": ["d", "d2"]}),
        filters={"rule": EventFilter.model_validate(rule)} if case.filters else {},
        shard_mode=ShardMode.PESSIMISTIC,
        source_count=sources,
        online_ddl=False,
    )


class World:
    def __init__(self, case: Case, way: Way) -> None:
        self.case, self.way = case, way
        self._random = random.Random(case.name + way.seed)
        self.target = TextTarget(case.target, loose=case.loose, refuses=case.refuses)
        self.document = to_text(TaskLocks("task", frozenset(case.tables)))
        self.sources: dict[str, TextSource] = {}
        self._lived: set[tuple[object, ...]] = set()
        self._deaths: Counter[str] = Counter()
        self._seen = 0  # statements that the target was sent and the case knows
        for name, tables in case.tables.items():
            self._add_source(name, tables)
        for name in case.late:
            self.sources[name].is_started = False

    def _add_source(self, name: str, tables: Iterable[str]) -> None:
        columns = self.case.columns
        made = [parse_create_table(f"CREATE TABLE {table} ({columns})", schema="d") for table in tables]
        for table in made:
            self._make_target(table, columns)
        upstream = Upstream(name, made)
        upstream.insert()
        config = config_of(self.case, name, max(len(self.case.tables), 1))
        self.sources[name] = TextSource(config, upstream, self.target, self._did)
        self.sources[name].saves_often = self.way.saves_often

    def _make_target(self, table: Table, columns: str) -> None:
        route = next((rule for prefix, rule in ROUTES.items() if table.name.startswith(prefix)), None)
        schema, name = (route.target_schema, route.target_table) if route else (table.schema, table.name)
        if self.target.table(schema, name) is None:
            self.target.tracker.load(parse_create_table(f"CREATE TABLE {name} ({columns})", schema=schema))

    # The case's steps.

    def go(self) -> None:
        """Raises AssertionError where something is otherwise than it should be."""
        self.settle()
        for step in self.case.steps:
            self.do(step)
            if not self.way.late:
                self.settle()
                self._check(step)
        self.settle()
        self.check_end()

    def do(self, step: Step) -> None:
        if step.what.startswith("! "):
            self.operate(step.what[2:])
            return
        source, _, sql = step.what.partition(":")
        self.sources[source].upstream.run(sql.strip(), "mysql")

    def operate(self, what: str) -> None:
        """What an operator, or fate, does."""
        match what.split(maxsplit=2):
            case ["unlock", action, rest]:
                owner, _, number = rest.partition(" ")
                locks = self.locks
                lock_id = locks.id_of(locks.locks[int(number or 1) - 1])
                self.locks = locks.unlock(lock_id, owner=owner, action=Action(action))
            case ["unlock", action]:
                self.locks = self.locks.unlock(self.locks.id_of(self.locks.locks[0]), action=Action(action))
            case ["remove"]:
                self.locks = self.locks.remove(self.locks.id_of(self.locks.locks[0]))
            case ["skip", source]:
                self.sources[source].operate(Op.SKIP)
            case ["replace", source, sql]:
                self.sources[source].operate(Op.REPLACE, sql)
            case ["held", op, rest]:
                source, _, sqls = rest.partition(" ")
                self.sources[source].operate_held(Op(op), *filter(None, sqls.split(" | ")))
            case ["resume", source]:
                self.sources[source].error = None
            case ["start", source]:
                self.sources[source].is_started = True
            case ["join", source, tables]:
                self._add_source(source, tables.split())
                self.locks = self.locks.with_sources(frozenset(self.sources))
            case ["leave", source]:
                del self.sources[source]
                self.locks = self.locks.with_sources(frozenset(self.sources))
            case ["stop", source]:
                self.sources[source].is_started = False
                self.locks = self.locks.with_sources(self.locks.sources - {source})
            case ["back", source]:
                self.sources[source].restart()
                self.sources[source].is_started = True
                self.locks = self.locks.with_sources(self.locks.sources | {source})
            case ["hand", first, rest]:
                self.target.tracker.apply(parse_ddl(f"{first} {rest}", default_schema="all"))
            case ["die", source]:
                self.sources[source].restart()
            case _:
                raise ValueError(what)

    # Time.

    def settle(self) -> None:
        """Until nobody has anything to do."""
        names = sorted(self.sources, reverse=self.way.backwards)
        for _ in range(MOST_STEPS):
            self._wander(names)
            moved = [self._step(self.sources[name], self.way.burst) for name in names]
            if not any(moved):
                return
        raise Wrong(f"it goes on for ever: {self.facts()}")

    def _wander(self, names: list[str]) -> None:
        """Turns of any length, in any order."""
        while self.way.seed and names:
            source = self.sources[self._random.choice(names)]
            if not self._step(source, self._random.choice((1, 1, 2, 3, 8))):
                return

    def _step(self, source: TextSource, burst: int) -> bool:
        """A source's turn, and dm-master's to hear of it."""
        moved = False
        for _ in range(burst):
            try:
                stepped = source.step(self.locks.orders_for(source.name))
            except Died:
                source.restart()
                stepped = True
            heard = self._hear(source)
            moved |= stepped or heard
            if not (stepped or heard):
                break
        return moved

    def _hear(self, source: TextSource) -> bool:
        """Dm-master keeps nothing but its document: it dies between any two reports."""
        reports, before = source.reports(), self.document
        if reports is not None:
            self.locks = self.locks.hear(source.name, reports, 0)
        return self.document != before

    @property
    def locks(self) -> TaskLocks:
        return from_text("task", self.document)

    @locks.setter
    def locks(self, locks: TaskLocks) -> None:
        self.document = to_text(locks)

    def _did(self, source: str, what: str) -> None:
        if not self.way.dies:
            return
        store = self.sources[source].store if source in self.sources else None
        key = (source, what, store.checkpoint.location.position if store else None, len(self.target.rows))
        if key in self._lived or self._deaths[what] > 2:
            return
        self._lived.add(key)
        self._deaths[what] += 1
        raise Died

    # What is seen.

    @property
    def deaths(self) -> int:
        return self._deaths.total()

    def facts(self) -> set[str]:
        """What holds now, in the words of the cases."""
        found: set[str] = set()
        for name, source in self.sources.items():
            found |= _facts_of(name, source)
        locks = self.locks
        found |= {_lock_fact(locks, lock) for lock in locks.current} or {"no lock"}
        found.add(f"{len(locks.current)} locks")
        for table in self.target.tracker.tables():
            found.add(f"target {table.name}: {' '.join(column.name for column in table.columns)}")
        return found

    def _once(self, executed: list[str]) -> list[str]:
        """Without what was sent again after a death; what must not be done twice is refused by the target."""
        return list(dict.fromkeys(executed)) if self.way.dies else executed

    def _check(self, step: Step) -> None:
        executed = self.target.executed
        sent = executed[self._seen :]
        assert self._once(sent) == self._once(step.executed), f"after {step.what}: {sent}, {sorted(self.facts())}"
        self._seen = len(executed)
        facts = self.facts()
        for fact in step.facts:
            assert fact in facts, f"after {step.what}: {fact} is not among {sorted(facts)}"

    def check_end(self) -> None:
        """All is resolved, every row is there, and the target is as its shards."""
        if self.case.ends != "resolved":
            return
        expected = [sql for step in self.case.steps for sql in step.executed]
        assert sorted(self._once(self.target.executed)) == sorted(self._once(expected))
        facts = sorted(self.facts())
        for source in self.sources.values():
            assert source.error is None, source.error
            assert source.is_at_end, f"{source.name} is not at its end: {facts}"
            assert not source.unresolved, facts
            self._check_rows(source)
        assert not self.locks.current, facts

    def _check_rows(self, source: TextSource) -> None:
        for event in source.upstream.stream:
            if not isinstance(event, Row) or not source.allow_list.allows(event.structure.schema, ""):
                continue
            if (source.name, event.place) not in self.target.rows:
                raise Wrong(f"{event} is not there")
        for table in source.upstream.tracker.tables():
            route = source.router.route(table.schema, table.name)
            merged = self.target.table(route.schema, route.table)
            assert self.case.loose or (merged is not None and same_columns(table, merged)), (table, merged)


def _facts_of(name: str, source: TextSource) -> set[str]:
    if source.error is not None:
        return {f"{name} paused {source.error.code}", f"{name} says {source.error}"}
    waiting = {f"{name} waits {_names(group['synced'])} for {_names(group['unsynced'])}" for group in source.unresolved}
    return waiting or {f"{name} is free"}


def _names(quoted: Iterable[str]) -> str:
    return " ".join(sorted(name.replace("`", "").removeprefix("d.") for name in quoted)) or "nobody"


def _lock_fact(locks: TaskLocks, lock: Lock) -> str:
    there = " ".join(sorted(lock.waiting.keys() - lock.done))
    return f"lock of {lock.owner}: {there} of {' '.join(sorted(locks.members(lock.target)))}, {lock.stage}"
