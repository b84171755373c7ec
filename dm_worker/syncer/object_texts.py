"""Rows with documents of MySQL of whose objects TiDB makes other texts, since it orders names otherwise: refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pkg.binlog.document_texts import unlike_in_tidb
from pkg.binlog.errors import UNLIKE_READ
from pkg.rows.change import RowImage
from pkg.schema.named_documents import NamedPart, texts_made
from pkg.schema.table import Table

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ObjectTexts:
    """What the target makes texts of, in an upstream table's documents: each column with its place."""

    source: str
    reads: tuple[tuple[int, str, tuple[NamedPart, ...]], ...]

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise UNLIKE_READ for one of the rows."""
        for row in rows:
            for ordinal, column, parts in self.reads:
                literal = row[ordinal]
                text = _ESCAPED.sub(r"\1", literal[1:-1].decode()) if literal.startswith(b"'") else ""
                unlike = unlike_in_tidb(text, parts) if text else None
                if unlike is not None:
                    of = unlike.part.of
                    raise UNLIKE_READ.error(
                        column=column, table=self.source, found=unlike.found, reader=of, place=place
                    )


def object_texts(structure: Table, there: Table, flavors: tuple[str, str]) -> ObjectTexts | None:
    """None where the target, whose table is ``there``, makes no such texts; ``flavors``: the upstream's and its own."""
    if flavors != ("mysql", "tidb") or not any(column.base_type == "json" for column in structure.columns):
        return None
    found = ((structure.column(name), parts) for name, parts in texts_made(there).items())
    reads = [
        (structure.ordinal(column.name), column.name, parts)
        for column, parts in found
        if column is not None and column.base_type == "json"
    ]
    return ObjectTexts(f"{structure.schema}.{structure.name}", tuple(reads)) if reads else None
