"""Rows of which the target would calculate another value, since it gets documents as text: found by the upstream.

Pure.  The upstream calculates each expression of the document and of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkg.adapters.meta_tables import quoted
from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.document_reads import calculated, reads_of
from pkg.schema.documents_there import called_by_name
from pkg.schema.expression_tree import bare_expression
from pkg.schema.expressions import names_in
from pkg.schema.letter_case import small
from pkg.schema.lexer import Token, tokenize
from pkg.schema.statement import edited
from pkg.schema.table import Column, Table

_MOMENTS = {"date": "DATE", "datetime": "DATETIME(6)", "timestamp": "DATETIME(6)", "time": "TIME(6)"}
_MOMENT = _MOMENTS["datetime"]
_DAY = len('"2024-01-31"')  # which as text fills no moment's column, whatever CAST says
_SIZES = re.compile(r"\(\d+(?:,\s*\d+)?\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """Something that is calculated of a document.

    ``column`` is the generated column in lower case, "" for a unique key; ``document`` is one that it reads;
    ``condition`` holds for rows of which the text gives the same.
    """

    name: str
    column: str
    document: str
    condition: str


def read_documents(table: Table) -> Iterator[ReadDocument]:
    """What a table of MySQL calculates of documents."""
    for name, text, result in calculated(table):
        read = next((column for column, _ in reads_of(name, text, result, table)), None)
        if read is not None and not any(token.key == "ARRAY" for token in tokenize(text)):
            document = table.columns[table.ordinal(read)].name
            column = small(result.name) if result is not None else ""
            yield ReadDocument(name, column, document, same_of_text(text, result, table))


def same_of_text(text: str, result: Column | None, table: Table) -> str:
    """A condition: the expression, which fills ``result``, has the same value where documents are read from text."""
    text = called_by_name(text)
    tokens = bare_expression(tokenize(text))
    documents = [*_documents(tokens, table)]
    again = edited(text, [(one.start, one.end, _read_again(_text_of(one))) for one in documents])
    start, end, moved = tokens[0].start, tokens[-2].end, len(again) - len(text)
    same = f"{_stored(text[start:end], result)} <=> {_stored(again[start : end + moved], result)}"
    # A column takes the digits of what JSON_VALUE calls a decimal, which no expression shows.
    if {"RETURNING", "DECIMAL"} <= {token.key for token in tokens}:
        texts = sorted({_text_of(one) for one in documents})
        same = " AND ".join([same, *(f"{one} <=> CAST({_read_again(one)} AS CHAR)" for one in texts)])
    return same


def _documents(tokens: Sequence[Token], table: Table) -> Iterator[Token]:
    """Each column of JSON in the expression."""
    for token in names_in(tokens):
        column = table.column(token.value)
        if column is not None and column.base_type == "json":
            yield token


def _text_of(column: Token) -> str:
    return f"CAST({quoted(column.value)} AS CHAR)"


def _read_again(text: str) -> str:
    return f"CAST({text} AS JSON)"


def _stored(expression: str, result: Column | None) -> str:
    """What a column makes of the value, as far as it may differ: of a number the number, and of all else the text."""
    base = "" if result is None else result.base_type
    text = f"CAST(CAST({expression} AS CHAR) AS BINARY)"
    if result is not None and base in INTEGER_TYPES:
        return f"CAST({expression} AS {'UNSIGNED' if result.unsigned else 'SIGNED'})"
    if result is not None and base == "decimal":
        sizes = _SIZES.search(result.type)
        return f"CAST({expression} AS DECIMAL{sizes[0] if sizes else '(10,0)'})"
    if base in ("float", "double"):
        return f"CAST({expression} AS DOUBLE)"
    if base in _MOMENTS:
        day = f"IF(CHAR_LENGTH(CAST({expression} AS CHAR)) = {_DAY}, {expression}, NULL)"
        parts = text, f"CAST({expression} AS {_MOMENTS[base]})", *([day] if _MOMENTS[base] == _MOMENT else [])
        return f"ROW({', '.join(parts)})"
    return text
