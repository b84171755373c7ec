"""Days of no calendar of which the target calculates other values than upstream: the copy refuses them.

They are looked for before their chunk, in its transaction.
"""

from __future__ import annotations

from typing import Final

from pymysql.cursors import SSCursor

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.odd_days import DayRead, days_read
from pkg.schema.table import Table

ODD_DAY = ErrorKind(
    34144,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has {day} in {column}, and {reader} of the target would have another value of it than "
    "upstream; the row: {row}",
    workaround="have the upstream write no such days (NULL), then resume-task; or make the table in the target by "
    "hand, without the expression (a plain column takes the upstream's values), and start the task anew (start-task "
    "--remove-meta); or leave the table out",
)
_MOST_SHOWN: Final = 400


def refuse_odd_days(
    reader: Connection, table: TableCopy, chunk: Range, there: Table | None, flavors: tuple[str, str]
) -> None:
    """Raise ODD_DAY for a row of the chunk of which ``there``, the target's table, has other values."""
    names, stored = table.names, table.stored | {""}
    found = days_read(there, flavors) if there is not None else []
    reads = [one for one in found if one.column.lower() in names and one.day_of.lower() in stored]
    if not reads:
        return
    with reader.cursor() as cursor:
        cursor.execute(table.select(chunk, [f"MAX({read.condition})" for read in reads]))
        any_is_odd = cursor.fetchone() or ()
    for read, is_odd in zip(reads, any_is_odd, strict=False):
        if is_odd:
            _refuse(reader, table, chunk, read)


def _refuse(reader: Connection, table: TableCopy, chunk: Range, read: DayRead) -> None:
    key = [quoted(name) for name in table.identity]
    with reader.cursor(SSCursor) as cursor:
        cursor.execute(table.select(chunk, [read.condition, f"CAST({quoted(read.column)} AS CHAR)", *key]))
        for is_odd, day, *identity in cursor:
            if is_odd:
                shown = [*zip(table.identity, identity, strict=True), (read.column, day)]
                raise ODD_DAY.error(
                    column=read.column, schema=table.schema, table=table.name, reader=read.of, day=day,
                    row=", ".join(f"{one}={value!r}" for one, value in shown)[:_MOST_SHOWN],
                )  # fmt: skip
