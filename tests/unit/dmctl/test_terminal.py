"""What a person sees: tables, panels, help."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, View
from dmctl.terminal import _VIEWS
from dmctl.views.texts import human_bytes, human_number, human_seconds


def drawn(answer: Answer, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    for part in _VIEWS[answer.view](answer):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def status(source: str = "mysql-01", **subtask: Any) -> Answer:
    place = {"source": source, "worker": "w1"}
    body = {
        "result": True,
        "sources": [{"result": True, "sourceStatus": place, "subTaskStatus": [{"name": "shop", **subtask}]}],
    }
    return Answer(body, View.STATUS)


def test_load_shows_bar_rate_and_time_to_go() -> None:
    load = {
        "finishedBytes": "600000000",
        "totalBytes": "1200000000",
        "progress": "50.00 %",
        "bps": "20000000",
        "rowsPerSecond": 31200,
    }
    text = drawn(status(stage="Running", unit="Load", load=load | {"completedTables": "3", "totalTables": "8"}))
    for expected in (
        "● Running",
        "━",
        "50.0 %",
        "3/8 tables, 600.0 MB of 1.2 GB",
        "31.2k rows/s",
        "20.0 MB/s",
        "ETA 30 s",
    ):
        assert expected in text


def test_load_shows_the_snapshot_that_it_reads() -> None:
    load = {"progress": "50.00 %", "metaBinlog": "(mysql-bin.000001, 4711)", "phase": "copying"}
    snapshot = {"consistency": "auto", "by": "FLUSH TABLES WITH READ LOCK", "connections": 4, "lockHeldMs": 34.6}
    text = drawn(status(stage="Running", unit="Load", load=load | {"snapshot": snapshot}))
    assert "one snapshot at" in text
    assert "4711" in text
    assert "35 ms" in text
    assert "one snapshot" not in drawn(status(stage="Running", unit="Load", load=load | {"snapshot": {"by": ""}}))


def test_dump_estimates_the_time_from_the_rows() -> None:
    dump = {
        "finishedRows": 500.0,
        "estimateTotalRows": 1000.0,
        "finishedBytes": 5000.0,
        "bps": "100",
        "progress": "50 %",
    }
    assert "ETA 50 s" in drawn(status(stage="Running", unit="Dump", dump=dump))


def test_replication_in_step_and_behind() -> None:
    here, there = "(mysql-bin.000003, 4)", "(mysql-bin.000009, 4)"
    in_step = drawn(
        status(stage="Running", unit="Sync", sync={"synced": True, "syncerBinlog": here, "masterBinlog": here})
    )
    behind = drawn(
        status(
            stage="Running",
            unit="Sync",
            sync={"syncerBinlog": here, "masterBinlog": there, "secondsBehindMaster": "754"},
        )
    )
    assert "✓ in step" in in_step
    for expected in ("→ catching up", here, f"of {there}", "12 min 34 s"):
        assert expected in behind


def test_replication_says_what_holds_it_up() -> None:
    def shown(**sync: object) -> str:
        return drawn(status(stage="Running", unit="Sync", sync=sync))

    assert "waits for the target: full" in shown(bottleneck="target", waitsFor="the target: full")
    assert "busiest with: translate" in shown(bottleneck="translate", waitsFor="")
    assert "waits" not in shown(bottleneck="upstream", waitsFor="the upstream", synced=True)


def test_error_is_a_panel_with_what_to_do() -> None:
    error = {
        "ErrCode": 10006,
        "ErrScope": "downstream",
        "Message": "it failed",
        "RawCause": "1406",
        "Workaround": "widen it",
    }
    text = drawn(status(stage="Paused", unit="Sync", result={"errors": [error]}, nextTry="08:00", sync={}))
    for expected in (
        "error 10006 shop · mysql-01 · downstream",
        "it failed",
        "cause   1406",
        "to do   widen it",
        "tried again by itself at 08:00",
    ):
        assert expected in text


def test_text_of_a_user_is_not_taken_for_markup() -> None:
    assert "[red]x[/red]" in drawn(status(source="[red]x[/red]", stage="Running"))


def test_source_that_does_not_answer() -> None:
    body = {"result": True, "sources": [{"result": False, "msg": "worker is offline", "sourceStatus": {"source": "a"}}]}
    text = drawn(Answer(body, View.STATUS))
    assert "no worker" in text
    assert "worker is offline" in text


def test_blocking_ddl_is_shown() -> None:
    group = {"target": "`shop`.`orders`", "DDLs": ["ALTER TABLE x"], "synced": ["a"], "unsynced": ["b"]}
    text = drawn(status(stage="Running", unit="Sync", sync={"unresolvedGroups": [group]}))
    assert "lacks it: b" in text


def test_nothing_runs() -> None:
    assert "no task runs" in drawn(Answer({"result": True, "tasks": []}, View.STATUS))


def test_summary_of_tasks() -> None:
    tasks = [{"taskName": "shop", "taskStatus": "Error - some", "sources": ["a", "b"]}]
    assert "● Error - some" in drawn(Answer({"result": True, "tasks": tasks}, View.STATUS))


def test_refusal_in_part_and_the_error_in_its_text() -> None:
    head = "[code=46014:class=scheduler:scope=internal:level=high]"
    error = f"{head}, Message: not bound, RawCause: x, Workaround: start a worker"
    sources = [{"result": True, "source": "a"}, {"result": False, "source": "b", "msg": error}]
    text = drawn(Answer({"result": True, "sources": sources}, View.RESULT, "start-task shop"))
    for expected in ("✗ refused in part  start-task shop", "error 46014 b", "to do   start a worker"):
        assert expected in text


def test_no_worker_yet_says_how_to_start_one() -> None:
    text = drawn(Answer({"result": True, "members": [{"worker": {"workers": []}}]}, View.MEMBERS))
    assert "dm-worker --name" in text


def test_precheck_findings_are_a_table() -> None:
    errors = [{"short_error": "lacks SELECT", "instruction": "GRANT it"}]
    detail = json.dumps({"results": [{"name": "privileges", "state": "fail", "errors": errors}]})
    text = drawn(Answer({"result": False, "msg": f"failed\ndetail: {detail}"}, View.CHECK, "check-task shop"))
    for expected in ("privileges", "fail", "lacks SELECT", "GRANT it"):
        assert expected in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_narrow_and_wide_terminals_lose_nothing(width: int) -> None:
    sync = {"syncerBinlog": "(mysql-bin.000003, 1274)", "masterBinlog": "(mysql-bin.000009, 88881274)"}
    squeezed = "".join(drawn(status(stage="Running", unit="Sync", sync=sync), width).split())
    assert "88881274)" in squeezed


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1234, "1.2k"), (2_500_000, "2.5M"), (4e13, "40000.0G")]
)
def test_numbers(value: float, text: str) -> None:
    assert human_number(value) == text


def test_bytes_and_seconds() -> None:
    assert [human_bytes(12), human_bytes(1_234_000)] == ["12 B", "1.2 MB"]
    assert [human_seconds(value) for value in (0, 0.42, 42, 185, 7800)] == [
        "0 s",
        "0.4 s",
        "42 s",
        "3 min 5 s",
        "2 h 10 min",
    ]


def test_help_of_each_verb_shows_an_example(dmctl: Any) -> None:
    verbs = [
        "operate-source create",
        "start-task",
        "stop-task",
        "query-status",
        "list-member",
        "check-config",
        "encrypt",
    ]
    for verb in verbs:
        outcome = dmctl("help", *verb.split())
        assert f"dmctl {verb}" in outcome.out.split("Options:")[0].split("\n", 1)[1]


def test_help_lists_the_verbs_as_dm_does(dmctl: Any) -> None:
    outcome = dmctl("help")
    assert (outcome.code, "Available Commands" in outcome.out) == (0, True)
