"""Whether another task writes the same target tables: their rows would come twice, or overwrite each other.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dm_master.precheck.facts import TableName, shown
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import listed


@dataclass(frozen=True, slots=True)
class Written:
    """What one subtask writes; ``problem`` says why that is not known."""

    task: str
    source: str
    targets: Mapping[TableName, TableName]  # upstream table → where it goes
    schemas: Mapping[str, str]  # upstream schema of which every table is taken, also those to come → where they go
    problem: str = ""


def check_shared_target(own: Sequence[Written], others: Sequence[Written]) -> Check:
    """``others`` are the subtasks of other tasks that write the same server and are not done."""
    found = [*_overlaps(own, others), *_unknown(others)]
    return Check("shared_target", "shared target checker", "no other task writes the target tables", tuple(found))


def common_tables(own: Iterable[Written], other: Written) -> list[str]:
    """Target tables of both, as shown; `schema`.* where both take all of one upstream schema."""
    theirs = {_folded(name) for name in other.targets.values()}
    tables = {shown(name) for one in own for name in one.targets.values() if _folded(name) in theirs}
    schemas = {
        f"`{target}`.*"
        for one in own
        if one.source == other.source
        for schema, target in one.schemas.items()
        if other.schemas.get(schema, "").lower() == target.lower()
    }
    return sorted(tables) or sorted(schemas)


def _folded(name: TableName) -> TableName:
    return name[0].lower(), name[1].lower()


def _overlaps(own: Sequence[Written], others: Sequence[Written]) -> Iterator[Finding]:
    for other in others:
        common = common_tables(own, other)
        if not common:
            continue
        text = (
            f"task {other.task} writes {listed(common)}, too (source {other.source}): rows of "
            "both would overwrite each other, and those of tables without a key be there twice"
        )
        way_out = (
            f"stop-task {other.task} first; or leave the tables out of one task, or route them elsewhere; sources that "
            "merge belong in one task; if both are to write them, put `shared_target` into ignore-checking-items"
        )
        yield Finding(State.FAIL, text, f"task {other.task}", way_out)


def _unknown(others: Sequence[Written]) -> Iterator[Finding]:
    for other in others:
        if other.problem:
            text = f"which tables task {other.task} writes is not known (source {other.source}): {other.problem}"
            yield Finding(State.WARN, text, f"task {other.task}", "check-task again when its source answers")
