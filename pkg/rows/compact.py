"""Several changes to one row become one, and a batch becomes segments that statements may reorder.

Within a segment each row appears once with its net change, and no unique value is touched by two
rows, so deletes, updates and inserts of the segment can run in any order.  Segments run in order.
Changes of tables that checked foreign keys tie to each other keep theirs: each is a segment, or a run of inserts.
Cython's pure Python mode; types for the compiler: compact.pxd.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import cython

from pkg.rows.change import Kind, RowImage, TargetTable

if cython.compiled:
    from cython.cimports.pkg.rows.job import Job
else:
    from pkg.rows.job import Job

_INSERT, _DELETE = Kind.INSERT, Kind.DELETE


@cython.no_gc
@cython.cclass
class NetChange:
    """What a segment does to one row: remove the row ``before`` and/or write the row ``after``."""

    def __init__(
        self,
        kind: Kind,
        key: RowImage,
        before: RowImage | None,
        after: RowImage | None,
        replaced: bool = False,
        expected: int = 1,
    ) -> None:
        self.kind = kind
        self.key = key
        self.before = before
        self.after = after
        self.replaced = replaced  # deleted and inserted again: both happen, the delete first
        self.expected = expected  # the rows that an UPDATE or DELETE should find

    def __repr__(self) -> str:
        return f"NetChange({self.kind.name}, {self.key}, {self.before}, {self.after}, {self.replaced}, {self.expected})"


@cython.cclass
class TableSegment:
    """Net changes of one table by exact identity; a keyless table keeps its changes in order instead."""

    def __init__(self, table: TargetTable, safe: bool) -> None:
        self.table = table
        self.safe = safe
        self._keyless = not table.identity
        self._folds = any(table.identity_folds)
        self._has_moves = bool(table.own_columns)  # updates may change a key
        self._by_key: dict[RowImage, NetChange] = {}
        self._raw_of: dict[RowImage, RowImage] = {}
        self._uniques: dict[tuple[object, ...], RowImage] = {}
        self.ordered: list[NetChange] = []
        self._inserts_only = True
        self._known: object = None  # the net change of the row that `takes` was asked about last

    @cython.cfunc
    def takes(self, job: Job, compact: cython.bint) -> cython.bint:
        """Whether ``job`` can join without changing what the segment's order may be."""
        if job.safe != self.safe or job.table is not self.table:
            return False
        if self._keyless:
            return True
        self._known = self._by_key.get(job.key)
        if self._known is not None and not (compact and self._follows(self._known, job)):
            return False
        if self._folds and self._raw_of.get(job.fold, job.key) != job.key:
            return False  # equal to the collation, other bytes: two rows for WHERE, one for the unique index
        return not job.uniques or self._has_room_for(job)

    @cython.cfunc
    def _follows(self, known: NetChange, job: Job) -> cython.bint:
        """Whether a change goes on with the row that another one left; not so where two rows have one key."""
        return (self.safe and not self._has_moves) or (known.kind is _DELETE) == (job.kind is _INSERT)

    @cython.cfunc
    def continues(self, job: Job) -> cython.bint:
        """Whether the table is tied to others by foreign keys and ``job`` inserts one more row after inserted ones."""
        return job.kind is _INSERT and self._inserts_only and self.takes(job, False)

    @cython.cfunc
    def _has_room_for(self, job: Job) -> cython.bint:
        """Whether no other row of the segment touches the job's unique values."""
        uniques = self._uniques
        return all(uniques.get(value, job.key) == job.key for value in job.uniques)

    @cython.cfunc
    def add(self, job: Job) -> cython.void:
        """Join a job that it `takes`, which was just asked; the first one needs no asking."""
        if job.kind is not _INSERT:
            self._inserts_only = False
        if self._keyless:
            self.ordered.append(NetChange(job.kind, job.key, job.before, job.after))
            return
        if self._folds:
            self._raw_of[job.fold] = job.key
        for value in job.uniques:
            self._uniques[value] = job.key
        known: object = self._known
        self._by_key[job.key] = (
            NetChange(job.kind, job.key, job.before, job.after) if known is None else _merged(known, job)
        )

    def changes(self) -> Collection[NetChange]:
        """The net changes, one per row."""
        return self.ordered if self._keyless else self._by_key.values()


@cython.cfunc
def _merged(known: NetChange, job: Job) -> NetChange:
    """``known`` followed by ``job`` on the same row."""
    if job.kind is _DELETE:
        before = known.before if known.before is not None else job.before
        # A row that the segment itself inserted is not there: its delete finds what the segment began with.
        begun_without = known.kind is _INSERT and not known.replaced
        expected = 0 if begun_without else known.expected
        return NetChange(_DELETE, job.key, before, None, False, expected)
    if known.kind is _DELETE:
        return NetChange(_INSERT, job.key, known.before, job.after, True, known.expected)
    # INSERT + UPDATE stays an insert of the newest image, UPDATE + UPDATE spans both
    return NetChange(known.kind, job.key, known.before, job.after, known.replaced, known.expected)


def segments(jobs: Iterable[Job], *, compact: bool = True) -> Iterator[list[TableSegment]]:
    """Cut a batch, in order, into segments; each is one TableSegment per table.

    With ``compact`` off a second change to a row opens a new segment, so each is applied as it came.
    """
    current: dict = {}
    merge: cython.bint = compact
    job: Job
    segment: TableSegment | None
    tied: TableSegment | None = None  # the one of `current` whose table has foreign keys
    for job in jobs:
        if job.table.group:
            if tied is not None and not tied.continues(job):
                yield list(current.values())
                current = {}
                tied = None
            if tied is None:
                tied = TableSegment(job.table, job.safe)
                current[job.table.qualified] = tied
            tied.add(job)
            continue
        segment = current.get(job.table.qualified)
        if segment is not None and not segment.takes(job, merge):
            yield list(current.values())
            current = {}
            segment = tied = None
        if segment is None:
            segment = TableSegment(job.table, job.safe)
            current[job.table.qualified] = segment
        segment.add(job)
    if current:
        yield list(current.values())
