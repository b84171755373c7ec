"""Rows of the target that hold a unique value which a change needs: somebody else wrote them.

A batch that meets one (error 1062) is applied once more, change by change, in one transaction with
locks, so that it is known which two rows collide.  What then happens is the task's `on-duplicate`:
the task pauses and shows both, the target's row gives way, or the change is passed over.  So is a batch
with a value that the target's strictness refuses.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from dm_worker.syncer.job_text import CHANGES, cut, ours, place_of, with_statement
from dm_worker.syncer.large_rows import fitting
from dm_worker.syncer.making_way import KeysUnchecked, cannot_replace, of_expressions
from dm_worker.syncer.missing_rows import OnMissingRow, is_moved, missing_row
from dm_worker.syncer.moved_rows import MovedRows
from dm_worker.syncer.stored_values import refuse_other_value
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import DUPLICATE, FOREIGN_KEY, VALUE_REFUSED
from pkg.adapters.mysql.tolerant import run_tolerantly
from pkg.adapters.structures import structure_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.change import Kind, RowImage, TargetTable, quote
from pkg.rows.compact import segments
from pkg.rows.conditions import equals
from pkg.rows.derived import changed, halves
from pkg.rows.job import Job
from pkg.rows.keys import NULL, fold
from pkg.rows.statements import CLOCK_RIGHT, Limits, Statement, key_condition, statements
from pkg.rows.tolerance import NO_TOLERANCE, Tolerance
from pkg.schema.letter_case import small
from pkg.schema.statement import TableName
from pkg.schema.table import Index, Table

OnDuplicate = Literal["error", "replace", "ignore"]
IsShared = Callable[[Connection, TableName], bool]

ROW_COLLIDES = ErrorKind(
    36120,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {table} in the target has a unique value that {change} from {place} needs; ours: ({ours}); the target's: "
    "{theirs}",
    workaround="somebody else writes {table}, shards that are merged share a key, an event filter has kept the row "
    "by leaving out its DELETE, or a foreign key upstream has deleted or changed it (`ON DELETE CASCADE` …: a MariaDB, "
    "and a MySQL before 9.6, log no rows of it, and the target does not do it by itself "
    "under `foreign_key_checks: 0`): end that, delete or change the target's row{deletes}, then resume-task; or set "
    "`on-duplicate` in `syncers` and start the task again: `replace` lets the target's rows give way, `ignore` passes "
    "such changes over. If the row goes from one source's table to another's, do none of that: resume-task once its "
    "DELETE is replicated, which would else remove our row",
)

HELD_BACK_COLLIDES = ErrorKind(
    36204,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {table} in the target has a unique value that {change} from {place} needs, while tables that are merged "
    "there wait with their rows for a DDL, and none of these has given the value up; ours: ({ours}); the target's: "
    "{theirs}",
    workaround="if the row goes from one table to another and is still to be deleted where it was: when that is done "
    "upstream, resume-task, and nothing else is needed; else shards share a key, or somebody else writes {table}: end "
    "that by changing one of the two rows upstream, then resume-task. The target's row{deletes} may only be deleted if "
    "no upstream table has it: a change of it that waits would hit ours",
)

SHARED_COLLIDES = ErrorKind(
    36188,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {table} in the target has a unique value that {change} from {place} needs, and does not give way by "
    "`on-duplicate: replace`: several upstream tables lead to {table}, and a later DELETE of the one that has the row "
    "now would remove ours; ours: ({ours}); the target's: {theirs}",
    workaround="if the row goes from one table to another: resume-task once its DELETE is replicated (of the same "
    "source: change one of the two rows upstream). If the tables share rows that nobody deletes, let the last one "
    "count by `safe-mode: true`, or the first one by `on-duplicate: ignore`, and start the task again",
)
LOG_SECONDS = 5.0
_ONE_ROW = Limits(multiple_rows=False)
log = logging.getLogger(__name__)


def conditions(structure: Table, target: TargetTable, job: Job) -> Iterator[bytes]:
    """For each unique key that ``job`` gives a value: what is true of exactly the row that has this value.

    A key over an expression, or over a column that rows do not carry, has none; nor has one whose value an
    update leaves as it was, which is in our own row.
    """
    if job.after is None:
        return
    ordinals = {small(column.name): ordinal for ordinal, column in enumerate(target.columns)}
    for index in structure.indexes:
        known = [ordinals.get(small(name), -1) for name in index.columns]
        if not index.unique or -1 in known or NULL in [job.after[ordinal] for ordinal in known]:
            continue
        if job.before is None or _moves(index, known, target, job.before, job.after):
            yield b" AND ".join(_parts(index, known, target, job.after))


def _moves(index: Index, ordinals: Iterable[int], target: TargetTable, before: RowImage, after: RowImage) -> bool:
    for ordinal, prefix in zip(ordinals, index.prefixes, strict=True):
        collation = target.columns[ordinal].collation
        if fold(before[ordinal], prefix, collation=collation) != fold(after[ordinal], prefix, collation=collation):
            return True
    return False


def _parts(index: Index, ordinals: Iterable[int], target: TargetTable, image: RowImage) -> Iterator[bytes]:
    for ordinal, prefix in zip(ordinals, index.prefixes, strict=True):
        name, value = target.names[ordinal], image[ordinal]
        if prefix is None:
            yield equals(target.columns[ordinal], name, value)
        else:
            yield b"LEFT(%b,%d)=LEFT(%b,%d)" % (name, prefix, value, prefix)


class LogLimit:
    """Says whether a line may be logged; a line stands for those that were left out before it."""

    def __init__(self, seconds: float = LOG_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._next = clock()
        self._left_out = 0

    def passes(self) -> bool:
        if self._clock() < self._next:
            self._left_out += 1
            return False
        self._next = self._clock() + self._seconds
        return True

    def take_left_out(self) -> int:
        left_out, self._left_out = self._left_out, 0
        return left_out


@dataclass(slots=True)
class Outcome:
    """What applying a batch change by change did."""

    missing: int = 0  # updates and deletes whose row was not there
    replaced: int = 0  # rows of the target that gave way
    ignored: int = 0  # changes that were passed over


class OneByOne:
    """Applies jobs one by one in the transaction that is open on ``connection``."""

    def __init__(
        self,
        connection: Connection,
        policy: OnDuplicate,
        limit: LogLimit,
        on_missing_row: OnMissingRow,
        *,
        largest_bytes: int,
        splits_updates: bool = False,
        moved: MovedRows | None = None,
        is_shared: IsShared = lambda connection, table: False,
    ) -> None:
        """``largest_bytes``: of one packet that the target takes.  ``is_shared``: whether several tables lead to one.

        ``splits_updates``: the target's warnings of an UPDATE do not name the column, as those of an INSERT do.
        """
        self._connection = connection
        self._moved = moved if moved is not None else MovedRows()
        self._splits_updates = splits_updates
        self._largest_bytes = largest_bytes
        self._policy = policy
        self._is_shared = is_shared
        self._on_missing_row = on_missing_row
        self._limit = limit
        self._structures: dict[bytes, Table] = {}
        self.outcome = Outcome()

    def apply(self, job: Job) -> None:
        """Raises ROW_COLLIDES, MISSING_ROW, OTHER_VALUE, and what else the target says."""
        ignored = self.outcome.ignored
        self._apply(job)
        if job.table.calculated and job.after is not None and self.outcome.ignored == ignored:
            refuse_other_value(self._connection, job)

    def _apply(self, job: Job) -> None:
        self._let_give_way(job)
        try:
            self._run(job)
        except DMError as exc:
            refused = DUPLICATE.matches(exc) or FOREIGN_KEY.matches(exc)
            if refused and job.safe and job.table.unchecked is not None:
                self._checks_on()  # of a state that the target is ahead of, its keys can not be checked
                self._run_safely(_copied(job, job.table.unchecked))
            elif job.safe and job.after is not None and cannot_replace(exc):
                self._run_cleared(job)
            elif DUPLICATE.matches(exc):
                self._meet(job, exc)
            else:
                raise

    def _run_safely(self, job: Job) -> None:
        try:
            self._run(job)
        except DMError as exc:
            if job.after is None or not cannot_replace(exc):
                raise
            self._run_cleared(job)

    def _run_cleared(self, job: Job) -> None:
        """Apply a job of safe mode, which the target refused, behind the removal of rows with its unique values."""
        assert job.after is not None
        self._checks_stay(job)
        structure = self._structure(job.table)
        new = changed(job, Kind.INSERT, job.key, None, job.after, job.table, safe=True)
        found = [*conditions(structure, job.table, new), *of_expressions(structure, job.table, job.after)]
        with KeysUnchecked(self._connection):
            for condition in found:
                self._execute(Statement(_where(b"DELETE FROM ", job.table, condition), None))
        self._run(job)

    def _checks_stay(self, job: Job) -> None:
        """As a statement was to leave them that failed."""
        if job.table.unchecked is not None or not job.table.checks_keys:
            self._checks_on()

    def _checks_on(self) -> None:
        """As a statement that failed was to be followed by."""
        self._connection.query("SET foreign_key_checks=1")

    def _run(self, job: Job) -> None:
        table, splits = job.table, self._splits_updates and job.kind is Kind.UPDATE and bool(job.table.tolerance)
        splits = splits and not (table.group or table.own_columns)
        try:
            self._run_statements(job, NO_TOLERANCE if splits else job.table.tolerance)
        except DMError as exc:
            if not splits or not VALUE_REFUSED.matches(exc):
                raise
            for half in halves(job):
                self._run_statements(half, half.table.tolerance)

    def _run_statements(self, job: Job, tolerance: Tolerance) -> None:
        try:
            for group in segments([job]):
                for segment in group:
                    for statement in statements(segment, _ONE_ROW):
                        affected = self._execute(statement, tolerance)
                        if statement.expected is not None and affected < statement.expected:
                            self._miss(job, statement)
        except DMError:
            if job.table.seconds_ahead is not None:  # as the statement that failed was to be followed by
                with contextlib.suppress(DMError):  # of a connection that is lost
                    self._connection.query(CLOCK_RIGHT.sql)
            raise

    def _miss(self, job: Job, statement: Statement) -> None:
        """``job`` finds no row."""
        if self._on_missing_row == "error" and not statement.may_miss:
            if job.table.unchecked is not None or not job.table.checks_keys:
                self._checks_on()
            if not is_moved(self._connection, job):
                raise missing_row(job)
        self.outcome.missing += 1

    def _execute(self, statement: Statement, tolerance: Tolerance = NO_TOLERANCE) -> int:
        try:
            return run_tolerantly(self._connection, fitting(statement.sql, self._largest_bytes), tolerance)
        except DMError as exc:
            if not VALUE_REFUSED.matches(exc):
                raise
            raise with_statement(exc, statement.sql) from exc  # the server's words name no table

    def _meet(self, job: Job, refusal: DMError) -> None:
        """``job`` needs a value that another row has."""
        self._checks_stay(job)
        found = list(conditions(self._structure(job.table), job.table, job))
        self._moved.ask(job)
        theirs = self._rows(job.table, found)
        if self._policy == "error":
            raise self._error(job, theirs, found, refusal)
        if self._policy == "ignore":
            self.outcome.ignored += 1
            self._log("a change is passed over, the target has its unique value", job, theirs)
            return
        if self._is_shared(self._connection, TableName(job.table.schema, job.table.name)):
            raise self._error(job, theirs, found, refusal, SHARED_COLLIDES)
        self._log("a row of the target gives way", job, theirs)
        self._make_room(job, theirs, found, refusal)

    def _let_give_way(self, job: Job) -> None:
        """Remove rows that ``job`` replaces: they have gone from where they were, and that table waits."""
        for move in self._moved.giving_way(job):
            # A key that waits may be written as the target's column cannot compare it yet.
            key = job.table.take_identity(job.after) if move.of_key and job.after is not None else move.key
            its = key_condition(job.table, key)
            for condition in conditions(self._structure(job.table), job.table, job):
                if self._is_so(job.table, condition, its):
                    self._execute(Statement(_where(b"DELETE FROM ", job.table, condition), None))

    def _is_so(self, table: TargetTable, condition: bytes, its: bytes) -> bool:
        """Whether the row of the target for which ``condition`` is true, ``its`` is true of, too.

        Not by both as one condition: where they contradict each other (``id=1 AND id=2``), TiDB 8 finds every row
        that the transaction has changed.
        """
        cursor: Any  # its stubs know no statement in bytes
        with self._connection.cursor() as cursor:
            cursor.execute(_where(b"SELECT " + its + b" FROM ", table, condition) + b" FOR UPDATE")
            return any(row[0] for row in cursor.fetchall())

    def _make_room(self, job: Job, theirs: list[str], found: list[bytes], refusal: DMError) -> None:
        for condition in found if theirs else ():
            self.outcome.replaced += self._execute(Statement(_where(b"DELETE FROM ", job.table, condition), None))
        try:
            self._run(job)
        except DMError as exc:
            if not cannot_replace(exc):
                raise
            if job.table.keyless:
                raise self._error(job, theirs, found, refusal) from exc
            self._replace(job)

    def _replace(self, job: Job) -> None:
        """A key that cannot be compared here, such as one over an expression: the target knows which row it is."""
        before, safe = self.outcome.replaced, _copied(job, job.table)
        try:
            for group in segments([safe]):
                for segment in group:
                    for statement in statements(segment, _ONE_ROW):  # REPLACE counts the new row and those it removed
                        counted = self._execute(statement, job.table.tolerance)
                        self.outcome.replaced += max(0, counted - 1 - (job.kind is Kind.UPDATE))
        except DMError as exc:
            if not cannot_replace(exc):
                raise
            self._run_cleared(safe)
        self.outcome.replaced = max(self.outcome.replaced, before + 1)

    def _structure(self, table: TargetTable) -> Table:
        known = self._structures.get(table.qualified)
        if known is None:
            known = structure_of(self._connection, table.schema, table.name)
            assert known is not None, "rows were just refused by it"
            self._structures[table.qualified] = known
        return known

    def _rows(self, table: TargetTable, found: list[bytes]) -> list[str]:
        """The target's rows that are in the way; locked, as they are now, whatever this transaction saw before."""
        rows: dict[str, None] = {}
        for condition in found:
            cursor: Any  # its stubs know no statement in bytes
            with self._connection.cursor() as cursor:
                cursor.execute(_where(b"SELECT * FROM ", table, condition) + b" FOR UPDATE")
                names = [quote(column[0]).decode() for column in cursor.description]
                rows.update(dict.fromkeys(_shown(names, row) for row in cursor.fetchall()))
        return list(rows)

    def _error(
        self, job: Job, theirs: list[str], found: list[bytes], refusal: DMError, as_kind: ErrorKind | None = None
    ) -> DMError:
        deletes = [_where(b"DELETE FROM ", job.table, condition).decode("utf-8", "replace") for condition in found]
        table = f"{job.table.schema}.{job.table.name}"
        kind = as_kind or (HELD_BACK_COLLIDES if self._moved.concern(job.table) else ROW_COLLIDES)
        return kind.error(
            cause=refusal,
            table=table,
            change=CHANGES[job.kind],
            place=place_of(job),
            ours=ours(job),
            theirs="; ".join(f"({row})" for row in theirs) or "not found by a key that rows carry",
            deletes=f" ({cut('; '.join(deletes), 400)})" if theirs else "",
        )

    def _log(self, what: str, job: Job, theirs: list[str]) -> None:
        if self._limit.passes():
            log.warning(
                "%s: table=%s.%s place=%s ours=(%s) theirs=%s left_out=%d",
                what, job.table.schema, job.table.name, place_of(job), ours(job), theirs, self._limit.take_left_out(),
            )  # fmt: skip


def _shown(names: list[str], row: Iterable[Any]) -> str:
    values = ["NULL" if value is None else cut(repr(value)) for value in row]
    return ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def _where(verb: bytes, table: TargetTable, condition: bytes) -> bytes:
    return verb + table.qualified + b" WHERE " + condition


def _copied(job: Job, table: TargetTable) -> Job:
    """The same in safe mode."""
    return changed(job, job.kind, job.key, job.before, job.after, table, safe=True)
