"""`task set` in dm-master: what it decides, what it answers, and what `config task` shows after it."""

from __future__ import annotations

import pytest
import yaml

from dm_master.cluster import Cluster, Moment
from dm_master.configs import task_text
from dm_master.observed import Observation, ObservedSubtask, Outcome, Picture
from dm_master.scheduler import (
    CreateSources,
    Input,
    OperateTask,
    SetTask,
    StartTask,
    TaskOrder,
    WorkerJoined,
    WorkerLeft,
    decide,
)
from dm_master.settings import _outcome, settings_of
from pkg.errors import DMError
from pkg.facts import SourceFact, SubtaskFact, TaskFact, WorkerFact
from pkg.task import SourceConfig, load_task, split_task
from pkg.task.live import LiveSettings

TEXT = """\
name: shop
task-mode: all
target-database: {host: 127.0.0.1, port: 4000, user: root, password: secret}
mysql-instances:
  - {source-id: s1, syncer-config-name: fast}
  - {source-id: s2, syncer-config-name: fast, syncer-thread: 3}
  - {source-id: s3}
syncers:
  fast: {batch: 700, queue-size: 77}
"""
SOURCE = {"host": "127.0.0.1", "port": 3306, "user": "root", "password": "secret"}
NAMES = ("s1", "s2", "s3")


def events() -> list[Input]:
    sources = {name: SourceConfig.model_validate({"source-id": name, "from": SOURCE}) for name in NAMES}
    wires = {one.source_id: one.to_wire().decode() for one in split_task(load_task(TEXT), sources)}
    return [
        CreateSources(tuple(SourceFact(name, "", "") for name in NAMES)),
        *(WorkerJoined(WorkerFact(f"w-{name}", "h:1"), 1000.0) for name in NAMES),
        StartTask(TaskFact("shop", TEXT), wires),
    ]


def cluster(*more: Input) -> Cluster:
    found = Cluster()
    for event in [*events(), *more]:
        found = decide(found, event, Moment(0.0, 5)).cluster
    return found


def settings(found: Cluster) -> list[LiveSettings]:
    return [settings_of(fact) for fact in found.subtasks_of_task("shop")]


def test_the_settings_are_those_of_the_file_at_first() -> None:
    assert settings(cluster()) == [LiveSettings(8, 700, 0), LiveSettings(3, 700, 0), LiveSettings(8, 500, 0)]


def test_other_settings_are_orders_that_are_stored() -> None:
    before = cluster()
    after = cluster(SetTask("shop", {"batch": 9}))
    assert settings(after) == [LiveSettings(8, 9, 0), LiveSettings(3, 9, 0), LiveSettings(8, 9, 0)]
    assert after.revision > before.revision
    assert {fact.revision for fact in after.subtasks_of_task("shop")} == {after.revision}
    assert Cluster.from_facts(after.facts(), 0).subtasks == after.subtasks


def test_settings_of_one_source() -> None:
    after = cluster(SetTask("shop", {"worker-count": 2, "max-rows-per-second": 5}, ("s2",)))
    assert settings(after) == [LiveSettings(8, 700, 0), LiveSettings(2, 700, 5), LiveSettings(8, 500, 0)]


def test_the_same_settings_are_no_new_order() -> None:
    before = cluster(SetTask("shop", {"batch": 9}))
    assert decide(before, SetTask("shop", {"batch": 9}), Moment(0.0, 5)).changes == ()


def test_settings_outlive_orders_and_workers() -> None:
    after = cluster(SetTask("shop", {"batch": 9}), OperateTask(TaskOrder.PAUSE, "shop"), WorkerLeft("w-s1"))
    assert {one.batch for one in settings(after)} == {9}


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(DMError, match="no subtask on sources"):
        cluster(SetTask("shop", {"batch": 9}, ("s1", "s9")))
    with pytest.raises(DMError, match="task with name shelf not exist"):
        cluster(SetTask("shelf", {"batch": 9}))


def test_the_order_is_open_until_the_worker_has_it() -> None:
    found = cluster(SetTask("shop", {"batch": 9}))
    fact = found.subtasks["shop", "s1"]

    def picture(revision: int) -> Picture:
        worker = found.worker_of("s1")
        seen = ObservedSubtask(revision, {"name": "shop", "stage": "Paused", "result": {"errors": [{"ErrCode": 1}]}})
        return Picture(found, {worker: Observation(9, "s1", found.bounds["s1"].bind_epoch, {}, {"shop": seen})})

    assert _outcome(picture(fact.revision - 1), fact) is None
    assert _outcome(picture(fact.revision), fact) == Outcome(True)
    assert _outcome(Picture(found), fact) is None
    lost = cluster(SetTask("shop", {"batch": 9}), *(WorkerLeft(f"w-{name}") for name in NAMES))
    answer = _outcome(Picture(lost), fact_of(lost))
    assert answer is not None
    assert answer.done
    assert "not bound" in answer.message


def fact_of(found: Cluster) -> SubtaskFact:
    return found.subtasks["shop", "s1"]


def test_the_configuration_shows_what_holds() -> None:
    assert yaml.safe_load(task_text(cluster(), "shop"))["syncers"] == {"fast": {"batch": 700, "queue-size": 77}}
    text = task_text(cluster(SetTask("shop", {"worker-count": 2}, ("s2",))), "shop")
    assert load_task(text)  # is a task file
    first, second, third = yaml.safe_load(text)["mysql-instances"]
    assert first == {"source-id": "s1", "syncer-config-name": "fast"}
    assert second["syncer"]["worker-count"] == 2
    assert second["syncer"]["queue-size"] == 77
    assert third == {"source-id": "s3"}
    everywhere = task_text(cluster(SetTask("shop", {"batch": 9})), "shop")
    assert "syncers" not in yaml.safe_load(everywhere)  # nobody uses the block any more
    assert {one["syncer"]["batch"] for one in yaml.safe_load(everywhere)["mysql-instances"]} == {9}
    assert load_task(everywhere)


def test_the_configuration_shows_settings_of_the_copy() -> None:
    text = task_text(cluster(SetTask("shop", {"max-bytes-per-second": 9}, ("s2",))), "shop")
    assert load_task(text)
    first, second, _ = yaml.safe_load(text)["mysql-instances"]
    assert second["loader"]["max-bytes-per-second"] == 9
    assert "loader" not in first
    assert yaml.safe_load(text)["syncers"]  # still used, by its name
