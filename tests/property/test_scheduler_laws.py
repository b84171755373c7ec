"""Laws of the scheduler, whatever happens in whatever order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dm_master.cluster import Cluster, Moment, WorkerStage
from dm_master.relay_orders import OperateRelay, PurgeAnswered, PurgeRelays, RelayOrder
from dm_master.scheduler import (
    CreateSources,
    Input,
    OperateTask,
    StartTask,
    StopSources,
    TaskOrder,
    TimePassed,
    WorkerJoined,
    WorkerLeft,
    WorkerSeen,
    decide,
)
from pkg.errors import DMError
from pkg.facts import Fact, Put, Remove, SourceFact, TaskFact, WorkerFact

LEASE_SECONDS = 10.0
WORKERS = st.sampled_from(["w1", "w2", "w3"])
SOURCES = st.sampled_from(["s1", "s2", "s3"])
TASKS = st.sampled_from(["t1", "t2"])


class Scheduler(RuleBasedStateMachine):
    """Drives the scheduler as the coordinator does, and keeps the store beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.cluster = Cluster()
        self.stored: dict[tuple[type[Fact], tuple[str, ...]], Fact] = {}
        self.now = 1000.0
        self.epochs: dict[str, int] = {}
        self.holders: dict[str, tuple[int, str]] = {}

    def give(self, event: Input) -> None:
        try:
            decision = decide(self.cluster, event, self._moment())
        except DMError:
            return
        again = decide(self._rebuilt(), event, self._moment())
        assert again.changes == decision.changes, "a master that restarts must decide the same"
        for change in decision.changes:
            match change:
                case Put(fact):
                    self.stored[type(fact), fact.key] = fact
                case Remove(kind, key):
                    self.stored.pop((kind, key), None)
        self.cluster = decision.cluster

    def _moment(self) -> Moment:
        return Moment(self.now, int(self.now) // 100)

    def _rebuilt(self) -> Cluster:
        return replace(Cluster.from_facts(self.stored.values(), 0.0), leases=self.cluster.leases)

    @rule(worker=WORKERS)
    def worker_joins(self, worker: str) -> None:
        self.give(WorkerJoined(WorkerFact(worker, f"{worker}:8262"), LEASE_SECONDS))

    @rule(worker=WORKERS)
    def worker_is_heard_of(self, worker: str) -> None:
        self.give(WorkerSeen(worker, LEASE_SECONDS))

    @rule(worker=WORKERS)
    def worker_says_goodbye(self, worker: str) -> None:
        self.give(WorkerLeft(worker))

    @rule(seconds=st.sampled_from([1.0, 4.0, 11.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.give(TimePassed())

    @rule(sources=st.lists(SOURCES, min_size=1, max_size=2, unique=True), worker=st.one_of(st.just(""), WORKERS))
    def sources_are_created(self, sources: list[str], worker: str) -> None:
        relays = frozenset(sources[:1])
        self.give(CreateSources(tuple(SourceFact(source, "text", "wire") for source in sources), worker, relays))

    @rule(source=SOURCES)
    def source_is_stopped(self, source: str) -> None:
        self.give(StopSources((source,)))

    @rule(task=TASKS, sources=st.sets(SOURCES, min_size=1))
    def task_is_started(self, task: str, sources: set[str]) -> None:
        self.give(StartTask(TaskFact(task, "text"), dict.fromkeys(sorted(sources), "wire")))

    @rule(task=TASKS, order=st.sampled_from(TaskOrder), sources=st.sets(SOURCES, max_size=2))
    def task_is_operated(self, task: str, order: TaskOrder, sources: set[str]) -> None:
        self.give(OperateTask(order, task, tuple(sorted(sources))))

    @rule(order=st.sampled_from(RelayOrder), sources=st.lists(SOURCES, min_size=1, max_size=2, unique=True))
    def relay_is_operated(self, order: RelayOrder, sources: list[str]) -> None:
        self.give(OperateRelay(order, tuple(sources)))

    @rule(source=SOURCES, filename=st.sampled_from(["bin.000002", "bin.000003"]))
    def relay_is_purged(self, source: str, filename: str) -> None:
        self.give(PurgeRelays((source,), filename))

    @rule(source=SOURCES, late=st.booleans())
    def purge_is_answered(self, source: str, late: bool) -> None:
        fact = self.cluster.relays.get(source)
        if fact is not None and fact.purge is not None:
            self.give(PurgeAnswered(source, fact.purge.number - late))
            assert (self.cluster.relays[source].purge is not None) is late, "only the answer to this order ends it"

    @invariant()
    def a_relay_log_has_a_source_and_runs_where_it_is_bound(self) -> None:
        assert set(self.cluster.relays) <= set(self.cluster.sources)
        for worker in self.cluster.workers:
            desired = self.cluster.desired_for(worker)
            assert desired.relay is None or (desired.bound and desired.relay.source == desired.bound.source)

    @invariant()
    def at_most_one_worker_per_source_and_the_reverse(self) -> None:
        held = [bound.worker for bound in self.cluster.bounds.values() if bound.worker]
        assert len(held) == len(set(held))
        assert all(worker in self.cluster.leases for worker in held)
        assert all(bound.source in self.cluster.sources for bound in self.cluster.bounds.values() if bound.worker)

    @invariant()
    def a_new_holder_has_a_higher_epoch(self) -> None:
        for bound in self.cluster.bounds.values():
            assert bound.bind_epoch >= self.epochs.get(bound.source, 0)
            self.epochs[bound.source] = bound.bind_epoch
            if bound.worker:
                epoch, worker = self.holders.get(bound.source, (0, ""))
                assert worker in ("", bound.worker) or bound.bind_epoch > epoch
                self.holders[bound.source] = (bound.bind_epoch, bound.worker)

    @invariant()
    def nothing_is_left_to_do(self) -> None:
        assert decide(self.cluster, TimePassed(), self._moment()).changes == ()
        assert not (self.cluster.free_workers() and self.cluster.unbound_sources())

    @invariant()
    def the_store_rebuilds_the_cluster(self) -> None:
        assert self._rebuilt() == self.cluster

    @invariant()
    def subtasks_run_only_where_their_source_is_bound(self) -> None:
        for worker in self.cluster.workers:
            desired = self.cluster.desired_for(worker)
            if self.cluster.stage_of(worker) is not WorkerStage.BOUND:
                assert desired.subtasks == ()
            assert all(desired.bound and fact.source == desired.bound.source for fact in desired.subtasks)


TestScheduler = Scheduler.TestCase
TestScheduler.pytestmark = [pytest.mark.slow]
TestScheduler.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
