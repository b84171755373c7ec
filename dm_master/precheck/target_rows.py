"""Whether tables that are to be copied have rows in the target already, which a copy does not remove.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dm_master.precheck.facts import TableName, TargetFacts, UpstreamFacts, shown
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import listed

ITEM = "downstream_table_empty"
_ON_PURPOSE = f"put `{ITEM}` into ignore-checking-items"


def check_target_rows(upstreams: Sequence[UpstreamFacts], target: TargetFacts, *, forgets: bool = False) -> Check:
    """``forgets``: --remove-meta, so the rows are those of an earlier run, which may be gone upstream."""
    found = tuple(_left_behind(upstreams, target) if forgets else _before_the_first_copy(upstreams, target))
    return Check(ITEM, "target table emptiness check", "target tables that are copied to are empty", found)


def _left_behind(upstreams: Sequence[UpstreamFacts], target: TargetFacts) -> Iterator[Finding]:
    anew = [one for one in upstreams if one.subtask.task_mode.has_full]
    filled = _filled(anew, target)
    if not filled:
        return
    doubled = _keyless(filled, target)
    where = f"target {target.address}"
    more = f", and the rows of those without a key be there twice: {_listed(doubled)}" if doubled else ""
    text = (
        f"{where}: --remove-meta copies to tables that have rows: {_listed(filled)}; "
        f"rows that the upstream has no longer would stay there{more}"
    )
    others = sorted({source for name in filled for source in target.earlier.feeders.get(name, ())} - _sources(anew))
    together = f" (of {', '.join(others)}, too, for rows of theirs are there)" if others else ""
    way_out = (
        f"empty these tables (TRUNCATE TABLE), then start-task --remove-meta for all sources{together}; or start "
        f"without --remove-meta where no run of this task has filled them; or {_ON_PURPOSE} when these rows are to stay"
    )
    yield Finding(State.FAIL, text, where, way_out)


def _before_the_first_copy(upstreams: Sequence[UpstreamFacts], target: TargetFacts) -> Iterator[Finding]:
    """Merged tables have rows of the task's other sources, where these have begun before."""
    first = [
        one
        for one in upstreams
        if one.subtask.task_mode.has_full and one.subtask.source_id not in target.earlier.copied
    ]
    filled = _filled(first, target)
    doubled = [name for name in _keyless(filled, target) if not _fed_by_others(name, filled[name], target)]
    where = f"target {target.address}"
    if doubled:
        said = "these have rows and no key, the upstream's rows would come on top of them"
        text = f"{where}: {said}: {_listed(doubled)}"
        yield Finding(State.FAIL, text, where, f"empty or drop them; or {_ON_PURPOSE} when this is wanted")
    keyed = [name for name in filled if target.tables[name].has_identity]
    if keyed:
        said = "these have rows; those with the key of an upstream row are replaced, others stay"
        text = f"{where}: {said}: {_listed(keyed)}"
        yield Finding(State.WARN, text, where, "empty the tables if these rows are not wanted")


def _filled(upstreams: Sequence[UpstreamFacts], target: TargetFacts) -> Mapping[TableName, frozenset[str]]:
    """The target tables that have rows, and the sources that are copied to them."""
    found: dict[TableName, set[str]] = {}
    for one in upstreams:
        for name in target.filled.intersection(one.targets.values()):
            found.setdefault(name, set()).add(one.subtask.source_id)
    return {name: frozenset(found[name]) for name in sorted(found)}


def _keyless(names: Mapping[TableName, frozenset[str]], target: TargetFacts) -> list[TableName]:
    return [name for name in names if not target.tables[name].has_identity]


def _fed_by_others(name: TableName, sources: frozenset[str], target: TargetFacts) -> bool:
    """A source that DM ran before, of which nothing else is known yet, may have filled any table."""
    known = frozenset[str]().union(*target.earlier.feeders.values())
    return bool((target.earlier.feeders.get(name, frozenset()) | (target.earlier.started - known)) - sources)


def _sources(upstreams: Sequence[UpstreamFacts]) -> frozenset[str]:
    return frozenset(one.subtask.source_id for one in upstreams)


def _listed(names: Sequence[TableName] | Mapping[TableName, frozenset[str]]) -> str:
    return listed([shown(name) for name in names])
