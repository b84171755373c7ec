"""What a run does about rows that went from one table of a merge to another while one of these waited.

A change that needs a unique value of such a row finds the row still there: it gives way.  Late changes of that
row, up to the one by which it gave up the value, are void (pkg/shardddl/moves.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.derived import changed
from pkg.rows.job import Job
from pkg.schema.statement import TableName
from pkg.shardddl.moves import At, Move, Taker, taker

UNKNOWN_MOVE = ErrorKind(  # ends a run, and is nothing that anybody is told
    36202,
    "sync-unit",
    Scope.INTERNAL,
    Level.LOW,
    "a row of {table} has a unique value that a change from {place} needs, and what waits may have given it up",
    workaround="none is needed",
)
OTHER_KEY = ErrorKind(
    36203,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "rows of {table} have gone to another table of the merge while {table} waited with its rows for a DDL that changes "
    "the key of {target}: what waits cannot be told from what came after it",
    workaround="`dmctl stop-task`, and start the task anew with --remove-meta and an empty target table; alter the key "
    "of tables that are merged while no rows go from one to another",
)


class MovedRows:
    """What is known of one run; any channel may ask."""

    def __init__(
        self,
        targets: Callable[[], Collection[TableName]] = frozenset,
        moves: Mapping[TableName, Sequence[Move]] | None = None,
        searched: Mapping[TableName, Position] | None = None,
        answered: Collection[tuple[TableName, Taker]] = (),
    ) -> None:
        """``targets`` have, by now, changes in another order than the stream's.

        Their moves are known up to ``searched``, and for changes that are ``answered``.
        """
        self._targets = targets
        self._searched = searched or {}
        self._answered = answered
        self.asked: tuple[TableName, Taker] | None = None  # what UNKNOWN_MOVE is about
        self._taken: dict[Taker, list[Move]] = {}
        self._void: dict[TableName, tuple[dict[RowImage, At], dict[RowImage, At]]] = {}  # by other values, by the key
        self._columns: dict[TableName, tuple[bytes, ...]] = {}
        for move in (one for ones in (moves or {}).values() for one in ones):
            self._taken.setdefault(move.taken, []).append(move)
            void = self._void.setdefault(move.table, ({}, {}))[move.of_key]
            void[move.key] = max(move.until, void.get(move.key, move.until))
            self._columns[move.table] = move.columns

    def concern(self, table: TargetTable) -> bool:
        """Whether changes of a table come in another order than the stream's."""
        return self._target(table) is not None

    def _target(self, table: TargetTable) -> TableName | None:
        name = (table.schema.lower(), table.name.lower())
        return next((one for one in self._targets() if (one.schema.lower(), one.table.lower()) == name), None)

    def giving_way(self, job: Job) -> Iterator[Move]:
        """Rows that ``job`` replaces, since they are not there any more upstream."""
        known = self._taken.get(taker(job)) if self._taken else None
        if known:
            columns = _identity(job.table)
            yield from (move for move in known if move.was_there and move.columns == columns)

    def ask(self, job: Job) -> None:
        """Whether what waits has given up a value that ``job`` needs.  Raises UNKNOWN_MOVE where it is not known."""
        target, by = self._target(job.table), taker(job)
        if target is not None and by not in self._taken and not self._is_answered(target, by):
            self.asked = target, by
            raise UNKNOWN_MOVE.error(table=f"{target.schema}.{target.table}", place=by[0])

    def _is_answered(self, target: TableName, by: Taker) -> bool:
        searched = self._searched.get(target)
        return (target, by) in self._answered or (searched is not None and by[0] <= searched)

    def has_void(self, table: TableName) -> bool:
        """Whether late changes of an upstream table may be void."""
        return table in self._void

    def without_void(self, table: TableName, first: int, jobs: Sequence[Job]) -> Iterator[Job]:
        """The changes of an upstream table, late ones of one event, that count.  Raises OTHER_KEY.

        ``first`` is what the event's first change has, or would have, as its ``row_index``.
        """
        by_value, by_key = self._void[table]
        for job in jobs:
            if _identity(job.table) != self._columns[table]:
                names = f"{table.schema}.{table.table}", f"{job.table.schema}.{job.table.name}"
                raise OTHER_KEY.error(table=names[0], target=names[1])
            at = taker(job)[0], job.row_index - first
            gone, until = by_key.get(job.key), by_value.get(job.key)
            if gone is not None and at <= gone:  # another row has the key
                if at == gone and job.kind is Kind.UPDATE:
                    yield _written(job)
            elif until is None or at > until:
                yield job
            elif job.kind is Kind.DELETE or at == until:
                yield changed(job, Kind.DELETE, job.key, job.before, None, job.table, safe=True, second=False)
                if job.kind is Kind.UPDATE:
                    yield _written(job)


def _identity(table: TargetTable) -> tuple[bytes, ...]:
    return tuple([table.names[ordinal] for ordinal in table.identity])


def _written(job: Job) -> Job:
    """The row after an update."""
    assert job.after is not None
    key = job.table.take_identity(job.after)
    return changed(job, Kind.INSERT, key, None, job.after, job.table, safe=job.safe, second=True)
