"""How the options of column mappings, and of columns that routes fill, fit together."""

from __future__ import annotations

from typing import Any

from pkg.rules.column_mapping import EXPRESSIONS, problem_of
from pkg.task import problems as p
from pkg.task.reading import Reader

_EXTRACTS = ("extract-table", "extract-schema", "extract-source")


def check_column_mappings(data: dict[str, Any], instances: list[tuple[int, dict[str, Any]]], reader: Reader) -> None:
    """Report wrong arguments, two rules for one column, and two extractions into one column."""
    mappings = _blocks(data.get("column-mappings"))
    for name, rule in mappings.items():
        expression, arguments = rule.get("expression"), rule.get("arguments")
        if expression in EXPRESSIONS and isinstance(arguments, list):
            problem = problem_of(expression, [str(argument) for argument in arguments])
            if problem:
                reader.problem(("column-mappings", name, "arguments"), problem, p.BAD_COLUMN_MAPPING)
    for index, instance in instances:
        _check_same_column(instance, index, mappings, reader)
    for name, route in _blocks(data.get("routes")).items():
        _check_filled_columns(name, route, reader)


def _check_same_column(
    instance: dict[str, Any], index: int, mappings: dict[str, dict[str, Any]], reader: Reader
) -> None:
    """Two rules with the same patterns and column would leave the value undecided."""
    named = instance.get("column-mapping-rules")
    first: dict[tuple[Any, ...], str] = {}
    for number, name in enumerate(named if isinstance(named, list) else []):
        rule = mappings.get(name) if isinstance(name, str) else None
        if rule is None:
            continue
        key = (rule.get("schema-pattern"), rule.get("table-pattern", ""), str(rule.get("target-column")).lower())
        other = first.setdefault(key, name)
        if other != name:
            text = f"the column mappings {other!r} and {name!r} have the same patterns and target-column"
            path = ("mysql-instances", index, "column-mapping-rules", number)
            reader.problem(path, text, p.BAD_COLUMN_MAPPING, show=False)


def _check_filled_columns(name: str, route: dict[str, Any], reader: Reader) -> None:
    first: dict[str, str] = {}
    for option in _EXTRACTS:
        block = route.get(option)
        column = block.get("target-column") if isinstance(block, dict) else None
        if not isinstance(column, str):
            continue
        other = first.setdefault(column.lower(), option)
        if other != option:
            text = f"`{other}` fills the same column"
            reader.problem(("routes", name, option, "target-column"), text, p.BAD_ROUTE)


def _blocks(value: Any) -> dict[str, dict[str, Any]]:
    return {name: block for name, block in value.items() if isinstance(block, dict)} if isinstance(value, dict) else {}
