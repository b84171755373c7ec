"""Which changes give rows that are copied other values than rows that are altered."""

from __future__ import annotations

import pytest

from pkg.schema.copied_rows import copy_doubts
from pkg.schema.ddl import parse_ddl
from pkg.schema.table import Table
from pkg.schema.tracker import SchemaTracker

TABLE = """CREATE TABLE t (id INT PRIMARY KEY, n INT, z INT(6) ZEROFILL, f FLOAT, x DECIMAL(9,2), v VARCHAR(20),
    e ENUM('a', 'b'), d DATETIME, ts TIMESTAMP NULL, ti TIME, y YEAR, j JSON, b BIT(4), g INT AS (n) STORED)"""


def doubts(*clauses: str) -> list[tuple[str, str, str]]:
    """(column, its name before, condition) of ALTERs of the table."""
    tracker = SchemaTracker()
    tracker.apply(parse_ddl(TABLE, default_schema="db"))
    before = _table(tracker)
    ddls = [parse_ddl(f"ALTER TABLE t {clause}", default_schema="db") for clause in clauses]
    for ddl in ddls:
        tracker.apply(ddl)
    return [(one.column, one.old, one.where) for one in copy_doubts(ddls, before, _table(tracker))]


def _table(tracker: SchemaTracker) -> Table:
    table = tracker.table("db", "t")
    assert table is not None
    return table


@pytest.mark.parametrize(
    "clause",
    [
        "made DATETIME DEFAULT CURRENT_TIMESTAMP",
        "made TIMESTAMP(3) NOT NULL DEFAULT NOW(3)",
        "made DATE DEFAULT (CURRENT_DATE)",
        "made DATETIME DEFAULT (NOW() + INTERVAL 1 DAY)",
        "made BIGINT DEFAULT (UNIX_TIMESTAMP())",
        "made DATETIME NULL ON UPDATE CURRENT_TIMESTAMP",
        "made BIGINT NOT NULL AUTO_INCREMENT UNIQUE",
        "made INT DEFAULT (n + 1)",
    ],
)
def test_a_new_column_whose_values_depend_on_the_copy(clause: str) -> None:
    assert doubts(f"ADD COLUMN {clause}") == [("made", "", "")]


@pytest.mark.parametrize(
    "clause",
    [
        "ADD COLUMN w INT, ADD COLUMN s VARCHAR(9) NOT NULL DEFAULT 'now', ADD COLUMN a DATE NOT NULL",
        "ADD COLUMN w INT DEFAULT (1 + 1), ADD COLUMN h INT AS (n * 2) VIRTUAL",
        "DROP COLUMN n, DROP COLUMN g",
        "MODIFY n BIGINT NOT NULL, CHANGE v name TEXT, MODIFY e ENUM('b', 'c', 'a'), MODIFY d DATE, MODIFY x DOUBLE",
        "MODIFY n VARCHAR(20), MODIFY x VARCHAR(20), MODIFY f DOUBLE, MODIFY v INT, MODIFY j TEXT, MODIFY b INT, MODIFY y INT",
        "MODIFY ts TIMESTAMP(3) NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP(3), MODIFY g INT AS (n + 1) STORED",
        "ADD KEY kn (n), COMMENT = 'x', ENGINE = InnoDB",
    ],
)
def test_changes_that_are_the_same_either_way(clause: str) -> None:
    assert doubts(clause) == []


@pytest.mark.parametrize(
    ("clause", "column", "where"),
    [
        ("MODIFY d TIMESTAMP NULL", "d", "`d` IS NOT NULL"),
        ("MODIFY ts DATETIME", "ts", "`ts` IS NOT NULL"),
        ("MODIFY ts TIMESTAMP NOT NULL", "ts", "`ts` IS NULL"),
        ("MODIFY ti DATETIME", "ti", "`ti` IS NOT NULL"),
        ("MODIFY n SET('1', '2')", "n", "`n` IS NOT NULL"),
        ("MODIFY v BIT(9)", "v", "`v` IS NOT NULL"),
        ("MODIFY d BIT(9)", "d", "`d` IS NOT NULL"),
        ("MODIFY j TIME", "j", "`j` IS NOT NULL"),
        ("MODIFY x DATE", "x", "`x` IS NOT NULL"),
        ("MODIFY f VARCHAR(30)", "f", "`f` IS NOT NULL"),
        ("MODIFY y CHAR(4)", "y", "`y` IS NOT NULL"),
        ("MODIFY z VARCHAR(9)", "z", "`z` IS NOT NULL"),
        ("MODIFY id INT AUTO_INCREMENT", "id", "`id` IS NULL OR `id` = 0"),
        ("MODIFY g INT", "g", ""),
    ],
)
def test_values_that_are_copied_as_others(clause: str, column: str, where: str) -> None:
    assert doubts(clause) == [(column, column, where)]


def test_names_by_which_values_are_copied() -> None:
    assert doubts("RENAME COLUMN v TO w") == [("w", "v", "")]
    assert doubts("CHANGE n x INT, CHANGE x n DECIMAL(9,2)") == [("x", "n", ""), ("n", "x", "")]
    assert doubts("DROP COLUMN v, ADD COLUMN v INT") == [("v", "v", "")]
    assert doubts("DROP COLUMN v", "ADD COLUMN v INT") == [("v", "v", "")]
    assert doubts("CHANGE v w VARCHAR(20)", "CHANGE w u VARCHAR(20)") == []


def test_a_new_column_that_changes_before_rows_are_copied() -> None:
    assert doubts("ADD COLUMN w INT DEFAULT 1", "ALTER COLUMN w SET DEFAULT 2") == [("w", "", "")]
    assert doubts("ADD COLUMN w INT", "MODIFY w INT NOT NULL DEFAULT 5") == [("w", "", "")]
    assert doubts("ADD COLUMN w INT DEFAULT 1", "ADD KEY (w)") == []
    assert doubts("ADD COLUMN w INT DEFAULT 1", "CHANGE w u INT DEFAULT 1") == []
