"""Runs the checks of a task: facts of every server first, then the checks on them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from dm_master.precheck.binlog import check_reading_server, check_server
from dm_master.precheck.columns import check_columns
from dm_master.precheck.earlier import check_changed_rules, check_unfinished
from dm_master.precheck.exactness import check_exactness
from dm_master.precheck.facts import TargetFacts, UpstreamFacts
from dm_master.precheck.gather import gather_target, gather_upstream, gather_written, writes_same_target
from dm_master.precheck.load_path import check_load_path
from dm_master.precheck.privileges import (
    check_dump_privileges,
    check_target_privileges,
    check_upstream_privileges,
)
from dm_master.precheck.report import Check, Finding, Report, State, failures_first
from dm_master.precheck.row_filters import check_row_filters
from dm_master.precheck.shards import check_routes, check_shards, merged
from dm_master.precheck.shared_target import check_shared_target
from dm_master.precheck.tables import (
    check_cascades,
    check_ghosts,
    check_keys,
    check_target_tables,
    check_uncopied_tables,
)
from dm_master.precheck.target_rows import check_target_rows
from dm_master.precheck.tidb_tables import check_tidb_tables
from pkg.adapters.log import fields
from pkg.errors import DMError
from pkg.task import SubtaskConfig, TaskMode

_ALL = "all"
_SHARED = "shared_target"
_CONNECTION = "connection"  # cannot be ignored: without it nothing else is known

log = logging.getLogger(__name__)


def run_checks(
    subtasks: Sequence[SubtaskConfig], others: Sequence[SubtaskConfig] = (), forgets: bool = False
) -> Report:
    """All checks of the subtasks (of one task), but those that the task leaves out.

    ``others`` are those of other tasks that may still write; ``forgets``: what earlier runs have stored is removed.
    """
    if not subtasks:
        return Report()
    ignored = frozenset(subtasks[0].ignore_checking_items)
    upstreams: list[UpstreamFacts] = []
    checks: list[Check] = []
    for subtask in subtasks if subtasks[0].task_mode.has_upstream else ():
        try:
            upstreams.append(gather_upstream(subtask))
        except DMError as exc:
            checks.append(_unreachable(f"source {subtask.source_id}", exc))
    target: TargetFacts | None = None
    try:
        target = gather_target(subtasks, upstreams) if subtasks[0].task_mode.has_target else None
    except DMError as exc:
        checks.append(_unreachable("the target", exc))
    if target is not None and not forgets:
        checks += [check_unfinished(one, target.earlier) for one in subtasks]
    if _ALL not in ignored:
        checks += [check for check in all_checks(upstreams, target, forgets=forgets) if check.item not in ignored]
        if target is not None and _SHARED not in ignored:
            checks += _shared_target(subtasks, others)
    report = failures_first(checks)
    log.info(
        "task checked",
        extra=fields(task=subtasks[0].task_name, failures=len(report.failures), warnings=len(report.warnings)),
    )
    return report


def _shared_target(subtasks: Sequence[SubtaskConfig], others: Sequence[SubtaskConfig]) -> Iterator[Check]:
    """Which tables a task loads from files is not known here: the files are on the worker."""
    beside = [one for one in others if one.task_mode.has_upstream and writes_same_target(subtasks[0], one)]
    if beside and subtasks[0].task_mode.has_upstream:
        own, theirs = ([gather_written(one) for one in many] for many in (subtasks, beside))
        yield check_shared_target([one for one in own if not one.problem], theirs)


def all_checks(
    upstreams: Sequence[UpstreamFacts], target: TargetFacts | None, *, forgets: bool = False
) -> Iterator[Check]:
    """Every check on these facts; ``forgets``: see run_checks."""
    merging = frozenset(name for name, members in merged(upstreams).items() if len(members) > 1)
    for facts in upstreams:
        if facts.subtask.task_mode is TaskMode.DUMP:
            yield from _checks_of_dump(facts)
            continue
        yield from check_server(facts)
        yield from check_upstream_privileges(facts)
        yield check_routes(facts)
        yield check_keys(facts)
        yield check_cascades(facts, target)
        is_fresh = forgets or target is None or facts.subtask.source_id not in target.earlier.started
        yield check_ghosts(facts, is_fresh=is_fresh)
        yield check_row_filters(facts)
        if target is not None and not is_fresh:
            yield check_uncopied_tables(facts, target)
            yield check_changed_rules(facts, target)
        if target is not None:
            yield check_exactness(facts, target, merging, goes_on=not is_fresh)
    if upstreams and all(facts.subtask.task_mode.has_target for facts in upstreams):
        yield from check_shards(upstreams, target)
        yield check_columns(upstreams, target)
    if target is not None:
        yield check_target_privileges(target, upstreams)
        if not upstreams or any(facts.subtask.task_mode.has_full for facts in upstreams):
            yield check_load_path(target)
        yield check_target_rows(upstreams, target, forgets=forgets)
        yield from check_target_tables(upstreams, target)
        yield check_tidb_tables(upstreams, target)


def _checks_of_dump(facts: UpstreamFacts) -> Iterator[Check]:
    """Files keep the upstream's names and values, and nothing is replicated."""
    yield from check_reading_server(facts)
    yield check_dump_privileges(facts)
    yield check_ghosts(facts)


def _unreachable(what: str, error: DMError) -> Check:
    finding = Finding(State.FAIL, f"{what}: {error.message}", what, error.workaround)
    return Check(_CONNECTION, "connection check", f"{what} answers", (finding,), error.raw_cause)
