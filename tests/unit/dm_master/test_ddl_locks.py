"""Locks of shard DDL in the scheduler: reports in, orders out, and what is shown of them."""

from __future__ import annotations

from typing import Any

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.ddl_locks import (
    RemoveLock,
    ShardsReported,
    UnlockShards,
    lock_id_of,
    locks_of,
    shard_reports,
    with_orders,
)
from dm_master.lock_pictures import lock_bodies
from dm_master.observed import Observation, ObservedSubtask, Picture
from dm_master.scheduler import CreateSources, Input, OperateTask, StartTask, TaskOrder, WorkerJoined, decide
from pkg.errors import DMError
from pkg.facts import RUN_BITS, SourceFact, TaskFact, WorkerFact
from pkg.shardddl.lock import MOST_KEPT, MOST_PAST, Action, Order, Report, Stage

TARGET = "`all`.`t`"
LOCK = f"task-{TARGET}"
ADD = ("ALTER TABLE `all` . `t` ADD b INT",)


def after(cluster: Cluster, *events: Input) -> Cluster:
    for event in events:
        cluster = decide(cluster, event, Moment(0.0, 100)).cluster
    return cluster


EPOCH = 100  # of the first bindings: the moment's time


def report(source: str, number: int = 1, ddls: tuple[str, ...] = (), *, may_be_late: bool = False) -> ShardsReported:
    location = "(mysql-bin.000001, 500)" if ddls else ""
    return said(source, Report(TARGET, number, ddls, location, may_be_late=may_be_late))


def said(source: str, *reports: Report, worker: str = "", epoch: int = EPOCH, run: tuple[int, int] = (999, 1)) -> Any:
    """By the worker that has the source first, if no other one is named, after all orders."""
    return ShardsReported("task", source, reports, worker or source.replace("s", "w"), epoch, run)


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
    cluster = after(cluster, said("s2"))
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


@pytest.mark.parametrize(
    "stale",
    [
        {"worker": "w2"},
        {"epoch": EPOCH - 1},
        {"run": (999, 0)},  # of a run before the last one
        {"run": (0, 9)},  # before the last order
    ],
)
def test_only_the_run_that_holds_the_source_moves_locks(cluster: Cluster, stale: dict[str, Any]) -> None:
    cluster = after(cluster, report("s1", 2, ADD), report("s2", 2, ADD))
    for number, ddls in ((1, ()), (3, ()), (2, ("ALTER TABLE `all` . `t` DROP a",))):
        assert decide(cluster, said("s1", Report(TARGET, number, ddls), **stale), Moment(0.0, 100)).changes == ()
    assert orders(cluster, "s1") == [Order(TARGET, 2, Action.EXEC)]


def test_a_worker_that_has_its_source_anew_says_by_its_fence_what_it_knew_before() -> None:
    status = {"shardsKnown": True, "shardReports": [], "epoch": str((99 << RUN_BITS) + 7)}
    subtask = ObservedSubtask(3, {"name": "task", "stage": "Running", "sync": status})
    (told,) = shard_reports("w1", Observation(source="s1", bind_epoch=EPOCH, subtasks={"task": subtask}))
    assert (told.worker, told.bind_epoch, told.run) == ("w1", 99, (3, (99 << RUN_BITS) + 7))


def started(*sources: str, is_fresh: bool = False) -> StartTask:
    return StartTask(TaskFact("task", "text"), dict.fromkeys(sources, "wire"), is_fresh)


def test_a_source_that_was_away_skips_what_was_run_meanwhile(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1"), report("s2"), OperateTask(TaskOrder.DELETE, "task", ("s2",)))
    cluster = after(cluster, report("s1", 1, ADD), report("s1", 2))
    assert locks_of(cluster, "task").current == ()
    assert lock_bodies(picture(cluster), "task", frozenset()) == []
    cluster = after(cluster, started("s2"), report("s2", 1, ADD))
    assert orders(cluster, "s2") == []  # its rows in the target may lack what the DDL did
    cluster = after(cluster, report("s2", 1, ADD, may_be_late=True))
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.SKIP)]
    assert locks_of(after(cluster, report("s2", 2)), "task").locks == ()


@pytest.mark.parametrize("sources", [("s1", "s2"), ()])
def test_a_task_that_is_stopped_and_started_goes_on_with_its_locks(cluster: Cluster, sources: tuple[str, ...]) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    cluster = after(cluster, OperateTask(TaskOrder.DELETE, "task", sources), started("s1", "s2"))
    cluster = after(cluster, report("s1", 2), report("s2", 1, ADD))  # it was run before the stop
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.SKIP)]


def test_a_task_that_is_started_without_its_checkpoints_has_no_locks(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"), UnlockShards("task", LOCK), report("s1", 2))
    cluster = after(cluster, OperateTask(TaskOrder.DELETE, "task"))
    assert "task" in cluster.shards
    cluster = after(cluster, started("s1", "s2", is_fresh=True))
    assert "task" not in cluster.shards
    cluster = after(cluster, report("s1"), report("s2", 1, ADD))
    assert orders(cluster, "s2") == []


def test_a_source_that_is_started_without_its_checkpoint_is_no_party_any_more(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"), UnlockShards("task", LOCK), report("s1", 2))
    cluster = after(cluster, OperateTask(TaskOrder.DELETE, "task", ("s2",)), started("s2", is_fresh=True))
    assert locks_of(cluster, "task").locks == ()


def test_no_more_locks_are_kept_for_sources_that_left_than_need_be(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1"), report("s2"), OperateTask(TaskOrder.DELETE, "task", ("s2",)))
    for number in range(1, MOST_PAST + 3):
        cluster = after(cluster, report("s1", number, (f"ALTER TABLE t ADD c{number} INT",)), report("s1", number + 1))
    past = locks_of(cluster, "task").past
    assert (len(past), past[0].ddls) == (MOST_PAST, ("ALTER TABLE t ADD c3 INT",))


def test_no_more_unlocked_locks_are_kept_for_sources_that_left_than_need_be(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1"), report("s2"))
    for number in range(1, MOST_KEPT + 3):
        cluster = after(cluster, report("s1", number, (f"ALTER TABLE t ADD c{number} INT",)))
        (waiting,) = [lock for lock in locks_of(cluster, "task").locks if lock.stage is Stage.WAITING]
        unlock = UnlockShards("task", locks_of(cluster, "task").id_of(waiting))
        cluster = after(cluster, unlock, report("s1", number + 1))
    assert len(locks_of(cluster, "task").locks) == MOST_KEPT + 2
    cluster = after(cluster, OperateTask(TaskOrder.DELETE, "task", ("s2",)))
    locks = locks_of(cluster, "task").locks
    assert (len(locks), locks[0].ddls) == (MOST_KEPT, ("ALTER TABLE t ADD c3 INT",))


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


def test_the_picture_shows_the_ways_out_where_the_target_has_refused(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    (lock,) = lock_bodies(picture(cluster, stage="Paused", s1={}, s2={}), "task", frozenset(), explain=True)
    assert lock["why"] == "s1 is ordered to exec the DDL, and its subtask is paused (see `query-status task`)"
    commands = [one["command"] for one in lock["remedies"]]
    assert 'dmctl binlog replace|inject task -s s1 "…"' in commands
    assert f'dmctl shard-ddl-lock unlock "{LOCK}" --owner s2' in commands
    (lock,) = lock_bodies(picture(cluster, s1={}, s2={}), "task", frozenset(), explain=True)
    assert lock["why"] == "s1 is ordered to exec the DDL"


def test_another_order_is_given_only_while_the_owner_has_failed(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2", 1, ADD))
    with pytest.raises(DMError, match=r"binlog skip.replace.inject -s s1"):
        decide(cluster, UnlockShards("task", LOCK, has_failed=True), Moment(0.0, 100))
    other = after(cluster, UnlockShards("task", LOCK, owner="s2", has_failed=True))
    assert (orders(other, "s1"), orders(other, "s2")) == ([], [Order(TARGET, 1, Action.EXEC)])
    none = after(cluster, UnlockShards("task", LOCK, action=Action.SKIP, has_failed=True))
    assert orders(none, "s1") == [Order(TARGET, 1, Action.SKIP)]
    with pytest.raises(DMError, match="or has done so"):
        decide(after(none, report("s1", 2)), UnlockShards("task", LOCK, owner="s2", has_failed=True), Moment(0.0, 100))


def picture(cluster: Cluster, stage: str = "Running", **sync: dict[str, Any]) -> Picture:
    """`sync` are the units' statuses, by source."""
    observed = {}
    for source, status in sync.items():
        worker = cluster.worker_of(source)
        subtask = ObservedSubtask(1, {"name": "task", "stage": stage, "unit": "Sync", "sync": status})
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
    assert "about different columns" not in first["why"]  # their meaning is not known
    assert second["ID"] == f"{LOCK}#2"
    assert lock_bodies(picture(cluster), "", frozenset({"s9"})) == []


def test_a_source_that_is_paused_is_named(cluster: Cluster) -> None:
    cluster = after(cluster, report("s1", 1, ADD), report("s2"))
    (lock,) = lock_bodies(picture(cluster, s1={}), "task", frozenset(), explain=True)
    assert "s2 does not replicate at present" in lock["why"]


OTHER = "`all`.`u`"


def both(source: str, first: tuple[str, ...] = (), second: tuple[str, ...] = ()) -> ShardsReported:
    return said(source, Report(TARGET, 1, first, "(bin.000001, 5)"), Report(OTHER, 1, second, "(bin.000001, 5)"))


def test_sources_that_wait_for_each_other_are_named_and_read_on(cluster: Cluster) -> None:
    cluster = after(cluster, both("s1", first=ADD), both("s2"))
    assert orders(cluster, "s1") == []
    cluster = after(cluster, both("s2", second=("ALTER TABLE `all` . `u` ADD c INT",)))
    assert orders(cluster, "s1") == [Order(TARGET, 1, Action.READ)]
    assert orders(cluster, "s2") == [Order(OTHER, 1, Action.READ)]
    seen = picture(cluster, s1={"lagSeconds": 9.0}, s2={"lagSeconds": 9.0})
    first, second = lock_bodies(seen, "task", frozenset(), explain=True)
    assert f"wait for each other: s1 here for s2, which waits in task-{OTHER}" in first["why"]
    assert f"wait for each other: s2 here for s1, which waits in {LOCK}" in second["why"]
    cluster = after(cluster, both("s1", ADD, ("ALTER TABLE `all` . `u` ADD c INT",)))
    assert orders(cluster, "s2") == [Order(OTHER, 1, Action.EXEC)]
    assert orders(cluster, "s1") == []
    (lock, _) = lock_bodies(picture(cluster, s1={}, s2={}), "task", frozenset(), explain=True)
    assert "wait for each other" not in lock["why"]


def test_a_ddl_that_may_be_the_one_of_an_earlier_unlock_is_asked_for(cluster: Cluster) -> None:
    drop = ("ALTER TABLE `all` . `t` DROP b",)
    cluster = after(cluster, report("s1", 1, ADD), report("s2"), UnlockShards("task", LOCK), report("s1", 2))
    cluster = after(cluster, report("s1", 2, drop), UnlockShards("task", f"{LOCK}#2"), report("s1", 3))
    cluster = after(cluster, report("s2", 1, ADD))
    assert orders(cluster, "s2") == []
    *_, lock = lock_bodies(picture(cluster, s1={}, s2={}), "task", frozenset(), explain=True)
    assert lock["why"].startswith(f"s2 was to skip such a DDL (lock {LOCK}), but another one has run since")
    assert lock["remedies"][0]["command"] == f'dmctl shard-ddl-lock unlock "{LOCK}#3" --action skip'


@pytest.mark.parametrize(("number", "is_new"), [(1, True), (2, False)])
def test_a_source_whose_first_table_came_late_may_have_been_created_with_the_change(
    cluster: Cluster, number: int, is_new: bool
) -> None:
    cluster = after(cluster, report("s1", 5, ADD), report("s2", number))
    (lock,) = lock_bodies(picture(cluster, s1={}, s2={}), "task", frozenset(), explain=True)
    assert ("created in s2 with what the DDL changes will never have it: unlock" in lock["why"]) == is_new


def late(source: str, number: int = 1, *, may: bool = True) -> Any:
    return said(source, Report(TARGET, number, ADD, "(bin.000001, 5)", may_be_late=may))


def test_a_source_without_a_table_that_comes_late_skips(cluster: Cluster) -> None:
    cluster = after(cluster, said("s2"), report("s1", 1, ADD), report("s1", 2))
    assert locks_of(cluster, "task").locks == ()
    cluster = after(Cluster.from_facts(cluster.facts(), 10.0), report("s2", 1))
    cluster = after(cluster, late("s2", may=False))  # it has not looked at the target so far
    assert orders(cluster, "s2") == []
    cluster = after(cluster, late("s2"), late("s2"))
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.SKIP)]
    assert [lock["ID"] for lock in lock_bodies(picture(cluster), "task", frozenset())] == [LOCK]
    cluster = after(cluster, report("s2", 2))
    assert (locks_of(cluster, "task").locks, locks_of(cluster, "task").past) == ((), ())
    assert orders(after(cluster, late("s2", 2)), "s2") == []


def test_who_comes_while_the_owner_runs_it_waits_for_the_owner(cluster: Cluster) -> None:
    cluster = after(cluster, said("s2"), report("s1", 1, ADD), report("s2", 1), late("s2", may=False))
    assert orders(cluster, "s1") == [Order(TARGET, 1, Action.EXEC)]
    cluster = after(cluster, late("s2"))
    assert orders(cluster, "s2") == []
    cluster = after(cluster, report("s1", 2))
    assert orders(cluster, "s2") == [Order(TARGET, 1, Action.SKIP)]
    assert locks_of(after(cluster, report("s2", 2)), "task").locks == ()


def test_who_begins_anew_or_comes_behind_another_ddl_is_not_late(cluster: Cluster) -> None:
    begun = after(cluster, said("s2"), report("s1", 1, ADD), report("s1", 2))
    anew = after(begun, report("s2", 5), late("s2", 1))
    assert orders(anew, "s2") == []
    again = ("ALTER TABLE `all` . `t` ALTER b SET DEFAULT 3",)
    behind = after(begun, report("s1", 2, again), report("s1", 3), late("s2"))
    assert orders(behind, "s2") == []
