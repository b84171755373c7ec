"""`task set` and `task show`: what is asked, what is printed, how it ends."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, Exit, View
from dmctl.terminal import _VIEWS
from pkg.adapters.rpc import dm_pb2

SETTINGS = [{"name": "worker-count", "value": 16}, {"name": "batch", "value": 200}]
OK = {"result": True, "source": "mysql-01", "worker": "w1", "settings": SETTINGS}


def drawn(body: dict[str, Any], subject: str) -> str:
    console = Console(file=io.StringIO(), width=110)
    for part in _VIEWS[View.SETTINGS](Answer(body, View.SETTINGS, subject)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["set", "shop", "batch=200"], dm_pb2.SetTaskRequest(name="shop", settings=["batch=200"])),
        (
            ["set", "shop", "batch=200", "worker-count=16", "-s", "a,b"],
            dm_pb2.SetTaskRequest(name="shop", sources=["a", "b"], settings=["batch=200", "worker-count=16"]),
        ),
        (["show", "shop"], dm_pb2.SetTaskRequest(name="shop")),
    ],
)
def test_what_is_asked(dmctl: Any, master: Any, words: list[str], expected: Any) -> None:
    master.will_answer("SetTask", {"result": True, "sources": [OK]})
    outcome = dmctl("task", *words, master=master.address)
    assert outcome.code == Exit.DONE
    assert master.asked == [("SetTask", expected)]
    [source] = json.loads(outcome.out)["sources"]
    assert source["settings"] == [{"name": one["name"], "value": str(one["value"])} for one in SETTINGS]


def test_the_task_may_be_named_by_its_file(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("SetTask", {"result": True, "sources": [OK]})
    dmctl("task", "show", str(task_file), master=master.address)
    assert master.asked == [("SetTask", dm_pb2.SetTaskRequest(name="shop"))]


def test_nothing_to_set_is_wrong_usage(dmctl: Any, master: Any) -> None:
    assert dmctl("task", "set", "shop", master=master.address).code == Exit.USAGE


def test_a_refusal_is_shown(dmctl: Any, master: Any) -> None:
    master.will_answer("SetTask", {"result": False, "msg": "[code=38090:…], Message: there is no setting 'bach'"})
    outcome = dmctl("task", "set", "shop", "bach=1", master=master.address)
    assert outcome.code == Exit.REFUSED
    assert "bach" in drawn(json.loads(outcome.out), "task set shop")


def test_the_settings_are_a_table() -> None:
    for subject in ("task set shop", "task show shop"):
        text = drawn({"result": True, "msg": "", "sources": [OK]}, subject)
        for expected in ("mysql-01", "worker-count", "16", "batch", "200"):
            assert expected in text
