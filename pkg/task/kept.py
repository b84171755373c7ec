"""What earlier runs of a task have left unfinished, and whether a task file that has changed ignores it.  Pure.

A task may be stopped and started again with another file.  What is kept in its meta tables must then still be
looked at: a copy's chunks by the rules with which it began, the shards that wait by their shard-mode.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pkg.errors import DMError, ErrorKind, Level, Scope, listed
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.subtask import SubtaskConfig

TableName = tuple[str, str]  # schema, table
RUNNING: Final = "running"

UNFINISHED_COPY = ErrorKind(
    36290,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "source {source}: the task-mode is {mode} now, and {what} that an earlier run began is not finished: the rows that "
    "are left would never come",
    workaround="start-task with task-mode: {before}, wait until all is copied, and change the mode then; or start the "
    "task with --remove-meta, which forgets what was begun",
)
SHARDS_WAIT = ErrorKind(
    36291,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "source {source}: {changed}, and tables that are merged still wait for a DDL of other shards, or are read again "
    "after one: {tables}; their rows since then would never come",
    workaround="start-task with {back}, let the lock resolve (`dmctl shard-ddl-lock`), wait until no group waits "
    "(`unresolvedGroups` in query-status), and change it then",
)
CHANGED_RULES = ErrorKind(
    34148,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "source {source}: {blocks} changed for tables whose copy began by the former rules and is not finished, so that "
    "rows of both would be mixed: {tables}",
    workaround="start-task with the former rules and wait until all is copied; or begin anew with the changed ones: "
    "start the task with --remove-meta",
)
NOT_A_LOAD = ErrorKind(
    34149,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "source {source}: the task-mode is load now, and the task has copied or replicated with task-mode {before}: it "
    "would take the files for loaded, or write their rows over newer ones",
    workaround="load the files by a task of another name; or start the task with --remove-meta",
)
NO_PLACE = ErrorKind(
    36292,
    "config",
    Scope.INTERNAL,
    Level.HIGH,
    "source {source}: the task-mode is {mode} now, behind a load of files that do not say their place in the binlog: "
    "what has changed since they were written would never come",
    workaround="set task-mode: incremental, and the place in `meta`; or start the task with --remove-meta, which "
    "copies the tables from the upstream",
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A merged table that waits for other shards."""

    table: TableName
    target: TableName


@dataclass(frozen=True, slots=True)
class Kept:
    """What the meta tables say of one source."""

    load_status: str = ""
    taken: str = ""  # the rules of the last run, or of an unfinished copy (SubtaskConfig.taken); "": not known
    has_checkpoint: bool = False
    has_start: bool = True  # it is known where replication begins
    planned: Mapping[TableName, bool] = field(default_factory=dict)  # of an unfinished copy; whether chunks are left
    waiting: tuple[Waiting, ...] = ()
    is_reading_again: bool = False  # rows that were held back

    @property
    def is_unfinished(self) -> bool:
        return self.load_status == RUNNING

    @property
    def is_begun(self) -> bool:
        return bool(self.load_status) or self.has_checkpoint

    @property
    def mode(self) -> TaskMode | None:
        """That of the last run, if it is known."""
        said = json.loads(self.taken).get("task-mode") if self.taken else None
        return TaskMode(said) if said else None


def refusals(config: SubtaskConfig, kept: Kept) -> Iterator[DMError]:
    """Why the subtask may not start: it would ignore what is kept."""
    refused = _other_mode(config, kept)
    if refused is not None:
        yield refused
        return
    if kept.is_unfinished and kept.taken and not _begins_anew(config, kept):
        changed = changed_rules(config.before(kept.taken), config, kept.planned)
        if changed:
            tables = sorted({name for names in changed.values() for name in names})
            yield CHANGED_RULES.error(source=config.source_id, blocks=" and ".join(changed), tables=shown(tables))
    yield from _ignored_shards(config, kept)


def _other_mode(config: SubtaskConfig, kept: Kept) -> DMError | None:
    """Where the task-mode would not finish what was begun by another one, or be mistaken about it."""
    source, mode, before = config.source_id, config.task_mode, kept.mode
    if mode is TaskMode.LOAD:
        is_other = before not in (None, TaskMode.LOAD) and kept.is_begun
        return NOT_A_LOAD.error(source=source, before=before) if is_other else None
    if kept.is_unfinished and (not mode.has_full or before is TaskMode.LOAD):
        what = "the load of files" if before is TaskMode.LOAD else "the full migration"
        return UNFINISHED_COPY.error(source=source, mode=mode, what=what, before=before or TaskMode.ALL)
    is_loaded = before is TaskMode.LOAD and bool(kept.load_status)
    if is_loaded and mode.has_full and not (kept.has_start or kept.has_checkpoint):
        return NO_PLACE.error(source=source, mode=mode)
    return None


def changed_rules(
    before: SubtaskConfig, now: SubtaskConfig, tables: Iterable[TableName]
) -> Mapping[str, list[TableName]]:
    """By the name of a block the ``tables`` that both files take, and whose rows or values go elsewhere by it now."""
    found: dict[str, list[TableName]] = {}
    took, takes = before.allow_list(), now.allow_list()
    former, present = _rules(before), _rules(now)
    for name in tables:
        if not (took.allows(*name) and takes.allows(*name)):
            continue
        old, new = former(name), present(name)
        for block in old:
            if old[block] != new[block]:
                found.setdefault(block, []).append(name)
    return found


def shown(tables: Iterable[TableName]) -> str:
    """Some of the tables by name, and how many there are more."""
    return listed([f"{schema}.{table}" for schema, table in tables])


def _rules(config: SubtaskConfig) -> Callable[[TableName], Mapping[str, object]]:
    """By block what it does to a table, whatever its rules are called."""
    rules, router = config.column_rules(), config.router()

    def of(name: TableName) -> Mapping[str, object]:
        columns = rules.of(*name)
        return {
            "routes": (router.route(*name), columns.extracted),
            "column-mappings": [replace(one, rule="") for one in columns.mapped],
        }

    return of


def _begins_anew(config: SubtaskConfig, kept: Kept) -> bool:
    """A copy of one moment does when it is not at its end: its tables are emptied, or it pauses."""
    return config.task_mode.has_full and config.consistency != "none" and any(kept.planned.values())


def _ignored_shards(config: SubtaskConfig, kept: Kept) -> Iterator[DMError]:
    tables = [one.table for one in kept.waiting]
    if config.shard_mode is ShardMode.NONE:
        changed, back = "the task has no shard-mode now", "shard-mode: pessimistic"
    elif config.task_mode is TaskMode.FULL and kept.mode is not TaskMode.FULL:  # it would end at once, behind its copy
        changed, back = "the task-mode is full now", f"task-mode: {kept.mode or TaskMode.ALL}"
    else:
        tables = [one.table for one in kept.waiting if _target(config, one.table) != one.target]
        changed, back = "their routes lead to other tables now", "the former routes"
        if not tables:
            return
    if tables or kept.is_reading_again:
        named = shown(sorted(set(tables))) or "rows of a DDL that is resolved"
        yield SHARDS_WAIT.error(source=config.source_id, changed=changed, tables=named, back=back)


def _target(config: SubtaskConfig, table: TableName) -> TableName:
    found = config.router().route(*table)
    return found.schema, found.table
