"""What the target has otherwise than all upstream tables that lead to each of its tables hold together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Set
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from tests.cases.replicate.comparing import Column, Server, TableName, connected, structures
from tests.soak.corpus.judge import Difference, Picture, difference, documented, picture
from tests.soak.sql.settings import Settings
from tests.soak.sql.stage import Stage

Members = list[tuple[Server, TableName]]


def differences(stage: Stage, settings: Settings, without: Set[TableName]) -> tuple[list[Difference], int]:
    """(what differs, the number of rows compared); nothing is said of upstream tables that are given up."""
    unclear = {settings.target_of(table[0].partition("_")[0], table) for table in without}
    with ExitStack() as stack:
        ends = {name: stack.enter_context(connected(stage.upstreams[name])) for name in settings.names}
        target = stack.enter_context(connected(stage.target))
        members: dict[TableName, Members] = defaultdict(list)
        for name, end in ends.items():
            for table in structures(end, f"{name}\\_%"):
                if (leads := settings.target_of(name, table)) is not None:
                    members[leads].append((end, table))
        found, rows = [], 0
        for table in sorted((members.keys() | _there(target, members)) - unclear):
            wanted = _together(members[table])
            model = wanted.columns if isinstance(wanted, Picture) else []
            there = _body(picture(target, table, model))
            rows += there.rows.total() if isinstance(there, Picture) and isinstance(there.rows, Counter) else 0
            one = difference(table, wanted, there, (settings.upstream, settings.target))
            if one is not None and not documented(table, wanted, there, (settings.upstream, settings.target)):
                found.append(one)
        return found, rows


def _there(target: Server, members: dict[TableName, Members]) -> set[TableName]:
    """The target's tables in all schemas that are the task's."""
    return {table for schemas in ("s_\\_%", "to\\_%", "all\\_") for table in structures(target, schemas)}


def _together(members: Members) -> Picture | str | None:
    """The tables as one: the first one's structure, all rows."""
    if not members:
        return None
    (end, table), *others = members
    first = _body(picture(end, table, []))
    if not isinstance(first, Picture) or not others:
        return first
    rows: Counter[Any] | str = first.rows
    for end, table in others:
        rows = _sum(rows, picture(end, table, first.columns))
    return replace(first, rows=rows)


def _sum(rows: Counter[Any] | str, other: Picture | str | None) -> Counter[Any] | str:
    if isinstance(rows, str):
        return rows
    if not isinstance(other, Picture):
        return str(other)
    return rows + other.rows if isinstance(other.rows, Counter) else other.rows


def _body(found: Picture | str | None) -> Picture | str | None:
    """A definition without the table's name, which may be another one downstream, as may a schema in a foreign key be."""
    if not isinstance(found, Picture):
        return found
    return replace(found, text=found.text.partition("\n")[2].replace("REFERENCES `to_", "REFERENCES `"))


__all__ = ["Column", "differences"]
