"""query-status, list-member and the outcome of orders, from pictures of a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dm_master.cluster import Cluster, Moment
from dm_master.members import Myself, list_member, show_sources
from dm_master.observed import (
    Observation,
    ObservedRelay,
    ObservedSubtask,
    Outcome,
    Picture,
    outcome_of,
    outcome_of_relay,
)
from dm_master.relay_orders import OperateRelay, RelayOrder
from dm_master.scheduler import CreateSources, Input, StartTask, WorkerJoined, decide
from dm_master.status import query_status, task_status
from pkg.errors import DMError
from pkg.facts import Leader, RelayFact, SourceFact, SubtaskFact, TaskFact, WorkerFact
from pkg.task.stage import Stage

ERROR = {
    "ErrCode": 10006,
    "ErrClass": "database",
    "ErrScope": "downstream",
    "ErrLevel": "high",
    "Message": "no",
    "RawCause": "1406",
    "Workaround": "widen it",
}


def cluster() -> Cluster:
    events: tuple[Input, ...] = (
        WorkerJoined(WorkerFact("w1", "h:1"), 10.0),
        CreateSources((SourceFact("s1", "", ""), SourceFact("s2", "", ""))),
        WorkerJoined(WorkerFact("w2", "h:2"), 10.0),
        StartTask(TaskFact("t", ""), {"s1": "", "s2": ""}),
        StartTask(TaskFact("u", ""), {"s1": ""}),
    )
    found = Cluster()
    for event in events:
        found = decide(found, event, Moment(0.0, 5)).cluster
    return found


def observed(stage: str, errors: tuple[Any, ...] = (), revision: int = 99, name: str = "t") -> ObservedSubtask:
    status = {"name": name, "stage": stage, "unit": "Sync", "result": {"errors": list(errors)}}
    return ObservedSubtask(revision, status)


def picture(**by_worker: Observation) -> Picture:
    return Picture(cluster(), by_worker, Leader("m1", "h:8261", 1, 0.0))


def on(source: str, *subtasks: ObservedSubtask, epoch: int = 5, **more: Any) -> Observation:
    return Observation(9, source, epoch, more, {str(one.status["name"]): one for one in subtasks})


def both(stage: str = "Running") -> Picture:
    return picture(
        w1=on("s1", observed(stage), observed("Paused", name="u")),
        w2=on("s2", observed(stage)),
    )


def test_without_names_there_is_one_line_per_task() -> None:
    body = query_status(both(), "", ())
    assert body["tasks"] == [
        {"taskName": "t", "taskStatus": "Running", "sources": ["s1", "s2"]},
        {"taskName": "u", "taskStatus": "Paused", "sources": ["s1"]},
    ]
    assert "sources" not in body


def test_details_come_per_source_for_a_task_a_source_or_more() -> None:
    for arguments in (("t", ()), ("", ("s1", "s2"))):
        assert [one["sourceStatus"]["source"] for one in query_status(both(), *arguments)["sources"]] == ["s1", "s2"]
    assert query_status(both(), "", (), more=True)["sources"]
    (only,) = query_status(both(), "u", ())["sources"]
    assert [one["name"] for one in only["subTaskStatus"]] == ["u"]
    assert only["subTaskStatus"][0]["expectedStage"] == "Running"


def test_a_source_in_trouble_brings_the_details() -> None:
    body = query_status(picture(w1=on("s1", errors=[ERROR]), w2=on("s2")), "", ())
    assert body["sources"][0]["sourceStatus"]["result"]["errors"] == [ERROR]


def test_a_worker_that_has_not_reported_is_no_success() -> None:
    answers = query_status(picture(w1=on("s1", observed("Running"))), "t", ())["sources"]
    assert [one["result"] for one in answers] == [True, False]
    assert "has not reported on source s2" in answers[1]["msg"]


def test_a_report_of_an_older_binding_does_not_count() -> None:
    stale = picture(w1=on("s1", observed("Running"), epoch=4), w2=on("s2"))
    assert not query_status(stale, "t", ("s1",))["sources"][0]["result"]


def test_a_subtask_that_the_worker_does_not_know_yet_is_new() -> None:
    (subtask,) = query_status(picture(w1=on("s1"), w2=on("s2")), "t", ("s2",))["sources"][0]["subTaskStatus"]
    assert (subtask["stage"], subtask["msg"]) == ("New", "no sub task with name t has started")


def test_names_that_do_not_exist_are_refused() -> None:
    with pytest.raises(DMError, match="task nope has no source or not exist"):
        query_status(both(), "nope", ())
    with pytest.raises(DMError, match=r"sources \[s9\] haven't been added"):
        query_status(both(), "", ("s9",))


def test_the_word_for_a_task_follows_dms_rule() -> None:
    assert task_status("t", [observed("Running"), observed("Paused", (ERROR,))]).startswith(
        "Error - Some error occurred in subtask. Please run `query-status t`"
    )
    assert task_status("t", [observed("Running"), observed("Paused")]) == "Paused"
    assert task_status("t", [observed("Finished"), observed("Finished")]) == "Finished"
    assert task_status("t", [observed("Finished"), observed("Running")]) == "Running"
    assert task_status("t", [None, None]) == "New"


def test_an_order_is_open_until_the_worker_has_acted_on_it() -> None:
    ordered = SubtaskFact("t", "s1", Stage.RUNNING, 7, "")
    assert outcome_of(ordered, None) is None
    assert outcome_of(ordered, observed("Running", revision=6)) is None
    assert outcome_of(ordered, observed("Resuming", revision=7)) is None
    assert outcome_of(ordered, observed("Running", revision=7)) == Outcome(True)


def test_a_failure_is_told_in_the_logs_words() -> None:
    ordered = SubtaskFact("t", "s1", Stage.RUNNING, 7, "")
    found = outcome_of(ordered, observed("Paused", (ERROR,)))
    assert found == Outcome(
        False,
        "[code=10006:class=database:scope=downstream:level=high], Message: no, RawCause: 1406, Workaround: widen it",
    )
    assert outcome_of(SubtaskFact("t", "s1", Stage.PAUSED, 7, ""), observed("Paused", (ERROR,))) == Outcome(True)


def test_members_are_listed_in_groups_or_by_flag() -> None:
    me = Myself("m1", "h:8261")
    everything = list_member(both(), me, leader=False, master=False, worker=False, names=())["members"]
    assert [next(iter(group)) for group in everything] == ["leader", "master", "worker"]
    (workers,) = list_member(both(), me, leader=False, master=False, worker=True, names=("w2",))["members"]
    assert workers["worker"]["workers"] == [{"name": "w2", "addr": "h:2", "stage": "bound", "source": "s2"}]


def test_sources_are_shown_with_their_workers() -> None:
    shown = show_sources(cluster(), ("s2", "s9"))["sources"]
    assert [(one["source"], one["worker"], one["result"]) for one in shown] == [("s2", "w2", True), ("s9", "", False)]


def with_relay(stage: str, *errors: Any, revision: int = 99) -> Picture:
    """Both sources replicate; s1 through a relay log in this stage."""
    relay = ObservedRelay(revision, {"stage": stage, "relayBinlog": "(b.1, 4)", "result": {"errors": list(errors)}})
    one = replace(on("s1", observed("Running")), relay=relay)
    ordered = decide(cluster(), OperateRelay(RelayOrder.START, ("s1",)), Moment(0.0, 5)).cluster
    return Picture(ordered, {"w1": one, "w2": on("s2", observed("Running"))}, None)


def test_a_relay_log_is_told_with_its_source() -> None:
    first, second = query_status(with_relay("Running"), "t", ())["sources"]
    assert first["sourceStatus"]["relayStatus"]["relayBinlog"] == "(b.1, 4)"
    assert first["sourceStatus"]["relayStatus"]["expectedStage"] == "Running"
    assert "relayStatus" not in second["sourceStatus"]


def test_a_relay_log_that_no_worker_has_told_of_is_new() -> None:
    ordered = with_relay("Running").cluster
    (answer,) = query_status(Picture(ordered, {"w1": on("s1", observed("Running"))}), "", ("s1",))["sources"]
    assert answer["sourceStatus"]["relayStatus"] == {"stage": "New", "expectedStage": "Running"}


@pytest.mark.parametrize(
    ("stage", "errors", "status"),
    [
        ("Running", (), "Running"),
        ("Paused", (), "Error - Relay status is Paused. Please run `query-status t` to get more details."),
        ("Paused", (ERROR,), "Error - Relay status is Error. Please run `query-status t` to get more details."),
    ],
)
def test_a_task_that_replicates_from_a_relay_log_that_stands_still(stage: str, errors: Any, status: str) -> None:
    summary = {one["taskName"]: one["taskStatus"] for one in query_status(with_relay(stage, *errors), "", ())["tasks"]}
    assert summary["t"] == status


def test_an_order_about_a_relay_log_is_open_until_the_worker_has_acted_on_it() -> None:
    ordered = RelayFact("s1", Stage.RUNNING, 7)
    assert outcome_of_relay(ordered, None) is None
    assert outcome_of_relay(ordered, ObservedRelay(6, {"stage": "Running"})) is None
    assert outcome_of_relay(ordered, ObservedRelay(7, {"stage": "Resuming"})) is None
    assert outcome_of_relay(ordered, ObservedRelay(7, {"stage": "Running"})) == Outcome(True)
    failed = outcome_of_relay(ordered, ObservedRelay(7, {"stage": "Paused", "result": {"errors": [ERROR]}}))
    assert failed is not None
    assert not failed.done
