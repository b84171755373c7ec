"""Each error code belongs to one kind of error, so that whoever looks one up finds what it says."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("pkg", "dm_master", "dm_worker", "dmctl", "dm_binlog")


def test_each_code_is_declared_once() -> None:
    places: dict[int, list[str]] = defaultdict(list)
    for file in (file for part in PRODUCT for file in (ROOT / part).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ErrorKind":
                code = node.args[0]
                if not isinstance(code, ast.Constant):
                    continue  # of a function that declares them; its callers name the numbers
                places[code.value].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(places) > 100
    assert {code: where for code, where in places.items() if len(where) > 1} == {}
