"""Changes that stand for another one, at its place in the stream."""

from __future__ import annotations

from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.job import Job
from pkg.rows.keys import fold_identity


def changed(
    job: Job,
    kind: Kind,
    key: RowImage,
    before: RowImage | None,
    after: RowImage | None,
    table: TargetTable,
    *,
    safe: bool,
    second: bool | None = None,
) -> Job:
    """Another change in the place of ``job``; ``second``: behind a first one, or (False) the first of two."""
    fold = job.fold if key == job.key and table is job.table else fold_identity(table, key)
    row_index = job.row_index if second is None else job.row_index // 2 * 2 + second
    made = Job(
        job.seq, job.channel, kind, table, key, fold, before, after, safe, job.origin, job.event_end,
        row_index, job.size,
    )  # fmt: skip
    made.uniques = job.uniques
    made.needs = job.needs
    return made


def halves(job: Job) -> tuple[Job, Job]:
    """An UPDATE as a DELETE and an INSERT of all columns."""
    assert job.after is not None
    key = job.table.take_identity(job.after)
    return (
        changed(job, Kind.DELETE, job.key, job.before, None, job.table, safe=job.safe),
        changed(job, Kind.INSERT, key, None, job.after, job.table, safe=job.safe),
    )
