"""Characters that the upstream's generated column lacks and the target's has: the copy refuses them."""

from __future__ import annotations

from typing import Final

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.narrow_results import narrow_reads
from pkg.schema.table import Table

LACKING_CHARACTER = ErrorKind(
    34146,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has a character in {column} which the {charset} of its generated column {reader} lacks: "
    "it holds ? there, and the target's would hold the character; the row: {row}",
    workaround="give the upstream's {reader} the character set utf8mb4, and start the task anew (start-task "
    "--remove-meta); or make the table in the target by hand, without the expression (a plain column takes the "
    "upstream's values), and start the task anew; or leave the table out",
)
_MOST_SHOWN: Final = 400


def refuse_narrow_results(
    reader: Connection, table: TableCopy, chunk: Range, upstream: Table | None, there: Table | None
) -> None:
    """Raise LACKING_CHARACTER for a row of the chunk; ``upstream`` and ``there`` are the two tables."""
    reads = narrow_reads(upstream, there) if upstream is not None and there is not None else []
    for read in reads:
        with reader.cursor() as cursor:
            cursor.execute(table.select(chunk, [f"MAX({read.condition})"]))
            if not (cursor.fetchone() or (0,))[0]:
                continue
            key = table.identity
            text = f"CONVERT({quoted(read.column)} USING utf8mb4)"
            cursor.execute(table.select(chunk, [f"IF({read.condition}, {text}, NULL)", *map(quoted, key)]))
            row = next(one for one in cursor.fetchall() if one[0] is not None)
        shown = [*zip(key, row[1:], strict=True), (read.column, row[0])]
        raise LACKING_CHARACTER.error(
            column=read.column, schema=table.schema, table=table.name, reader=read.of, charset=read.charset,
            row=", ".join(f"{one}={value!r}" for one, value in shown)[:_MOST_SHOWN],
        )  # fmt: skip
