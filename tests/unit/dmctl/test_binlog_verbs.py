"""`binlog` and `binlog-schema`: what is asked, what is printed, how it ends."""

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

OK = {"result": True, "source": "mysql-01", "worker": "w1"}
STORED = {"op": "replace", "binlogPos": "bin.000003:1274", "sqls": ["DROP TABLE a.b", "DROP TABLE a.c"]}
CREATE = "CREATE TABLE `t` (\n  `id` int NOT NULL\n) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"


def drawn(body: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=110)
    for part in _VIEWS[View.OPERATORS](Answer(body, View.OPERATORS, "binlog list shop")):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def request(op: Any, **values: Any) -> dm_pb2.OperateBinlogRequest:
    return dm_pb2.OperateBinlogRequest(op=op, task="shop", **values)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["binlog", "skip", "shop"], request(dm_pb2.SkipBinlog)),
        (
            ["binlog", "skip", "shop", "-s", "a,b", "-b", "bin.000003:1274"],
            request(dm_pb2.SkipBinlog, sources=["a", "b"], binlog_pos="bin.000003:1274"),
        ),
        (["binlog", "replace", "shop", "x; y"], request(dm_pb2.ReplaceBinlog, sqls=["x; y"])),
        (["binlog", "replace", "shop", "a b", "c d", "-s", "a"], request(dm_pb2.ReplaceBinlog, sources=["a"], sqls=["a b", "c d"])),
        (["binlog", "inject", "shop", "drop", "table", "a.b"], request(dm_pb2.InjectBinlog, sqls=["drop table a.b"])),
        (["binlog", "revert", "shop"], request(dm_pb2.RevertBinlog)),
        (["handle-error", "shop", "skip"], request(dm_pb2.SkipBinlog)),
        (["handle-error", "shop", "replace", "a b; c d", "-b", "x.1:4"], request(dm_pb2.ReplaceBinlog, binlog_pos="x.1:4", sqls=["a b; c d"])),
    ],
)  # fmt: skip
def test_what_is_asked(dmctl: Any, master: Any, words: list[str], expected: Any) -> None:
    master.will_answer("OperateBinlog", {"result": True, "sources": [OK]})
    outcome = dmctl(*words, master=master.address)
    assert outcome.code == Exit.DONE
    assert master.asked == [("OperateBinlog", expected)]
    body = json.loads(outcome.out)
    assert list(body) == ["result", "msg", "sources"]
    assert list(body["sources"][0]) == ["result", "msg", "source", "worker"]


def test_the_task_may_be_named_by_its_file(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("OperateBinlog", {"result": True, "sources": [OK]})
    dmctl("binlog", "skip", str(task_file), master=master.address)
    assert master.asked == [("OperateBinlog", request(dm_pb2.SkipBinlog))]


def test_what_is_decided_is_listed(dmctl: Any, master: Any) -> None:
    master.will_answer("OperateBinlog", {"result": True, "sources": [{**OK, "operators": [STORED]}]})
    body = json.loads(dmctl("binlog", "list", "shop", master=master.address).out)
    assert body["sources"] == [{"result": True, "msg": "", "source": "mysql-01", "worker": "w1", "operators": [STORED]}]
    text = drawn(body)
    for expected in ("mysql-01", "bin.000003:1274", "replace", "DROP TABLE a.b;", "DROP TABLE a.c"):
        assert expected in text
    assert "nothing is decided" in drawn({"result": True, "sources": [{**OK, "operators": []}]})
    assert "no such task" in drawn({"result": False, "msg": "no such task"})


def test_a_refusal_of_one_source_is_exit_code_1(dmctl: Any, master: Any) -> None:
    refused = {"result": False, "msg": "no statement fails", "source": "mysql-02"}
    master.will_answer("OperateBinlog", {"result": True, "sources": [OK, refused]})
    assert dmctl("binlog", "skip", "shop", master=master.address).code == Exit.REFUSED


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["binlog", "replace", "shop"], "SQL"),
        (["binlog", "skip"], "TASK"),
        (["binlog", "frob", "shop"], "frob"),
        (["handle-error", "shop", "replace"], "needs statements"),
        (["handle-error", "shop", "skip", "x"], "takes no statements"),
        (["binlog-schema", "update", "shop", "d", "t"], "exactly one of FILE, --from-source and --from-target"),
        (["binlog-schema", "update", "shop", "d", "t", "t.sql", "--from-source"], "exactly one"),
        (["binlog-schema", "list", "shop", "d"], "TABLE"),
        (["operate-schema", "get", "shop", "-d", "d"], "--table"),
    ],
)
def test_wrong_usage(dmctl: Any, words: list[str], expected: str) -> None:
    outcome = dmctl(*words)
    assert outcome.code == Exit.USAGE
    assert expected in outcome.err


@pytest.mark.parametrize(
    "words",
    [
        ["binlog-schema", "list", "shop", "d", "t", "-s", "mysql-01"],
        ["operate-schema", "get", "shop", "-s", "mysql-01", "-d", "d", "-t", "t"],
    ],
)
def test_a_structure_is_json_for_scripts_and_sql_for_people(dmctl: Any, master: Any, words: list[str]) -> None:
    master.will_answer("OperateSchema", {"result": True, "sources": [{**OK, "msg": CREATE}]})
    assert json.loads(dmctl(*words, master=master.address).out)["sources"][0]["msg"] == CREATE
    assert dmctl(*words, "--output", "table", master=master.address).out == f"{CREATE};\n"
    expected = dm_pb2.OperateSchemaRequest(
        op=dm_pb2.ListSchema, task="shop", sources=["mysql-01"], database="d", table="t"
    )
    assert master.asked[0] == ("OperateSchema", expected)


def test_structures_of_several_sources_are_told_apart(dmctl: Any, master: Any) -> None:
    other = {**OK, "source": "mysql-02", "msg": CREATE}
    master.will_answer("OperateSchema", {"result": True, "sources": [{**OK, "msg": CREATE}, other]})
    out = dmctl(
        "binlog-schema", "list", "shop", "d", "t", "-s", "mysql-01,mysql-02", "--output", "table", master=master.address
    ).out
    assert out == f"-- mysql-01\n{CREATE};\n\n-- mysql-02\n{CREATE};\n"


def test_a_structure_is_set_from_a_file_or_a_server(dmctl: Any, master: Any, tmp_path: Path) -> None:
    file = tmp_path / "t.sql"
    file.write_text(CREATE)
    master.will_answer("OperateSchema", {"result": True, "sources": [OK]})
    for words in (
        ["binlog-schema", "update", "shop", "d", "t", str(file)],
        ["binlog-schema", "update", "shop", "d", "t", "--from-source", "--flush"],
        ["operate-schema", "set", "shop", "-d", "d", "-t", "t", "--from-target"],
        ["binlog-schema", "delete", "shop", "d", "t"],
    ):
        assert dmctl(*words, master=master.address).code == Exit.DONE
    of: dict[str, Any] = {"task": "shop", "database": "d", "table": "t"}
    assert [asked for _, asked in master.asked] == [
        dm_pb2.OperateSchemaRequest(op=dm_pb2.UpdateSchema, schema=CREATE, **of),
        dm_pb2.OperateSchemaRequest(op=dm_pb2.UpdateSchema, from_source=True, **of),
        dm_pb2.OperateSchemaRequest(op=dm_pb2.UpdateSchema, from_target=True, **of),
        dm_pb2.OperateSchemaRequest(op=dm_pb2.DeleteSchema, **of),
    ]


def test_a_file_that_is_not_there_is_named(dmctl: Any, master: Any) -> None:
    outcome = dmctl("binlog-schema", "update", "shop", "d", "t", "/nowhere/t.sql", master=master.address)
    assert outcome.code == Exit.REFUSED
    assert "/nowhere/t.sql" in outcome.out
