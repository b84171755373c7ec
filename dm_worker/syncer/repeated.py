"""Whether a DDL that an earlier run began was done by it, asked of the target; and what its answers say about that."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from dm_worker.syncer.ddl_errors import DONE_ALREADY
from dm_worker.syncer.ddl_jobs import was_finished
from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.clause_order import done_of, takes_over_names
from pkg.schema.name_exchange import exchanged_names, is_exchanged
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table

MAY_BE_EXCHANGED = ErrorKind(
    36112,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "columns take names of other columns at {place}, an earlier run may have done it in {target}, and the names and "
    "order of its columns do not tell: {sql}",
    workaround="compare a row of {target} with the upstream's; do the same there if that was not done; then "
    "`dmctl binlog skip <task>`, or `dmctl shard-ddl-lock unlock <lock> --action skip` where a lock waits",
)
log = logging.getLogger(__name__)


def was_done(
    downstream: Downstream,
    piece: Ddl,
    sql: str,
    structures: tuple[Table | None, Table | None],
    target: TableName,
    *,
    place: str,
    show: Callable[[str], None],
) -> bool:
    """``structures``: of the upstream table before and after the statement.  Raises MAY_BE_EXCHANGED."""
    is_finished = was_finished(downstream, sql, show)
    show("")
    if is_finished:
        return True
    names = exchanged_names(piece)
    if not names:
        return False  # run again it does the same, or the target refuses it in words that say so
    before, after = structures
    there = downstream.table(target.schema, target.table)
    found = is_exchanged(names, before, after, there) if before and after and there else None
    if found is None:
        raise MAY_BE_EXCHANGED.error(place=place, target=target.quoted(), sql=sql)
    log.info("columns of %s have%s exchanged their names for %s", target.quoted(), "" if found else " not", place)
    return found


def done_before(
    piece: Ddl,
    parts: Sequence[Ddl],
    before: Table | None,
    present: Callable[[], Table | None],
    target: TableName,
    place: str,
) -> int:
    """How many of a statement's parts are not to be run again: those that would take a column that the next ones made.

    The last one that was done is run again, for what is written behind it.  Raises MAY_BE_EXCHANGED.
    """
    if not takes_over_names(piece):
        return 0
    there = present()
    done = done_of(parts, before, there) if before is not None and there is not None else None
    if done is None:
        raise MAY_BE_EXCHANGED.error(place=place, target=target.quoted(), sql=piece.text)
    log.info("%d of %d parts of %s at %s were done", done, len(parts), target.quoted(), place)
    return max(done - 1, 0)


def is_exchange(piece: Ddl) -> bool:
    """Whether columns exchange their names."""
    return bool(exchanged_names(piece))


def says_done(piece: Ddl) -> frozenset[int]:
    """Errors by which the target refuses a statement that was done before."""
    return frozenset() if is_exchange(piece) else DONE_ALREADY.get(piece.kind, frozenset())
