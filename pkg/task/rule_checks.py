"""Routes and block-allow lists that cannot work, and those that are valid and hardly what was meant."""

from __future__ import annotations

from typing import Any

from pkg.rules.system_schemas import is_system_schema
from pkg.task import problems as p
from pkg.task.problems import Path
from pkg.task.reading import Reader

LONGEST_NAME = 64  # characters, on every server


def check_rules(data: dict[str, Any], reader: Reader) -> None:
    """Report what is wrong with the routes and lists of a task file by themselves."""
    for name, route in _blocks(data.get("routes")).items():
        _check_route(route, ("routes", name), reader)
    for key in ("block-allow-list", "black-white-list"):
        for name, lists in _blocks(data.get(key)).items():
            _check_lists(lists, (key, name), reader)


def _check_route(route: dict[str, Any], base: Path, reader: Reader) -> None:
    if route.get("target-table") and not route.get("table-pattern"):
        text = "needs a `table-pattern`: without one the route is for whole schemas, whose tables keep their names"
        reader.problem((*base, "target-table"), text, p.BAD_ROUTE)
    if is_system_schema(str(route.get("target-schema"))):
        reader.problem((*base, "target-schema"), "is a schema of the server's own", p.BAD_ROUTE)
    if is_system_schema(str(route.get("schema-pattern"))):
        reader.warn((*base, "schema-pattern"), "has no effect: schemas of the server's own are never migrated")
    for key in ("target-schema", "target-table"):
        name = str(route.get(key) or "")
        if len(name) > LONGEST_NAME:
            reader.problem((*base, key), f"is longer than {LONGEST_NAME} characters", p.BAD_ROUTE)
        elif name.startswith("~") or any(sign in name for sign in "*?"):
            reader.warn((*base, key), "is taken as a name: a target has no `*`, `?` and `~`")


def _check_lists(lists: dict[str, Any], base: Path, reader: Reader) -> None:
    if lists.get("do-dbs") and lists.get("ignore-dbs"):
        reader.warn((*base, "ignore-dbs"), "has no effect: `do-dbs` says which schemas are migrated", show=False)


def _blocks(value: Any) -> dict[str, dict[str, Any]]:
    return {name: one for name, one in value.items() if isinstance(one, dict)} if isinstance(value, dict) else {}
