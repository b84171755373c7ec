"""Which expressions servers calculate otherwise, since they convert numbers and moments in different ways."""

from __future__ import annotations

import pytest

from pkg.schema.other_expressions import calculates_otherwise
from pkg.schema.parse import parse_create_table

_COLUMNS = """id INT, i INT, u BIGINT UNSIGNED, a DOUBLE, f FLOAT, d DECIMAL(10,2), v VARCHAR(40), t TIME, t6 TIME(6),
    dt DATETIME, dt6 DATETIME(6), da DATE, y YEAR, b BIT(8), e ENUM('x','y'), j JSON"""
_ALL = ("mysql mariadb", "mariadb mysql", "mysql tidb", "mariadb tidb")


def reason(column: str, flavors: str) -> str:
    above, below = flavors.split()
    table = parse_create_table(f"CREATE TABLE s ({_COLUMNS}, z {column} STORED)", "db")
    found = table.column("z")
    assert found is not None
    return calculates_otherwise(found, table, table, (above, below), frozenset({"utf8mb4_bin"}))


@pytest.mark.parametrize(
    ("column", "pairs"),
    [
        ("INT AS (a & 255)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("INT AS (v & 255)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("INT AS (1 | (i + f))", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT UNSIGNED AS (~a)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("INT AS (BIT_COUNT(a))", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("INT AS (IFNULL(a, 0) << 2)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT AS (dt6 & 255)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT AS (dt6)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT AS (CAST(dt6 AS SIGNED) + 1)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT UNSIGNED AS (CAST(a AS UNSIGNED))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("BIGINT AS (CASE WHEN i THEN dt6 ELSE NULL END)", "mysql-mariadb mariadb-mysql mariadb-tidb"),
        ("BIGINT AS (t6)", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("TIME AS (t6)", "mysql-tidb"),
        ("DATE AS (dt6)", "mysql-mariadb mariadb-mysql mysql-tidb"),
        ("DATETIME AS (t)", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("YEAR AS (dt)", "mysql-mariadb mariadb-mysql mysql-tidb"),
        ("DATE AS (a)", "mysql-tidb mariadb-tidb"),
        ("INT AS (YEAR(i))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("DATE AS (DATE(d))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (HOUR(u))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (MONTH(y))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (YEAR(i + 1))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (EXTRACT(YEAR FROM i))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("DATE AS (CAST(i AS DATE))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (DATEDIFF(da, i))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("INT AS (TO_DAYS(t))", "mysql-mariadb mariadb-mysql mysql-tidb mariadb-tidb"),
        ("DATETIME AS (dt + INTERVAL a DAY)", "mysql-tidb mariadb-tidb"),
        ("INT AS (HEX(a))", "mysql-mariadb mariadb-mysql mariadb-tidb"),
    ],
)
def test_what_servers_convert_otherwise(column: str, pairs: str) -> None:
    assert [pair for pair in _ALL if reason(column, pair)] == [pair.replace("-", " ") for pair in pairs.split()]


@pytest.mark.parametrize(
    "column",
    [
        "INT AS (i & 255)",
        "INT AS ((i >> 4) & 15)",
        "INT AS (d & 1)",
        "INT AS (e & 1)",
        "INT AS (LENGTH(v) & 1)",
        "INT AS (IF(i & 4, CHAR_LENGTH(v), 0))",
        "INT AS (a DIV 2)",
        "BIGINT AS (a)",
        "BIGINT AS (dt)",
        "BIGINT AS (dt6 + 0)",
        "INT AS (IF(dt6 IS NULL, 1, NULL))",
        "INT AS (dt6 IS NULL)",
        "INT AS (dt6 > '2024-01-01' AND t6 < '10:00:00')",
        "INT AS (CASE WHEN dt6 IS NULL THEN 1 ELSE 0 END)",
        "INT AS (IF(v = 'x', 4, 0) | 1)",
        "INT AS (MICROSECOND(dt6))",
        "DECIMAL(20,6) AS (dt6)",
        "INT AS (YEAR(dt6))",
        "INT AS (YEAR(da) * 100 + MONTH(da))",
        "INT AS (YEAR('2024-01-02'))",
        "INT AS (YEAR(y))",
        "INT AS (YEAR(v))",
        "INT AS (HOUR(t6))",
        "INT AS (MONTH(dt - INTERVAL i DAY))",
        "DATE AS (DATE(dt6))",
        "DATE AS (CAST(dt AS DATE))",
        "DATETIME(6) AS (dt6)",
        "INT AS (DATEDIFF(dt, da))",
        "INT AS (CAST(a AS SIGNED))",
        "INT AS (JSON_LENGTH(j))",
        "VARCHAR(40) AS (HEX(v))",
        "VARCHAR(40) AS (DATE_FORMAT(da, '%Y-%m'))",
    ],
)
@pytest.mark.parametrize("flavors", _ALL)
def test_what_is_the_same_everywhere(column: str, flavors: str) -> None:
    assert reason(column, flavors) == ""


@pytest.mark.parametrize("column", ["INT AS (a & 255)", "INT AS (YEAR(i))", "BIGINT AS (t6)"])
def test_servers_of_one_kind_convert_alike(column: str) -> None:
    assert reason(column, "mysql mysql") == ""
