"""Whether a task file that has changed ignores what earlier runs of the task have left.  Pure."""

from __future__ import annotations

from collections.abc import Iterator

from dm_master.precheck.facts import EarlierRuns, TargetFacts, UpstreamFacts
from dm_master.precheck.report import Check, Finding, State
from pkg.task import SubtaskConfig
from pkg.task.kept import changed_rules, refusals, shown

_MEANS = {
    "routes": "rows that are there stay in the former tables, and their changes go to others from now on",
    "column-mappings": "rows that are there keep the former values",
}


def check_unfinished(subtask: SubtaskConfig, earlier: EarlierRuns) -> Check:
    """What dm-worker would refuse, too: so this item cannot be left out."""
    where = f"source {subtask.source_id}"
    found = [Finding(State.FAIL, one.message, where, one.workaround) for one in refusals(subtask, earlier.of(subtask))]
    return Check(
        "unfinished", "earlier run check", f"nothing that earlier runs began is ignored ({where})", tuple(found)
    )


def check_changed_rules(facts: UpstreamFacts, target: TargetFacts) -> Check:
    """Rules of tables whose rows are in the target already."""
    subtask = facts.subtask
    where, kept = f"source {subtask.source_id}", target.earlier.of(subtask)
    found = tuple(_changed(facts, where, kept.taken) if kept.taken and not kept.is_unfinished else ())
    return Check("changed_rules", "changed rule check", f"tables keep the rules by which they came ({where})", found)


def _changed(facts: UpstreamFacts, where: str, taken: str) -> Iterator[Finding]:
    subtask = facts.subtask
    for block, names in changed_rules(subtask.before(taken), subtask, [one.name for one in facts.tables]).items():
        text = f"{where}: {block} changed since the task ran: {_MEANS[block]}: {shown(names)}"
        way_out = (
            "move (or change) these rows in the target before the start, while the task is stopped; or set the former "
            "rules back"
        )
        yield Finding(State.WARN, text, where, way_out)
