"""Updates and deletes that find no row: outside safe mode the target is not what the stream says.

Each change is applied once, so its row is there, unless somebody else has changed the target, replication did not
begin with the upstream's rows, or a server compares a key in a way that this version does not know.  A batch in which
rows are missing is applied once more, change by change, so that it is known which ones are.
"""

from __future__ import annotations

from typing import Any, Literal

from dm_worker.syncer.job_text import CHANGES, cut, place_of, values
from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.job import Job
from pkg.rows.statements import row_condition
from pkg.task.blocks import SyncConfig

OnMissingRow = Literal["error", "ignore"]

MISSING_ROW = ErrorKind(
    36121,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{change} from {place} finds no row in {table} of the target; the row before the change: ({before}){after}; the "
    "target has none WHERE {condition}",
    workaround="somebody else changes {table}, a foreign key upstream has changed the row (`ON UPDATE CASCADE` …: its "
    "rows are not logged), or the table lacked rows of the upstream when replication began: compare it "
    "with the upstream, insert the row as it was before the change, then resume-task; or set `on-missing-row: ignore` "
    "in `syncers` and start the task again: such changes are then passed over and counted in missingRows",
)
_SHOWN_CHARACTERS = 400  # of the condition


def on_missing_row(sync: SyncConfig) -> OnMissingRow:
    """The task's policy; where rows that collide are given up, later changes of those rows find none."""
    return sync.on_missing_row if sync.on_duplicate == "error" else "ignore"


def is_moved(connection: Connection, job: Job) -> bool:
    """Whether checked foreign keys have done to the row what ``job`` does: a cascade changed its key."""
    if not job.table.group or job.after is None:
        return False
    cursor: Any  # its stubs know no statement in bytes
    with connection.cursor() as cursor:
        condition = row_condition(job.table, job.after)
        cursor.execute(b"SELECT 1 FROM %b WHERE %b FOR UPDATE" % (job.table.qualified, condition))
        return cursor.fetchone() is not None


def missing_row(job: Job) -> DMError:
    assert job.before is not None, "an insert needs no row"
    condition = row_condition(job.table, job.before).decode("utf-8", "replace")
    return MISSING_ROW.error(
        change=CHANGES[job.kind],
        place=place_of(job),
        table=f"{job.table.schema}.{job.table.name}",
        before=values(job.table, job.before),
        after=f", after it: ({values(job.table, job.after)})" if job.after is not None else "",
        condition=cut(condition, _SHOWN_CHARACTERS),
    )
