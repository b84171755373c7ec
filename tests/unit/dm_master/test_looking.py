"""What of a status counts as measured for the question, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.looking import QUESTIONS, answers, is_answered, relay_now, subtask_now
from dm_master.observed import Observation, ObservedRelay, ObservedSubtask, Picture
from dm_master.scheduler import CreateSources, Input, OperateTask, StartTask, TaskOrder, WorkerJoined, decide
from dm_master.status import query_status
from pkg.errors import DMError
from pkg.facts import SourceFact, TaskFact, WorkerFact

NUMBER = 3 * QUESTIONS + 7
SYNC = {"synced": True, "secondsBehindMaster": "0", "lagSeconds": 0.0, "masterBinlogAge": 0.5, "syncerBinlog": "here"}


def observed(stage: str = "Running", looked: int = NUMBER, unit: str = "Sync", **sync: Any) -> ObservedSubtask:
    return ObservedSubtask(
        9, {"name": "t", "stage": stage, "unit": unit, "sync": SYNC | {"looked": str(looked)} | sync, "ageSeconds": 0.2}
    )


def picture(looked: int = NUMBER, relay: ObservedRelay | None = None, *subtasks: ObservedSubtask) -> Picture:
    events: tuple[Input, ...] = (
        WorkerJoined(WorkerFact("w1", "h:1"), 10.0),
        CreateSources((SourceFact("s1", "", ""),)),
        StartTask(TaskFact("t", ""), {"s1": ""}),
    )
    cluster = Cluster()
    for event in events:
        cluster = decide(cluster, event, Moment(0.0, 5)).cluster
    said = Observation(9, "s1", 5, {}, {str(one.status["name"]): one for one in subtasks}, relay, looked)
    return Picture(cluster, {"w1": said}, None, {"w1": 4.0})


@pytest.mark.parametrize(
    ("looked", "is_new"),
    [(NUMBER, True), (NUMBER + 1, True), (NUMBER - 1, False), (0, False), (None, False), (NUMBER + QUESTIONS, False)],
)
def test_an_answer_bears_the_number_or_a_later_one_of_the_same_dm_master(looked: int | None, is_new: bool) -> None:
    assert answers(looked, NUMBER) is is_new


@pytest.mark.parametrize(
    ("one", "is_all"),
    [
        (picture(NUMBER, None, observed()), True),
        (picture(NUMBER - 1, None, observed()), False),
        (picture(NUMBER, None, observed(looked=NUMBER - 1)), False),
        (picture(NUMBER, None, observed("Paused", looked=NUMBER - 1)), True),
        (picture(NUMBER, None, observed(unit="Load", looked=0)), True),
        (picture(NUMBER, ObservedRelay(1, {"stage": "Running", "looked": "1"}), observed()), False),
        (picture(NUMBER, ObservedRelay(1, {"stage": "Paused", "looked": "1"}), observed()), True),
    ],
    ids=["all", "worker", "subtask", "paused subtask", "copying subtask", "relay log", "paused relay log"],
)
def test_who_is_waited_for(one: Picture, is_all: bool) -> None:
    assert is_answered(one, NUMBER, ["s1"]) is is_all


def test_what_was_measured_for_the_question_is_shown_as_it_is() -> None:
    assert subtask_now(observed(), NUMBER, 4.0, "")["sync"]["synced"] is True


@pytest.mark.parametrize(
    ("subtask", "silent", "reason"),
    [
        (observed(looked=NUMBER - 1), "", "has not said it"),
        (observed(looked=NUMBER - 1, unknown="the upstream has not answered for 3 s"), "", "has not answered for 3 s"),
        (observed(), "dm-worker w1: it has not answered for 4 s", "dm-worker w1"),
    ],
)
def test_what_is_older_is_neither_synced_nor_has_it_a_lag(subtask: ObservedSubtask, silent: str, reason: str) -> None:
    sync = subtask_now(subtask, NUMBER, 4.0, silent)["sync"]
    assert (sync["synced"], sync["syncerBinlog"]) == (False, "here")
    assert reason in sync["unknown"]
    assert not {"secondsBehindMaster", "lagSeconds"} & set(sync)
    assert sync["masterBinlogAge"] == pytest.approx(0.5 + 0.2 + (4.0 if silent else 0.0))


def test_a_worker_that_does_not_answer_is_named_with_the_age_of_what_it_said() -> None:
    (answer,) = query_status(picture(NUMBER - 1, None, observed()), "t", (), question=NUMBER)["sources"]
    assert answer["result"] is False
    assert "dm-worker w1: it has not answered for 4 s" in answer["msg"]
    assert answer["subTaskStatus"][0]["ageSeconds"] == pytest.approx(4.2)
    assert answer["subTaskStatus"][0]["sync"]["synced"] is False


def test_no_summary_hides_a_worker_that_does_not_answer() -> None:
    assert "sources" in query_status(picture(NUMBER - 1, None, observed()), "", (), question=NUMBER)
    assert "tasks" in query_status(picture(NUMBER, None, observed()), "", (), question=NUMBER)


def test_a_relay_log_has_all_only_if_it_was_asked() -> None:
    status = {"stage": "Running", "relayCatchUpMaster": True, "looked": str(NUMBER), "masterBinlogAge": 1.0}
    assert relay_now(ObservedRelay(1, status), NUMBER, 4.0)["relayCatchUpMaster"] is True
    old = relay_now(ObservedRelay(1, status), NUMBER + 1, 4.0)
    assert (old["relayCatchUpMaster"], old["masterBinlogAge"]) == (False, 5.0)


def test_a_stopped_task_is_there_until_its_process_is_gone() -> None:
    there = picture(NUMBER, None, observed("Stopping"))
    cluster = decide(there.cluster, OperateTask(TaskOrder.DELETE, "t", ()), Moment(0.0, 6)).cluster
    stopping = Picture(cluster, there.observed, None, there.ages)
    (answer,) = query_status(stopping, "t", (), question=NUMBER)["sources"]
    assert [(one["stage"], one["expectedStage"]) for one in answer["subTaskStatus"]] == [("Stopping", "Stopped")]
    said = replace(there.observed["w1"], subtasks={})
    with pytest.raises(DMError, match="task t has no source"):
        query_status(Picture(cluster, {"w1": said}, None, {}), "t", (), question=NUMBER)
