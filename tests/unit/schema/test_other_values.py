"""Which changes of type, expressions and counters give rows other values on another server."""

from __future__ import annotations

import pytest

from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import UTF8MB4
from pkg.schema.context import DdlContext
from pkg.schema.conversions import other_conversions
from pkg.schema.counters import new_counter, order_doubt
from pkg.schema.ddl import parse_ddl
from pkg.schema.other_expressions import other_expressions
from pkg.schema.parse import parse_create_table

_IN_TIDB = frozenset({"utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "utf8mb4_0900_bin"})
_ROWS = """CREATE TABLE t (id INT PRIMARY KEY, d DOUBLE, f FLOAT, n INT, zf INT(5) ZEROFILL, dc DECIMAL(9,2), at DATETIME(3), ti TIME, y YEAR,
    b BIT(8), c CHAR(5) CHARACTER SET latin1, u VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    v VARCHAR(9) CHARACTER SET latin1, e ENUM('a','b') CHARACTER SET latin1, j JSON)"""

_NUMERIC = "CONVERT(`v` USING utf8mb4) REGEXP '^[[:space:]]*[-+0-9]' AND CAST(CONVERT(`v` USING utf8mb4) AS BINARY)"


@pytest.mark.parametrize(
    ("change", "flavors", "where"),
    [
        ("MODIFY at DATE", "mariadb mysql", "MICROSECOND(`at`) <> 0"),
        ("MODIFY at DATE", "mariadb tidb", None),
        ("MODIFY at DATE", "mysql tidb", "MICROSECOND(`at`) <> 0"),
        ("MODIFY d VARCHAR(40)", "mysql tidb", "ABS(`d`) >= 1e14 OR (`d` <> 0 AND ABS(`d`) < 1e-4)"),
        ("MODIFY d VARCHAR(40)", "mysql mariadb", None),
        ("MODIFY d DECIMAL(9,2)", "mysql tidb", None),
        ("CHANGE f g TEXT", "mariadb tidb", "`f` IS NOT NULL AND (`f` <> ROUND(`f`) OR ABS(`f`) >= 1000000)"),
        ("MODIFY n ENUM('1')", "mysql tidb", "`n` IS NOT NULL"),
        ("MODIFY n ENUM('1')", "mariadb tidb", None),
        ("MODIFY n VARCHAR(9)", "mysql tidb", None),
        ("MODIFY zf VARCHAR(9)", "mysql tidb", "`zf` IS NOT NULL"),
        ("MODIFY zf VARCHAR(9)", "mysql mariadb", None),
        ("MODIFY zf BIGINT ZEROFILL", "mysql tidb", None),
        ("MODIFY dc DATE", "mysql mariadb", "`dc` IS NOT NULL"),
        ("MODIFY at BIGINT", "mysql mariadb", "MICROSECOND(`at`) <> 0"),
        ("MODIFY at DATETIME", "mysql mariadb", "`at` > '9999-12-31 23:59:59'"),
        ("MODIFY at DATETIME(4)", "mysql mariadb", None),
        ("MODIFY ti DATETIME", "mysql tidb", "`ti` IS NOT NULL"),
        ("MODIFY ti DATETIME", "mysql mariadb", None),
        ("MODIFY y CHAR(4)", "mysql tidb", "`y` = 0"),
        ("MODIFY b TEXT", "mysql tidb", "`b` IS NOT NULL"),
        ("MODIFY c BINARY(5)", "mysql mariadb", "CHAR_LENGTH(`c`) < 5"),
        ("MODIFY c BINARY(6)", "mysql mariadb", None),
        ("MODIFY c BINARY(5)", "mysql mysql", None),
        ("MODIFY v VARBINARY(9)", "mysql mysql", None),
        ("MODIFY u VARBINARY(40)", "mysql tidb", None),
        ("MODIFY v DATETIME", "mysql mysql", None),
        ("MODIFY f BIGINT", "mysql tidb", "ABS(`f`) > 9e15"),
        ("MODIFY v ENUM('7')", "mysql tidb", _NUMERIC + " NOT IN ('7')"),
        ("MODIFY j INT", "mysql tidb", "`j` IS NOT NULL"),
        ("MODIFY d YEAR", "mysql mariadb", "`d` IS NOT NULL"),
    ],
)
def test_changes_of_type(change: str, flavors: str, where: str | None) -> None:
    upstream, target = flavors.split()
    before = parse_create_table(_ROWS, "db")
    ddl = parse_ddl(f"ALTER TABLE t {change}", default_schema="db")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext(upstream))
    found = list(other_conversions(ddl, before, after, before, (upstream, target), cuts=False))
    assert [one.where for one in found] == ([] if where is None else [where])


_NOT_ASCII = r"CONVERT(`u` USING utf8mb4) COLLATE utf8mb4_bin REGEXP '[^\\x{0}-\\x{7f}]'"


def test_each_reason_of_a_change_has_its_rows() -> None:
    before = parse_create_table(_ROWS, "db")
    ddl = parse_ddl("ALTER TABLE t MODIFY j TEXT CHARACTER SET ascii", default_schema="db")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext("mysql"))
    doubts = other_conversions(ddl, before, after, before, ("mysql", "tidb"), cuts=False, strict=False)
    assert [one.reason.partition(" (")[0] for one in doubts] == [
        "TiDB keeps characters that ascii lacks",
        "servers write documents in different ways",
    ]


@pytest.mark.parametrize(
    ("statement", "strict", "where"),
    [
        ("ALTER TABLE t MODIFY u VARCHAR(9) CHARACTER SET ascii", False, _NOT_ASCII),
        ("ALTER TABLE t MODIFY u VARCHAR(9) CHARACTER SET ascii", True, None),
        ("ALTER TABLE t MODIFY u TEXT CHARACTER SET gbk", False, "LENGTH(`u`) <> CHAR_LENGTH(`u`)"),
        ("ALTER TABLE t MODIFY u VARCHAR(9) CHARACTER SET utf32", False, None),
        ("ALTER TABLE t MODIFY v VARCHAR(5) CHARACTER SET latin1", False, None),
    ],
)
def test_characters_that_a_set_lacks(statement: str, strict: bool, where: str | None) -> None:
    before = parse_create_table(_ROWS, "db")
    ddl = parse_ddl(statement, default_schema="db", flavor="mariadb")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext("mariadb"))
    found = list(other_conversions(ddl, before, after, before, ("mariadb", "tidb"), cuts=False, strict=strict))
    assert [one.where for one in found] == ([] if where is None else [where])


def test_bytes_of_a_text_whose_character_set_is_mapped() -> None:
    before = parse_create_table(_ROWS, "db")
    present = parse_create_table(_ROWS.replace("latin1", "utf8mb4"), "db")
    ddl = parse_ddl("ALTER TABLE t MODIFY v BLOB", default_schema="db")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext("mysql"))
    found = list(other_conversions(ddl, before, after, present, ("mysql", "mysql"), cuts=False))
    assert [one.where for one in found] == ["LENGTH(`v`) <> CHAR_LENGTH(`v`)"]


@pytest.mark.parametrize(
    ("column", "flavors", "reason"),
    [
        ("INT AS (LENGTH(v))", "mysql tidb", "LENGTH"),
        ("INT AS (CHAR_LENGTH(v))", "mysql tidb", ""),
        ("INT AS (LENGTH(CONVERT(v USING latin1)))", "mysql tidb", ""),
        ("INT AS (LENGTH(u))", "mysql tidb", ""),
        ("INT AS (v = 'A')", "mysql tidb", "="),
        ("INT AS (u = 'A')", "mysql tidb", ""),
        ("INT AS (e = 'a')", "mysql tidb", ""),
        ("INT AS (CASE WHEN v IS NULL THEN 1 END)", "mysql tidb", ""),
        ("INT AS (CASE v WHEN 'a' THEN 1 END)", "mysql tidb", "CASE"),
        ("VARCHAR(9) AS (CONCAT(v, ' in = ', n))", "mysql tidb", ""),
        ("VARCHAR(9) AS (CONCAT(d))", "mysql tidb", "FLOAT"),
        ("VARCHAR(9) AS (CONCAT(ROUND(d, 2)))", "mysql tidb", "ROUND"),
        ("VARCHAR(9) AS (CONCAT(d))", "mysql mariadb", "CONCAT"),
        ("DECIMAL(9,4) AS (n / 7)", "mysql mariadb", "quotient"),
        ("DECIMAL(9,5) AS (n / 7)", "mysql mariadb", "quotient"),
        ("DECIMAL(9,5) AS (n / 7)", "mysql mysql", ""),
        ("DOUBLE AS (d / 7)", "mysql mariadb", ""),
        ("DOUBLE AS (n / 7)", "mysql mariadb", "quotient"),
        ("DECIMAL(30,20) AS (n / 7)", "mariadb tidb", ""),
        ("VARCHAR(40) AS (n / 7)", "mariadb tidb", "quotient"),
        ("INT AS (n / 2)", "mysql tidb", "quotient"),
        ("VARCHAR(9) AS (JSON_EXTRACT(j, '$.a'))", "mysql mariadb", "JSON"),
        ("INT AS (JSON_EXTRACT(j, '$.a'))", "mysql mariadb", "JSON"),
        ("INT AS (JSON_EXTRACT(j, '$.a'))", "mysql tidb", ""),
        ("INT AS (u REGEXP '^a[0-9]+(b|c)?')", "mariadb tidb", ""),
        ("INT AS (u RLIKE 'a$')", "mariadb tidb", "regular"),
        ("INT AS (u RLIKE 'a$')", "mariadb mariadb", ""),
        ("INT AS (u REGEXP '[[:alpha:]]')", "mariadb mysql", "regular"),
        ("INT AS (REGEXP_SUBSTR(u, '(?<=x)a') = 'a')", "mariadb tidb", "regular"),
        ("INT AS (u REGEXP '\\\\\\\\w')", "mysql tidb", "regular"),
        ("INT AS (u REGEXP v)", "mariadb tidb", "REGEXP compares v"),
        ("INT AS (u REGEXP u)", "mariadb tidb", "regular"),
        ("VARCHAR(9) DEFAULT (HEX(v))", "mysql tidb", "HEX"),
        ("VARCHAR(9) DEFAULT 'a / b'", "mysql tidb", ""),
    ],
)
def test_expressions(column: str, flavors: str, reason: str) -> None:
    upstream, target = flavors.split()
    before = parse_create_table(_ROWS, "db")
    ddl = parse_ddl(f"ALTER TABLE t ADD g {column}", default_schema="db")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext(upstream))
    found = list(other_expressions(ddl, after, None, (upstream, target), _IN_TIDB))
    assert [one.fills for one in found] == ([] if not reason else ["DEFAULT (" in column])
    assert all(reason in one.reason for one in found)


_HASHED = "PARTITION BY HASH (id) PARTITIONS 3 -- ("


@pytest.mark.parametrize(
    ("above", "below", "doubt"),
    [
        ("id INT PRIMARY KEY", "id INT PRIMARY KEY", ""),
        ("id INT", "id INT", "no primary key"),
        ("id INT PRIMARY KEY) ENGINE=MyISAM -- (", "id INT PRIMARY KEY", "MYISAM"),
        ("a INT, b INT, PRIMARY KEY (a, b)", "a INT, b INT, PRIMARY KEY (b, a)", "another one"),
        ("v CHAR(9) COLLATE latin1_bin PRIMARY KEY", "v CHAR(9) COLLATE utf8mb4_bin PRIMARY KEY", "the collation of v"),
        ("v CHAR(9) COLLATE utf8mb3_bin PRIMARY KEY", "v CHAR(9) COLLATE utf8mb4_bin PRIMARY KEY", ""),
        (f"id INT PRIMARY KEY) {_HASHED}", f"id INT PRIMARY KEY) {_HASHED}", ""),
        (f"id INT PRIMARY KEY) {_HASHED}", "id INT PRIMARY KEY", "partitions"),
        ("id INT PRIMARY KEY", f"id INT PRIMARY KEY) {_HASHED}", "partitions"),
        (f"id INT PRIMARY KEY) {_HASHED}", f"id INT PRIMARY KEY) {_HASHED.replace('3', '4')}", "partitions"),
    ],
)
def test_the_order_of_rows_that_a_new_counter_numbers(above: str, below: str, doubt: str) -> None:

    upstream, present = (parse_create_table(f"CREATE TABLE t ({one})", "db") for one in (above, below))
    found = order_doubt(upstream, present, ("mariadb", "mariadb"))
    assert doubt in found
    assert bool(found) is bool(doubt)
    assert bool(order_doubt(upstream, present, ("mysql", "mariadb"))) is (bool(doubt) or _HASHED in above)
    assert order_doubt(None, upstream, ("mariadb", "mariadb"))


def test_which_statements_add_a_counter() -> None:
    assert new_counter(parse_ddl("ALTER TABLE t ADD a INT, ADD n SERIAL", default_schema="db")) == "n"
    assert new_counter(parse_ddl("ALTER TABLE t ADD a INT", default_schema="db")) == ""


_KEPT = """CREATE TABLE k (id INT PRIMARY KEY, n INT, v VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    half INT AS (n % 2 = 0), bytes INT AS (LENGTH(v)), more VARCHAR(20) AS (CONCAT(v, '!')), again INT AS (half + 1))"""


@pytest.mark.parametrize(
    ("change", "target", "columns"),
    [
        ("CONVERT TO CHARACTER SET latin1", "tidb", ["bytes"]),
        ("CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "tidb", []),
        ("MODIFY v VARCHAR(9) CHARACTER SET latin1", "tidb", ["bytes"]),
        ("MODIFY v VARCHAR(12) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "tidb", []),
        ("MODIFY n DECIMAL(10,2)", "mariadb", ["half"]),
        ("MODIFY n DECIMAL(10,2)", "mysql", []),
        ("MODIFY n BIGINT", "mariadb", []),
        ("ADD x INT", "mariadb", []),
    ],
)
def test_columns_that_are_calculated_anew(change: str, target: str, columns: list[str]) -> None:
    before = parse_create_table(_KEPT, "db")
    ddl = parse_ddl(f"ALTER TABLE k {change}", default_schema="db")
    after = alter_table(before, ddl.alterations, UTF8MB4, DdlContext("mysql"))
    found = other_expressions(ddl, after, before, ("mysql", target), _IN_TIDB, before)
    assert [one.column for one in found] == columns
