"""MERGE tables, which show the rows of others (their UNION) as their own."""

from __future__ import annotations

from pkg.schema.cursor import Cursor
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.statement import TableName


def members(shown: str, schema: str) -> tuple[TableName, ...]:
    """The tables of a MERGE table of ``schema``, by its SHOW CREATE TABLE."""
    tokens = tokenize(shown)
    places = [n for n, token in enumerate(tokens) if token.kind is Kind.WORD and token.key == "UNION"]
    if not places:
        return ()
    cursor = Cursor(shown, tokens, places[-1] + 1)
    cursor.accept("=")
    while cursor.accept_any("(", ","):
        cursor.table_name()
    return tuple(TableName(span.schema or schema, span.name) for span in cursor.names)
