"""Situations of relay logs in the scheduler, each by its inputs."""

from __future__ import annotations

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.configs import source_text
from dm_master.relay_orders import OperateRelay, PurgeAnswered, PurgeRelays, RelayOrder
from dm_master.scheduler import CreateSources, Input, StopSources, UpdateSource, WorkerJoined, WorkerLeft, decide
from dm_master.sources import _relay_wanted
from pkg.errors import DMError
from pkg.facts import RelayFact, SourceFact, WorkerFact
from pkg.task import load_source
from pkg.task.stage import Stage


def joined(name: str) -> WorkerJoined:
    return WorkerJoined(WorkerFact(name, f"{name}:8262"), 10.0)


def created(*names: str, relays: frozenset[str] = frozenset()) -> CreateSources:
    return CreateSources(tuple(SourceFact(name, "text", "wire") for name in names), relays=relays)


def ordered(order: RelayOrder, *workers: str, source: str = "s1") -> OperateRelay:
    return OperateRelay(order, (source,), workers)


def after(*events: Input, cluster: Cluster | None = None) -> Cluster:
    cluster = cluster or Cluster()
    for event in events:
        cluster = decide(cluster, event, Moment(0.0, 1)).cluster
    return cluster


def refused(cluster: Cluster, event: Input) -> str:
    with pytest.raises(DMError) as caught:
        decide(cluster, event, Moment(0.0, 1))
    return str(caught.value)


def with_relay() -> Cluster:
    return after(joined("w1"), joined("w2"), created("s1", "s2"), ordered(RelayOrder.START))


def relay_of(cluster: Cluster, worker: str) -> RelayFact | None:
    return cluster.desired_for(worker).relay


def test_a_source_file_switches_its_relay_log_on() -> None:
    cluster = after(joined("w1"), created("s1", "s2", relays=frozenset({"s1"})))
    assert cluster.relays["s1"].stage is Stage.RUNNING
    assert "s2" not in cluster.relays


def test_the_relay_log_runs_where_its_source_is_bound() -> None:
    cluster = with_relay()
    holder, other = cluster.worker_of("s1"), cluster.worker_of("s2")
    assert relay_of(cluster, holder) is not None
    assert relay_of(cluster, other) is None


def test_the_relay_log_moves_with_its_source() -> None:
    cluster = after(joined("w1"), created("s1"), ordered(RelayOrder.START), joined("w2"), WorkerLeft("w1"))
    assert relay_of(cluster, "w1") is None
    assert relay_of(cluster, "w2") is not None


def test_a_worker_that_is_named_and_has_the_source_is_fine() -> None:
    cluster = after(joined("w1"), created("s1"), ordered(RelayOrder.START, "w1"))
    assert "s1" in cluster.relays


@pytest.mark.parametrize("order", [RelayOrder.START, RelayOrder.STOP])
def test_a_worker_that_has_another_source_is_refused_by_name(order: RelayOrder) -> None:
    text = refused(with_relay(), ordered(order, "w2"))
    assert "dm-worker w2 cannot hold the relay log of source s1, which is bound to dm-worker w1" in text
    assert "leave the worker out" in text


def test_a_worker_or_source_that_nobody_knows_is_refused() -> None:
    assert "code=46004" in refused(with_relay(), ordered(RelayOrder.START, "w9"))
    assert "code=46008" in refused(with_relay(), ordered(RelayOrder.START, source="s9"))


def test_a_relay_log_can_be_wanted_before_there_is_a_worker() -> None:
    cluster = after(created("s1"), ordered(RelayOrder.START), joined("w1"))
    assert relay_of(cluster, "w1") is not None


def test_pause_and_resume_change_the_stage_and_count() -> None:
    running = with_relay().relays["s1"]
    paused = after(ordered(RelayOrder.PAUSE), cluster=with_relay())
    resumed = after(ordered(RelayOrder.RESUME), cluster=paused)
    assert [one.stage for one in (running, paused.relays["s1"], resumed.relays["s1"])] == [
        Stage.RUNNING,
        Stage.PAUSED,
        Stage.RUNNING,
    ]
    assert running.revision < paused.relays["s1"].revision < resumed.relays["s1"].revision


def test_start_of_a_paused_relay_log_resumes_it() -> None:
    cluster = after(ordered(RelayOrder.PAUSE), ordered(RelayOrder.START), cluster=with_relay())
    assert cluster.relays["s1"].stage is Stage.RUNNING


@pytest.mark.parametrize("order", [RelayOrder.PAUSE, RelayOrder.RESUME])
def test_a_source_without_relay_log_is_refused(order: RelayOrder) -> None:
    assert "relay is disabled for this source: s2" in refused(with_relay(), ordered(order, source="s2"))
    assert "start-relay -s s2" in refused(with_relay(), PurgeRelays(("s2",), "bin.000002"))


def test_stop_forgets_the_relay_log_and_is_safe_to_repeat() -> None:
    cluster = after(ordered(RelayOrder.STOP), cluster=with_relay())
    assert cluster.relays == {}
    assert decide(cluster, ordered(RelayOrder.STOP), Moment(0.0, 1)).changes == ()


def test_a_source_that_is_stopped_takes_its_relay_log_along() -> None:
    cluster = after(StopSources(("s1",)), cluster=with_relay())
    assert cluster.relays == {}
    assert "s1" not in after(created("s1"), cluster=cluster).relays


@pytest.mark.parametrize(("said", "expected"), [(None, True), (False, False), (True, True)])
def test_an_update_switches_only_when_the_file_says_something_new(said: bool | None, expected: bool) -> None:
    update = UpdateSource(SourceFact("s1", "new", "new"), {}, said)
    assert ("s1" in after(update, cluster=with_relay()).relays) is expected


def test_a_purge_is_ordered_until_it_is_answered() -> None:
    cluster = after(PurgeRelays(("s1",), "bin.000003", "u.000001"), cluster=with_relay())
    order = cluster.relays["s1"].purge
    assert order is not None
    assert (order.filename, order.sub_dir) == ("bin.000003", "u.000001")
    assert relay_of(cluster, "w1") == cluster.relays["s1"]
    assert after(PurgeAnswered("s1", order.number - 1), cluster=cluster).relays["s1"].purge == order
    assert after(PurgeAnswered("s1", order.number), cluster=cluster).relays["s1"].purge is None
    assert decide(with_relay(), PurgeAnswered("s1", order.number), Moment(0.0, 1)).changes == ()


def test_the_same_purge_again_joins_the_open_one_and_another_is_refused() -> None:
    cluster = after(PurgeRelays(("s1",), "bin.000003"), cluster=with_relay())
    again = after(PurgeRelays(("s1",), "bin.000003"), cluster=cluster)
    assert again.relays["s1"].purge == cluster.relays["s1"].purge
    assert "being purged up to bin.000003" in refused(cluster, PurgeRelays(("s1",), "bin.000004"))


def test_a_pause_keeps_an_open_purge() -> None:
    cluster = after(PurgeRelays(("s1",), "bin.000003"), ordered(RelayOrder.PAUSE), cluster=with_relay())
    assert cluster.relays["s1"].purge is not None


FILE = "source-id: s1\nfrom: {host: h, port: 3306, user: u}\n"


def fact(text: str) -> SourceFact:
    return SourceFact("s1", text, load_source(text).model_dump_json(by_alias=True))


def test_the_configuration_that_is_shown_says_what_start_relay_and_stop_relay_said() -> None:
    off = after(CreateSources((fact(FILE),)))
    assert "enable-relay" not in source_text(off, "s1")
    assert "enable-relay: true" in source_text(after(ordered(RelayOrder.START), cluster=off), "s1")
    on = after(CreateSources((fact(FILE + "enable-relay: true\n"),), relays=frozenset({"s1"})))
    assert "enable-relay: false" in source_text(after(ordered(RelayOrder.STOP), cluster=on), "s1")


def test_an_updated_file_speaks_of_the_relay_log_only_when_it_says_something_else_than_before() -> None:
    off, on = load_source(FILE), load_source(FILE + "enable-relay: true\n")
    assert _relay_wanted(fact(FILE), off) is None
    assert _relay_wanted(fact(FILE), on) is True
    assert _relay_wanted(fact(FILE + "enable-relay: true\n"), off) is False
    assert _relay_wanted(None, on) is None
