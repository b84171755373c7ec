"""Generated columns of the target whose expressions are written otherwise than upstream: tried on the target itself."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError
from pkg.schema.expression_samples import REAL_ROWS, Trial, trial
from pkg.schema.expressions import both_calculate, is_same_text
from pkg.schema.lexer import quote_name
from pkg.schema.other_expressions import calculates_otherwise
from pkg.schema.table import Column, Table

log = logging.getLogger(__name__)
_MOMENTS = frozenset({"date", "datetime", "timestamp", "time", "year"})
_Columns = tuple[tuple[Column, str], ...]
_LEAST_ROWS = 2  # without which nothing was tried


class ComparedExpressions:
    """Of one thread and connection; what was compared once is remembered."""

    def __init__(self, schema: str, flavors: tuple[str, str], collations: Collection[str]) -> None:
        """``schema``: where a table may be made; ``flavors``: the two servers'; ``collations``: those of the target."""
        self._schema = schema
        self._flavors = flavors
        self._collations = collations
        self._known: dict[tuple[str, str, str, _Columns, _Columns], str] = {}

    def differing(self, connection: Connection, above: Table, below: Table) -> tuple[str, str] | None:
        """(column, how it differs) of the first that the target calculates otherwise.  Raises DMError."""
        for ours, there in both_calculate(above, below):
            key = below.schema, below.name, ours.name, _expressions(above), _expressions(below)
            if key not in self._known:
                self._known[key] = self._compared(connection, ours, there, above, below)
            if self._known[key]:
                return ours.name, self._known[key]
        return None

    def _compared(self, connection: Connection, ours: Column, there: Column, above: Table, below: Table) -> str:
        name = f"{below.schema}.{below.name}.{there.name}"
        reason = calculates_otherwise(ours, above, below, self._flavors, self._collations)
        if is_same_text(ours, there):
            return reason
        if reason:
            log.warning(
                "%s has an expression of its own, which is taken, for the upstream's would not do: %s", name, reason
            )
            return ""
        driver: Any = connection  # its stubs know less of it
        table = f"{quote_name(self._schema)}.{quote_name(f'sparkdm_expression_{driver.thread_id()}')}"
        one = trial(ours, there, below, table, self._flavors[1])
        said = f"{ours.expression} upstream, {there.expression} there"
        try:
            _run(connection, one.create)
        except DMError as exc:
            if exc.resumable:
                raise
            log.warning("%s has an expression of its own, which is taken: %s; the target says %s", name, said, exc)
            return ""
        try:
            found = _tried(connection, one, table, below, is_moment=there.base_type in _MOMENTS)
        finally:
            _run(connection, f"DROP TABLE IF EXISTS {table}")
        if not found:
            log.info("%s has the upstream's values, as far as samples show: %s", name, said)
        return f"{said}{found}" if found else ""


def _tried(connection: Connection, one: Trial, table: str, below: Table, *, is_moment: bool) -> str:
    """In which values the two differ, in words; "" for none.

    Where an expression warns of nearly every sample, which is an error of a strict session, rows are written as
    sessions write them that are not: the upstream can hold no others.  Not so dates and times, of which servers make
    different ones where they warn.
    """
    least = min(_LEAST_ROWS, len(one.rows))
    accepted = _filled(connection, one, table, below, "INSERT")
    if accepted < least and not is_moment:
        accepted = _filled(connection, one, table, below, "INSERT IGNORE")
    _run(connection, "COMMIT")
    with connection.cursor() as cursor:
        cursor.execute(one.differing)
        row = cursor.fetchone()
    if row is not None:
        return f": {row[0]!r} and {row[1]!r} of the same values"
    return "" if accepted >= least else ": they could not be compared"


def _filled(connection: Connection, one: Trial, table: str, below: Table, insert: str) -> int:
    """How many of the samples the table has taken; rows of the real table are tried, too."""
    into = f"{insert} INTO {table} ({one.columns})"
    accepted = sum(_is_taken(connection, f"{into} VALUES {row}") for row in one.rows)
    if one.columns:
        there = f"{quote_name(below.schema)}.{quote_name(below.name)}"
        _is_taken(connection, f"{into} SELECT {one.columns} FROM {there} LIMIT {REAL_ROWS}")
    return accepted


def _is_taken(connection: Connection, sql: str) -> bool:
    try:
        _run(connection, sql)
    except DMError as exc:
        if exc.resumable:
            raise
        return False
    return True


def _expressions(table: Table) -> _Columns:
    """What makes a table calculate as it does; expressions make no difference between two columns by themselves."""
    return tuple((column, column.expression) for column in table.columns)


def _run(connection: Connection, sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
