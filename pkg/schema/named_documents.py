"""Which documents an expression names: MariaDB's are texts, in which a name may stand twice in one object.

MariaDB reads the first member of such a name, and its functions count both.  MySQL and TiDB keep the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pkg.schema.column_types import CHARACTER_TYPES
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.table import Table

_OF_NO_DOCUMENT = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON_QUOTE", "JSON_UNQUOTE", "JSON_VALID"})
_ARROWS = frozenset({"->", "->>"})


def named_documents(table: Table) -> dict[str, str]:
    """Columns of documents that a table's generated columns and unique keys name, in lower case, and who names them."""
    found: dict[str, str] = {}
    for name, text in _calculated(table):
        for column in documents_named(text, table):
            found.setdefault(column, name)
    return found


def documents_named(text: str, table: Table) -> Iterator[str]:
    """The columns of JSON that an expression names, and those of text where it reads JSON; in lower case.

    What a generated column names is named by whoever names that one.
    """
    yield from _named(text, table, set(), is_read=False)


def _calculated(table: Table) -> Iterator[tuple[str, str]]:
    for column in table.columns:
        if column.generated and column.expression:
            yield f"the generated column {column.name}", column.expression
    for index in table.indexes:
        for part in index.columns if index.unique else ():
            if part.startswith("("):
                yield f"the unique key {index.name}", part


def _named(text: str, table: Table, met: set[str], *, is_read: bool) -> Iterator[str]:
    tokens = tokenize(text)
    reads = is_read or any(
        token.key in _ARROWS or (token.key.startswith("JSON_") and token.key not in _OF_NO_DOCUMENT) for token in tokens
    )
    for token, behind in pairwise(tokens):
        column = table.column(token.value) if token.is_name else None
        is_call = token.kind is Kind.WORD and behind.key == "("
        if column is None or is_call or column.name.lower() in met:
            continue
        if column.generated:
            met.add(column.name.lower())
            yield from _named(column.expression, table, met, is_read=reads)
        elif column.base_type == "json" or (reads and column.base_type in CHARACTER_TYPES):
            yield column.name.lower()
