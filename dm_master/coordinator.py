"""The thread that owns the cluster's state: takes inputs in turn, stores what they change, sends orders.

1. An input (a verb, a message of a worker, time) is decided by the scheduler.
2. Its changes are stored in one transaction, fenced by the leader's epoch.  Only then the state is replaced.
3. Workers whose desired state has changed are sent it.

A crash after 1 loses an input that nobody was told of; after 2, orders are sent when the dm-master is back.
Everybody else reads ``picture()``, a value that does not change.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import TypeVar

from dm_master.cluster import Cluster, Moment
from dm_master.ddl_locks import shard_reports, with_orders
from dm_master.leadership import LEASE_SECONDS, Leadership
from dm_master.links import Link
from dm_master.looking import QUESTIONS, is_answered
from dm_master.observed import Observation, Picture
from dm_master.relay_orders import PurgeAnswered
from dm_master.scheduler import (
    Input,
    TimePassed,
    WorkerJoined,
    WorkerLeft,
    WorkerSeen,
    decide,
    next_lease_end,
)
from pkg.adapters.clock import Clock
from pkg.adapters.log import fields
from pkg.adapters.metastore.store import LEADERSHIP_LOST, MetaStore
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import BoundFact, Change, Put, RelayFact, Remove, RevisionFact, ShardFact, SubtaskFact, WorkerFact
from pkg.shardddl.document import from_text

WORKER_CONNECTED = ErrorKind(
    46003,
    "scheduler",
    Scope.INTERNAL,
    Level.MEDIUM,
    "dm-worker with name {worker} already exists and is connected from {address}",
    workaround="give each dm-worker its own --name; one that was killed is let in again when its connection has ended",
)
STOPPING = ErrorKind(
    38062,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "dm-master {name} is stopping",
    workaround="send the request again when it is back",
    resumable=True,
)
_LONGEST_NAP_SECONDS = 1.0
_LONGEST_ANSWER_SECONDS = 30.0
LOOK_SECONDS = 2.0

T = TypeVar("T")
log = logging.getLogger(__name__)


class Coordinator:
    """Owns cluster, observations and links; all of them are touched by its thread only."""

    def __init__(self, store: MetaStore, clock: Clock, name: str, address: str) -> None:
        self._store, self._clock = store, clock
        self._leadership = Leadership(store, clock, name, address)
        self._cluster = Cluster()
        self._observed: dict[str, Observation] = {}
        self._heard_at: dict[str, float] = {}  # when each worker said what is observed
        self._links: dict[str, Link] = {}
        self._questions = secrets.randbits(40) * QUESTIONS  # the last one's number
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._published = threading.Condition()  # guards _picture
        self._picture = Picture()
        self._thread = threading.Thread(target=self._run, name="coordinator", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def request_stop(self) -> None:
        self._stopping.set()
        self._inbox.put(lambda: None)
        with self._published:
            self._published.notify_all()

    def join(self, timeout: float) -> None:
        self._thread.join(timeout)

    # -- for any thread ---------------------------------------------------------------------------

    def give(self, event: Input) -> Picture:
        """Decide ``event``: the state afterwards; raises its refusal."""
        return self._ask(lambda: self._give(event))

    def picture(self) -> Picture:
        """The state now; raises NOT_LEADER when this dm-master has none."""
        return self._ask(self._leading_picture)

    def look(self, sources: Collection[str]) -> tuple[Picture, int]:
        """How these sources stand now, as far as their workers are connected and say so soon; the question's number."""
        number, asked = self._ask(lambda: self._question(sources))
        picture = self.wait(lambda one: one if is_answered(one, number, asked) else None, LOOK_SECONDS)
        return picture or self.picture(), number

    def wait(self, look: Callable[[Picture], T | None], seconds: float) -> T | None:
        """What ``look`` finds in the first picture in which it finds something; None after ``seconds``."""
        deadline = self._clock.monotonic() + seconds
        with self._published:
            while (found := look(self._picture)) is None:
                left = deadline - self._clock.monotonic()
                if left <= 0 or self._stopping.is_set():
                    return None
                self._published.wait(left)
            return found

    def attach(self, link: Link) -> None:
        """A worker's stream begins; raises when it is refused."""
        self._ask(lambda: self._attach(link))

    def heard(self, link: Link, observation: Observation | None) -> None:
        """A worker said something."""
        self._inbox.put(lambda: self._heard(link, observation))

    def detach(self, link: Link, *, goodbye: bool) -> None:
        """A worker's stream ended."""
        self._inbox.put(lambda: self._detach(link, goodbye))

    def _ask(self, work: Callable[[], T]) -> T:
        future: Future[T] = Future()

        def answer() -> None:
            try:
                future.set_result(work())
            except BaseException as exc:
                future.set_exception(exc)

        if self._stopping.is_set():
            raise STOPPING.error(name=self._leadership.name)
        self._inbox.put(answer)
        try:
            return future.result(_LONGEST_ANSWER_SECONDS)
        except TimeoutError:  # the thread ended with this in its inbox, or the metastore hangs
            raise STOPPING.error(name=self._leadership.name) from None

    # -- for the coordinator's thread -------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            led = self._leadership.epoch
            if self._leadership.tend() and led is None:
                self._take_over()
                self._publish()
            self._next_work()()
            self._send_orders()
            self._publish()
        self._shut_down()

    def _next_work(self) -> Callable[[], None]:
        end = next_lease_end(self._cluster)
        nap = min(_LONGEST_NAP_SECONDS, self._leadership.seconds_to_next_try())
        if end is not None:
            nap = min(nap, max(0.0, end - self._clock.monotonic()))
        try:
            return self._inbox.get(timeout=nap)
        except queue.Empty:
            return self._pass_time

    def _take_over(self) -> None:
        try:
            facts = self._store.load()
        except DMError:
            log.exception("the stored state could not be read")
            self._leadership.lose()
            return
        self._cluster = Cluster.from_facts(facts, self._clock.monotonic() + LEASE_SECONDS)
        self._observed.clear()
        log.info("state loaded", extra=fields(sources=len(self._cluster.sources), tasks=len(self._cluster.tasks)))

    def _pass_time(self) -> None:
        try:
            self._decide(TimePassed())
        except DMError:
            log.exception("a decision could not be stored; it is made again")

    def _decide(self, event: Input) -> None:
        if self._leadership.epoch is None:
            return
        moment = Moment(self._clock.monotonic(), int(self._clock.unix()))
        decision = decide(self._cluster, event, moment)
        if decision.changes:
            self._store_changes(decision.changes)
        self._cluster = decision.cluster

    def _store_changes(self, changes: tuple[Change, ...]) -> None:
        assert self._leadership.epoch is not None
        try:
            self._store.apply(self._leadership.epoch, changes)
        except DMError as exc:
            if exc.is_a(LEADERSHIP_LOST):
                self._follow()
            raise
        for change in changes:
            _log_change(change)

    def _follow(self) -> None:
        self._leadership.lose()
        for link in self._links.values():
            link.close(self._leadership.refusal())
        self._links.clear()
        self._cluster = Cluster()

    def _question(self, sources: Collection[str]) -> tuple[int, list[str]]:
        if self._leadership.epoch is None:
            raise self._leadership.refusal()
        self._questions += 1
        asked = [source for source in sources if self._cluster.worker_of(source) in self._links]
        for source in asked:
            self._links[self._cluster.worker_of(source)].look(self._questions)
        return self._questions, asked

    def _give(self, event: Input) -> Picture:
        if self._leadership.epoch is None:
            raise self._leadership.refusal()
        self._decide(event)
        self._publish()  # before the answer: who then waits must not look at an older picture
        return self._snapshot()

    def _leading_picture(self) -> Picture:
        if self._leadership.epoch is None:
            raise self._leadership.refusal()
        return self._snapshot()

    def _attach(self, link: Link) -> None:
        hello = link.hello
        other = self._links.get(hello.name)
        if other is not None:
            raise WORKER_CONNECTED.error(worker=hello.name, address=other.hello.address)
        self._give(WorkerJoined(WorkerFact(hello.name, hello.address, hello.config), hello.lease_seconds))
        self._links[hello.name] = link
        log.info("worker connected", extra=fields(worker=hello.name, address=hello.address, instance=hello.instance))

    def _heard(self, link: Link, observation: Observation | None) -> None:
        if self._links.get(link.hello.name) is not link:
            return
        if observation is not None:
            self._observed[link.hello.name] = observation
            self._heard_at[link.hello.name] = self._clock.monotonic()
        try:
            self._decide(WorkerSeen(link.hello.name, link.hello.lease_seconds))
            if observation is not None and observation.relay is not None and observation.relay.purge is not None:
                self._decide(PurgeAnswered(observation.source, observation.relay.purge.number))
            for report in shard_reports(link.hello.name, observation) if observation is not None else ():
                self._decide(report)
        except DMError:
            log.exception("a decision could not be stored; it is made again")

    def _detach(self, link: Link, goodbye: bool) -> None:
        name = link.hello.name
        if self._links.get(name) is not link:
            return
        del self._links[name]
        log.info("worker disconnected", extra=fields(worker=name, goodbye=goodbye))
        if goodbye:
            self._observed.pop(name, None)
            try:
                self._decide(WorkerLeft(name))
            except DMError:
                log.exception("a decision could not be stored; the lease ends by itself")

    def _send_orders(self) -> None:
        now = self._clock.monotonic()
        for worker, link in self._links.items():
            desired = with_orders(self._cluster, self._cluster.desired_for(worker))
            if link.offer(desired, self._observed.get(worker), now):
                source = desired.bound.source if desired.bound else ""
                log.debug("orders sent", extra=fields(worker=worker, revision=desired.revision, source=source))
        for worker in [worker for worker in self._observed if worker not in self._cluster.leases]:
            del self._observed[worker]

    def _snapshot(self) -> Picture:
        now = self._clock.monotonic()
        ages = {worker: now - self._heard_at.get(worker, now) for worker in self._observed}
        return Picture(self._cluster, dict(self._observed), self._leadership.leader, ages)

    def _publish(self) -> None:
        with self._published:
            self._picture = self._snapshot()
            self._published.notify_all()

    def _shut_down(self) -> None:
        for link in self._links.values():
            link.close(STOPPING.error(name=self._leadership.name))
        try:
            self._leadership.resign()
        except DMError:
            log.exception("the leadership was not handed over; its lease ends by itself")


def _log_change(change: Change) -> None:
    match change:
        case Put(BoundFact(source, worker, epoch, last)) if worker:
            log.info("source bound", extra=fields(source=source, worker=worker, bind_epoch=epoch))
        case Put(BoundFact(source, _, _, last)):
            log.info("source unbound", extra=fields(source=source, last_worker=last))
        case Put(SubtaskFact(task, source, stage, revision)):
            log.info("subtask ordered", extra=fields(task=task, source=source, stage=stage, revision=revision))
        case Put(RelayFact(source, stage, revision, purge)):
            file = purge.filename if purge else ""
            log.info("relay log ordered", extra=fields(source=source, stage=stage, revision=revision, purge=file))
        case Put(ShardFact(task, document)):
            ids = [locks.id_of(lock) for locks in (from_text(task, document),) for lock in locks.locks]
            log.info("DDL locks", extra=fields(task=task, locks=ids))
        case Put(RevisionFact()):
            pass
        case Put(fact):
            log.info("stored", extra=fields(what=type(fact).__name__.removesuffix("Fact"), name="/".join(fact.key)))
        case Remove(kind, key):
            log.info("removed", extra=fields(what=kind.__name__.removesuffix("Fact"), name="/".join(key)))
