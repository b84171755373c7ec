"""`explain-rules`: what is asked, what is printed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from dmctl.answer import Answer, Exit, View
from dmctl.terminal import _VIEWS

TABLE = {
    "source": "mysql-01",
    "schema": "shop_1",
    "table": "orders_9",
    "migrated": True,
    "targetSchema": "shop",
    "targetTable": "orders",
    "route": "merge",
    "columns": ["part = '9'"],
    "filters": ["keep: Ignore delete"],
}
LEFT_OUT = {"source": "mysql-01", "schema": "x", "table": "y", "note": "left out by the block-allow-list"}
PART = {
    "text": "DROP a",
    "type": "drop column",
    "schema": "shop_1",
    "table": "orders_9",
    "action": "Ignore",
    "rule": "k",
}
STATEMENT = {"source": "mysql-01", "outcome": "left out", "parts": [PART], "runs": []}


def drawn(body: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=160)
    for part in _VIEWS[View.EXPLAINED](Answer(body, View.EXPLAINED, "explain-rules shop")):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_tables_of_the_sources(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("ExplainRules", {"result": True, "tables": [TABLE, LEFT_OUT]})
    outcome = dmctl("explain-rules", str(task_file), "-s", "mysql-01", master=master.address)
    assert outcome.code == Exit.DONE
    [(_, request)] = master.asked
    assert (list(request.sources), request.table, request.sql) == (["mysql-01"], "", "")
    assert "name: shop" in request.task
    text = drawn(json.loads(outcome.out))
    assert "shop_1.orders_9" in text
    assert "shop.orders" in text
    assert "keep: Ignore delete" in text
    assert "✗ left out by the block-allow-list" in text


def test_one_statement(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("ExplainRules", {"result": True, "statements": [STATEMENT]})
    words = ("--table", "shop_1.orders_9", "--sql", "ALTER TABLE orders_9 DROP a")
    outcome = dmctl("explain-rules", str(task_file), *words, master=master.address)
    [(_, request)] = master.asked
    assert (request.table, request.sql) == (words[1], words[3])
    lines = drawn(json.loads(outcome.out)).splitlines()
    assert lines[0] == "mysql-01: left out"
    assert any(all(word in line for word in ("DROP a", "drop column", "Ignore")) for line in lines)


def test_a_refusal(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("ExplainRules", {"result": False, "msg": "[code=38079] no table"})
    outcome = dmctl("explain-rules", str(task_file), "--table", "x", master=master.address)
    assert outcome.code == Exit.REFUSED
    assert "no table" in drawn(json.loads(outcome.out))


def test_without_tables(dmctl: Any, master: Any, task_file: Path) -> None:
    master.will_answer("ExplainRules", {"result": True})
    outcome = dmctl("explain-rules", str(task_file), master=master.address)
    assert "no source of the task has a table" in drawn(json.loads(outcome.out))
