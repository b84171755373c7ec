"""Online DDL whose rows cannot be had by an ALTER of the target's table: refused.  Which those are: pkg.schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dm_worker.syncer.servers import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.context import DdlContext
from pkg.schema.copied_rows import CopyDoubt, copy_doubts
from pkg.schema.errors import shortened
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


Steps = Sequence[tuple[Ddl, DdlContext]]
"""What was done to a shadow table, as if to the real one."""


def refuse_copied_rows(
    downstream: Downstream, steps: Steps, before: Table | None, target: TableName, place: str
) -> None:
    """Raises COPIED_OTHERWISE.  ``before``: the table upstream as far as it is tracked; ``target``: that one's."""
    present = downstream.table(target.schema, target.table)
    if present is None:
        return
    subject, ddls = steps[0][0].subject, [ddl for ddl, _ in steps]
    before = before or replace(present, schema=subject.schema, name=subject.table)
    for doubt in copy_doubts(ddls, before, _altered(before, steps)):
        if _is_met(downstream, doubt, present, target):
            raise COPIED_OTHERWISE.error(
                target=f"{target.schema}.{target.table}",
                column=doubt.column,
                reason=doubt.reason,
                rows=f"for one, those WHERE {doubt.where}" if doubt.where else "it has rows",
                place=place,
                sql=shortened("; ".join(ddl.text for ddl in ddls), 400),
            )


def _altered(before: Table, steps: Steps) -> Table:
    tracker = SchemaTracker()
    tracker.load(before)
    for ddl, context in steps:
        tracker.apply(ddl, context)
    return tracker.table(before.schema, before.name) or before


def _is_met(downstream: Downstream, doubt: CopyDoubt, present: Table, target: TableName) -> bool:
    """Whether the target has such rows, and has not been changed already, by hand or by an earlier run."""
    is_to_come = (present.column(doubt.old) is not None) if doubt.old else present.column(doubt.column) is None
    return is_to_come and downstream.has_row(target, doubt.where)
