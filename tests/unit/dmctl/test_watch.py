"""``dmctl watch``: what is shown, in which form, and when it ends."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, View
from dmctl.terminal import _VIEWS
from dmctl.watching import End, ended, watch
from tests.unit.dmctl.conftest import Dmctl, RecordedMaster

Body = dict[str, Any]
ERROR = {"ErrCode": 34020, "Message": "a row is there already", "Workaround": "remove it"}
LOAD = {
    "progress": "45.10 %",
    "finishedRows": "1200000",
    "estimateTotalRows": "2600000",
    "finishedBytes": "340000000",
    "totalBytes": "754000000",
    "bps": "12300000",
    "rowsPerSecond": 43000,
    "etaSeconds": 33,
    "phase": "copying",
    "completedTables": "3",
    "totalTables": "9",
    "tables": [
        {
            "schema": "shop",
            "table": "orders",
            "progress": "61.00 %",
            "bps": "9000000",
            "finishedRows": "600000",
            "estimateTotalRows": "1000000",
            "finishedBytes": "200000000",
            "totalBytes": "330000000",
            "etaSeconds": 14,
        },
        {"schema": "shop", "table": "log", "progress": "unknown", "bps": "3300000", "finishedBytes": "1000"},
        {"schema": "shop", "table": "later", "progress": "0.00 %", "bps": "0"},
    ],
}
SYNC = {"synced": True, "totalRows": "900", "recentRps": "120", "lagSeconds": 0, "syncerBinlog": "(mysql-bin.3, 4)"}


def one(source: str, stage: str = "Running", **more: Any) -> Body:
    subtask = {"name": "shop", "stage": stage, **more}
    return {"result": True, "sourceStatus": {"source": source, "worker": "w"}, "subTaskStatus": [subtask]}


def of(*sources: Body) -> Body:
    return {"result": True, "msg": "", "sources": list(sources)}


GONE = {"result": False, "msg": "[code=38065:class=dm-master], Message: task shop has no source or not exist"}
FAILED = one("a", "Paused", unit="Load", load=LOAD, result={"errors": [ERROR]})


@pytest.mark.parametrize(
    ("status", "end"),
    [
        (of(one("a"), one("b")), None),
        (of(one("a", "Finished"), one("b")), None),
        (of(one("a", "Finished"), one("b", "Finished")), End(True, "task shop is finished")),
        (of(one("a", "Paused")), None),
        (of(FAILED, one("b")), None),
        (of(FAILED | {"subTaskStatus": [FAILED["subTaskStatus"][0] | {"nextTry": "soon"}]}), None),
        (of(FAILED), End(False, "task shop stands still by an error on a; resume-task shop goes on")),
        (of({"result": False, "msg": "not bound", "sourceStatus": {"source": "a"}, "subTaskStatus": []}), None),
        (GONE, End(False, "task shop is not there (any more)")),
    ],
)
def test_when_it_ends(status: Body, end: End | None) -> None:
    assert ended(status, "shop") == end


def test_it_looks_at_its_interval_and_goes_on_while_the_master_is_away() -> None:
    answers: Iterator[Body | None] = iter([of(one("a")), None, of(one("a", "Finished"))])
    pauses: list[float] = []
    shown: list[Body] = []
    end, _ = watch(lambda: next(answers), "shop", shown.append, 5.0, now=lambda: 0.0, pause=pauses.append)
    assert (end.is_good, pauses, len(shown)) == (True, [5.0, 5.0], 2)


def test_lines_where_no_terminal_is(dmctl: Dmctl, master: RecordedMaster) -> None:
    copying, failed = one("a", unit="Load", load=LOAD), one("b", "Paused", result={"errors": [ERROR]})
    master.will_answer(
        "QueryStatus", of(copying, failed), of(one("a", unit="Sync", sync=SYNC), failed),
        of(one("a", "Finished"), one("b", "Finished")),
    )  # fmt: skip
    ended = dmctl("watch", "shop", "--interval", "1ms", master=master.address)
    assert ended.code == 0
    lines = [line.partition(" ")[2] for line in ended.out.splitlines()]
    assert lines[0] == "shop a Running Load copying 45.10% 1.2M rows 340.0 MB 12.3 MB/s ETA 33 s"
    assert lines[1] == "shop b Paused - error 34020: a row is there already"
    assert lines[2] == "shop a Running Sync in step 900 rows 120 rows/s lag 0 s (mysql-bin.3, 4)"
    assert "task shop is finished" in ended.err


def test_a_document_a_line_for_scripts(dmctl: Dmctl, master: RecordedMaster) -> None:
    master.will_answer("QueryStatus", of(one("a", unit="Load", load=LOAD)), of(FAILED))
    ended = dmctl("watch", "shop", "--interval", "1ms", "--output", "json", master=master.address)
    documents = [json.loads(line) for line in ended.out.splitlines()]
    assert [one["sources"][0]["subTaskStatus"][0]["load"]["progress"] for one in documents] == ["45.10 %"] * 2
    assert all(one["time"] for one in documents)
    assert (ended.code, "stands still by an error" in ended.err) == (1, True)


def test_a_task_that_is_not_there_and_a_bad_interval(dmctl: Dmctl, master: RecordedMaster) -> None:
    master.will_answer("QueryStatus", GONE)
    ended = dmctl("watch", "shop", master=master.address)
    assert (ended.code, ended.err.strip()) == (1, "task shop is not there (any more)")
    wrong = dmctl("watch", "shop", "--interval", "fast", master=master.address)
    assert (wrong.code, "'fast' is not a duration" in wrong.err) == (2, True)


def test_ctrl_c_ends_the_view(dmctl: Dmctl, master: RecordedMaster, monkeypatch: pytest.MonkeyPatch) -> None:
    master.will_answer("QueryStatus", of(one("a", unit="Load", load=LOAD)))

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dmctl.watching.watch.__kwdefaults__", {"now": lambda: 0.0, "pause": interrupted})
    ended = dmctl("watch", "shop", master=master.address)
    assert (ended.code, "task shop goes on" in ended.err) == (130, True)


def drawn(body: Body, width: int = 110) -> str:
    console = Console(file=io.StringIO(), width=width)
    for part in _VIEWS[View.WATCHED](Answer(body, View.WATCHED, "watch shop")):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_picture() -> None:
    load = one("a", unit="Load", load=LOAD | {"waitsFor": "120 threads run on the upstream"})
    text = drawn(of(load, one("b", unit="Sync", sync=SYNC)) | {"time": "12:00:00"})
    for expected in (
        "watch shop   12:00:00",
        "45.1 %",
        "3/9 tables, 340.0 MB of 754.0 MB",
        "ETA 33 s",
        "waits: 120 threads run on the upstream",
        "shop.orders",
        "600.0k of 1.0M",
        "ETA unknown",
        "✓ in step",
    ):
        assert expected in text
    assert "shop.later" not in text
    last = drawn({"result": False, "msg": "task shop stands still", "status": of(FAILED)})
    assert "error 34020" in last
    assert "✗ task shop stands still" in last
