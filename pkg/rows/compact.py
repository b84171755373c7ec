"""Several changes to one row become one, and a batch becomes segments that statements may reorder.

Within a segment each row appears once with its net change, and no unique value is touched by two
rows, so deletes, updates and inserts of the segment can run in any order.  Segments run in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pkg.rows.change import Job, Kind, RowImage, TargetTable


@dataclass(slots=True)
class NetChange:
    """What a segment does to one row: remove the row ``before`` and/or write the row ``after``."""

    kind: Kind
    key: RowImage
    before: RowImage | None
    after: RowImage | None
    replaced: bool = False  # deleted and inserted again: both happen, the delete first
    expected: int = 1  # the rows that an UPDATE or DELETE should find


@dataclass(slots=True)
class TableSegment:
    """Net changes of one table by exact identity; a keyless table keeps its changes in order instead."""

    table: TargetTable
    safe: bool
    by_key: dict[RowImage, NetChange] = field(default_factory=dict)
    raw_of: dict[RowImage, RowImage] = field(default_factory=dict)
    uniques: dict[tuple[object, ...], RowImage] = field(default_factory=dict)
    ordered: list[NetChange] = field(default_factory=list)

    def takes(self, job: Job) -> bool:
        """Whether ``job`` can join without changing what the segment's order may be."""
        if job.safe != self.safe or job.table is not self.table:
            return False
        if job.table.keyless:
            return True
        if self.raw_of.get(job.fold, job.key) != job.key:
            return False  # equal to the collation, other bytes: two rows for WHERE, one for the unique index
        return all(self.uniques.get(value, job.key) == job.key for value in job.uniques)

    def add(self, job: Job) -> None:
        if job.table.keyless:
            self.ordered.append(NetChange(job.kind, job.key, job.before, job.after))
            return
        self.raw_of[job.fold] = job.key
        for value in job.uniques:
            self.uniques[value] = job.key
        known = self.by_key.get(job.key)
        self.by_key[job.key] = _first(job) if known is None else _merged(known, job)

    def changes(self) -> Iterable[NetChange]:
        return self.ordered if self.table.keyless else self.by_key.values()


def _first(job: Job) -> NetChange:
    return NetChange(job.kind, job.key, job.before, job.after)


def _merged(known: NetChange, job: Job) -> NetChange:
    """``known`` followed by ``job`` on the same row."""
    if job.kind is Kind.DELETE:
        before = known.before if known.before is not None else job.before
        # A row that the segment itself inserted need not be there: its delete may find nothing.
        expected = 0 if known.kind is Kind.INSERT and not known.replaced else 1
        return NetChange(Kind.DELETE, job.key, before, None, expected=expected)
    if known.kind is Kind.DELETE:
        return NetChange(Kind.INSERT, job.key, known.before, job.after, replaced=True, expected=known.expected)
    # INSERT + UPDATE stays an insert of the newest image, UPDATE + UPDATE spans both
    return NetChange(known.kind, job.key, known.before, job.after, known.replaced, known.expected)


def segments(jobs: Iterable[Job], *, compact: bool = True) -> Iterator[list[TableSegment]]:
    """Cut a batch, in order, into segments; each is one TableSegment per table.

    With ``compact`` off a second change to a row opens a new segment, so each is applied as it came.
    """
    current: dict[bytes, TableSegment] = {}
    for job in jobs:
        segment = current.get(job.table.qualified)
        if segment is not None and not (segment.takes(job) and (compact or job.key not in segment.by_key)):
            yield list(current.values())
            current, segment = {}, None
        if segment is None:
            segment = current[job.table.qualified] = TableSegment(job.table, job.safe)
        segment.add(job)
    if current:
        yield list(current.values())
