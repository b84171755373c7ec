"""Which expressions of generated columns are known to have the same values everywhere."""

from __future__ import annotations

import pytest

from pkg.schema.other_expressions import calculates_otherwise
from pkg.schema.parse import parse_create_table

_COLUMNS = """id INT, i INT, zf INT(5) ZEROFILL, u BIGINT UNSIGNED, a DOUBLE, f FLOAT, d DECIMAL(10,2), v VARCHAR(40), t TIME, t6 TIME(6),
    d2 DECIMAL(10,4), m DECIMAL(30,10), d0 DECIMAL(5,5), bo TINYINT(1), i3 INT(3), w VARCHAR(40), bn BINARY(4), t2 TIME(2),
    dt DATETIME, dt6 DATETIME(6), da DATE, y YEAR, b BIT(8), e ENUM('x','y'), j JSON,
    c VARCHAR(40) COLLATE utf8mb4_bin, s SET('x','y')"""
_ALL = ("mysql mariadb", "mariadb mysql", "mysql tidb", "mariadb tidb")


def reason(column: str, flavors: str) -> str:
    above, below = flavors.split()
    table = parse_create_table(f"CREATE TABLE s ({_COLUMNS}, z {column} STORED)", "db")
    found = table.column("z")
    assert found is not None
    return calculates_otherwise(found, table, table, (above, below), frozenset({"utf8mb4_bin"}))


@pytest.mark.parametrize(
    "column",
    [
        "INT AS (a & 255)",
        "INT AS (v & 255)",
        "INT AS (1 | (i + f))",
        "BIGINT UNSIGNED AS (~a)",
        "INT AS (BIT_COUNT(a))",
        "INT AS (IFNULL(a, 0) << 2)",
        "BIGINT AS (dt6 & 255)",
        "BIGINT AS (dt6)",
        "BIGINT AS (CAST(dt6 AS SIGNED) + 1)",
        "BIGINT UNSIGNED AS (CAST(a AS UNSIGNED))",
        "BIGINT AS (CASE WHEN i THEN dt6 ELSE NULL END)",
        "BIGINT AS (t6)",
        "TIME AS (t6)",
        "DATE AS (dt6)",
        "DATETIME AS (t)",
        "YEAR AS (dt)",
        "DATE AS (a)",
        "INT AS (YEAR(i))",
        "DATE AS (DATE(d))",
        "INT AS (HOUR(u))",
        "INT AS (MONTH(y))",
        "INT AS (YEAR(i + 1))",
        "INT AS (EXTRACT(YEAR FROM i))",
        "DATE AS (CAST(i AS DATE))",
        "INT AS (DATEDIFF(da, i))",
        "INT AS (TO_DAYS(t))",
        "DATETIME AS (dt + INTERVAL a DAY)",
        "INT AS (HEX(a))",
        "VARCHAR(40) AS (i * d)",
        "VARCHAR(40) AS (MOD(d, 1))",
        "VARCHAR(40) AS (IF(i, d, i))",
        "VARCHAR(40) AS (IFNULL(i, d))",
        "VARCHAR(40) AS (CONCAT('A-', zf))",
        "VARCHAR(40) AS (zf)",
        "VARCHAR(40) AS (CONVERT_TZ(dt, '+00:00', '-03:00'))",
        "VARCHAR(40) AS (COALESCE(da, dt))",
        "VARCHAR(40) AS (LEAST(dt, dt6))",
        "VARCHAR(40) AS (GREATEST(t, '09:00'))",
        "VARCHAR(40) AS (GREATEST(v, w))",
        "VARCHAR(40) AS (FORMAT(d, 1))",
        "VARCHAR(40) AS (TIME_FORMAT(t, '%H:%i'))",
        "VARCHAR(40) AS (CONV('', 16, 10))",
        "VARCHAR(40) AS (RPAD(v, 9, w))",
        "VARCHAR(40) AS (SUBSTRING(v, u))",
        "VARCHAR(40) AS (a)",
        "INT AS (LENGTH(a))",
        "INT AS (CRC32(a))",
        "INT AS (a LIKE '1e%')",
        "INT AS (v DIV 1)",
        "INT AS (HOUR(v))",
        "INT AS (dt > '2020')",
        "INT AS (TIME_TO_SEC(t2))",
        "INT AS (EXTRACT(HOUR FROM t))",
        "DATETIME AS (dt6)",
        "DATETIME AS (dt6 + INTERVAL 1 HOUR)",
        "DATETIME AS (dt + INTERVAL 0.5 HOUR)",
        "TIME AS (TIME(dt6))",
        "JSON AS (JSON_OBJECT('at', dt))",
        "JSON AS (JSON_OBJECT('p', d))",
        "JSON AS (JSON_OBJECT('h', bn))",
        "JSON AS (JSON_OBJECT('b', b))",
        "INT AS (SOME_DAY(v))",
        "INT AS ('a' = 'A')",
        "INT AS (FIND_IN_SET('y', s))",
        "INT AS (FIND_IN_SET('y', v))",
        "INT AS (INSTR(v, 'e'))",
        "INT AS (LOCATE(v, c))",
        "INT AS (CASE v WHEN 'A' THEN 1 WHEN c THEN 2 END)",
        "INT AS (v = c)",
        "VARCHAR(40) AS (CONVERT(v USING latin1))",
        "DATE AS (FROM_DAYS(i))",
        "INT AS (v < c)",
        "INT AS (v BETWEEN 'a' AND 'b')",
        "INT AS (v)",
        "DATETIME AS (v)",
        "VARCHAR(40) AS (JSON_QUOTE(v))",
        "DATE AS (STR_TO_DATE(v, '%Y'))",
        "VARCHAR(40) AS (CONV(i, 10, 16))",
        "VARCHAR(99) AS (FORMAT(i, 31))",
        "VARCHAR(99) AS (SHA2(v, NULL))",
        "VARCHAR(99) AS (SHA2(v, 100))",
        "BIGINT UNSIGNED AS (i << i)",
        "BIGINT UNSIGNED AS (i << 65)",
        "INT AS (WEEK(da, -1))",
        "INT AS (WEEK(da, i))",
        "VARBINARY(40) AS (INET6_ATON(v))",
        "INT AS (CONCAT(i, 'x') = 'X')",
        "INT AS (CAST(v AS CHAR) = 'x')",
        "INT AS (CONVERT(v USING utf8mb4) = 'X')",
        "INT AS (CASE 'a' WHEN 'A' THEN 1 END)",
        "INT AS (CASE IF(i, 'a', 'b') WHEN 'A' THEN 1 END)",
        "INT AS (STRCMP('a', 'A'))",
        "INT AS (FIND_IN_SET('A', 'a,b'))",
        "INT AS (DATE_FORMAT(da, '%Y') = 'x')",
        "INT AS (DATE_FORMAT(da, '%Y') = '２０２４')",
        "DATE AS (IFNULL(da, '２０２４-01-01'))",
        "INT AS (CAST(v AS CHAR) = '1')",
        "DATE AS (ADDDATE(y, 1))",
    ],
)
@pytest.mark.parametrize("flavors", _ALL)
def test_what_is_not_known_to_be_the_same(column: str, flavors: str) -> None:
    assert reason(column, flavors)


@pytest.mark.parametrize("what", ["AS BINARY", "AS CHAR CHARSET binary", "AS CHAR CHARACTER SET `binary`"])
@pytest.mark.parametrize("text", ["v", "CONCAT(v, 'x')"])
def test_bytes_of_a_text_are_cut_in_tidb(text: str, what: str) -> None:
    found = [pair for pair in _ALL if reason(f"VARBINARY(99) AS (CAST({text} {what}))", pair)]
    assert found == ["mysql tidb", "mariadb tidb"]
    assert not any(reason(f"VARBINARY(99) AS (BINARY {text})", pair) for pair in _ALL)


@pytest.mark.parametrize("path", [r'$."\\u0061"', r'$.x."a\\/b"', r'$."\\u001F"'])
def test_mariadb_finds_no_name_by_an_escape_that_it_needs_not(path: str) -> None:
    for column in (f"JSON AS (JSON_EXTRACT(j, '{path}'))", f"INT AS (JSON_LENGTH(j, '{path}'))"):
        assert [pair for pair in _ALL if reason(column, pair)] == ["mysql mariadb", "mariadb mysql", "mariadb tidb"]


@pytest.mark.parametrize("path", [r'$."a\\"b"', r'$."\\\\u0061"', r'$."\\n\\u001f"', '$."ä/b"'])
def test_paths_with_escapes_that_their_names_need(path: str) -> None:
    assert not [pair for pair in _ALL if reason(f"JSON AS (JSON_EXTRACT(j, '{path}'))", pair)]


@pytest.mark.parametrize("column", ["VARCHAR(40) AS (JSON_EXTRACT(j, '$.a'))", "VARCHAR(40) AS (j)"])
def test_json_is_a_text_in_mariadb(column: str) -> None:
    assert [pair for pair in _ALL if reason(column, pair)] == ["mysql mariadb", "mariadb mysql", "mariadb tidb"]


@pytest.mark.parametrize(
    "column",
    [
        "INT AS (i & 255)",
        "INT AS (d & 7)",
        "INT AS ((i >> 4) & 15)",
        "INT AS (e & 1)",
        "INT AS (LENGTH(v) & 1)",
        "INT AS (IF(i & 4, CHAR_LENGTH(v), 0))",
        "BIGINT AS (a)",
        "BIGINT AS (dt)",
        "INT AS (IF(dt6 IS NULL, 1, NULL))",
        "INT AS (dt6 IS NULL)",
        "INT AS (dt6 > '2024-01-01' AND t6 < '10:00:00')",
        "INT AS (CASE WHEN dt6 IS NULL THEN 1 ELSE 0 END)",
        "INT AS (IF(v = 'x', 4, 0) | 1)",
        "INT AS (MICROSECOND(dt6))",
        "INT AS (YEAR(dt6))",
        "INT AS (YEAR(da) * 100 + MONTH(da))",
        "INT AS (YEAR(y))",
        "INT AS (HOUR(t6))",
        "INT AS (MONTH(dt - INTERVAL i DAY))",
        "DATE AS (DATE(dt6))",
        "DATE AS (CAST(dt AS DATE))",
        "DATETIME(6) AS (dt6)",
        "INT AS (DATEDIFF(dt, da))",
        "INT AS (CAST(v AS SIGNED))",
        "INT AS (JSON_LENGTH(j))",
        "VARCHAR(40) AS (HEX(v))",
        "VARCHAR(40) AS (DATE_FORMAT(da, '%Y-%m'))",
        "BIT(8) AS (b)",
        "TIME(6) AS (t6)",
        "INT AS (i = '1')",
        "INT AS (e + 0)",
        "INT AS (v = 'x' AND i IN (1, 2))",
        "INT AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.id')))",
        "VARCHAR(40) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.email')))",
        "VARCHAR(40) AS (LOWER(TRIM(v)))",
        "VARCHAR(40) AS (CONCAT(YEAR(da), '-', LPAD(MONTH(da), 2, '0')))",
        "VARCHAR(40) AS (CONCAT_WS(' ', v, w, i))",
        "VARCHAR(40) AS (SUBSTRING_INDEX(v, '@', -1))",
        "VARCHAR(40) AS (CASE e WHEN 'x' THEN v ELSE 'none' END)",
        "VARCHAR(40) AS (COALESCE(v, i))",
        "VARCHAR(40) AS (MD5(CONCAT(i, d, da)))",
        "VARCHAR(40) AS (LEFT(dt, 10))",
        "VARBINARY(40) AS (UNHEX(REPLACE(v, '-', '')))",
        "DECIMAL(10,2) AS (i * d)",
        "DECIMAL(10,2) AS (CASE WHEN i > 0 THEN d ELSE 0 END)",
        "DECIMAL(10,2) AS (ROUND(d * 1.2, 2))",
        "DOUBLE AS (a * 2)",
        "DATE AS (da + INTERVAL i DAY)",
        "DATE AS (LAST_DAY(dt))",
        "DATE AS (IFNULL(da, '1970-01-01'))",
        "DATETIME AS (IF(i, dt, NULL))",
        "TIME AS (TIME(dt))",
        "INT AS (TIMESTAMPDIFF(DAY, da, dt))",
        "INT AS (HOUR(t6) * 60 + MINUTE(t6))",
        "INT AS (UNIX_TIMESTAMP(dt) DIV 3600)",
        "INT AS (i NOT BETWEEN 1 AND 5)",
        "INT AS (CONCAT(v, 'x') = 'X')",
        "VARCHAR(99) AS (SHA2(v, 256))",
        "BIGINT UNSIGNED AS (i << 3)",
        "INT AS (WEEK(da) + YEARWEEK(da, 3))",
        "INT AS (INSTR(c, 'e') + LOCATE('x', c))",
        "VARCHAR(40) AS (CONVERT(v USING utf8mb4))",
        "INT AS (CASE e WHEN 'x' THEN 1 ELSE 0 END)",
        "INT AS (DATE_FORMAT(da, '%Y-%m') = '2024-01')",
        "INT AS (v COLLATE utf8mb4_bin = 'x')",
        "INT AS (IF(i, v, w) IN ('x', 'y'))",
    ],
)
@pytest.mark.parametrize("flavors", _ALL)
def test_what_is_the_same_everywhere(column: str, flavors: str) -> None:
    assert reason(column, flavors) == ""


@pytest.mark.parametrize("column", ["INT AS (a & 255)", "INT AS (YEAR(i))", "BIGINT AS (t6)"])
def test_servers_of_one_kind_convert_alike(column: str) -> None:
    assert reason(column, "mysql mysql") == ""


@pytest.mark.parametrize(
    "number", ["CAST(i AS UNSIGNED)", "IFNULL(CAST(i AS UNSIGNED), 1)", "18446744073709551615", "CEIL(d)", "d DIV 1"]
)
def test_servers_read_an_interval_beyond_64_bits_in_their_own_ways(number: str) -> None:
    """MySQL takes 18446744073709551615 for -1, MariaDB and TiDB for what no day can be moved by."""
    assert all(reason(f"DATE AS (da + INTERVAL {number} DAY)", pair) for pair in _ALL)


@pytest.mark.parametrize(
    "column",
    [
        "INT AS ((v REGEXP '^a') NOT IN (2, i))",
        "INT AS ((v LIKE 'a') NOT BETWEEN 0 AND i)",
        "INT AS ((v NOT LIKE 'a') NOT IN (2, i))",
    ],
)
def test_mariadb_moves_parentheses_of_patterns(column: str) -> None:
    """`SHOW CREATE TABLE` says v regexp ('^a' not in (2, i)), which is what it calculates."""
    assert [pair for pair in _ALL if reason(column, pair)] == ["mysql mariadb", "mariadb mysql", "mariadb tidb"]


@pytest.mark.parametrize("column", ["INT AS (IFNULL(INET_ATON(v), 0))", "INT AS (CASE WHEN i THEN INET_ATON(v) END)"])
def test_a_function_without_a_result_is_no_value_at_all_in_tidb(column: str) -> None:
    assert [pair for pair in _ALL if reason(column, pair)] == ["mysql tidb", "mariadb tidb"]
    assert not any(reason("INT AS (INET_ATON(v))", pair) for pair in _ALL)


@pytest.mark.parametrize("number", ["MOD(i, e)", "e * i", "(e + 1) * i", "(e + 1) * d"])
def test_a_number_of_a_label_is_a_double_in_mysql(number: str) -> None:
    assert all(reason(f"BIGINT AS ({number})", pair) for pair in _ALL)
    assert not any(reason("INT AS ((e + 1) * 2)", pair) for pair in _ALL)


def test_tidb_takes_the_largest_integers_for_negative_ones_among_others() -> None:
    assert all(reason("BIGINT UNSIGNED AS (GREATEST(u, i))", pair) for pair in _ALL)


@pytest.mark.parametrize(
    "column",
    [
        "INT AS (u IN (i, 1))",
        "INT AS (u IN (1, -1))",
        "INT AS (i IN (18446744073709551615))",
        "INT AS (CASE u WHEN i THEN 1 END)",
        "VARCHAR(40) AS (ELT(u, v, w))",
        "VARCHAR(40) AS (LPAD(v, u, 'x'))",
    ],
)
def test_mysql_mixes_up_integers_with_and_without_a_sign(column: str) -> None:
    assert all(reason(column, pair) for pair in _ALL)


@pytest.mark.parametrize(
    "column", ["INT AS (u IN (1, 2))", "INT AS (CASE u WHEN 1 THEN 1 END)", "INT AS (u = i)", "INT AS (u > 5)"]
)
def test_integers_with_and_without_a_sign_that_compare_alike(column: str) -> None:
    assert not any(reason(column, pair) for pair in _ALL)


@pytest.mark.parametrize(
    "column",
    [
        "JSON AS (JSON_OBJECT('k', IFNULL(u, 0)))",
        "JSON AS (JSON_KEYS(j))",
        "VARCHAR(40) AS (HEX(CEIL(d)))",
        "VARCHAR(40) AS (ROUND(d, 7))",
        "INT AS (CAST(DAYNAME(da) AS SIGNED))",
        "INT AS (LOCATE(c, CONVERT(v USING utf8mb4)))",
        "VARCHAR(64) AS (SHA2(v REGEXP '^a', 256))",
        "VARCHAR(64) AS (SHA2(CONCAT(INSTR(c, 'a'), 'x'), 256))",
        "INT AS (FIELD(i, d, 2))",
        "BIGINT AS (m ^ i)",
        "BIGINT AS ((d * d) ^ i)",
    ],
)
def test_functions_of_numbers_and_documents_that_servers_have_of_their_own(column: str) -> None:
    assert all(reason(column, pair) for pair in _ALL)


@pytest.mark.parametrize(
    "text", ["d0", "d + d2", "TRUNCATE(d2, 2)", "IFNULL(d0, d)", "IFNULL(d0, d0)", "CAST(d AS DECIMAL(4,4))"]
)
def test_texts_of_decimals_are_cut_in_tidb(text: str) -> None:
    """TiDB counts two characters beside the digits: for a sign and a point, and none for a zero before the point."""
    assert [pair for pair in _ALL if reason(f"VARCHAR(99) AS (CAST({text} AS CHAR))", pair)][-2:] == [
        "mysql tidb",
        "mariadb tidb",
    ]
    assert not reason("VARCHAR(99) AS (CAST(d AS CHAR))", "mysql tidb")
    assert not reason("VARCHAR(99) AS (CAST(IFNULL(d, d) AS CHAR))", "mariadb tidb")
    assert not reason("VARCHAR(99) AS (CAST(CAST(d * d AS DECIMAL(12,2)) AS CHAR))", "mysql tidb")
    assert not reason("VARCHAR(99) AS (CAST(d0 AS CHAR))", "mysql mariadb")
    assert not reason("VARCHAR(99) AS (CONCAT(d0, 'x'))", "mysql tidb")


@pytest.mark.parametrize(
    "expression",
    [
        "(d % 2) = 0",
        "NULLIF(d, MOD(d, 2))",
        "IF(d % 2, 1, 2)",
        "CASE d % 0.5 WHEN 0 THEN 1 END",
        "CASE WHEN i THEN d % 2 ELSE d END",
    ],
)
def test_a_remainder_of_decimals_may_be_minus_zero_in_mariadb(expression: str) -> None:
    assert [pair for pair in _ALL if reason(f"DECIMAL(20,2) AS ({expression})", pair)] == [
        "mysql mariadb",
        "mariadb mysql",
        "mariadb tidb",
    ]
    assert not reason("DECIMAL(20,2) AS (d % 2)", "mariadb tidb")
    assert not reason("INT AS (i % 2 = 0)", "mariadb tidb")


@pytest.mark.parametrize(
    "expression", ["IFNULL(bo, d0)", "IF(i, i3, d)", "COALESCE(i3, 0.5)", "CASE WHEN i THEN bo ELSE d END"]
)
def test_tidb_cuts_integers_of_narrow_columns_beside_decimals(expression: str) -> None:
    assert reason(f"DECIMAL(20,5) AS ({expression})", "mariadb tidb")
    assert not reason("DECIMAL(20,5) AS (IFNULL(i, d))", "mariadb tidb")
    assert not reason("DECIMAL(20,5) AS (bo + d)", "mariadb tidb")
    assert not reason("INT AS (IFNULL(bo, i))", "mariadb tidb")
