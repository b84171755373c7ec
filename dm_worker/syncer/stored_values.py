"""Rows for which the target calculated another value of a STORED column than the upstream has.

The upstream calculates it in the session that writes the row: by its time zone, its sql_mode, its language.  The
binlog says little of these, but it has the value.  So each batch asks, before it commits, for a row that it wrote and
that has another one; such a batch is applied once more, change by change, so that it is known which row that is.
"""

from __future__ import annotations

from typing import Any

from dm_worker.syncer.job_text import CHANGES, cut, place_of
from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.conditions import exactly
from pkg.rows.job import Job
from pkg.rows.statements import written_row

OTHER_VALUE = ErrorKind(
    36315,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "by {change} from {place} the generated column {column} of {table} has the value {theirs} in the target, {ours} "
    "upstream, whose session may have had another time zone, sql_mode or language; the row WHERE {condition}",
    workaround="make {column} a plain column in {table} of the target, which replication then fills (ALTER TABLE … "
    "MODIFY there, or DROP and ADD COLUMN; copy the values of the rows that are there by the table's key), then "
    "resume-task",
)
_SHOWN_CHARACTERS = 400  # of the condition


def other_value(connection: Connection, job: Job) -> DMError:
    """The error for a row that ``job`` wrote otherwise, in the transaction that is open."""
    table, image = job.table, job.after
    assert image is not None, "a row that is gone has no value"
    condition, name, ours, theirs = written_row(table, image), b"", b"", None
    cursor: Any  # its stubs know no statement in bytes
    with connection.cursor() as cursor:
        for ordinal in table.calculated:
            name, ours = table.names[ordinal], image[ordinal]
            same = exactly(table.columns[ordinal], name, ours)
            cursor.execute(
                b"SELECT %b FROM %b WHERE %b AND (%b) IS NOT TRUE LIMIT 1" % (name, table.qualified, condition, same)
            )
            found = cursor.fetchone()
            if found is not None:
                (theirs,) = found
                break
    return OTHER_VALUE.error(
        change=CHANGES[job.kind],
        place=place_of(job),
        table=f"{table.schema}.{table.name}",
        column=name.decode(),
        theirs="NULL" if theirs is None else cut(f"'{theirs}'"),
        ours=cut(ours.decode("utf-8", "replace")),
        condition=cut(condition.decode("utf-8", "replace"), _SHOWN_CHARACTERS),
    )
