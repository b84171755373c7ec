"""DDL that TiDB is still executing for a run that died: its job is found, waited for, and what became of it is told.

TiDB executes a DDL as a job that goes on when its client is gone; an index of a large table takes hours.  Meanwhile
the statement, sent again, is answered as if it were done (1061) or waits behind itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dm_worker.syncer.downstream import Downstream
from pkg.adapters.mysql.connection import Connection

POLL_SECONDS = 0.5
_ENDED = ("synced", "cancelled", "rollback done")
_DONE = "synced"
_FIRST_ROWS = 100
_MORE = 10  # times as many rows, where those were not enough
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DdlJob:
    """A job of TiDB: what `ADMIN SHOW DDL JOBS` says of it."""

    number: int
    kind: str
    state: str
    rows: int

    def __str__(self) -> str:
        rows = f", {self.rows} rows so far" if self.rows else ""
        return f"TiDB's DDL job {self.number} ({self.kind}, {self.state}{rows})"


def running_job(connection: Connection, sql: str) -> DdlJob | None:
    """The oldest job that has this text and has not ended."""
    rows = _jobs(connection, lambda rows: bool(rows) and rows[-1][2] in _ENDED)
    found = [row for row in rows if row[2] not in _ENDED and _bare(str(row[4])) == _bare(sql)]
    jobs = [DdlJob(int(number), str(kind), str(state), int(rows or 0)) for number, kind, state, rows, _ in found]
    return min(jobs, key=lambda job: job.number, default=None)


def state_of(connection: Connection, number: int) -> str:
    """What became of a job."""
    rows = _jobs(connection, lambda rows: any(row[0] == number for row in rows))
    return next((str(row[2]) for row in rows if row[0] == number), "")


def _jobs(connection: Connection, is_enough: Callable[[list[Any]], bool]) -> list[Any]:
    """Number, kind, state, rows and text of jobs: all that have not ended, then those that have, the latest first.

    Only until `is_enough`: TiDB keeps every job that it ever had, and takes half a millisecond for each.
    """
    limit = _FIRST_ROWS
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT job_id, job_type, state, row_count, query FROM information_schema.ddl_jobs LIMIT {limit}"
            )
            found = cursor.fetchall()
        # A schema change of several clauses has a row for each of them, too.
        jobs = [row for row in found if "subjob" not in str(row[1])]
        if len(found) < limit or is_enough(jobs):
            return jobs
        limit *= _MORE


def was_finished(target: Downstream, sql: str, show: Callable[[str], None]) -> bool:
    """Wait for the job that executes ``sql``, if there is one; whether it did.  ``show`` is told about it meanwhile.

    Other servers than TiDB let the statement, when it is sent again, wait for the earlier one.
    """
    if target.server.flavor != "tidb":
        return False
    connection = target.own()
    job = running_job(connection, sql)
    if job is None:
        return False
    log.info("an earlier run began the DDL, and %s goes on with it: waiting", job)
    last = job
    while job is not None:
        show(f"{sql} /* an earlier run began it: {job} */")
        time.sleep(POLL_SECONDS)
        last, job = job, running_job(connection, sql)
    state = state_of(connection, last.number)
    log.info("TiDB's DDL job %d ended: %s", last.number, state)
    return state == _DONE


def _bare(sql: str) -> str:
    return sql.strip().rstrip(";").rstrip()
