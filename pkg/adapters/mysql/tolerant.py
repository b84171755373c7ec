"""Statements that the strict session refuses although their values are the upstream's own."""

from __future__ import annotations

from typing import Any

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import LENIENT_SQL_MODE, STRICT_SQL_MODE
from pkg.adapters.mysql.errors import VALUE_REFUSED
from pkg.errors import DMError
from pkg.rows.tolerance import Tolerance, speaks_of_values

_MOST_SHOWN = 65_535  # warnings of a statement


def run_tolerantly(connection: Connection, sql: bytes, tolerance: Tolerance) -> int:
    """Run ``sql``, without strictness where that alone refuses a value; the rows affected.

    Raises what the strict session says where anything but the tolerated would be changed; the transaction is then
    not to be committed.
    """
    driver: Any = connection  # its stubs leave affected_rows untyped
    try:
        connection.query(sql)
        affected: int = driver.affected_rows()
    except DMError as exc:
        if not tolerance or not VALUE_REFUSED.matches(exc):
            raise
        return run_without_strictness(connection, sql, tolerance, exc)
    return affected


def run_without_strictness(connection: Connection, sql: bytes, tolerance: Tolerance, refusal: DMError) -> int:
    """Run ``sql``, which the strict session has refused; raises ``refusal`` at any warning that is not tolerated."""
    driver: Any = connection
    connection.query(f"SET sql_mode='{LENIENT_SQL_MODE}', max_error_count={_MOST_SHOWN}".encode())
    try:
        connection.query(sql)
        affected: int = driver.affected_rows()
        rows = shown_warnings(connection)
    finally:  # also when the row is there already, and the session goes on
        connection.query(f"SET sql_mode='{STRICT_SQL_MODE}'".encode())
    of_values = [(number, text) for _, number, text in rows if speaks_of_values(number, text)]
    tolerated = bool(of_values) and all(tolerance.allows(number, text) for number, text in of_values)
    if not tolerated or len(rows) >= _MOST_SHOWN:  # others may be behind them
        raise refusal
    return affected


def shown_warnings(connection: Connection) -> list[tuple[str, int, str]]:
    """Level, number and text of each warning; TiDB quotes values that are no text as the bytes that they are."""
    driver: Any = connection
    driver.use_unicode = False  # bytes that are no text would leave the rest of the answer unread
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW WARNINGS")
            rows: list[Any] = list(cursor.fetchall())
    finally:
        driver.use_unicode = True
    return [
        (bytes(level).decode(), int(number), bytes(text).decode(errors="backslashreplace"))
        for level, number, text in rows
    ]
