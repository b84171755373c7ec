"""Bounds of partitions that are written by their bytes: `_latin1'ä'`, `_latin1 0xE4`, `x'C3A4'`, `b'01000001'`.

A literal that names its set is text of that set, whatever the column's is.  Digits alone are the bytes of a text of the
column.  TiDB reads the bytes of both as UTF-8, without a word, and has then another bound; so they are written as text.
So are dates and times that TiDB reads otherwise (`1-1-1`), or refuses (`DATE'2024-01-01'`).  Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from pkg.binlog.charset import as_bytes, decode, is_known
from pkg.schema.charset import CHARSETS, charset_name
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.lexer import Kind, Token, digits_literal, in_parentheses, quote_string, tokenize
from pkg.schema.partition_list import DIGITS, Partition, text_of_bytes
from pkg.schema.plain_moments import Unlike, plain_moment
from pkg.schema.table import Column, Table

Edit = tuple[int, int, str]  # as in statement.py, which is made of what is read here
_MOMENTS: frozenset[str] = frozenset({"date", "datetime", "time"})
_TYPES_OF_MOMENTS: dict[str, str] = {"DATE": "date", "TIMESTAMP": "datetime"}
_SPELLED: re.Pattern[str] = re.compile(r"(?<!\w)(_\w+\s*['\"]|(_\w+\s*)?(0x|x'|0b|b'))", re.ASCII | re.IGNORECASE)
_DIGITS: re.Pattern[str] = re.compile(rf"(?<![^ ]){DIGITS}(?=, |$)")


def introduced_bounds(text: str, client: str) -> Iterator[Edit]:
    """What changes in a statement: bounds that name their set are plain text; ``client``: the set of literals."""
    for tokens in _bounds(text):
        for place, token in enumerate(tokens):
            charset = charset_name(token.text[1:]) if token.kind is Kind.WORD and token.text[:1] == "_" else ""
            literal = _literal(tokens[place + 1 : place + 3], client)
            if charset in CHARSETS and charset != "binary" and is_known(charset) and literal is not None:
                raw, size = literal
                try:
                    yield token.start, tokens[place + size].end, f" {quote_string(decode(raw, charset))}"
                except UnicodeDecodeError:
                    continue


def bounds_as_texts(text: str, table: Table) -> Iterator[Edit]:
    """What changes in a statement for TiDB: digits that are bounds of columns of texts become the texts."""
    for tokens, place, column in _bounds_of(text, table, TEXT_TYPES):
        literal = digits_literal(tokens[place : place + 2])
        is_named = place > 0 and tokens[place - 1].text[:1] == "_"
        if literal is not None and not is_named:
            raw, size = literal
            found = _text(raw, column)
            if found is not None:
                yield tokens[place].start, tokens[place + size - 1].end, f" {quote_string(found)}"


def bounds_as_moments(text: str, table: Table) -> Iterator[Edit]:
    """The same: bounds of columns of dates and times that TiDB would refuse, or misread, in the usual form."""
    for tokens, place, column in _bounds_of(text, table, _MOMENTS):
        if tokens[place].kind is Kind.STRING and tokens[place - 1].key not in _TYPES_OF_MOMENTS:
            with suppress(Unlike):
                if plain := plain_moment(tokens[place].value, column.base_type, column.fsp):
                    yield tokens[place].start, tokens[place].end, quote_string(plain)


def typed_bounds(text: str) -> Iterator[Edit]:
    """The same: moments that name their type, which TiDB refuses in every bound, as texts."""
    for tokens in _all_bounds(text):
        for word, literal in pairwise(tokens):
            base_type = _TYPES_OF_MOMENTS.get(word.key, "")
            if base_type and literal.kind is Kind.STRING:
                with suppress(Unlike):
                    plain = plain_moment(literal.value, base_type) or literal.value
                    yield word.start, literal.end, quote_string(plain)


def _bounds_of(text: str, table: Table, types: frozenset[str]) -> Iterator[tuple[list[Token], int, Column]]:
    """Lists of bounds, with each place that is for a column of these types."""
    columns = _columns(table)
    if any(column.base_type in types for column in columns):
        for tokens in _all_bounds(text):
            yield from (
                (tokens, at, column) for at, column in _of_columns(tokens, columns) if column.base_type in types
            )


def _of_columns(tokens: Sequence[Token], columns: Sequence[Column]) -> Iterator[tuple[int, Column]]:
    """The places of the tokens of one list of bounds, with the column that each is for."""
    depth = number = 0
    for place, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if token.key == "(" or (token.key == "," and depth < 2 and len(columns) == 1):
            number = 0
        elif token.key == ",":
            number += 1
        yield place, columns[min(number, len(columns) - 1)]


def read_by_columns(partitions: Iterable[Partition], table: Table) -> tuple[Partition, ...]:
    """With the texts that digits are in the table's columns, as text is kept, and moments in one form."""
    columns = _columns(table)
    has_moments = any(column.base_type in _MOMENTS for column in columns)

    def said(value: str) -> str:
        parts = value.split(", ") if len(columns) > 1 else [value]
        pairs = [(part, columns[min(place, len(columns) - 1)] if columns else None) for place, part in enumerate(parts)]
        return ", ".join(_said(part, column) for part, column in pairs)

    return tuple(
        replace(one, values=tuple(map(said, one.values)))
        if has_moments or any(map(_DIGITS.search, one.values))
        else one
        for one in partitions
    )


def _said(part: str, column: Column | None) -> str:
    if column is not None and column.base_type in _MOMENTS and part.startswith("'"):
        with suppress(Unlike):
            plain = plain_moment(part[1:], column.base_type, column.fsp)
            return text_of_bytes(plain.encode()) if plain else part
    return _said_by_bytes(part, column) if _DIGITS.fullmatch(part) else part


def _said_by_bytes(digits: str, column: Column | None) -> str:
    raw = bytes.fromhex(digits[2:])
    found = _text(raw, column) if column is not None and column.base_type in TEXT_TYPES else None
    return text_of_bytes(raw) if found is None else f"'{found}"


def _text(raw: bytes, column: Column) -> str | None:
    try:
        return decode(raw, column.charset or "binary") if column.charset != "binary" else None
    except (UnicodeDecodeError, LookupError):
        return None


def _columns(table: Table) -> list[Column]:
    """Those of RANGE COLUMNS and LIST COLUMNS."""
    found = re.search(r"\bCOLUMNS\s*\(([^)]*)\)", table.partitioning, re.ASCII | re.IGNORECASE)
    names = [token.value for token in tokenize(found[1]) if token.is_name] if found is not None else []
    return [column for name in names if (column := table.column(name)) is not None]


def _bounds(text: str) -> Iterator[list[Token]]:
    """The tokens in the parentheses behind VALUES IN and VALUES LESS THAN, where one is written by its bytes."""
    if _SPELLED.search(text):
        yield from _all_bounds(text)


def _all_bounds(text: str) -> Iterator[list[Token]]:
    if not re.search(r"\bPARTITION\b", text, re.ASCII | re.IGNORECASE):
        return
    tokens = tokenize(text)
    keys = [token.key for token in tokens]
    for place, key in enumerate(keys):
        behind = place + 3 if keys[place : place + 3] == ["VALUES", "LESS", "THAN"] else place + 2
        if key != "VALUES" or keys[behind - 1] not in ("IN", "THAN") or keys[behind : behind + 1] != ["("]:
            continue
        yield [tokens[behind], *in_parentheses(tokens[behind:])]


def _literal(tokens: Sequence[Token], client: str) -> tuple[bytes, int] | None:
    """The bytes of the literal that the tokens begin with, and the number of its tokens."""
    if tokens and tokens[0].kind is Kind.STRING:
        return as_bytes(tokens[0].value, client), 1
    return digits_literal(tokens)
