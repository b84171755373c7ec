"""The verbs about relay logs: what is asked, what is printed, how it ends."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, Exit, View
from dmctl.commands.relay import judge_relays
from dmctl.terminal import _VIEWS
from dmctl.wait import Failed, Goal, Pending, Reached
from pkg.adapters.rpc import dm_pb2

OK = [{"result": True, "source": "mysql-01", "worker": "w1"}]
ERROR = {"ErrCode": 30103, "Message": "no space left", "Workaround": "make space"}


def status(stage: str, *errors: Any, source: str = "mysql-01", **relay: Any) -> dict[str, Any]:
    about = {"stage": stage, "result": {"errors": list(errors)}, **relay} if stage else None
    place = {"source": source, "worker": "w1", "relayStatus": about}
    return {"result": True, "sources": [{"result": True, "sourceStatus": place, "subTaskStatus": []}]}


def drawn(body: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=110)
    for part in _VIEWS[View.STATUS](Answer(body, View.STATUS)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(("verb", "op"), [("start-relay", dm_pb2.StartRelay), ("stop-relay", dm_pb2.StopRelay)])
def test_switching_asks_for_one_source_and_passes_workers_on(dmctl: Any, master: Any, verb: str, op: Any) -> None:
    master.will_answer("OperateRelay", {"result": True, "sources": OK})
    outcome = dmctl(verb, "-s", "mysql-01", "w1", "w2", master=master.address)
    assert outcome.code == Exit.DONE
    assert list(json.loads(outcome.out)) == ["result", "msg", "sources"]
    assert master.asked == [("OperateRelay", dm_pb2.OperateRelayRequest(op=op, source="mysql-01", worker=["w1", "w2"]))]


@pytest.mark.parametrize(
    ("verb", "op", "name"),
    [("pause-relay", dm_pb2.PauseRelay, "PauseRelay"), ("resume-relay", dm_pb2.ResumeRelay, "ResumeRelay")],
)
def test_pause_and_resume_take_several_sources(dmctl: Any, master: Any, verb: str, op: Any, name: str) -> None:
    master.will_answer("OperateWorkerRelay", {"op": name, "result": True, "sources": OK})
    outcome = dmctl(verb, "-s", "mysql-01,mysql-02", master=master.address)
    body = json.loads(outcome.out)
    assert list(body) == ["op", "result", "msg", "sources"]
    assert body["op"] == name
    expected = dm_pb2.OperateWorkerRelayRequest(op=op, sources=["mysql-01", "mysql-02"])
    assert master.asked == [("OperateWorkerRelay", expected)]


def test_purge_says_where_it_looks(dmctl: Any, master: Any) -> None:
    master.will_answer("PurgeRelay", {"result": True, "sources": OK})
    outcome = dmctl("purge-relay", "-s", "mysql-01", "-f", "bin.000003", master=master.address)
    assert outcome.code == Exit.DONE
    assert "latest sub-directory" in outcome.err
    outcome = dmctl("purge-relay", "-s", "mysql-01", "-f", "bin.000003", "--sub-dir", "u.000001", master=master.address)
    assert outcome.err == ""
    asked = dm_pb2.PurgeRelayRequest(sources=["mysql-01"], filename="bin.000003", sub_dir="u.000001")
    assert master.asked[-1] == ("PurgeRelay", asked)


def test_a_refusal_ends_with_exit_code_1(dmctl: Any, master: Any) -> None:
    refused = {"result": True, "sources": [{"result": False, "msg": "it is needed", "source": "mysql-01"}]}
    master.will_answer("PurgeRelay", refused)
    assert dmctl("purge-relay", "-s", "mysql-01", "-f", "b.1", master=master.address).code == Exit.REFUSED


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["start-relay"], "exactly one with -s"),
        (["stop-relay", "-s", "a,b"], "exactly one with -s"),
        (["pause-relay"], "give it with -s"),
        (["purge-relay", "-s", "a"], "--filename"),
        (["purge-relay", "-f", "bin.000003"], "exactly one with -s"),
    ],
)
def test_wrong_usage(dmctl: Any, words: list[str], expected: str) -> None:
    outcome = dmctl(*words)
    assert outcome.code == Exit.USAGE
    assert expected in outcome.err


def test_waiting_until_it_runs(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateRelay", {"result": True, "sources": OK})
    master.will_answer("QueryStatus", status("New"), status("Running"))
    outcome = dmctl("start-relay", "-s", "mysql-01", "--wait", master=master.address)
    assert outcome.code == Exit.DONE
    waited = json.loads(outcome.out)["waited"]
    assert (waited["goal"], waited["reached"]) == ("running", True)


@pytest.mark.parametrize(
    ("goal", "shown", "verdict"),
    [
        (Goal.RUNNING, status("Running"), Reached()),
        (Goal.RUNNING, status("Resuming"), Pending("relay log not yet running: mysql-01")),
        (Goal.RUNNING, status("Paused", ERROR), Failed("the relay log is paused by an error on mysql-01")),
        (Goal.RUNNING, status(""), Pending("relay log not yet running: mysql-01")),
        (Goal.PAUSED, status("Pausing"), Pending("relay log not yet paused: mysql-01")),
        (Goal.PAUSED, status("Paused", ERROR), Reached()),
        (Goal.GONE, status("Stopping"), Pending("relay log not yet gone: mysql-01")),
        (Goal.GONE, status(""), Reached()),
    ],
)
def test_stage_against_goal(goal: Goal, shown: dict[str, Any], verdict: object) -> None:
    assert judge_relays(shown, ("mysql-01",), goal) == verdict


def test_a_relay_log_is_shown_under_the_tasks() -> None:
    places = {"relaySubDir": "u-1.000002", "relayBinlog": "(bin.000003, 40)", "masterBinlog": "(bin.000003, 90)"}
    text = drawn(status("Running", **places))
    for expected in ("Relay log", "mysql-01", "● Running", "(bin.000003, 40)", "u-1.000002", "(bin.000003, 90)"):
        assert expected in text
    assert "→ catching up" in text
    assert "✓ in step" in drawn(status("Running", relayCatchUpMaster=True, **places))
    assert "Relay log" not in drawn(status(""))


def test_an_error_of_a_relay_log_is_told_with_its_next_try() -> None:
    text = drawn(status("Paused", ERROR, nextTry="2026-01-31T08:00:00Z"))
    for expected in ("error 30103 relay log · mysql-01", "no space left", "make space", "2026-01-31T08:00:00Z"):
        assert expected in text
