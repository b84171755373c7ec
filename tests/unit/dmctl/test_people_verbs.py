"""``estimate`` and ``task summary``: what is asked, and what a person sees."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from dmctl.answer import Answer, View
from dmctl.terminal import _VIEWS
from pkg.adapters.rpc import dm_pb2
from tests.unit.dmctl.conftest import Dmctl, RecordedMaster

TASK = """name: shop
task-mode: all
target-database: {host: 127.0.0.1, port: 4000, user: root, password: ""}
mysql-instances: [{source-id: one}]
"""
ESTIMATED = {
    "source": "one",
    "rows": 1_500_000,
    "bytes": 105_000_000,
    "chunks": 22,
    "bytesPerSecond": 1_000_000,
    "seconds": 210.0,
    "how": "by 10000 rows of shop.big, copied into a scratch table",
    "tables": [
        {"schema": "shop", "table": "big", "targetSchema": "shop", "targetTable": "big", "rows": 10, "bytes": 10,
         "chunks": 3, "verdict": "mapped", "notes": ["latin2 is mapped to utf8mb4"]},
        {"schema": "shop", "table": "bad", "verdict": "refused", "notes": ["it cannot be read"]},
    ],
    "notes": ["tables without a key are one chunk each: shop.bag"],
}  # fmt: skip
SUMMARY = {
    "source": "one",
    "outcome": "finished",
    "started": "2026-01-01T00:00:00Z",
    "ended": "2026-01-01T00:01:00Z",
    "runs": 2,
    "seconds": 60.0,
    "phases": {"planning": 2.0, "copying": 58.0},
    "tables": 9,
    "completedTables": 9,
    "rows": 2_600_000,
    "bytes": 754_000_000,
    "chunks": 60,
    "rowsPerSecond": 44_000,
    "bytesPerSecond": 13_000_000,
    "snapshot": {"location": "(bin.000001, 4)", "gtid": "0-1-9", "by": "BACKUP STAGE BLOCK_COMMIT", "lockHeldMs": 11.8},
    "verify": {"comparedChunks": 58, "seconds": 4.0, "notCompared": ["shop.merged: rows of other tables"]},
    "slowestTables": [
        {"schema": "shop", "table": "orders", "seconds": 95.0, "rows": 1_000_000, "bytes": 330_000_000, "chunks": 20}
    ],
    "leftOut": ["shop.v is a VIEW"],
    "warnings": [f"warning {number}" for number in range(15)],
    "moreWarnings": 3,
}


@pytest.fixture
def task_file(tmp_path: Path) -> str:
    path = tmp_path / "task.yaml"
    path.write_text(TASK)
    return str(path)


def drawn(view: View, body: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=120)
    for part in _VIEWS[view](Answer(body, view)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_estimate_asks_with_its_options(dmctl: Dmctl, master: RecordedMaster, task_file: str) -> None:
    master.will_answer("EstimateTask", {"result": True, "sources": [ESTIMATED]})
    ended = dmctl("estimate", task_file, "--sample", "30s", "--read-only", "-s", "one", master=master.address)
    assert ended.code == 0
    expected = dm_pb2.EstimateTaskRequest(task=TASK, sources=["one"], sample_seconds=30, read_only=True)
    assert master.asked == [("EstimateTask", expected)]
    assert json.loads(ended.out)["sources"][0]["chunks"] == "22"


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("500ms", 1), ("2m", 120)])
def test_length_of_the_sample(dmctl: Dmctl, master: RecordedMaster, task_file: str, text: str, seconds: int) -> None:
    master.will_answer("EstimateTask", {"result": True})
    assert dmctl("estimate", task_file, "--sample", text, master=master.address).code == 0
    assert master.asked[0][1].sample_seconds == seconds


def test_bad_words_for_estimate(dmctl: Dmctl, master: RecordedMaster, task_file: str, tmp_path: Path) -> None:
    wrong = dmctl("estimate", task_file, "--sample", "long", master=master.address)
    assert (wrong.code, "'long' is not a duration" in wrong.err) == (2, True)
    missing = dmctl("estimate", str(tmp_path / "none.yaml"), master=master.address)
    assert missing.code == 1
    (tmp_path / "bad.yaml").write_text("name: x\n")
    assert dmctl("estimate", str(tmp_path / "bad.yaml"), master=master.address).code == 1
    assert master.asked == []


def test_the_picture_of_an_estimate() -> None:
    text = drawn(View.ESTIMATE, {"result": True, "sources": [ESTIMATED]})
    for expected in (
        "one  2 tables, about 1.5M rows, 105.0 MB, 22 chunks",
        "about 3 min 30 s at 1.0 MB/s",
        "latin2 is mapped to utf8mb4",
        "refused",
        "! tables without a key",
    ):
        assert expected in text


def test_summary_by_name_and_by_file(dmctl: Dmctl, master: RecordedMaster, task_file: str) -> None:
    answer = {"result": True, "source": "one", "worker": "w", "document": json.dumps(SUMMARY)}
    master.will_answer("ShowSummary", {"result": True, "sources": [answer]})
    ended = dmctl("task", "summary", "shop", "-s", "one", master=master.address)
    assert json.loads(ended.out)["sources"][0]["summary"] == SUMMARY
    assert dmctl("task", "summary", task_file, master=master.address).code == 0
    assert [request for _, request in master.asked] == [
        dm_pb2.ShowSummaryRequest(name="shop", sources=["one"]),
        dm_pb2.ShowSummaryRequest(name="shop", task=TASK),
    ]


def test_the_picture_of_a_summary() -> None:
    body = {"result": True, "sources": [{"result": True, "source": "one", "summary": SUMMARY}]}
    text = drawn(View.SUMMARY, body)
    for expected in (
        "one  finished  2026-01-01T00:00:00Z to 2026-01-01T00:01:00Z, 2 runs",
        "9 of 9 tables, 2.6M rows, 754.0 MB, 60 chunks in 1 min 0 s: 44.0k rows/s, 13.0 MB/s",
        "phases   planning 2 s, copying 58 s",
        "snapshot (bin.000001, 4) 0-1-9, commits held off for 12 ms by BACKUP STAGE BLOCK_COMMIT",
        "verify   58 of 60 chunks compared by checksum, 4 s of all connections",
        "shop.merged: rows of other tables",
        "shop.orders",
        "shop.v is a VIEW",
        "warning 9",
        "and 8 more",
    ):
        assert expected in text
    none = {"result": True, "sources": [{"result": True, "source": "one", "msg": "task shop has no summary"}]}
    assert "one: task shop has no summary" in drawn(View.SUMMARY, none)
