"""Rows of tables that are merged, while safe mode writes one over the other.  No I/O.

A row may go from one table to another of a merge by an INSERT that comes before its DELETE: for a moment two upstream
tables hold the row, of which the target has one.  Outside of safe mode the INSERT is refused (36120).  In safe mode it
replaces the row, and the DELETE of the other table must not take it away.  So the target always has the row of the
table that wrote it last and still holds it.

Known is what was written among the last rows of the stream, and since the run began.  Tables of which a foreign key
deletes or changes rows that no binlog has (`ON DELETE CASCADE` …) are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.derived import changed
from pkg.rows.job import Job
from pkg.rows.keys import fold_identity
from pkg.schema.statement import TableName

REMEMBERED_ROWS = 50_000

Key = tuple[bytes, RowImage]
"""A target table, quoted, and a row's identity as the target compares it."""
Held = tuple[tuple[TableName, TargetTable, RowImage], ...]
"""Upstream tables that hold the row, by when they wrote it, the last one last; each with what it wrote."""


class LastWriters:
    """Of one run.  Rows are remembered for at least as many changes as ``remembered``, and for twice as many at most.

    invariant: the target has, once all jobs are applied, the row of the last table in ``Held``.
    """

    def __init__(self, remembered: int = REMEMBERED_ROWS) -> None:
        self._remembered = remembered
        self._young: dict[Key, Held] = {}
        self._old: dict[Key, Held] = {}
        self._changes = 0  # since the young ones became old
        self._journal: list[tuple[int, Key, Held]] = []  # what a key had before a job, by the job's seq

    @property
    def is_empty(self) -> bool:
        return not (self._young or self._old)

    def forget(self) -> None:
        """Tables may have other names, structures or rows from here on: a DDL."""
        self._young, self._old, self._journal = {}, {}, []

    def settle(self) -> None:
        """What came so far is not rolled back any more."""
        self._journal = []

    def roll_back(self, first: int) -> None:
        """Jobs with a seq above ``first`` do nothing."""
        while self._journal and self._journal[-1][0] > first:
            _, key, held = self._journal.pop()
            self._set(key, held)

    def jobs(self, source: TableName, jobs: Sequence[Job]) -> Iterator[Job]:
        """What is to be done of an upstream table's changes."""
        self._age(len(jobs))
        for job in jobs:
            if job.after is None:
                yield from self._left(source, job)
            elif job.kind is Kind.UPDATE and _key_after(job) != _key(job):
                yield from self._moved(source, job)
            else:
                is_shared = self._write(source, job)
                # An update says what it changes of its own table's row, and not of the one that is there.
                yield _written(job) if is_shared and job.kind is Kind.UPDATE else job

    def _left(self, source: TableName, job: Job) -> Iterator[Job]:
        """In place of a DELETE: nothing where another table's row is there, and that row where it is not."""
        held = self._held(_key(job))
        others = self._others(source, _key(job))
        self._keep(job.seq, _key(job), others)
        if not others:
            yield job
        elif held[-1][0] == source:
            _, table, image = others[-1]
            yield changed(job, Kind.INSERT, table.take_identity(image), None, image, table, safe=True)

    def _moved(self, source: TableName, job: Job) -> Iterator[Job]:
        """An UPDATE of the key that is one job: it goes in two where another table holds one of the two rows."""
        if not self._others(source, _key(job)) and not self._others(source, _key_after(job)):
            self._keep(job.seq, _key(job), ())
            self._write(source, job)
            yield job
            return
        yield from self._left(
            source, changed(job, Kind.DELETE, job.key, job.before, None, job.table, safe=job.safe, second=False)
        )
        self._write(source, job)
        yield _written(job, second=True)

    def _others(self, source: TableName, key: Key) -> Held:
        return tuple(one for one in self._held(key) if one[0] != source)

    def _write(self, source: TableName, job: Job) -> bool:
        """Whether another table holds the row, too."""
        assert job.after is not None
        key = _key_after(job)
        others = self._others(source, key)
        if job.safe or self._held(key):
            self._keep(job.seq, key, (*others, (source, job.table, job.after)))
        return bool(others)

    def _held(self, key: Key) -> Held:
        return self._young.get(key) or self._old.get(key, ())

    def _keep(self, seq: int, key: Key, held: Held) -> None:
        before = self._held(key)
        if before or held:
            self._journal.append((seq, key, before))
            self._set(key, held)

    def _set(self, key: Key, held: Held) -> None:
        self._old.pop(key, None)
        if held:
            self._young[key] = held
        else:
            self._young.pop(key, None)

    def _age(self, changes: int) -> None:
        self._changes += changes
        if self._changes >= self._remembered:
            self._old, self._young, self._changes = self._young, {}, 0


def _key(job: Job) -> Key:
    return job.table.qualified, job.fold


def _key_after(job: Job) -> Key:
    assert job.after is not None
    return job.table.qualified, fold_identity(job.table, job.table.take_identity(job.after))


def _written(job: Job, second: bool | None = None) -> Job:
    """The row after a change, in place of whatever is there."""
    assert job.after is not None
    key = job.table.take_identity(job.after)
    return changed(job, Kind.INSERT, key, None, job.after, job.table, safe=True, second=second)
