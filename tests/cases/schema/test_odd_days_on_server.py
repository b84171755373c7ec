"""What is taken for the same of days of no calendar is the same on MariaDB, MySQL and TiDB: expressions by days."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pymysql
import pytest

from pkg.schema.lexer import tokenize
from pkg.schema.odd_days import is_odd, reads_of
from pkg.schema.parse import parse_create_table
from pkg.schema.portable import unknown_reason
from pkg.schema.table import Table
from tests.cases.full.migration import connection, execute
from tests.servers import RunningServer

SCHEMA = "odd_days"
DAYS = (
    "0000-00-00", "2020-00-00", "2020-00-15", "2020-01-00", "2020-02-31", "2021-02-29", "2020-04-31", "0000-01-01",
    "0000-02-29", "0000-03-01", "0000-12-31", "0000-00-01", "0000-01-00", "2020-02-29", "9999-12-31",
)  # fmt: skip
FORMS = (
    "x", "x IS NULL", "x = '2000-01-01'", "x < y", "x <=> y", "x IN ('2000-01-01', '2020-01-02')",
    "x BETWEEN '1999-01-01' AND '2020-02-20'", "COALESCE(x, y)", "IF(x < y, x, y)", "GREATEST(x, y)", "LEAST(x, y)",
    "CASE WHEN x IS NULL THEN x ELSE y END", "CASE x WHEN '2020-01-01' THEN 1 ELSE 2 END", "YEAR(x)", "MONTH(x)",
    "DAY(x)", "QUARTER(x)", "HOUR(x)", "MICROSECOND(x)", "EXTRACT(YEAR_MONTH FROM x)", "EXTRACT(HOUR FROM x)",
    "TO_DAYS(x)", "TO_SECONDS(x)", "DATEDIFF(x, y)", "TIMESTAMPDIFF(DAY, x, y)", "TIMESTAMPDIFF(MONTH, x, y)",
    "TIMESTAMPDIFF(SECOND, y, x)", "DATE(x)", "TIME(x)", "TIMESTAMP(x)", "LAST_DAY(x)", "CAST(x AS DATETIME(6))",
    "WEEKDAY(x)", "DAYOFYEAR(x)", "WEEK(x, 3)", "DATE_FORMAT(x, '%Y-%m')", "x + INTERVAL 1 DAY", "x - INTERVAL 1 MONTH",
    "CONCAT(x, '')", "LEFT(x, 4)", "RIGHT(x, 3)", "SUBSTRING(x, 6, 2)", "LENGTH(x)", "CRC32(x)", "REPLACE(x, '-', '')",
    "x LIKE '2020%'",
)  # fmt: skip
RESULTS = ("VARCHAR(60)", "BIGINT", "DATETIME(3)", "TIME")


def _values(server: RunningServer, kind: str, text: str, result: str) -> dict[str, Any] | None:
    """By day; None where the server does not take the expression, or a day of it."""
    column = f"CREATE TABLE t (id INT PRIMARY KEY, x {kind}, y {kind}, g {result} AS ({text}) STORED)"
    rows = ", ".join(f"({place}, '{day}', '2020-02-20')" for place, day in enumerate(DAYS))
    with connection(server, SCHEMA) as link, link.cursor() as cursor:
        cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00'")
        cursor.execute("DROP TABLE IF EXISTS t")
        try:
            cursor.execute(column)
            cursor.execute(f"INSERT INTO t (id, x, y) VALUES {rows}")
        except pymysql.Error:
            return None
        cursor.execute("SELECT id, HEX(CONCAT('', g)) FROM t")
        return {DAYS[place]: value for place, value in cursor.fetchall()}


def _taken(table: Table, text: str, flavors: tuple[str, str]) -> Iterator[str]:
    """Days that may be in a row that goes on."""
    if not unknown_reason(tokenize(text), table, table.columns[-1], flavors):
        reads = [one for one in reads_of("g", text, table.columns[-1], table, flavors) if not one.day_of]
        for day in DAYS:
            if not (any(not one.zero_only for one in reads) and is_odd(day)) and not (reads and day == DAYS[0]):
                yield day


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["DATE", "DATETIME", "DATETIME(3)"])
def test_expressions(kind: str, mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer) -> None:
    servers, compared = {"mariadb": mariadb, "mysql": mysql, "tidb": tidb}, 0
    for server in servers.values():
        execute(server, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    for text in FORMS:
        for result in RESULTS:
            sql = f"CREATE TABLE t (id INT PRIMARY KEY, x {kind}, y {kind}, g {result})"
            table = parse_create_table(sql, "s")
            pairs = [pair for pair in permutations(servers, 2) if pair[0] != "tidb"]
            days = {pair: list(_taken(table, text, pair)) for pair in pairs}
            if not any(days.values()):
                continue
            values = {flavor: _values(server, kind, text, result) for flavor, server in servers.items()}
            for (above, below), taken in days.items():
                there, here = values[below], values[above]
                if there is not None and here is not None:
                    compared += len(taken)
                    different = [(day, here[day], there[day]) for day in taken if here[day] != there[day]]
                    assert not different, (text, result, above, below)
    assert compared > len(FORMS) * len(DAYS)
