"""Every row of upstream tables against the target, by queries of their own."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.servers import RunningServer
from tests.workload.shop import connect

Row = tuple[Any, ...]


def all_digits(number: str) -> str:
    """A number of JSON with a point or an exponent: equal where the numbers are, which floats are sooner."""
    return f"# {Decimal(number).normalize()}"


Source = tuple[RunningServer, str]  # a server, and the table's qualified name there


@dataclass(frozen=True, slots=True)
class Difference:
    """How a target table differs from what its upstream tables hold together."""

    table: str
    rows: int
    missing: tuple[Row, ...]  # upstream rows that the target lacks
    extra: tuple[Row, ...]  # target rows that no upstream has

    @property
    def is_equal(self) -> bool:
        return not self.missing and not self.extra

    def __str__(self) -> str:
        if self.is_equal:
            return f"{self.table}: {self.rows:,} rows, equal"
        lines = [f"{self.table}: {self.rows:,} rows, {len(self.missing)} missing and {len(self.extra)} too many"]
        lines += [f"  upstream only: {row}" for row in self.missing[:10]]
        lines += [f"  target only:   {row}" for row in self.extra[:10]]
        return "\n".join(lines)


def _select_list(cursor: Any, table: str) -> tuple[str, list[bool]]:
    """Expressions that give each value exactly, and which of them are JSON."""
    schema, name = table.split(".")
    cursor.execute(
        "SELECT column_name, data_type, column_type FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = %s ORDER BY ordinal_position",
        (schema, name),
    )
    expressions, json_columns = [], []
    for column, kind, _ in cursor.fetchall():
        name = f"`{column}`"
        # FLOAT prints with fewer digits than it holds; arithmetic in double precision shows them all.
        expressions.append(f"({name} + 0e0)" if kind in ("float", "double") else name)
        json_columns.append(column == "details")
    return ", ".join(expressions), json_columns


def rows_of(server: RunningServer, table: str) -> Counter[Row]:
    """All rows as a multiset; text as characters, binary as bytes, JSON as its value."""
    with connect(server) as connection, connection.cursor() as cursor:
        columns, json_columns = _select_list(cursor, table)
        cursor.execute(f"SELECT {columns} FROM {table}")
        found: Counter[Row] = Counter()
        for row in cursor.fetchall():
            found[tuple(_value(value, json_columns[i]) for i, value in enumerate(row))] += 1
        return found


def _value(value: Any, is_json: bool) -> Any:
    if is_json and value is not None:
        return json.dumps(json.loads(value, parse_float=all_digits), sort_keys=True)
    return value


def compare(sources: list[Source], target: RunningServer, table: str) -> Difference:
    """What `table` of the target holds against all of `sources` together."""
    expected: Counter[Row] = Counter()
    for server, name in sources:
        expected += rows_of(server, name)
    found = rows_of(target, table)
    missing, extra = expected - found, found - expected
    return Difference(table, sum(found.values()), tuple(missing.elements()), tuple(extra.elements()))
