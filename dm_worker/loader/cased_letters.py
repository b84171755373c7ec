"""Letters of which the target makes other large or small ones than upstream: the copy refuses them.

They are looked for before their chunk, in its transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.cased_texts import condition, pattern_of, texts_cased
from pkg.schema.table import Column, Table

OTHER_LETTER = ErrorKind(
    34145,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has the letter {letter} in {column}, of which {function} makes another one in the "
    "target than upstream; {reader} has it; the row: {row}",
    workaround="give the upstream's column the target's character set and collation, and start the task anew "
    "(start-task --remove-meta); or make the table in the target by hand, without the expression (a plain column takes "
    "the upstream's values), and start the task anew; or leave the table out",
)
_MOST_SHOWN: Final = 400


def refuse_other_letters(
    reader: Connection,
    table: TableCopy,
    chunk: Range,
    tables: tuple[Table | None, Table | None],
    unlike: Callable[[str, Column, Column], str],
) -> None:
    """Raise OTHER_LETTER for a row of the chunk of which the target has other values.

    ``tables``: the upstream's and the target's; ``unlike``: see LetterMaps.unlike.
    """
    upstream, there = tables
    if upstream is None or there is None:
        return
    for read in (one for one in texts_cased(there) if one.column in table.names):
        above, below = upstream.column(read.column), there.column(read.column)
        letters = unlike(read.function, above, below) if above is not None and below is not None else ""
        if above is None or not letters:
            continue
        found, key = condition(above.name, letters, is_json=above.base_type == "json"), table.identity
        with reader.cursor() as cursor:
            cursor.execute(table.select(chunk, [f"MAX({found})"]))
            if not (cursor.fetchone() or (0,))[0]:
                continue
            text = f"CONVERT({quoted(above.name)} USING utf8mb4)"
            cursor.execute(table.select(chunk, [f"IF({found}, {text}, NULL)", *(quoted(name) for name in key)]))
            row = next(one for one in cursor.fetchall() if one[0] is not None)
        letter = pattern_of(letters).search(row[0])
        shown = [*zip(key, row[1:], strict=True), (above.name, row[0])]
        raise OTHER_LETTER.error(
            column=above.name, schema=table.schema, table=table.name, reader=read.of, function=read.function,
            letter=letter[0] if letter is not None else "written as an escape",
            row=", ".join(f"{one}={value!r}" for one, value in shown)[:_MOST_SHOWN],
        )  # fmt: skip
