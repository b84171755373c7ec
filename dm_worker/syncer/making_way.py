"""Rows of the target that a REPLACE should remove, and cannot.

Where a REPLACE meets two rows, by its key and by a unique one, MariaDB answers 1062 for a key that it hashes (over a
whole TEXT or BLOB; in READ COMMITTED), and MySQL 1032 or 1062 for a multi-valued one.  Both are met on 10.11 and 9.7.
The rows are deleted one by one before it, by each unique value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import DUPLICATE, errno_of
from pkg.errors import DMError
from pkg.rows.change import RowImage, TargetTable
from pkg.rows.keys import NULL
from pkg.schema.expressions import names_in
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, tokenize
from pkg.schema.table import Index, Table

_NO_RECORD = 1032  # ER_KEY_NOT_FOUND
_ARRAY = re.compile(
    r"\(\s*cast\s*\((?P<values>.*)\s+as\s+[\w() ]+\s+array\s*\)\s*\)", re.ASCII | re.IGNORECASE | re.DOTALL
)


def cannot_replace(exc: DMError) -> bool:
    return DUPLICATE.matches(exc) or errno_of(exc) == _NO_RECORD


def of_expressions(structure: Table, target: TargetTable, after: RowImage) -> Iterator[bytes]:
    """For each unique key over expressions: what is true of the rows that have a value of ``after`` in it."""
    values = {small(column.name): after[ordinal] for ordinal, column in enumerate(target.columns)}
    for index in structure.indexes:
        if index.unique and any(part.startswith("(") for part in index.columns):
            parts = list(_parts(index, values))
            if b"" not in parts:
                yield b" AND ".join(parts)


def _parts(index: Index, values: Mapping[str, bytes]) -> Iterator[bytes]:
    """The conditions of its parts; "" for one that is not known."""
    for part in index.columns:
        if not part.startswith("("):
            value = values.get(small(part), NULL)
            yield b"" if value == NULL else b"`%b`=%b" % (part.replace("`", "``").encode(), value)
            continue
        array = _ARRAY.fullmatch(part)
        text = array["values"] if array is not None else part
        there, ours = text.encode(), _with_values(text, values)
        if not ours:
            yield b""
        else:
            yield b"JSON_OVERLAPS(%b,%b)" % (there, ours) if array is not None else b"%b=%b" % (there, ours)


def _with_values(text: str, values: Mapping[str, bytes]) -> bytes:
    """The expression with a row's values for its columns; "" where one is not known."""
    parts, end = list[bytes](), 0
    for token in names_in(tokenize(text)):
        value = values.get(small(token.value))
        if value is not None:
            parts += [text[end : token.start].encode(), value]
            end = token.end
        elif token.kind is Kind.QUOTED:
            return b""
    return b"".join(parts) + text[end:].encode()


class KeysUnchecked:
    """While rows are removed that come back at once, nothing that refers to them is changed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._before = 0

    def __enter__(self) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT @@SESSION.foreign_key_checks")
            row = cursor.fetchone()
        self._before = int(row[0]) if row else 1
        self._connection.query("SET foreign_key_checks=0")

    def __exit__(self, *_: object) -> None:
        self._connection.query(f"SET foreign_key_checks={self._before}")
