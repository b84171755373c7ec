"""ALTER IGNORE TABLE in the target: only where the rows that it deletes are the upstream's."""

from __future__ import annotations

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.unlike_values import Met
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.counters import order_doubt
from pkg.schema.ignoring import unseen_condition, whole_unique, without_ignore

DUPLICATES_STAY = ErrorKind(
    36201,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "ALTER IGNORE at {place} deletes rows upstream that the new unique key {key} holds equal, and {target} has no "
    "unique key over a whole text: {sql}",
    workaround="delete these rows from {target} (those that the upstream has no more), then `dmctl binlog skip <task>`",
)

CHECKED_STAY = ErrorKind(
    36300,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "ALTER IGNORE at {place} deletes rows upstream that a new condition refuses ({condition}), and {target} does not "
    "look at it: {sql}",
    workaround="delete these rows from {target} (those that the upstream has no more), make the same change there "
    "without IGNORE, then `dmctl binlog skip <task>`",
)


def strictly(downstream: Downstream, met: Met, sql: str, *, is_merged: bool) -> str:
    """``sql``, of an ALTER IGNORE, without that word where the target might keep another one of equal rows.

    The target then refuses the statement where it has such rows.  Raises DUPLICATES_STAY, CHECKED_STAY.
    """
    flavor, target = downstream.server.flavor, met.target
    present = downstream.table(target.schema, target.table)
    if present is None:
        return sql
    condition = unseen_condition(met.piece, flavor)
    if condition and downstream.has_row(target):
        raise CHECKED_STAY.error(condition=condition, **met.said())
    if flavor == met.upstream and not is_merged and not order_doubt(met.before, present, (met.upstream, flavor)):
        return sql
    key = whole_unique(met.piece, met.after) if met.after is not None else ""
    if flavor != "mariadb" and key and downstream.has_row(target):
        raise DUPLICATES_STAY.error(key=key, **met.said())
    return without_ignore(sql)
