"""Online DDL whose rows cannot be had by an ALTER of the target's table: refused.  Which those are: pkg.schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.context import DdlContext
from pkg.schema.copied_rows import CopyDoubt, copy_doubts, detours, left_out
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.lexer import tokenize
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

COPIED_OTHERWISE = ErrorKind(
    36236,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the rows that {target} has may hold other values in column `{column}` than upstream, where gh-ost or "
    "pt-online-schema-change copied them into an altered table: {reason}; {rows}; the exchange is at {place}: {sql}",
    workaround="make the same change in {target} yourself, write the values that {column} has upstream by the table's "
    "key (as they are now: replication brings what has been written since), then `dmctl binlog skip <task>`; or "
    "`dmctl binlog replace <task> <sql>`, with that ALTER TABLE of the real table, where the values do not matter",
)


LEFT_OUT = ErrorKind(
    36237,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{target} has rows that the new {constraint} refuses: where gh-ost or pt-online-schema-change copied rows into an "
    "altered table upstream, INSERT IGNORE left them out; for one, those WHERE {where}; exchanged at {place}: {sql}",
    workaround="delete these rows from {target} where the upstream has them no more, then resume-task; where it has "
    "them, `dmctl binlog replace <task> <sql>` with that ALTER TABLE of the real table",
)
Steps = Sequence[tuple[Ddl, DdlContext]]
"""What was done to a shadow table, as if to the real one."""


def refuse_copied_rows(
    downstream: Downstream, steps: Steps, before: Table | None, routed: Callable[[TableName], TableName], place: str
) -> None:
    """Raises COPIED_OTHERWISE, LEFT_OUT.  ``before``: the table upstream as far as it is tracked."""
    subject, ddls = steps[0][0].subject, [ddl for ddl, _ in steps]
    target = routed(subject)
    present = downstream.table(target.schema, target.table)
    if present is None:
        return
    before = before or replace(present, schema=subject.schema, name=subject.table)
    after = altered(before, steps)
    said: dict[str, Any] = {
        "target": f"{target.schema}.{target.table}",
        "place": place,
        "sql": shortened("; ".join(ddl.text for ddl in ddls), 400),
    }
    between = [altered(before, steps[:number]) for number in range(1, len(steps))]
    doubts = copy_doubts(ddls, before, after, to_tidb=downstream.server.flavor == "tidb")
    for doubt in (*doubts, *detours(before, between, after)):
        if _is_met(downstream, doubt, present, target):
            rows = f"for one, those WHERE {doubt.where}" if doubt.where else "it has rows"
            raise COPIED_OTHERWISE.error(column=doubt.column, reason=doubt.reason, rows=rows, **said)

    def parent(name: TableName) -> TableName | None:
        there = routed(name)
        return there if downstream.table(there.schema, there.table) is not None else None

    gone = {small(column.name) for column in before.columns if present.column(column.name) is None}
    for one in left_out(ddls, before, after, target, parent):
        is_done = gone & {small(token.value) for token in tokenize(one.where)}  # by hand, or by an earlier run
        if not is_done and downstream.has_row(target, one.where):
            raise LEFT_OUT.error(constraint=one.constraint, where=one.where, **said)


def altered(before: Table, steps: Steps) -> Table:
    """The table behind the steps."""
    tracker = SchemaTracker()
    tracker.load(before)
    for ddl, context in steps:
        tracker.apply(ddl, context)
    return tracker.table(before.schema, before.name) or before


def _is_met(downstream: Downstream, doubt: CopyDoubt, present: Table, target: TableName) -> bool:
    """Whether the target has such rows, and has not been changed already, by hand or by an earlier run."""
    is_to_come = (present.column(doubt.old) is not None) if doubt.old else present.column(doubt.column) is None
    return is_to_come and downstream.has_row(target, doubt.where)
