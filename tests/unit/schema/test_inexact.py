from __future__ import annotations

import pytest

from pkg.schema.context import DdlContext
from pkg.schema.inexact import inexact_columns
from pkg.schema.mapping import lacks_type
from pkg.schema.parse import parse_create_table
from pkg.schema.translate import translate_create_table
from tests.cases.replicate.matrix_types import typed


@pytest.mark.parametrize(
    ("above", "below", "is_inexact"),
    [
        ("INT", "TINYINT", False),  # what does not fit is refused
        ("INT", "BIGINT UNSIGNED", False),
        ("DECIMAL(10,0)", "INT", False),
        ("DECIMAL(10,1)", "INT", True),
        ("DOUBLE", "BIGINT", True),
        ("VARCHAR(10)", "INT", True),
        ("TEXT", "DECIMAL(10,2)", True),
        ("INT", "DECIMAL(12,2)", False),
        ("DECIMAL(10,4)", "DECIMAL(10,4)", False),
        ("DECIMAL(10,4)", "DECIMAL(30,6)", False),
        ("DECIMAL(10,4)", "DECIMAL(30,2)", True),
        ("DECIMAL", "DECIMAL(5)", False),
        ("FLOAT", "DECIMAL(30,10)", True),
        ("MEDIUMINT", "FLOAT", False),
        ("INT", "FLOAT", True),
        ("INT", "DOUBLE", False),
        ("BIGINT", "DOUBLE", True),
        ("DECIMAL(15,2)", "DOUBLE", False),
        ("DECIMAL(16,2)", "DOUBLE", True),
        ("FLOAT", "DOUBLE", False),
        ("DOUBLE", "FLOAT", True),
        ("FLOAT(7,4)", "FLOAT(7,4)", False),
        ("FLOAT(7,4)", "FLOAT(7,2)", True),
        ("FLOAT(7,4)", "FLOAT", False),
        ("FLOAT", "FLOAT(7,4)", True),
        ("DECIMAL(12,5)", "DOUBLE(30,20)", True),
        ("DECIMAL(12,5)", "DOUBLE(15,5)", False),
        ("DECIMAL(12,5)", "DOUBLE(15,8)", False),
        ("DECIMAL(12,5)", "DOUBLE(20,9)", True),
        ("DOUBLE(10,2)", "DOUBLE(30,20)", True),
        ("DOUBLE(10,2)", "DOUBLE(12,4)", False),
        ("FLOAT(7,2)", "DOUBLE(20,4)", True),
        ("FLOAT(7,2)", "FLOAT(9,4)", True),
        ("FLOAT(7,2)", "FLOAT(9,2)", False),
        ("FLOAT(4,2)", "FLOAT(9,4)", False),
        ("DECIMAL(6,2)", "FLOAT(10,4)", True),
        ("DECIMAL(6,2)", "FLOAT(10,2)", False),
        ("INT", "DOUBLE(20,6)", False),
        ("VARCHAR(5) CHARACTER SET utf8mb4", "VARCHAR(5) CHARACTER SET cp932", True),
        ("VARCHAR(5) CHARACTER SET cp932", "VARCHAR(5) CHARACTER SET cp932", False),
        ("CHAR(5)", "DOUBLE", True),
        ("DATETIME(3)", "DATETIME", True),
        ("DATETIME(3)", "DATETIME(6)", False),
        ("TIME(6)", "TIME(6)", False),
        ("TIME(6)", "TIME(3)", True),
        ("TIMESTAMP(1)", "DATETIME", True),
        ("DATE", "DATETIME", False),
        ("DATETIME", "DATE", True),
        ("DATETIME", "TIME", True),
        ("TIME", "DATETIME", True),
        ("INT", "DATE", True),
        ("VARCHAR(20)", "DATETIME", True),
        ("INT", "YEAR", True),
        ("YEAR", "INT", False),
        ("INT", "VARCHAR(20)", False),
        ("VARCHAR(20)", "VARCHAR(10)", False),
        ("ENUM('a')", "ENUM('b','a')", False),
        ("ENUM('a')", "VARCHAR(5)", False),
        ("INT", "ENUM('5','1')", True),
        ("YEAR", "SET('5','1')", True),
        ("VARCHAR(5)", "ENUM('a')", True),  # 'A', '1'
        ("VARBINARY(5)", "SET('a')", True),
        ("ENUM('a','b')", "ENUM('A','c')", True),
        ("ENUM('a','b')", "ENUM('a','A') COLLATE utf8mb4_bin", False),  # b is refused
        ("ENUM('a','c')", "ENUM('a','b')", False),
        ("ENUM('a','2')", "ENUM('a','b')", True),
        ("ENUM('2','1')", "ENUM('1','2')", False),
        ("ENUM('ä')", "ENUM('a')", True),
        ("ENUM('\\'')", "ENUM('\\'')", False),
        ("SET('a','b')", "SET('a','c','b')", False),
        ("SET('a','b')", "SET('b','a')", True),
        ("SET('a')", "ENUM('b','a')", False),
        ("ENUM('a,b')", "SET('a','b')", True),
        ("LONGTEXT", "JSON", True),
        ("LONGTEXT COLLATE utf8mb4_bin", "JSON", False),  # MariaDB's JSON
        ("DECIMAL(10,2)", "JSON", True),
        ("BIGINT", "JSON", False),
        ("JSON", "JSON", False),
        ("INT AS (1)", "INT AS (1) STORED", False),
        ("INT AS (1)", "INT", False),
        ("DATETIME(3) AS (NOW(3)) STORED", "DATETIME AS (NOW(3)) STORED", True),
        ("BINARY(3)", "BINARY(3)", False),
        ("BINARY(3)", "BINARY(5)", True),
        ("VARBINARY(3)", "BINARY(3)", True),
        ("BINARY(3)", "VARBINARY(3)", False),
        ("VARBINARY(9)", "INT", True),
        ("BLOB", "DOUBLE", True),
        ("VARBINARY(9)", "DECIMAL(10,2)", True),
        ("VARBINARY(20)", "DATE", True),
        ("VARBINARY(9)", "BIT(64)", True),
        ("VARCHAR(9)", "BIT(64)", True),
        ("VARCHAR(9)", "BINARY(9)", True),
        ("ENUM('7')", "BINARY(9)", True),
        ("VARBINARY(9)", "VARCHAR(9)", False),
        ("VARBINARY(9)", "CHAR(9)", True),
        ("VARBINARY(9)", "VARCHAR(9) CHARACTER SET ucs2", True),  # zeros before them
        ("VARCHAR(9) CHARACTER SET latin1", "VARBINARY(9)", True),
        ("VARCHAR(9)", "BLOB", False),
        ("ENUM('7','5.5')", "INT", True),
        ("ENUM('7','5.5')", "DECIMAL(3,1)", True),
        ("ENUM('7')", "DOUBLE", True),
        ("ENUM('7')", "YEAR", True),
        ("ENUM('7')", "TIME", True),
        ("ENUM('7')", "BIT(64)", True),
        ("ENUM('1')", "JSON", True),
        ("JSON", "INT", True),
        ("JSON", "LONGTEXT", False),
        ("JSON", "DOUBLE", True),
        ("YEAR", "TIME", True),
        ("YEAR", "VARCHAR(9)", True),  # '0000'
        ("YEAR", "FLOAT", False),
        ("BIT(9)", "BIGINT", False),
        ("BIT(53)", "DOUBLE", False),
        ("BIT(54)", "DOUBLE", True),
        ("BIT(16)", "TIME", True),
        ("BIT(16)", "VARCHAR(9)", True),
        ("BIT(16)", "YEAR", True),
        ("BIGINT", "BIT(64)", True),
        ("BIGINT UNSIGNED", "BIT(64)", False),
        ("TINYINT(1)", "BIT(1)", False),
        ("DECIMAL(10,2)", "BIT(64)", True),
        ("DOUBLE", "BIT(64)", True),
        ("DECIMAL(10,2)", "YEAR", True),
        ("FLOAT", "YEAR", True),
        ("DOUBLE", "VARCHAR(30)", True),  # 1e15
        ("INT(5) ZEROFILL", "VARCHAR(30)", True),
        ("DECIMAL(10,2)", "VARCHAR(30)", False),
        ("DATETIME(3)", "VARCHAR(30)", False),
        ("UUID", "CHAR(36)", False),
        ("VARCHAR(36)", "UUID", True),  # in its own spelling
        ("POINT", "GEOMETRY", False),
        ("POINT", "LONGBLOB", False),
        ("POINT", "LONGTEXT", True),
        ("VECTOR(3)", "VECTOR", False),
    ],
)
def test_a_target_changes_values_without_a_word(above: str, below: str, is_inexact: bool) -> None:
    pair = [parse_create_table(f"CREATE TABLE t (c {one})", "db").columns[0] for one in (above, below)]
    found = inexact_columns([(pair[0], pair[1])])
    assert bool(found) is is_inexact
    assert not found or found == f"c is {pair[0].type}, and {pair[1].type} there"


@pytest.mark.parametrize("kind", ["STORED", "VIRTUAL"])
def test_a_plain_column_is_generated_in_the_target(kind: str) -> None:
    above, below = (
        parse_create_table(f"CREATE TABLE t (c INT{one})", "db").columns[0] for one in ("", f" AS (1 + 1) {kind}")
    )
    assert inexact_columns([(above, below)]) == "c is int, and generated there"


@pytest.mark.parametrize(
    ("above", "below", "flavor", "is_inexact"),
    [
        ("DOUBLE(16,2)", "DOUBLE(16,2)", "tidb", True),
        ("DOUBLE(16,2)", "DOUBLE(16,2)", "mariadb", False),
        ("DOUBLE(20,15)", "DOUBLE(20,15)", "mariadb", True),
        ("DOUBLE(15,2)", "DOUBLE(16,2)", "tidb", False),
        ("DOUBLE(16,2)", "DOUBLE", "tidb", False),
        ("DOUBLE(30,0)", "DOUBLE(30,0)", "tidb", False),
    ],
)
def test_servers_round_a_double_to_its_digits(above: str, below: str, flavor: str, is_inexact: bool) -> None:
    pair = [parse_create_table(f"CREATE TABLE t (c {one})", "db").columns[0] for one in (above, below)]
    assert bool(inexact_columns([(pair[0], pair[1])], flavor)) is is_inexact
    assert (
        "changes last digits" in inexact_columns([(pair[0], pair[1])], flavor)
    ) is is_inexact  # both types are the same


@pytest.mark.parametrize("flavor", ["tidb", "mysql", "mariadb"])
def test_mysql_takes_no_number_for_a_document(flavor: str) -> None:
    above, below = (parse_create_table(f"CREATE TABLE t (c {one})", "db").columns[0] for one in ("INT", "JSON"))
    assert bool(inexact_columns([(above, below)], flavor)) is (flavor == "mysql")


@pytest.mark.parametrize("target", ["tidb", "mysql", "mariadb"])
@pytest.mark.parametrize("above", sorted({one.type for one in typed()} | {"LONGTEXT CHARACTER SET binary", "SERIAL"}))
def test_columns_that_we_make_hold_all_values(above: str, target: str) -> None:
    flavor, body = "mysql" if above == "JSON" else "", f"CREATE TABLE t (c {above})"
    if target == "tidb" and lacks_type(target, above.lower()):
        return
    collations = ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_0900_ai_ci", "latin1_swedish_ci", "gbk_chinese_ci")
    made = translate_create_table(body, schema="d", table="t", flavor=target, collations=collations)
    pair = [
        parse_create_table(sql, "d", context=DdlContext(flavor=kind)).columns[0]
        for sql, kind in ((body, flavor), (made.sql, target))
    ]
    assert not inexact_columns([(pair[0], pair[1])])
