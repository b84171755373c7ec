"""How the options of `tidb-tables` fit together."""

from __future__ import annotations

from typing import Any

from pkg.rules.tidb_tables import problem_of
from pkg.task import problems as p
from pkg.task.reading import Reader

_BITS = ("shard-row-id-bits", "pre-split-regions", "auto-random")


def check_tidb_tables(data: dict[str, Any], reader: Reader) -> None:
    """Report rules that no table could fit, and two rules with the same patterns."""
    rules = data.get("tidb-tables")
    first: dict[tuple[Any, Any], str] = {}
    for name, rule in rules.items() if isinstance(rules, dict) else ():
        if not isinstance(rule, dict):
            continue
        shards, regions, random = (rule.get(option, 0) for option in _BITS)
        if isinstance(shards, int) and isinstance(regions, int) and isinstance(random, int):
            option, text = problem_of(shards, regions, random, str(rule.get("primary-key") or ""))
            if option:
                reader.problem(("tidb-tables", name, option), text, p.BAD_TIDB_TABLE)
        patterns = (rule.get("schema-pattern"), rule.get("table-pattern", ""))
        other = first.setdefault(patterns, name)
        if other != name:
            text = f"the rules {other!r} and {name!r} have the same patterns"
            reader.problem(("tidb-tables", name), text, p.BAD_TIDB_TABLE, show=False)
