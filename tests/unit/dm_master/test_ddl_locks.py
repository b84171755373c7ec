"""Locks of shard DDL in the scheduler: reports in, orders out, and what is shown of them."""

from __future__ import annotations

from typing import Any

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.ddl_locks import RemoveLock, ShardsReported, UnlockShards, lock_id_of, locks_of, with_orders
from dm_master.lock_pictures import lock_bodies
from dm_master.observed import Observation, ObservedSubtask, Picture
from dm_master.scheduler import CreateSources, Input, OperateTask, StartTask, TaskOrder, WorkerJoined, decide
from pkg.errors import DMError
from pkg.facts import SourceFact, TaskFact, WorkerFact
from pkg.shardddl.lock import Action, Order, Report

TARGET = "`all`.`t`"
LOCK = f"task-{TARGET}"
ADD = ("ALTER TABLE `all` . `t` ADD b INT",)


def after(cluster: Cluster, *events: Input) -> Cluster:
    for event in events:
        cluster = decide(cluster, event, Moment(0.0, 100)).cluster
    return cluster


def report(source: str, number: int = 1, ddls: tuple[str, ...] = (), target: str = TARGET) -> ShardsReported:
    return ShardsReported("task", source, (Report(target, number, ddls, "(mysql-bin.000001, 500)" if ddls else ""),))


@pytest.fixture
def cluster() -> Cluster:
    """A task on two sources, each with its worker."""
    workers = [WorkerJoined(WorkerFact(name, f"{name}:8262"), 10.0) for name in ("w1", "w2")]
    sources = CreateSources(tuple(SourceFact(name, "text", "wire") for name in ("s1", "s2")))
    return after(Cluster(), *workers, sources, StartTask(TaskFact("task", "text"), {"s1": "wire", "s2": "wire"}))


def orders(cluster: Cluster, source: str) -> list[Order]:
    worker = cluster.worker_of(source)
    return [order for _, order in with_orders(cluster, cluster.desired_for(worker)).orders]


def test_the_first_is_the_owner_and_executes_when_all_have_come(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"))
    assert orders(cluster, "s1") == []
    cluster = after(cluster, report("s2", 1, ADD))
    assert (orders(cluster, "s1"), orders(cluster, "s2")) == ([Order(TARGET, 1, Action.EXEC)], [])
    cluster = after(cluster, report("s1", 2))
    assert (orders(cluster, "s1"), orders(cluster, "s2")) == ([], [Order(TARGET, 1, Action.SKIP)])
    assert locks_of(after(cluster, report("s2", 2)), "task").locks == ()


def test_a_source_that_has_not_said_what_it_has_is_waited_for(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD))
    assert orders(cluster, "s1") == []
    cluster = after(cluster, ShardsReported("task", "s2", ()))
    assert orders(cluster, "s1") == [Order(TARGET, 1, Action.EXEC)]


def test_a_report_that_is_repeated_stores_nothing(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD))
    assert decide(cluster, report("s1", 1, ADD), Moment(0.0, 200)).changes == ()


def test_locks_survive_a_restart_of_dm_master(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    again = Cluster.from_facts(cluster.facts(), 10.0)
    assert locks_of(again, "task") == locks_of(cluster, "task")
    assert orders(again, "s1") == [Order(TARGET, 1, Action.EXEC)]


def test_a_source_that_leaves_the_task_is_not_waited_for(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"), OperateTask(TaskOrder.DELETE, "task", ("s2",)))
    assert orders(cluster, "s1") == [Order(TARGET, 1, Action.EXEC)]


def test_when_the_owner_leaves_another_one_executes(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    cluster = after(cluster, OperateTask(TaskOrder.DELETE, "task", ("s1",)))
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.EXEC)]


def test_a_task_that_begins_anew_leaves_its_old_place(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 4, ADD), report("s2", 4))
    cluster = after(cluster, report("s1", 1))
    assert locks_of(cluster, "task").locks == ()


def test_unlocking_lets_late_sources_skip(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"), UnlockShards("task", LOCK))
    assert orders(cluster, "s1") == [Order(TARGET, 1, Action.EXEC)]
    cluster = after(cluster, report("s1", 2), report("s2"))
    assert [lock.stage for lock in locks_of(cluster, "task").locks] == ["skipping"]
    cluster = after(cluster, report("s2", 1, ADD))
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.SKIP)]
    assert locks_of(after(cluster, report("s2", 2)), "task").locks == ()


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (UnlockShards("task", "task-`no`.`such`"), "no DDL lock"),
        (UnlockShards("task", LOCK, owner="s2"), "does not wait there"),
        (RemoveLock("task", "x"), "no DDL lock"),
    ],
)
def test_what_cannot_be_unlocked_is_refused(cluster: Cluster, event: Input, text: str) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"))
    with pytest.raises(DMError, match=text):
        decide(cluster, event, Moment(0.0, 100))


def test_a_lock_that_is_being_resolved_is_not_unlocked(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    with pytest.raises(DMError, match="being resolved"):
        decide(cluster, UnlockShards("task", LOCK), Moment(0.0, 100))
    assert locks_of(after(cluster, RemoveLock("task", LOCK)), "task").locks == ()


def picture(cluster: Cluster, **sync: dict[str, Any]) -> Picture:
    """`sync` are the units' statuses, by source."""
    observed = {}
    for source, status in sync.items():
        worker = cluster.worker_of(source)
        subtask = ObservedSubtask(1, {"name": "task", "stage": "Running", "unit": "Sync", "sync": status})
        epoch = cluster.bounds[source].bind_epoch
        observed[worker] = Observation(source=source, bind_epoch=epoch, subtasks={"task": subtask})
    return Picture(cluster, observed)


def test_the_picture_names_the_table_that_is_awaited(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"))
    group = {"target": TARGET, "synced": ["`db2`.`t1`"], "unsynced": ["`db2`.`t2`"], "DDLs": list(ADD)}
    group["firstLocation"] = "(mysql-bin.000001, 400)"
    seen = picture(cluster, s1={"lagSeconds": 0.0}, s2={"lagSeconds": 30.0, "unresolvedGroups": [group]})
    first, inside = lock_bodies(seen, "task", frozenset(), explain=True)
    assert (first["ID"], first["owner"], first["unsynced"]) == (LOCK, "s1", ["s2"])
    assert first["why"] == "s2 is 30 s behind its upstream; the DDL may still come for `db2`.`t2`"
    assert first["remedies"][0]["command"] == "run the DDL on `db2`.`t2` of s2"
    assert (inside["ID"], inside["stage"]) == ("", "waiting inside a source")
    assert lock_id_of(cluster, "task", "s1") == LOCK


def test_the_picture_names_different_ddls(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ("ALTER TABLE `all` . `t` ADD c INT",)))
    first, second = lock_bodies(picture(cluster, s1={}, s2={}), "", frozenset({"s1"}), explain=True)
    assert first["why"].startswith("different DDLs")
    assert second["ID"] == f"{LOCK}#2"
    assert lock_bodies(picture(cluster), "", frozenset({"s9"})) == []


def test_a_source_that_is_paused_is_named(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"))
    (lock,) = lock_bodies(picture(cluster, s1={}), "task", frozenset(), explain=True)
    assert "s2 does not replicate at present" in lock["why"]


@pytest.mark.parametrize(("number", "is_new"), [(1, True), (2, False)])
def test_a_source_whose_first_table_came_late_may_have_been_created_with_the_change(
    cluster: Cluster, number: int, is_new: bool
) -> None:
    cluster = after(cluster, report("s1", 5, ADD), report("s2", number))
    reports = [{"target": TARGET, "number": number, "ddls": [], "location": ""}]
    (lock,) = lock_bodies(picture(cluster, s1={}, s2={"shardReports": reports}), "task", frozenset(), explain=True)
    assert ("created in s2 with what the DDL changes will never have it: unlock" in lock["why"]) == is_new
