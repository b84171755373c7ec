"""Checks of the tables: keys, cascades, online DDL, what the target's tables are like.  Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dm_master.precheck.columns import filled_columns
from dm_master.precheck.facts import TargetFacts, UpstreamFacts, shown
from dm_master.precheck.report import Check, Finding, State
from pkg.adapters.structures import filtered_cascades
from pkg.errors import listed
from pkg.rows.foreign_keys import asks_for_key_checks
from pkg.rules.online_ddl import TableRole
from pkg.schema.letter_case import small
from pkg.schema.statement import TableName as QualifiedName
from pkg.schema.unfit_tables import unfit_reason
from pkg.task.stage import TaskMode


def check_keys(facts: UpstreamFacts) -> Check:
    keyless = [str(table) for table in facts.tables if not table.has_identity]
    found: tuple[Finding, ...] = ()
    if keyless:
        text = f"source {facts.subtask.source_id}: no primary key and no unique key without NULLs: {listed(keyless)}"
        found = (
            Finding(
                State.WARN,
                text,
                f"source {facts.subtask.source_id}",
                "they are migrated exactly, but slowly: each is read in one piece and written by one connection; "
                "a primary key makes them quick",
            ),
        )
    return Check("table_schema", "table structure compatibility check",
                 f"tables have a key ({facts.subtask.source_id})", found)  # fmt: skip


def check_cascades(facts: UpstreamFacts, target: TargetFacts | None = None) -> Check:
    """Foreign keys whose cascades are not in the binlog: who does them in the target?"""
    subtask = facts.subtask
    where = f"source {subtask.source_id}"
    found: list[Finding] = []
    unlogged = listed([str(one) for one in facts.unlogged_cascades])
    checks_keys = asks_for_key_checks(subtask.target.session)
    checking = target if checks_keys else None
    if facts.unlogged_cascades and not checks_keys:
        text = f"{where}: what these foreign keys cascade is not in the binlog: {unlogged}"
        is_open = not subtask.chooses_key_checks
        way_out = (
            "set `foreign_key_checks: 1` in the target-database's `session`, so that the target cascades, too; "
            "without it children of deleted and changed parents stay as they were"
        ) + (": set `foreign_key_checks: 0` where that is taken" if is_open else "")
        found.append(Finding(State.FAIL if is_open else State.WARN, text, where, way_out))
    elif facts.unlogged_cascades and subtask.task_mode is TaskMode.ALL and subtask.consistency == "none":
        text = f"{where}: tables are copied while foreign keys may cascade: {unlogged}"
        way_out = (
            "leave `consistency` away, so that all tables are of one moment; or delete no parents and change none of "
            "their keys until `query-status` shows `safeMode: false`, or compare these tables afterwards"
        )
        found.append(Finding(State.WARN, text, where, way_out))
    if facts.unlogged_cascades and checking and checking.loses_cascades:
        text = f"{where}: MySQL from 9.6 on, the target, loses some of what foreign keys cascade: {unlogged}"
        way_out = (
            "start the target's mysqld with `innodb_native_foreign_keys=ON`, which cascades as InnoDB always did; or "
            "`foreign_key_checks: 0` in the target-database's `session` where nobody deletes or changes such parents"
        )
        found.append(Finding(State.FAIL, text, where, way_out))
    if checking and checking.makes_idle_keys:
        text = f"{checking.address}: TiDB's tidb_enable_foreign_key is OFF: its foreign keys neither check nor cascade"
        way_out = (
            "SET GLOBAL tidb_enable_foreign_key = ON there (TiDB 6.6 and later), or `foreign_key_checks: 0` in the "
            "target-database's `session`"
        )
        found.append(Finding(State.FAIL, text, where, way_out))
    if facts.unlogged_cascades and checking and checking.idle_cascades:
        idle = listed([str(one) for one in checking.idle_cascades])
        text = f"{where}: TiDB, the target, marks foreign keys as INVALID, which do not cascade: {idle}"
        way_out = "drop them there and add them again, with tidb_enable_foreign_key ON"
        found.append(Finding(State.FAIL, text, where, way_out))
    if filtered := list(filtered_cascades(facts.unlogged_cascades, subtask.event_filter().ignored_rows)):
        text = (
            f"{where}: `filters` leave out changes of one of the tables between which keys cascade: {listed(filtered)}"
        )
        way_out = (
            "what the upstream cascades is not in the binlog, so no filter sees it, and the target cascades by its own "
            "keys: leave out the changes of both tables, or of none, or take the difference"
        )
        found.append(Finding(State.WARN, text, where, way_out))
    return Check("table_schema", "foreign key checker", f"foreign keys do not cascade unseen ({where})", tuple(found))


def check_ghosts(facts: UpstreamFacts, *, is_fresh: bool = True) -> Check:
    """Tables of gh-ost and pt-online-schema-change: one that runs at the start, and what former ones left."""
    subtask = facts.subtask
    online, allow_list, where = subtask.online_tables(), subtask.allow_list(), subtask.source_id
    by_role: dict[TableRole, list[str]] = {TableRole.SHADOW: [], TableRole.TRASH: []}
    for name in facts.ghosts if is_fresh else ():
        role, real = online.classify(QualifiedName(*name)) if online is not None else (TableRole.REAL, None)
        if real is not None and allow_list.allows(real.schema, real.table):
            by_role[role].append(shown(name))
    found = []
    if by_role[TableRole.SHADOW]:
        text = f"source {where}: tables of a running online schema change: {listed(by_role[TableRole.SHADOW])}"
        way_out = (
            "start the task when the change is through, or drop what a broken off one has left; if they are tables of "
            "yours, set `online-ddl: false` or change `shadow-table-rules`"
        )
        found.append(Finding(State.FAIL, text, where, way_out))
    if by_role[TableRole.TRASH]:
        text = f"source {where}: left out as what online schema changes left: {listed(by_role[TableRole.TRASH])}"
        way_out = "if they are tables of yours, set `online-ddl: false` or change `trash-table-rules`"
        found.append(Finding(State.WARN, text, where, way_out))
    return Check("online_ddl", "online ddl checker", f"no schema change is under way ({where})", tuple(found))


def check_uncopied_tables(facts: UpstreamFacts, target: TargetFacts) -> Check:
    """Tables that the lists take now, and that the last run left out: what they have already never comes."""
    subtask, found = facts.subtask, []
    where, taken = f"source {subtask.source_id}", target.earlier.of(subtask).taken
    took = subtask.before(taken).allow_list() if taken else None
    added = [str(table) for table in facts.tables if took is not None and not took.allows(*table.name)]
    if added:
        text = (
            f"{where}: the block-allow-list takes tables now that it left out when the task ran, and it goes on behind "
            f"its checkpoint: rows that they have upstream are not copied: {listed(added)}"
        )
        way_out = (
            "leave them out of this task and migrate them by a task of their own (task-mode all); or fill them in the "
            "target as they were at the checkpoint (nothing to fill where they were made upstream since then), and put "
            "`uncopied_tables` into ignore-checking-items"
        )
        found.append(Finding(State.FAIL if subtask.task_mode.has_full else State.WARN, text, where, way_out))
    return Check("uncopied_tables", "taken table check", f"tables that are taken were taken before ({where})",
                 tuple(found))  # fmt: skip


def check_target_tables(upstreams: Sequence[UpstreamFacts], target: TargetFacts) -> Iterator[Check]:
    """Whether tables that are in the target already take the upstream's rows as they are."""
    narrower = [finding for one in upstreams for finding in _narrower(one, target)]
    yield Check("table_schema", "target table structure check", "existing target tables take all columns",
                tuple(narrower))  # fmt: skip
    unfit = [finding for one in upstreams for finding in _unfit(one, target)]
    yield Check("table_schema", "target table engine check", "target tables keep rows as they are written",
                tuple(unfit))  # fmt: skip


def _unfit(facts: UpstreamFacts, target: TargetFacts) -> Iterator[Finding]:
    for table in facts.tables:
        name = facts.targets[table.name]
        there, triggers = target.tables.get(name), target.triggers.get(name, ())
        if there is None:
            continue
        reason = unfit_reason(there.engine, triggers, [column.name for column in table.columns])
        if reason:
            text = f"{shown(name)} in the target does not keep the rows of {table} as they are written: {reason}"
            yield Finding(State.FAIL, text, str(table), "give it the engine InnoDB, or drop the trigger there")
        elif triggers:
            text = f"triggers of {shown(name)} in the target run for each row: {', '.join(map(str, triggers))}"
            way_out = "drop those that write to tables of the task, or to what other programs count"
            yield Finding(State.WARN, text, str(table), way_out)


def _narrower(facts: UpstreamFacts, target: TargetFacts) -> Iterator[Finding]:
    for table in facts.tables:
        name = facts.targets[table.name]
        there = target.tables.get(name)
        if there is None:
            continue
        filled = filled_columns(facts, table)
        missing = [column.name for column in table.columns if not there.column(column.name)]
        if missing:
            text = f"{shown(name)} in the target lacks the columns {', '.join(missing)} of {table}"
            yield Finding(State.WARN, text, str(table), "add them to the target table before rows arrive")
        demanding = [
            column.name
            for column in there.columns
            if not (column.nullable or column.has_default or table.column(column.name))
            and small(column.name) not in filled
        ]
        if demanding:
            text = f"{shown(name)} in the target needs values for {', '.join(demanding)}, which {table} does not have"
            yield Finding(State.WARN, text, str(table), "give these columns a default")
