"""Which expressions of a statement read a TIMESTAMP."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.schema.zone_reads import local_moments, moments_with_offset, reads_moments, stored_of_moments


def _table(sql: str) -> Table:
    return parse_create_table(sql, "s")


BEFORE = _table("CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, d DATETIME, n INT, h INT AS (HOUR(a)) VIRTUAL)")


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("ADD c DATE DEFAULT (DATE(a))", True),
        ("ADD c DATE DEFAULT (DATE(d))", False),
        ("ADD c VARCHAR(9) DEFAULT 'a'", False),
        ("ADD c INT AS (h + 1) STORED", True),
        ("CHANGE a z TIMESTAMP NULL, ADD c DATE DEFAULT (z)", True),
        ("RENAME COLUMN a TO z, ADD c DATE DEFAULT (z)", True),
        ("ADD b TIMESTAMP NULL, ADD c DATE DEFAULT (b)", True),
        ("ADD c INT AFTER a", False),
        ("MODIFY n BIGINT", False),
    ],
)
def test_reads_moments(sql: str, reads: bool) -> None:
    ddl = parse_ddl(f"ALTER TABLE t {sql}", default_schema="s", flavor="mysql")
    assert reads_moments(ddl, BEFORE) is reads


def test_a_copy_calculates_stored_columns_anew() -> None:
    table = _table(
        "CREATE TABLE t (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, h INT AS (HOUR(a)) VIRTUAL, "
        "s INT AS (h + n) STORED, p INT AS (n + 1) STORED)"
    )
    assert [one.name for one in stored_of_moments(table)] == ["s"]
    assert reads_moments(parse_ddl("ALTER TABLE t MODIFY n BIGINT", default_schema="s", flavor="mysql"), table)


def test_literals_with_an_offset() -> None:
    sql = (
        "CREATE TABLE t (d DATETIME DEFAULT '2020-01-01 00:00:00+05:00' COMMENT '1:00+05:00', "
        "g BOOL AS (d > TIMESTAMP'2020-01-02 00:00:00+05:00')) COMMENT = '2:00+05:00'"
    )
    ddl = parse_ddl(sql, default_schema="s", flavor="mysql")
    assert moments_with_offset(ddl) == ["2020-01-02 00:00:00+05:00"]
    assert local_moments(ddl) == ["2020-01-01 00:00:00+05:00", "2020-01-02 00:00:00+05:00"]
