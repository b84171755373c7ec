"""What a run does about rows that went from one table of a merge to another while one of these waited.

A change that needs a unique value of such a row finds the row still there: it gives way.  Late changes of that
row, from the one by which it got the value to the one by which it gave it up, are void (pkg/shardddl/moves.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.derived import changed
from pkg.rows.job import Job
from pkg.schema.statement import TableName
from pkg.shardddl.absences import Absences, Span
from pkg.shardddl.moves import Move, Taker, taker

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
        self._passed_on: dict[tuple[TableName, RowImage], list[Move]] = {}  # by rows that are absent
        self._void: dict[TableName, tuple[Absences, Absences]] = {}  # by other values, by the key
        self._columns: dict[TableName, tuple[bytes, ...]] = {}
        spans: dict[TableName, tuple[list[Span], list[Span]]] = {}
        for move in (one for ones in (moves or {}).values() for one in ones):
            self._taken.setdefault(move.taken, []).append(move)
            is_others = move.of_key or move.taken[1] == move.key  # the taker has the key, too
            spans.setdefault(move.table, ([], []))[is_others].append((move.key, move.since, move.until))
            self._columns[move.table] = move.columns
        for table, (by_value, by_key) in spans.items():
            self._void[table] = Absences(by_value), Absences(by_key)

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
        if target is not None and not self._is_answered(target, by):
            self.asked = target, by
            raise UNKNOWN_MOVE.error(table=f"{target.schema}.{target.table}", place=by[0])

    def _is_answered(self, target: TableName, by: Taker) -> bool:
        searched = self._searched.get(target)
        return (target, by) in self._answered or (searched is not None and by[0] <= searched)

    def _pass_on(self, table: TableName, job: Job, after: RowImage | None, written: Job | None) -> None:
        """What a void change was to take, the change takes that writes the row (``after``: its key) anew."""
        moves = [*self._passed_on.pop((table, job.key), ())]
        if written is not None:
            if moves:
                self._taken[taker(written)] = [*self._taken.get(taker(written), ()), *moves]
        elif after is not None:
            moves += self._taken.get(taker(job), ())
            if moves:
                self._passed_on[table, after] = moves

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
            is_others = job.before is not None and by_key.before(job.key, at)  # another row has the key
            was_away = is_others or (job.before is not None and by_value.before(job.key, at))
            key = job.key if job.after is None else job.table.take_identity(job.after)
            is_away = job.after is not None and (by_key.behind(key, at) or by_value.behind(key, at))
            if not (was_away or is_away):
                yield job
                continue
            # A row that was in the target before it waited is still there, unless another one has taken its place.
            if was_away and not is_others and (not is_away or key != job.key or job.after is None):
                yield changed(job, Kind.DELETE, job.key, job.before, None, job.table, safe=True, second=False)
            elif not was_away and job.before is not None:
                yield changed(job, Kind.DELETE, job.key, job.before, None, job.table, safe=job.safe)
            written = _written(job) if job.after is not None and not is_away else None
            self._pass_on(table, job, key if is_away else None, written)
            if written is not None:
                yield written


def _identity(table: TargetTable) -> tuple[bytes, ...]:
    return tuple([table.names[ordinal] for ordinal in table.identity])


def _written(job: Job) -> Job:
    """The row after an update."""
    assert job.after is not None
    key = job.table.take_identity(job.after)
    return changed(job, Kind.INSERT, key, None, job.after, job.table, safe=job.safe, second=True)
