"""What servers cut alike, and types that one mode takes for others."""

from __future__ import annotations

import pytest

from pkg.schema.cut_values import cut_otherwise, nulls_to_fill, paddings
from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import Ddl

TABLE = parse_create_table(
    "CREATE TABLE t (i INT, d DECIMAL(9,3), v VARCHAR(20), c CHAR(5), e ENUM('a'), b VARBINARY(9), dt DATETIME(3), "
    "ts TIMESTAMP NULL, j JSON, y YEAR, f DOUBLE, s SET('a','b'))",
    "d",
)


def alter(clause: str, sql_mode: frozenset[str] = frozenset()) -> Ddl:
    return parse_ddl(f"ALTER TABLE t {clause}", default_schema="d", flavor="mariadb", sql_mode=sql_mode)


@pytest.mark.parametrize(
    "clause",
    ["MODIFY i TINYINT", "MODIFY d INT", "MODIFY d VARCHAR(3)", "MODIFY v VARCHAR(3) NOT NULL", "MODIFY v DECIMAL(5,2)",
     "MODIFY e SET('b')", "MODIFY b BINARY(3)", "CHANGE f g INT", "MODIFY dt DATETIME(3) NOT NULL", "ADD x INT",
     "ADD UNIQUE (i)", "MODIFY y YEAR NOT NULL"],
)  # fmt: skip
def test_cut_alike(clause: str) -> None:
    assert cut_otherwise(alter(clause), TABLE, "mysql", "tidb") == ""


@pytest.mark.parametrize(
    "clause",
    ["MODIFY v INT", "MODIFY v DATE", "MODIFY i YEAR", "MODIFY dt DATETIME", "MODIFY j VARCHAR(3)", "MODIFY y CHAR(2)",
     "MODIFY f VARCHAR(3)", "ADD x INT DEFAULT (v)", "MODIFY missing INT", "MODIFY v VARCHAR(9) CHARACTER SET latin1",
     "MODIFY s SET('b')", "MODIFY v SET('a')", "MODIFY v TINYTEXT"],
)  # fmt: skip
def test_cut_otherwise(clause: str) -> None:
    assert cut_otherwise(alter(clause), TABLE, "mysql", "tidb") != ""
    assert cut_otherwise(alter(clause), TABLE, "mysql", "mysql") == ""


@pytest.mark.parametrize(
    ("clause", "written"),
    [
        ("MODIFY i INT NOT NULL", [("i", "0", "`i` IS NULL")]),
        ("MODIFY v VARCHAR(9) NOT NULL, ADD PRIMARY KEY (i, v)",
         [("v", "''", "`v` IS NULL"), ("i", "0", "`i` IS NULL")]),
        ("MODIFY ts TIMESTAMP NOT NULL", [("ts", "CURRENT_TIMESTAMP", "`ts` IS NULL")]),
        ("MODIFY j JSON NOT NULL", []), ("MODIFY i INT", []), ("ADD UNIQUE (i)", []),
    ],
)  # fmt: skip
def test_nulls_that_may_not_be(clause: str, written: list[tuple[str, str, str]]) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {clause}", default_schema="d")
    table = parse_create_table("CREATE TABLE t (i INT, v VARCHAR(9), ts TIMESTAMP NULL, j JSON)", "d")
    assert [(one.column, one.value, one.where) for one in nulls_to_fill(ddl, table, ("mysql", "tidb"))] == written


def test_blanks_of_padded_chars() -> None:
    ddl = alter("CHANGE c x VARCHAR(3), MODIFY v TEXT")
    assert [(one.column, one.value) for one in paddings(ddl, TABLE)] == [("x", "RPAD(`x`, 3, ' ')")]
    assert not list(paddings(alter("MODIFY c CHAR(9)"), TABLE))
