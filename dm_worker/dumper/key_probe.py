"""Answers about the values of a key, from the upstream's index (the I/O behind ``chunks.KeyProbe``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dm_worker.dumper.chunks import Bound, Key, Range, condition
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.schema.table import Column, Table

_AS_THEY_ARE = frozenset(["tinyint", "smallint", "mediumint", "int", "integer", "bigint", "decimal", "numeric"])
_AS_BYTES = frozenset(("binary", "varbinary"))


class IndexProbe:
    """Looks at one key of one upstream table."""

    def __init__(self, connection: Connection, table: Table, key: Key) -> None:
        self._connection = connection
        self._columns = tuple(quoted(name) for name in key.columns)
        self._from = f"{quoted(table.schema)}.{quoted(table.name)} FORCE INDEX ({quoted(key.index)})"
        self._literals = ", ".join(_as_literal(table.columns[table.ordinal(name)]) for name in key.columns)

    def extremes(self) -> tuple[int, int] | None:
        column = self._columns[0]
        row = self._row(f"SELECT MIN({column}), MAX({column}) FROM {self._from}")
        return None if row is None or row[0] is None else (int(row[0]), int(row[1]))

    def estimate(self, lower: int, upper: int) -> int:
        plan = self._row(
            f"EXPLAIN FORMAT=TRADITIONAL SELECT COUNT(*) FROM {self._from} WHERE {self._between(lower, upper)}",
            named=True,
        )
        return int(plan["rows"] or 0) if plan else 0

    def count(self, lower: int, upper: int) -> int:
        row = self._row(f"SELECT COUNT(*) FROM {self._from} WHERE {self._between(lower, upper)}")
        return int(row[0]) if row else 0

    def nth_after(self, lower: Bound | None, n: int) -> Bound | None:
        where = condition(self._columns, Range(lower)) or "TRUE"
        order = ", ".join(self._columns)
        # The offset passes over one chunk's keys in the index and never grows.
        row = self._row(
            f"SELECT {self._literals} FROM {self._from} WHERE {where} ORDER BY {order} LIMIT 1 OFFSET {n - 1}"
        )
        return None if row is None else tuple(str(value) for value in row)

    def _between(self, lower: int, upper: int) -> str:
        return condition(self._columns, Range((str(lower),), (str(upper),)))

    def _row(self, sql: str, *, named: bool = False) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            row = cursor.fetchone()
            return _by_name(cursor.description, row) if named and row is not None else row


def _by_name(description: Sequence[Any], row: Sequence[Any]) -> Mapping[str, Any]:
    return {str(column[0]).lower(): value for column, value in zip(description, row, strict=True)}


def _as_literal(column: Column) -> str:
    """An expression whose value is the SQL literal of the column's value."""
    name = quoted(column.name)
    if column.base_type in _AS_THEY_ARE:
        return f"CAST({name} AS CHAR)"
    if column.base_type in _AS_BYTES or column.charset == "binary":
        return f"CONCAT('x''', HEX({name}), '''')"
    return f"QUOTE({name})"
