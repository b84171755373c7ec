"""Documents that the target, which calculates something of them, reads or writes otherwise: the copy refuses them.

No SQL finds them all, so they are read before their chunk, in its transaction.
"""

from __future__ import annotations

from typing import Final

from pymysql.cursors import SSCursor

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.misfit import UNLIKE_READ
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.binlog.document_texts import unlike_in_tidb, unlike_text
from pkg.schema.letter_case import small
from pkg.schema.named_documents import named_documents, texts_made
from pkg.schema.table import Table

_CURE: Final = (
    "have the upstream write each name once in an object, without escapes that it needs not, and numbers in the usual "
    "way (1.5 for 1.50)"
)
_MOST_SHOWN: Final = 400


def refuse_unlike_texts(
    reader: Connection, table: TableCopy, chunk: Range, there: Table | None, flavors: tuple[str, str]
) -> None:
    """Raise UNLIKE_READ for a row of the chunk of whose document ``there``, the target's table, has other values."""
    is_of_mariadb, named = flavors[0] == "mariadb", {}
    if there is not None and (is_of_mariadb or flavors == ("mysql", "tidb")):
        named = named_documents(there) if is_of_mariadb else texts_made(there)
    is_unlike = unlike_text if is_of_mariadb else unlike_in_tidb
    pairs = list(zip(table.names, table.expressions, strict=True))
    read = [(name, expression) for name, expression in pairs if small(name) in named]
    if not read:
        return
    key = [quoted(name) for name in table.identity]
    with reader.cursor(SSCursor) as cursor:
        cursor.execute(table.select(chunk, [*(one for _, one in read), *key]))
        for row in cursor:
            for (name, _), document in zip(read, row, strict=False):
                unlike = is_unlike(document, named[small(name)]) if isinstance(document, str) else None
                if unlike is not None:
                    shown = [*zip(table.identity, row[len(read) :], strict=True), (name, document)]
                    raise UNLIKE_READ.error(
                        column=name, schema=table.schema, table=table.name, reader=unlike.part.of, cure=_CURE,
                        found=unlike.found, row=", ".join(f"{one}={value!r}" for one, value in shown)[:_MOST_SHOWN],
                    )  # fmt: skip
