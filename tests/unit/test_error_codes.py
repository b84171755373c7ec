"""Each error code belongs to one kind of error, so that whoever looks one up finds what it says."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from pkg import errors
from pkg.errors import ErrorKind, Level, Scope

ROOT = Path(__file__).parents[2]
PRODUCT = ("pkg", "dm_master", "dm_worker", "dmctl", "dm_binlog")


def test_each_code_is_declared_once() -> None:
    places: dict[int, list[str]] = defaultdict(list)
    for file in (file for part in PRODUCT for file in (ROOT / part).rglob("*.py")):
        text = file.read_text()
        if "ErrorKind(" in text:
            for code, line in declared(ast.parse(text)):
                places[code].append(f"{file.relative_to(ROOT)}:{line}")
    assert len(places) > 250
    assert {code: where for code, where in places.items() if len(where) > 1} == {}


def declared(module: ast.Module) -> Iterator[tuple[int, int]]:
    """Codes and their lines: of ErrorKind itself, and of the module's functions that pass a code on to it."""
    names = {"ErrorKind"}
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef) and any(isinstance(code, ast.Name) for code in codes(function, names)):
            names.add(function.name)
    for code in codes(module, names):
        if isinstance(code, ast.Constant):
            yield code.value, code.lineno


def codes(tree: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.args[0]


@pytest.mark.parametrize(
    ("workaround", "is_told"),
    [
        ("start the task with --remove-meta", True),
        ("stop-task, empty its tables, start-task --remove-meta", False),
        ("start-task without --remove-meta", False),
        ("resume-task", False),
    ],
)
def test_who_is_to_copy_anew_is_told_to_empty_the_tables(
    workaround: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "_REGISTRY", {})
    said = ErrorKind(1, "x", Scope.UPSTREAM, Level.HIGH, "purged", workaround=workaround).error().workaround
    assert said == workaround + (errors.EMPTY_FIRST if is_told else "")


def test_only_the_outermost_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_REGISTRY", {})  # these kinds are nobody else's
    inner = ErrorKind(1, "x", Scope.UPSTREAM, Level.HIGH, "inner", workaround="widen the column")
    outer = ErrorKind(2, "x", Scope.UPSTREAM, Level.HIGH, "outer", workaround="correct the row")
    silent = ErrorKind(3, "x", Scope.UPSTREAM, Level.HIGH, "silent")
    cause = inner.error(cause=ValueError("1690"))
    assert str(outer.error(cause=cause)) == (
        "[code=2:class=x:scope=upstream:level=high], Message: outer, RawCause: "
        "[code=1:class=x:scope=upstream:level=high], Message: inner, RawCause: ValueError: 1690, Workaround: correct the row"
    )
    assert silent.error(cause=cause).workaround == "widen the column"
