"""The coordinator with a real SQLite store and a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dm_master.cluster import Desired
from dm_master.coordinator import Coordinator
from dm_master.links import Hello, Link
from dm_master.observed import Observation, ObservedRelay, Picture, PurgeAnswer
from dm_master.relay_orders import OperateRelay, PurgeRelays, RelayOrder
from dm_master.scheduler import CreateSources, StartTask
from pkg.adapters.clock import Clock
from pkg.adapters.metastore.engine import sqlite_url
from pkg.adapters.metastore.store import MetaStore
from pkg.errors import DMError
from pkg.facts import RelayFact, SourceFact, TaskFact


class HandClock(Clock):
    """Leases run by this; waiting runs by the real one."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead

    def unix(self) -> float:
        return super().unix() + self.ahead


class Master:
    """One dm-master without its network."""

    def __init__(self, folder: Path, name: str = "m1") -> None:
        self.clock = HandClock()
        self.store = MetaStore(sqlite_url(folder / "meta.db"))
        self.coordinator = Coordinator(self.store, self.clock, name, "h:8261")
        self.coordinator.start()
        self.coordinator.wait(lambda picture: picture.leader, 60)

    def close(self) -> None:
        self.coordinator.request_stop()
        self.coordinator.join(60)
        self.store.close()

    def joined(self, worker: str, lease: float = 1000.0) -> Link:
        link = Link(Hello(worker, f"{worker}:1", lease, "i"))
        self.coordinator.attach(link)
        return link

    def until(self, what: str, look: object) -> Picture:
        assert callable(look)
        found = self.coordinator.wait(lambda picture: picture if look(picture) else None, 60)
        assert found is not None, what
        return found


@pytest.fixture
def master(tmp_path: Path) -> Iterator[Master]:
    found = Master(tmp_path)
    yield found
    found.close()


def orders(link: Link, source: str) -> Desired:
    """The first orders about ``source`` that the worker is sent."""
    while True:
        order = link.orders.get(timeout=60)
        assert isinstance(order, Desired)
        if (order.bound.source if order.bound else "") == source:
            return order


def source(name: str) -> CreateSources:
    return CreateSources((SourceFact(name, "text", "wire"),))


def test_a_worker_is_told_at_once_what_it_should_run(master: Master) -> None:
    link = master.joined("w1")
    assert orders(link, "").bound is None
    master.coordinator.give(source("s1"))
    assert orders(link, "s1").source == SourceFact("s1", "text", "wire")
    master.coordinator.give(StartTask(TaskFact("t", "text"), {"s1": "wire"}))
    assert [one.task for one in orders(link, "s1").subtasks] == ["t"]


def test_who_waits_after_an_answer_sees_at_least_what_was_answered(master: Master) -> None:
    for number in range(50):
        revision = master.coordinator.give(source(f"s{number}")).cluster.revision
        assert master.coordinator.wait(lambda picture: picture.cluster.revision, 0) >= revision


def test_a_lease_that_ends_moves_the_source_and_tells_both(master: Master) -> None:
    first = master.joined("w1", lease=10.0)
    master.coordinator.give(source("s1"))
    orders(first, "s1")
    second = master.joined("w2")
    master.clock.ahead += 11
    assert orders(second, "s1").bound is not None
    assert orders(first, "").bound is None


def test_a_worker_that_is_heard_of_keeps_its_lease(master: Master) -> None:
    link = master.joined("w1", lease=10.0)
    master.coordinator.give(source("s1"))
    for _ in range(3):
        master.clock.ahead += 6
        master.coordinator.heard(link, Observation(1, "s1"))
        master.until("heard", lambda picture: "w1" in picture.observed)
    assert master.coordinator.picture().cluster.worker_of("s1") == "w1"


def test_a_refusal_changes_nothing(master: Master) -> None:
    master.coordinator.give(source("s1"))
    before = master.store.load()
    with pytest.raises(DMError, match="already exists"):
        master.coordinator.give(source("s1"))
    assert master.store.load() == before


def test_a_second_stream_of_a_name_is_refused_until_the_first_has_ended(master: Master) -> None:
    link = master.joined("w1")
    with pytest.raises(DMError, match="already exists and is connected"):
        master.joined("w1")
    master.coordinator.detach(link, goodbye=False)
    master.joined("w1")


def test_messages_of_an_ended_stream_do_not_count(master: Master) -> None:
    old = master.joined("w1")
    master.coordinator.detach(old, goodbye=False)
    master.joined("w1")
    master.coordinator.heard(old, Observation(1, "stale"))
    assert "w1" not in master.coordinator.picture().observed


def test_a_master_that_was_overtaken_refuses_and_lets_its_workers_go(master: Master, tmp_path: Path) -> None:
    link = master.joined("w1")
    orders(link, "")
    master.store.campaign("m2", "h:2", master.clock.unix() + 1000, 1000.0)
    with pytest.raises(DMError, match="does not lead"):
        master.coordinator.give(source("s1"))
    assert isinstance(link.orders.get(timeout=60), DMError)
    master.until("follows", lambda picture: picture.leader and picture.leader.name == "m2")
    with pytest.raises(DMError, match="m2 at h:2 does"):
        master.coordinator.picture()


def test_a_restarted_master_knows_everything(tmp_path: Path) -> None:
    first = Master(tmp_path)
    first.joined("w1")
    first.coordinator.give(source("s1"))
    before = first.coordinator.picture().cluster
    first.close()
    second = Master(tmp_path)
    after = second.coordinator.picture().cluster
    second.close()
    assert after.facts() == before.facts()


def test_a_master_that_stops_answers_nobody(tmp_path: Path) -> None:
    master = Master(tmp_path)
    master.close()
    with pytest.raises(DMError, match="is stopping"):
        master.coordinator.picture()


def test_a_purge_is_sent_until_its_answer_is_heard(master: Master) -> None:
    link = master.joined("w1")
    master.coordinator.give(source("s1"))
    master.coordinator.give(OperateRelay(RelayOrder.START, ("s1",)))
    master.coordinator.give(PurgeRelays(("s1",), "bin.000003"))
    while (wanted := orders(link, "s1")).relay is None or wanted.relay.purge is None:
        pass
    number = wanted.relay.purge.number
    for answered in (number - 1, number, number):  # late, right, repeated
        relay = ObservedRelay(wanted.relay.revision, {"stage": "Running"}, PurgeAnswer(answered, True, "3 files"))
        master.coordinator.heard(link, Observation(wanted.revision, "s1", relay=relay))
    picture = master.until("answered", lambda picture: picture.cluster.relays["s1"].purge is None)
    assert picture.observed["w1"].relay == relay
    assert [one for one in master.store.load() if isinstance(one, RelayFact)] == [picture.cluster.relays["s1"]]


def test_a_relay_log_survives_a_restart_of_the_master(master: Master, tmp_path: Path) -> None:
    master.coordinator.give(source("s1"))
    master.coordinator.give(OperateRelay(RelayOrder.START, ("s1",)))
    before = master.coordinator.give(OperateRelay(RelayOrder.PAUSE, ("s1",))).cluster.relays
    master.close()
    again = Master(tmp_path)
    try:
        assert again.coordinator.picture().cluster.relays == before
    finally:
        again.close()
