"""Columns that a route fills from where a row comes from: the table's name, the schema's name, the source-id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """What a regular expression is matched against; in the order of DM's columns."""

    TABLE = "table"
    SCHEMA = "schema"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class ExtractRule:
    """One of ``extract-table``, ``extract-schema`` and ``extract-source`` of a route."""

    origin: Origin
    expression: str
    target_column: str


@dataclass(frozen=True, slots=True)
class ExtractedColumn:
    """A column that all rows of one upstream table get, and its value."""

    name: str
    value: str
    matched: bool = True  # False: the expression found nothing, and the value is empty, as in DM


def problem_of(expression: str) -> str:
    """What is wrong with a regular expression of a rule; "" when nothing is."""
    try:
        groups = re.compile(expression).groups
    except re.error as exc:
        return f"not a regular expression: {exc}"
    return "" if groups else "has no group: put what is to be taken into parentheses"


def extracted(rules: Iterable[ExtractRule], schema: str, table: str, source: str) -> tuple[ExtractedColumn, ...]:
    """The columns of one upstream table.

    The expression may match anywhere in the name; the value is all of its groups together, and "" when
    it does not match.
    """
    names = {Origin.TABLE: table, Origin.SCHEMA: schema, Origin.SOURCE: source}
    return tuple(_column(rule, names[rule.origin]) for rule in rules)


def _column(rule: ExtractRule, name: str) -> ExtractedColumn:
    found = re.search(rule.expression, name)
    value = "" if found is None else "".join(group or "" for group in found.groups())
    return ExtractedColumn(rule.target_column, value, found is not None)
