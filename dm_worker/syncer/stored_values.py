"""Rows for which the target calculated another value of a STORED column than the upstream has.

The upstream calculates it in the session that writes the row: by its time zone, its sql_mode, its language.  The
binlog says little of these, but it has the value.  So each batch asks, before it commits, for a row that it wrote and
that has another one; such a batch is applied once more, change by change, so that it is known which row that is.
"""

from __future__ import annotations

from typing import Any

from dm_worker.syncer.job_text import CHANGES, cut, place_of
from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.conditions import exactly
from pkg.rows.job import Job
from pkg.rows.stored_values import has_other_value, written_row

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


def refuse_other_value(connection: Connection, job: Job) -> None:
    """Raise OTHER_VALUE where ``job`` has written a row otherwise, in the transaction that is open."""
    table, image = job.table, job.after
    assert image is not None, "a row that is gone has no value"
    names = b",".join([table.names[i] for i in table.calculated])
    same = b",".join([exactly(table.columns[i], table.names[i], image[i]) for i in table.calculated])
    cursor: Any  # its stubs know no statement in bytes
    with connection.cursor() as cursor:
        cursor.execute(
            b"SELECT %b,%b FROM %b WHERE %b LIMIT 1" % (names, same, table.qualified, has_other_value(table, image))
        )
        found = cursor.fetchone()
    if found is None:
        return
    count = len(table.calculated)
    place = next(place for place, is_same in enumerate(found[count:]) if not is_same)
    ordinal, theirs = table.calculated[place], found[place]
    raise OTHER_VALUE.error(
        change=CHANGES[job.kind],
        place=place_of(job),
        table=f"{table.schema}.{table.name}",
        column=table.names[ordinal].decode(),
        theirs="NULL" if theirs is None else cut(f"'{theirs}'"),
        ours=cut(image[ordinal].decode("utf-8", "replace")),
        condition=cut(written_row(table, image).decode("utf-8", "replace"), _SHOWN_CHARACTERS),
    )
