"""Literals as the character set of the statement's connection holds them: `漢ü` is `?ü` in latin1.

A server converts each literal to that set when it reads the statement, whatever the column's own set is, and comments
and names to its own, which has no characters of four bytes (MariaDB refuses such names).  The text is changed where
it is read, since a target's session may have another set: TiDB takes all text for utf8mb4.  What names its set is not
converted.
In a connection of binary a literal is bytes, and stands as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pkg.binlog.charset import as_bytes, as_held, decode
from pkg.schema.alter import SetDefault, SetOptions
from pkg.schema.charset import WIDE_SETS, Charset
from pkg.schema.column_types import BINARY_TYPES, is_bulky
from pkg.schema.cursor import Clause
from pkg.schema.lexer import Kind, Token, quote_name, quote_string, tokenize
from pkg.schema.mode_types import specs_of
from pkg.schema.statement import Ddl, Edit
from pkg.schema.table import Table

UNLIKE_ASCII: Final = WIDE_SETS | {"swe7"}  # other bytes, also for plain letters
_OF_SERVER: Final = "utf8mb3"  # the set of names and comments


def held_literals(text: str, client: str, connection: str) -> Iterator[Edit]:
    """What changes in the text of a statement, sent in one character set, whose connection has another one."""
    if text.isascii() and connection not in UNLIKE_ASCII:
        return
    depth = 0
    tokens = tokenize(text)
    for number, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if token.kind is not Kind.STRING or _names_set(tokens[number - 1]):
            continue
        if _is_comment(tokens, number, depth):
            held = as_held(token.text, _OF_SERVER)
        else:
            is_plain = token.text.isascii() and connection not in UNLIKE_ASCII
            held = token.text if is_plain else _held(token, client, connection)
        if held != token.text:
            yield token.start, token.end, held


def held_names(text: str) -> Iterator[Edit]:
    """What changes in the names of a statement of the binlog."""
    if text.isascii():
        return
    for token in tokenize(text):
        if token.is_name and (held := as_held(token.value, _OF_SERVER)) != token.value:
            yield token.start, token.end, quote_name(held)


def has_other_characters(text: str) -> bool:
    """Whether a literal has characters that are not ASCII."""
    return not text.isascii() and any(
        token.kind is Kind.STRING and not token.text.isascii() for token in tokenize(text)
    )


def _held(literal: Token, client: str, connection: str) -> str:
    """To and from binary it is bytes that are kept: a column of latin1 then has each byte of UTF-8 for a character."""
    if connection == "binary":
        raw = literal.value.encode() if client == "binary" else as_bytes(literal.value, client)
        return f" 0x{raw.hex()}"
    if client != "binary":
        if connection == "swe7":  # which has no backslash for an escape
            return quote_string(as_held(literal.value, connection))
        return as_held(literal.text, connection)
    try:
        return quote_string(decode(literal.value.encode(), connection))
    except UnicodeDecodeError:
        return literal.text


def _names_set(before: Token) -> bool:
    """Whether N or an introducer stands before it."""
    return before.kind is Kind.WORD and (before.key == "N" or before.key.startswith("_"))


def _is_comment(tokens: Sequence[Token], number: int, depth: int) -> bool:
    """`comment = '…'` in parentheses is a comparison."""
    before, second = tokens[number - 1].key, tokens[number - 2].key
    return before == "COMMENT" or (before == "=" and second == "COMMENT" and not depth)


def bytes_of_defaults(
    ddl: Ddl, connection: str, before: Table | None = None, database: Charset | None = None
) -> Iterator[Edit]:
    """Defaults of columns of bytes, which are a literal's bytes in the connection's character set.

    A BLOB's is a text, in the table's character set; MySQL has none.
    ``before``: the table that the statement alters; ``database``: the set of new tables.  Without them only columns
    whose type the statement says are known.
    """
    if not in_other_bytes(ddl, connection) or connection in ("utf8mb4", "utf8mb3", "binary"):
        return
    inherits_bytes = _new_columns_set(ddl, before, database) == "binary"
    for spec in specs_of(ddl):
        is_bytes = spec.type.base in BINARY_TYPES or spec.type.charset == "binary"
        if not is_bulky(spec.type.base) and (is_bytes or (inherits_bytes and spec.type.inherits_charset())):
            yield from (
                edit for one in spec.clauses if one.key == "DEFAULT" for edit in _in_bytes(ddl, one, connection)
            )
    for place in ddl.clauses if before is not None else ():
        for one in place.alterations:
            column = before.column(one.name) if isinstance(one, SetDefault) and before is not None else None
            if column is not None and column.charset == "binary" and not is_bulky(column.base_type):
                yield from _in_bytes(ddl, place.clause, connection)


def in_other_bytes(ddl: Ddl, connection: str) -> bool:
    """Whether a literal of the statement may have other bytes in the connection's character set than in UTF-8."""
    return not ddl.text.isascii() or connection in UNLIKE_ASCII


def calculates(ddl: Ddl) -> bool:
    """Whether a generated column or a default is calculated."""
    return any(spec.generated or (spec.default or "").startswith("(") for spec in specs_of(ddl))


def _new_columns_set(ddl: Ddl, before: Table | None, database: Charset | None) -> str:
    """The character set of columns that name none."""
    named = [one.options for one in ddl.alterations if isinstance(one, SetOptions)]
    for options in (*named, *([ddl.create.options] if ddl.create is not None else ())):
        if options.charset or options.collation:
            return "binary" if "binary" in (options.charset, options.collation) else "text"
    if before is not None:
        return before.charset
    return database.name if database is not None else ""


def _in_bytes(ddl: Ddl, clause: Clause, connection: str) -> Iterator[Edit]:
    """The literal behind DEFAULT."""
    for word, value in pairwise(tokenize(ddl.text[clause.start : clause.end])):
        is_plain = value.text.isascii() and connection not in UNLIKE_ASCII
        if word.key == "DEFAULT" and value.kind is Kind.STRING and value.value and not is_plain:
            start = clause.start + value.start
            yield start, start + len(value.text), f"0x{as_bytes(value.value, connection).hex()}"
