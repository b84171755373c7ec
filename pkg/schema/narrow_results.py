"""Generated columns whose character set lacks characters of the texts that they read, where the target's has them.

A server writes `?` for such a character (in a session that is not strict, or with IGNORE); TiDB, whose columns are
utf8mb4, has the character itself.  Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pkg.schema.cased_texts import rules_of
from pkg.schema.charset import charset_name
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.expressions import names_in
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.table import Column, Table

_WHOLE: Final = frozenset({"utf8mb4", "utf16", "utf16le", "utf32", "gb18030", "binary"})
_TEXTS: Final = TEXT_TYPES | {"enum", "set", "json"}
_MOST_NESTED: Final = 10  # generated columns that read one another


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
    if result.base_type not in TEXT_TYPES or narrow in _WHOLE or narrow == charset_name(charset):
        return
    for name in _read(text, table, 0):
        column = table.columns[table.ordinal(name)]
        if charset_name(rules_of(column)[0]) not in (narrow, "ascii", "binary"):
            yield NarrowRead(name, result.name, narrow)


def _read(text: str, table: Table, depth: int) -> Iterator[str]:
    for token in names_in(tokenize(text)):
        column = table.column(token.value)
        if column is not None and column.generated and column.expression and depth < _MOST_NESTED:
            yield from _read(column.expression, table, depth + 1)
        elif column is not None and column.base_type in _TEXTS:
            yield column.name.lower()
