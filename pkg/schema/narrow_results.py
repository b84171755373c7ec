"""Generated columns whose character set lacks characters of the texts that they read, where the target's has them.

A server writes `?` for such a character (in a session that is not strict, or with IGNORE); TiDB, whose columns are
utf8mb4, has the character itself.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pkg.binlog.charset import WHOLE
from pkg.schema.cased_texts import TEXTS, rules_of
from pkg.schema.charset import charset_name
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.expressions import base_columns
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.table import Column, Table


@dataclass(frozen=True, slots=True)
class NarrowRead:
    """``column``, in lower case, is read by the generated column ``of``, whose set is ``charset`` upstream."""

    column: str
    of: str
    charset: str

    @property
    def condition(self) -> str:
        """SQL that holds for rows of the upstream with a character that the set lacks."""
        text = f"CONVERT({quote_name(self.column)} USING utf8mb4)"
        held = f"CONVERT(CONVERT({text} USING {self.charset}) USING utf8mb4)"
        return f"(CAST({held} AS BINARY) <> CAST({text} AS BINARY))"


def narrow_reads(upstream: Table, there: Table) -> list[NarrowRead]:
    """What the generated columns of both tables read so."""
    found = []
    for column in upstream.columns:
        below = there.column(column.name)
        if column.generated and below is not None and below.generated:
            found += list(reads_of(column, below.charset or "", column.expression, upstream))
    return list(dict.fromkeys(found))


def reads_of(result: Column, charset: str, text: str, table: Table) -> Iterator[NarrowRead]:
    """What one expression reads so, which fills ``result``; ``charset``: the target's set of that column."""
    narrow = charset_name(result.charset or "utf8mb4")
    if result.base_type not in TEXT_TYPES or narrow in WHOLE or narrow == charset_name(charset):
        return
    for column in base_columns(text, table):
        if column.base_type in TEXTS and charset_name(rules_of(column)[0]) not in (narrow, "ascii", "binary"):
            yield NarrowRead(small(column.name), result.name, narrow)
