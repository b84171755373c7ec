"""When does what a verb asked for count as done?"""

from __future__ import annotations

from typing import Any

import pytest

from dmctl.wait import Failed, Goal, Pending, Reached, judge, wait_for

Body = dict[str, Any]


def status(*subtasks: tuple[str, str], synced: bool = False, errors: bool = False) -> Body:
    return {
        "result": True,
        "sources": [
            {
                "result": True,
                "sourceStatus": {"source": source, "worker": f"w-{source}"},
                "subTaskStatus": [
                    {
                        "name": "shop",
                        "stage": stage,
                        "sync": {"synced": synced},
                        "result": {"errors": [{"Message": "x"}] if errors else []},
                    }
                ],
            }
            for source, stage in subtasks
        ],
    }


@pytest.mark.parametrize(
    ("goal", "stage", "reached"),
    [
        (Goal.RUNNING, "Running", True),
        (Goal.RUNNING, "Finished", True),
        (Goal.RUNNING, "New", False),
        (Goal.PAUSED, "Paused", True),
        (Goal.PAUSED, "Pausing", False),
        (Goal.FINISHED, "Running", False),
        (Goal.FINISHED, "Finished", True),
        (Goal.SYNCED, "Running", False),
        (Goal.GONE, "Stopping", False),
    ],
)
def test_stage_against_goal(goal: Goal, stage: str, reached: bool) -> None:
    found = judge(status(("a", stage)), "shop", (), goal)
    assert isinstance(found, Reached if reached else Pending)


@pytest.mark.parametrize(
    ("sync", "reached"),
    [
        ({}, False),
        ({"startBinlog": ""}, False),
        ({"startBinlog": "(bin.000001, 4)"}, True),
        ({"waitsFor": "a statement that an earlier run began: ALTER TABLE t FORCE"}, True),
    ],
)
def test_replication_runs_once_its_place_is_known(sync: Body, reached: bool) -> None:
    body = status(("a", "Running"))
    body["sources"][0]["subTaskStatus"][0] |= {"unit": "Sync", "sync": sync}
    assert isinstance(judge(body, "shop", (), Goal.RUNNING), Reached if reached else Pending)


def test_one_of_two_sources_is_not_enough() -> None:
    found = judge(status(("a", "Running"), ("b", "New")), "shop", (), Goal.RUNNING)
    assert found == Pending("not yet running: b")


def test_source_whose_worker_has_not_begun_is_waited_for() -> None:
    body = status(("a", "Running"))
    body["sources"].append({"sourceStatus": {"source": "b"}, "subTaskStatus": [{"name": "shop", "msg": "no sub task"}]})
    assert judge(body, "shop", (), Goal.RUNNING) == Pending("not yet running: b")


def test_only_the_sources_asked_for_count() -> None:
    assert judge(status(("a", "Running"), ("b", "New")), "shop", ("a",), Goal.RUNNING) == Reached()


def test_source_asked_for_that_no_worker_reports() -> None:
    assert isinstance(judge(status(("a", "Running")), "shop", ("a", "b"), Goal.RUNNING), Pending)


def test_replication_in_step() -> None:
    assert judge(status(("a", "Running"), synced=True), "shop", (), Goal.SYNCED) == Reached()


def test_task_that_pauses_with_an_error_ends_the_waiting() -> None:
    found = judge(status(("a", "Paused"), errors=True), "shop", (), Goal.RUNNING)
    assert found == Failed("task shop is paused by an error on a")


@pytest.mark.parametrize(
    ("goal", "expected"), [(Goal.RUNNING, Failed), (Goal.SYNCED, Pending), (Goal.FINISHED, Pending)]
)
def test_error_that_is_tried_again_by_itself(goal: Goal, expected: type) -> None:
    body = status(("a", "Paused"), errors=True)
    body["sources"][0]["subTaskStatus"][0]["nextTry"] = "2026-11-21T08:00:00Z"
    assert isinstance(judge(body, "shop", (), goal), expected)


def test_task_that_was_stopped_meanwhile_ends_the_waiting() -> None:
    assert isinstance(judge(status(("a", "Stopped")), "shop", (), Goal.SYNCED), Failed)


def test_pausing_a_task_that_has_an_error_is_reached() -> None:
    assert judge(status(("a", "Paused"), errors=True), "shop", (), Goal.PAUSED) == Reached()


def test_task_that_nobody_knows_is_gone() -> None:
    unknown = {
        "result": True,
        "sources": [{"sourceStatus": {"source": "a"}, "subTaskStatus": [{"name": "shop", "msg": "no sub task"}]}],
    }
    assert judge(unknown, "shop", (), Goal.GONE) == Reached()


def test_nothing_reported_yet_is_pending() -> None:
    assert isinstance(judge({"result": True, "sources": []}, "shop", (), Goal.RUNNING), Pending)


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def pause(self, seconds: float) -> None:
        self.seconds += seconds


def test_asks_until_it_is_reached_and_shows_each_state() -> None:
    answers = [status(("a", "New")), None, status(("a", "Running"))]
    clock, shown, told = Clock(), [], list[str]()
    rest = iter(answers)
    found, last = wait_for(
        lambda: next(rest),
        lambda body: judge(body, "shop", (), Goal.RUNNING),
        shown.append,
        told.append,
        now=clock.now,
        pause=clock.pause,
    )
    assert found == Reached()
    assert last == answers[2]
    assert shown == [answers[0], answers[2]]  # the master was away in between
    assert clock.seconds == 1.0
    assert not told


def test_gives_up_after_the_limit() -> None:
    clock = Clock()
    found, _ = wait_for(
        lambda: status(("a", "New")),
        lambda body: judge(body, "shop", (), Goal.RUNNING),
        lambda body: None,
        lambda missing: None,
        limit_seconds=2,
        now=clock.now,
        pause=clock.pause,
    )
    assert found == Failed("gave up after 2 s: not yet running: a")


def test_says_once_what_it_waits_for() -> None:
    answers = [*[status(("a", "New"), ("b", "New"))] * 30, *[status(("a", "Running"), ("b", "New"))] * 30]
    clock, told, rest = Clock(), list[tuple[float, str]](), iter([*answers, status(("a", "Running"), ("b", "Running"))])
    wait_for(
        lambda: next(rest),
        lambda body: judge(body, "shop", (), Goal.RUNNING),
        lambda body: None,
        lambda missing: told.append((clock.seconds, missing)),
        now=clock.now,
        pause=clock.pause,
    )
    assert told == [(5.0, "not yet running: a, b"), (20.0, "not yet running: b")]
