"""Answers about the values of a key, from the upstream's index (the I/O behind ``chunks.KeyProbe``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dm_worker.dumper.chunks import WHOLE, Bound, Key, Range, below, condition
from dm_worker.dumper.key_values import Kind
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.schema.letter_case import small

_PLANS: Final = 50  # in one statement: each opens the table once more


class IndexProbe:
    """Looks at one key of one upstream table."""

    def __init__(self, connection: Connection, table: str, key: Key) -> None:
        """``table`` is quoted."""
        self._connection = connection
        self._columns = tuple(quoted(name) for name in key.columns)
        self._table = table
        self._is_integer = key.is_integer
        self._prefixes = tuple(map(_prefix, key.kinds, key.charsets or (None,) * len(key.kinds)))
        self._from = f"{table} FORCE INDEX ({quoted(key.index)})"
        self._literals = ", ".join(
            _as_literal(column, kind, prefix)
            for column, kind, prefix in zip(self._columns, key.kinds, self._prefixes, strict=True)
        )

    def extremes(self) -> tuple[Bound, Bound] | None:
        if self._is_integer:  # in one statement, of each of many small tables
            column = self._columns[0]
            row = self._row(f"SELECT MIN({column}), MAX({column}) FROM {self._from}")
            return None if row is None or row[0] is None else ((str(row[0]),), (str(row[1]),))
        first = self.nth(WHOLE, 1)
        last = self._key("TRUE", " DESC", 0)
        return None if first is None or last is None else (first, last)

    def estimates(self, chunks: Sequence[Range]) -> list[int]:
        batches = (chunks[at : at + _PLANS] for at in range(0, len(chunks), _PLANS))
        return [rows for batch in batches for rows in self._estimates(batch)]

    def _estimates(self, chunks: Sequence[Range]) -> list[int]:
        selects = " UNION ALL ".join(f"SELECT COUNT(*) FROM {self._from} WHERE {self._where(one)}" for one in chunks)
        with self._connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN FORMAT=TRADITIONAL {selects}")
            plans = [_by_name(cursor.description, row) for row in cursor.fetchall()]
        rows = {str(plan["id"]): int(plan["rows"] or 0) for plan in plans}
        return [rows.get(str(number), 0) for number in range(1, len(chunks) + 1)]

    def count(self, chunk: Range) -> int:
        row = self._row(f"SELECT COUNT(*) FROM {self._from} WHERE {self._where(chunk)}")
        return int(row[0]) if row else 0

    def nth(self, chunk: Range, n: int) -> Bound | None:
        # The offset passes over one chunk's keys in the index and never grows.
        return self._key(self._where(chunk), "", n - 1)

    def last_below(self, chunk: Range, value: Bound) -> Bound | None:
        return self._key(f"{self._where(chunk)} AND {below(self._columns, value)}", " DESC", 0)

    def ordered(self, column: int, symbols: Sequence[str]) -> list[list[str]]:
        prefix = self._prefixes[column]
        raw = {symbol.encode("latin-1" if prefix else "utf-8").hex().upper(): symbol for symbol in symbols}
        # A column and literals make a union of the column's collation.
        literals = " UNION ALL ".join(f"SELECT {prefix or '_utf8mb4 X'}'{one}'" for one in raw)
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"SELECT GROUP_CONCAT(HEX(s) SEPARATOR ' ') FROM (SELECT {self._columns[column]} AS s "
                f"FROM {self._table} WHERE FALSE UNION ALL {literals}) AS symbols GROUP BY s ORDER BY s"
            )
            # CHAR has no space at its end, and the server may cut a long group.
            groups = [[raw[one] for one in str(group).split() if one in raw] for (group,) in cursor.fetchall()]
        return [group for group in groups if group]

    def _where(self, chunk: Range) -> str:
        return condition(self._columns, chunk) or "TRUE"

    def _key(self, where: str, direction: str, offset: int) -> Bound | None:
        order = ", ".join(f"{column}{direction}" for column in self._columns)
        row = self._row(
            f"SELECT {self._literals} FROM {self._from} WHERE {where} ORDER BY {order} LIMIT 1 OFFSET {offset}"
        )
        return None if row is None else tuple(str(value) for value in row)

    def _row(self, sql: str) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone()


def _by_name(description: Sequence[Any], row: Sequence[Any]) -> Mapping[str, Any]:
    return {small(str(column[0])): value for column, value in zip(description, row, strict=True)}


def _prefix(kind: Kind, charset: str | None) -> str:
    """What stands before the quoted bytes of a value: QUOTE and this connection would make UTF-8 of text."""
    if kind is Kind.BYTES:
        return "x"
    return f"_{charset} X" if kind is Kind.TEXT and charset else ""


def _as_literal(column: str, kind: Kind, prefix: str) -> str:
    """An expression whose value is the SQL literal of the column's value."""
    if kind is Kind.NUMBER:
        return f"CAST({column} AS CHAR)"
    if prefix:
        return f"CONCAT('{prefix}''', HEX({column}), '''')"
    if kind is Kind.UNICODE:  # MariaDB stores surrogates, which no client reads as UTF-8
        return f"IF(HEX({column}) REGEXP 'ED[AB]', CONCAT('_utf8mb4 X''', HEX({column}), ''''), QUOTE({column}))"
    return f"QUOTE({column})"
