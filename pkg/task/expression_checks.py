"""How the expressions of one expression filter go together."""

from __future__ import annotations

from typing import Any

from pkg.task import problems as p
from pkg.task.problems import Path
from pkg.task.reading import Reader

_KINDS = {
    "insert-value-expr": "insert", "update-old-value-expr": "update", "update-new-value-expr": "update",
    "delete-value-expr": "delete",
}  # fmt: skip


def check_expression_filter(rule: dict[str, Any], base: Path, reader: Reader) -> None:
    """As in DM one filter is about changes of one kind; one about none is a slip of the pen."""
    if reader.has_problem(base):
        return
    given = [option for option in _KINDS if isinstance(rule.get(option), str) and rule[option].strip()]
    if not given:
        reader.problem(base, f"it has no expression: write one of {', '.join(_KINDS)}", p.BAD_EXPRESSION, show=False)
    elif len({_KINDS[option] for option in given}) > 1:
        text = f"{' and '.join(given)} are about different kinds of changes: write a filter for each"
        reader.problem(base, text, p.MIXED_EXPRESSIONS, show=False)
