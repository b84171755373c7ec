"""The cluster as dm-master sees it: stored facts, and the leases of the workers that are there.

Values only.  A change gives a new Cluster; ``desired_for`` says what a worker should run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pkg.facts import (
    BoundFact,
    Change,
    Fact,
    Put,
    RelayFact,
    Remove,
    RevisionFact,
    ShardFact,
    SourceFact,
    SubtaskFact,
    TaskFact,
    WorkerFact,
)
from pkg.shardddl.lock import Order

SubtaskKey = tuple[str, str]


class WorkerStage(StrEnum):
    """A worker as list-member shows it."""

    OFFLINE = "offline"
    FREE = "free"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Moment:
    """Now, by the clock that only runs forward (leases) and by the calendar (epochs)."""

    monotonic: float
    unix: int


@dataclass(frozen=True, slots=True)
class Desired:
    """All that a worker should run: its source, if it has one, the relay log and the subtasks there."""

    revision: int
    bound: BoundFact | None = None
    source: SourceFact | None = None
    subtasks: tuple[SubtaskFact, ...] = ()
    relay: RelayFact | None = None
    orders: tuple[tuple[str, Order], ...] = ()  # (task, what is ordered of its shard DDL)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that scheduling decides by.

    Invariants: a worker is bound to at most one source, and every bound source exists and has a lease or had
    one when it was bound; a source whose worker's lease ended is unbound in the same step.
    """

    sources: Mapping[str, SourceFact] = field(default_factory=dict)
    tasks: Mapping[str, TaskFact] = field(default_factory=dict)
    subtasks: Mapping[SubtaskKey, SubtaskFact] = field(default_factory=dict)
    workers: Mapping[str, WorkerFact] = field(default_factory=dict)
    bounds: Mapping[str, BoundFact] = field(default_factory=dict)
    relays: Mapping[str, RelayFact] = field(default_factory=dict)  # by source
    shards: Mapping[str, ShardFact] = field(default_factory=dict)  # by task
    revision: int = 0
    leases: Mapping[str, float] = field(default_factory=dict)  # worker → when it ends; not stored

    @classmethod
    def from_facts(cls, facts: Iterable[Fact], lease_until: float) -> Cluster:
        """After a restart: workers that have a source are given until ``lease_until`` to come back."""
        cluster = cls().after([Put(fact) for fact in facts])
        held = {bound.worker: lease_until for bound in cluster.bounds.values() if bound.worker}
        return replace(cluster, leases=held)

    def after(self, changes: Iterable[Change]) -> Cluster:
        """The cluster once ``changes`` are carried out."""
        tables: dict[type[Fact], dict[tuple[str, ...], Fact]] = {
            SourceFact: {fact.key: fact for fact in self.sources.values()},
            TaskFact: {fact.key: fact for fact in self.tasks.values()},
            SubtaskFact: {fact.key: fact for fact in self.subtasks.values()},
            WorkerFact: {fact.key: fact for fact in self.workers.values()},
            BoundFact: {fact.key: fact for fact in self.bounds.values()},
            RelayFact: {fact.key: fact for fact in self.relays.values()},
            ShardFact: {fact.key: fact for fact in self.shards.values()},
            RevisionFact: {("revision",): RevisionFact(self.revision)},
        }
        for change in changes:
            match change:
                case Put(fact):
                    tables[type(fact)][fact.key] = fact
                case Remove(kind, key):
                    tables[kind].pop(key, None)
        return _from_tables(tables, self.leases)

    def facts(self) -> list[Fact]:
        """What a store must hold to rebuild this cluster."""
        groups: tuple[Mapping[object, Fact], ...] = (  # type: ignore[assignment]
            self.sources,
            self.tasks,
            self.subtasks,
            self.workers,
            self.bounds,
            self.relays,
            self.shards,
        )
        return [RevisionFact(self.revision), *(fact for group in groups for fact in group.values())]

    def worker_of(self, source: str) -> str:
        """The worker that has ``source``, "" when nobody has."""
        bound = self.bounds.get(source)
        return bound.worker if bound else ""

    def bound_of(self, worker: str) -> BoundFact | None:
        """The binding of ``worker``, if it has one."""
        return next((bound for bound in self.bounds.values() if bound.worker == worker), None) if worker else None

    def stage_of(self, worker: str) -> WorkerStage:
        if worker not in self.leases:
            return WorkerStage.OFFLINE
        return WorkerStage.BOUND if self.bound_of(worker) else WorkerStage.FREE

    def free_workers(self) -> list[str]:
        return [name for name in sorted(self.leases) if self.stage_of(name) is WorkerStage.FREE]

    def unbound_sources(self) -> list[str]:
        return [source for source in sorted(self.sources) if not self.worker_of(source)]

    def subtasks_of_task(self, task: str) -> list[SubtaskFact]:
        return [fact for key, fact in sorted(self.subtasks.items()) if key[0] == task]

    def subtasks_of_source(self, source: str) -> list[SubtaskFact]:
        return [fact for key, fact in sorted(self.subtasks.items()) if key[1] == source]

    def desired_for(self, worker: str) -> Desired:
        bound = self.bound_of(worker)
        if bound is None:
            return Desired(self.revision)
        name = bound.source
        subtasks = tuple(self.subtasks_of_source(name))
        return Desired(self.revision, bound, self.sources[name], subtasks, self.relays.get(name))


def _from_tables(tables: Mapping[type[Fact], Mapping[tuple[str, ...], Fact]], leases: Mapping[str, float]) -> Cluster:
    revision = tables[RevisionFact][("revision",)]
    assert isinstance(revision, RevisionFact)
    return Cluster(
        sources={fact.source: fact for fact in tables[SourceFact].values() if isinstance(fact, SourceFact)},
        tasks={fact.task: fact for fact in tables[TaskFact].values() if isinstance(fact, TaskFact)},
        subtasks={
            (fact.task, fact.source): fact for fact in tables[SubtaskFact].values() if isinstance(fact, SubtaskFact)
        },
        workers={fact.worker: fact for fact in tables[WorkerFact].values() if isinstance(fact, WorkerFact)},
        bounds={fact.source: fact for fact in tables[BoundFact].values() if isinstance(fact, BoundFact)},
        relays={fact.source: fact for fact in tables[RelayFact].values() if isinstance(fact, RelayFact)},
        shards={fact.task: fact for fact in tables[ShardFact].values() if isinstance(fact, ShardFact)},
        revision=revision.revision,
        leases=leases,
    )
