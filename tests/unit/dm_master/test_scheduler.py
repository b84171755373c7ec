"""Situations of the scheduler, each by its inputs."""

from __future__ import annotations

import pytest

from dm_master.cluster import Cluster, Moment, WorkerStage
from dm_master.scheduler import (
    CreateSources,
    Input,
    OperateTask,
    StartTask,
    StopSources,
    TaskOrder,
    TimePassed,
    UpdateSource,
    WorkerJoined,
    WorkerLeft,
    WorkerSeen,
    decide,
)
from pkg.errors import DMError
from pkg.facts import SourceFact, TaskFact, WorkerFact
from pkg.task.stage import Stage


def joined(name: str, lease: float = 10.0) -> WorkerJoined:
    return WorkerJoined(WorkerFact(name, f"{name}:8262"), lease)


def created(*names: str, worker: str = "") -> CreateSources:
    return CreateSources(tuple(SourceFact(name, "text", "wire") for name in names), worker)


def started(task: str, *sources: str) -> StartTask:
    return StartTask(TaskFact(task, "text"), {source: f"{task} on {source}" for source in sources})


def after(*events: Input | tuple[float, Input], cluster: Cluster | None = None) -> Cluster:
    """The cluster after ``events``, each with its time or at 0."""
    cluster = cluster or Cluster()
    for event in events:
        at, one = event if isinstance(event, tuple) else (0.0, event)
        cluster = decide(cluster, one, Moment(at, 1)).cluster
    return cluster


def refused(cluster: Cluster, event: Input) -> str:
    with pytest.raises(DMError) as caught:
        decide(cluster, event, Moment(0.0, 1))
    return str(caught.value)


def test_a_new_source_goes_to_a_free_worker() -> None:
    cluster = after(joined("w1"), created("s1"))
    assert cluster.worker_of("s1") == "w1"
    assert cluster.stage_of("w1") is WorkerStage.BOUND


def test_a_source_waits_for_the_first_worker() -> None:
    cluster = after(created("s1", "s2"))
    assert cluster.unbound_sources() == ["s1", "s2"]
    cluster = after(joined("w1"), cluster=cluster)
    assert cluster.worker_of("s1") == "w1"
    assert cluster.unbound_sources() == ["s2"]


def test_a_source_created_for_a_worker_goes_there() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1", worker="w2"))
    assert cluster.worker_of("s1") == "w2"


def test_a_source_for_a_worker_that_is_taken_is_refused() -> None:
    cluster = after(joined("w1"), created("s1"))
    assert "dm-worker w1 is bound" in refused(cluster, created("s2", worker="w1"))
    assert "code=46004" in refused(cluster, created("s2", worker="nobody"))


def test_a_source_that_exists_is_refused_with_its_worker() -> None:
    cluster = after(joined("w1"), created("s1"))
    message = refused(cluster, created("s2", "s1"))
    assert "source config with ID s1 already exists and is bound to dm-worker w1" in message
    assert "s2" not in cluster.sources


def test_a_worker_whose_lease_ends_loses_its_source_to_a_free_one() -> None:
    cluster = after(joined("w1"), joined("w2", 60.0), created("s1"))
    epoch = cluster.bounds["s1"].bind_epoch
    cluster = after((10.0, TimePassed()), cluster=cluster)
    assert cluster.worker_of("s1") == "w2"
    assert cluster.bounds["s1"].bind_epoch > epoch
    assert cluster.stage_of("w1") is WorkerStage.OFFLINE


def test_a_worker_that_is_heard_of_in_time_keeps_its_source() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1"), (9.0, WorkerSeen("w1", 10.0)), (12.0, TimePassed()))
    assert cluster.worker_of("s1") == "w1"


def test_a_worker_that_restarts_within_its_lease_keeps_source_and_epoch() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1"))
    assert after((5.0, joined("w1")), cluster=cluster).bounds == cluster.bounds


def test_a_worker_that_comes_back_late_gets_its_old_source_when_nobody_took_it() -> None:
    cluster = after(joined("w1"), created("s1"), (20.0, created("s0")), (20.0, TimePassed()))
    assert cluster.unbound_sources() == ["s0", "s1"]
    cluster = after((21.0, joined("w1")), cluster=cluster)
    assert cluster.worker_of("s1") == "w1"
    assert cluster.unbound_sources() == ["s0"]


def test_a_goodbye_moves_the_source_at_once() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1"), WorkerLeft("w1"))
    assert cluster.worker_of("s1") == "w2"


def test_a_restarted_master_waits_a_lease_for_bound_workers() -> None:
    cluster = after(joined("w1"), created("s1"), started("t", "s1"))
    restarted = Cluster.from_facts(cluster.facts(), lease_until=50.0)
    assert restarted.worker_of("s1") == "w1"
    assert after((40.0, joined("w2")), cluster=restarted).worker_of("s1") == "w1"
    assert after((40.0, joined("w2", 60.0)), (51.0, TimePassed()), cluster=restarted).worker_of("s1") == "w2"


def test_epochs_outrank_those_of_a_cluster_that_was_lost() -> None:
    cluster = decide(after(joined("w1")), created("s1"), Moment(0.0, 1_700_000_000)).cluster
    assert cluster.bounds["s1"].bind_epoch == 1_700_000_000


def test_a_stopped_source_frees_its_worker_and_keeps_its_epoch() -> None:
    cluster = after(joined("w1"), created("s1"))
    epoch = cluster.bounds["s1"].bind_epoch
    cluster = after(StopSources(("s1",)), cluster=cluster)
    assert cluster.stage_of("w1") is WorkerStage.FREE
    assert after(created("s1"), cluster=cluster).bounds["s1"].bind_epoch > epoch


def test_a_source_with_tasks_is_not_stopped() -> None:
    cluster = after(joined("w1"), created("s1"), started("t", "s1"))
    assert "existing tasks [t]" in refused(cluster, StopSources(("s1",)))


def test_a_source_is_changed_only_while_its_tasks_are_paused() -> None:
    cluster = after(joined("w1"), created("s1"), started("t", "s1"))
    update = UpdateSource(SourceFact("s1", "new", "new wire"), {"t": "new subtask"})
    assert "pause-task" in refused(cluster, update)
    cluster = after(OperateTask(TaskOrder.PAUSE, "t"), update, cluster=cluster)
    assert cluster.sources["s1"].wire == "new wire"
    assert cluster.subtasks["t", "s1"].wire == "new subtask"


def test_a_task_on_an_unbound_source_is_refused() -> None:
    assert "sources [s1] have not bound" in refused(after(created("s1")), started("t", "s1"))


def test_a_task_that_exists_is_refused_and_a_missing_source_is_added() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1", "s2"), started("t", "s1"))
    assert "subtasks with name t for sources [s1] already exist" in refused(cluster, started("t", "s1"))
    cluster = after(started("t", "s1", "s2"), cluster=cluster)
    assert [fact.source for fact in cluster.subtasks_of_task("t")] == ["s1", "s2"]


def test_a_resume_of_a_running_subtask_is_a_new_order() -> None:
    cluster = after(joined("w1"), created("s1"), started("t", "s1"))
    before = cluster.subtasks["t", "s1"]
    again = after(OperateTask(TaskOrder.RESUME, "t"), cluster=cluster).subtasks["t", "s1"]
    assert (again.stage, again.revision > before.revision) == (Stage.RUNNING, True)


def test_a_task_leaves_with_its_last_subtask() -> None:
    cluster = after(joined("w1"), joined("w2"), created("s1", "s2"), started("t", "s1", "s2"))
    cluster = after(OperateTask(TaskOrder.DELETE, "t", ("s1",)), cluster=cluster)
    assert set(cluster.tasks) == {"t"}
    cluster = after(OperateTask(TaskOrder.DELETE, "t"), cluster=cluster)
    assert not cluster.tasks
    assert not cluster.subtasks


def test_orders_for_what_does_not_exist_are_refused() -> None:
    cluster = after(joined("w1"), created("s1"), started("t", "s1"))
    assert "code=46018" in refused(cluster, OperateTask(TaskOrder.PAUSE, "other"))
    assert "[s9]" in refused(cluster, OperateTask(TaskOrder.PAUSE, "t", ("s9",)))
    assert "code=46008" in refused(cluster, StopSources(("s9",)))
    assert "code=46008" in refused(cluster, started("t2", "s9"))


def test_a_moved_source_takes_its_subtasks_along() -> None:
    cluster = after(joined("w1"), joined("w2", 99.0), created("s1"), started("t", "s1"), (10.0, TimePassed()))
    assert [fact.task for fact in cluster.desired_for("w2").subtasks] == ["t"]
    assert cluster.desired_for("w1").bound is None
