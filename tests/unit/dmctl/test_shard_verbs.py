"""The verbs about shard DDL locks: what is asked, what is printed, how it ends."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, Exit, View
from dmctl.terminal import _VIEWS
from pkg.adapters.rpc import dm_pb2

LOCK = {
    "ID": "task-`all`.`t`",
    "task": "task",
    "mode": "pessimistic",
    "owner": "s1",
    "DDLs": ["ALTER TABLE `all`.`t` ADD b INT"],
    "synced": ["s1"],
    "unsynced": ["s2"],
}


def drawn(body: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=120)
    for part in _VIEWS[View.LOCKS](Answer(body, View.LOCKS)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("words", [("shard-ddl-lock", "list"), ("show-ddl-locks",)])
def test_list_prints_what_dm_prints(dmctl: Any, master: Any, words: tuple[str, ...]) -> None:
    master.will_answer("ShowDDLLocks", {"result": True, "locks": [LOCK]})
    outcome = dmctl(*words, "task", "-s", "s1", master=master.address)
    assert outcome.code == Exit.DONE
    (lock,) = json.loads(outcome.out)["locks"]
    assert lock | LOCK == lock
    assert master.asked == [("ShowDDLLocks", dm_pb2.ShowDDLLocksRequest(task="task", sources=["s1"]))]


@pytest.mark.parametrize("words", [("shard-ddl-lock", "unlock"), ("unlock-ddl-lock",)])
def test_unlock_passes_its_options_on(dmctl: Any, master: Any, words: tuple[str, ...]) -> None:
    master.will_answer("UnlockDDLLock", {"result": True, "msg": "done"})
    outcome = dmctl(*words, "task-`all`.`t`", "-o", "s1", "-a", "skip", "-f", master=master.address)
    assert outcome.code == Exit.DONE
    wanted = dm_pb2.UnlockDDLLockRequest(id="task-`all`.`t`", replace_owner="s1", action="skip", force_remove=True)
    assert master.asked == [("UnlockDDLLock", wanted)]


def test_a_refusal_ends_with_1(dmctl: Any, master: Any) -> None:
    master.will_answer("UnlockDDLLock", {"result": False, "msg": "there is no DDL lock x"})
    assert dmctl("shard-ddl-lock", "unlock", "x", master=master.address).code == Exit.REFUSED
    assert dmctl("shard-ddl-lock", "unlock", "x", "--action", "hope", master=master.address).code == Exit.USAGE


def test_the_list_on_a_terminal() -> None:
    text = drawn({"result": True, "locks": [LOCK]})
    assert "● waits  s1 (owner)" in text
    assert "○ awaited  s2" in text


def test_the_picture_on_a_terminal() -> None:
    parts = [
        {"source": "s1", "worker": "w1", "state": "waits", "location": "(bin.000001, 4)", "met": ["`d`.`t1`"]},
        {"source": "s2", "state": "awaited", "unmet": ["`d`.`t2`"], "readBinlog": "(x, 1)", "lagSeconds": 2.0},
        {"source": "s3", "state": "waits with another DDL", "otherDDLs": ["ALTER …"]},
    ]
    remedies = [{"command": "run the DDL on `d`.`t2`", "effect": "the best way"}]
    text = drawn({"result": True, "locks": [LOCK | {"why": "s2 is late", "parts": parts, "remedies": remedies}]})
    for expected in ("`d`.`t1` has met it", "`d`.`t2` has not", "2.0 s behind", "its DDL: ALTER", "ways out"):
        assert expected in text
    assert "no DDL lock exists" in drawn({"result": True, "msg": "no DDL lock exists", "locks": []})
