"""WEEK(d) of MySQL's statements gets the mode that the upstream has given it."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.week_modes import leaves_week_modes, with_week_modes

SHOWN = (
    "CREATE TABLE `t` (`id` int NOT NULL, `d` date DEFAULT NULL, "
    "`w` int GENERATED ALWAYS AS ((week(`d`,3) + week(`d`,1))) STORED, `v` int DEFAULT (week(_utf8mb4'x',6)))"
)
NOW = parse_create_table(SHOWN, schema="d")


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("ALTER TABLE t ADD w INT AS (week(d) + WEEK(d, 1))", "ALTER TABLE t ADD w INT AS (week(d, 3) + WEEK(d, 1))"),
        ("ALTER TABLE t MODIFY v INT DEFAULT (WEEK (CONCAT('x', ',')))", "ALTER TABLE t MODIFY v INT DEFAULT (WEEK (CONCAT('x', ','), 6))"),
        ("ALTER TABLE t ADD x INT AS (week(d))", "ALTER TABLE t ADD x INT AS (week(d, 0))"),
        ("CREATE INDEX k ON t ((week(d)))", "CREATE INDEX k ON t ((week(d, 0)))"),
        (
            "CREATE TABLE t (id INT, d DATE, w INT AS (week(d) + week(d,1)), CHECK (week(d) > week(week(d), 7)), KEY week (d))",
            "CREATE TABLE t (id INT, d DATE, w INT AS (week(d, 3) + week(d,1)), CHECK (week(d, 3) > week(week(d, 3), 7)), KEY week (d))",
        ),
    ],
)  # fmt: skip
def test_the_mode_is_said(sql: str, wanted: str) -> None:
    ddl = parse_ddl(sql, default_schema="d", flavor="mysql")
    assert leaves_week_modes(ddl)
    assert with_week_modes(ddl, NOW, "0").text == wanted
    assert not leaves_week_modes(with_week_modes(ddl, None, "0"))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE week (week INT, d DATE, w INT AS (week(d, 0)), KEY week (week), UNIQUE week2 (d)) COMMENT 'week(d)'",
        "ALTER TABLE t ADD INDEX week (d), ADD FOREIGN KEY (d) REFERENCES week (id), ADD w INT AS (yearweek(d)) /* week(d) */",
        "ALTER TABLE t ADD INDEX IF NOT EXISTS week (d), ADD UNIQUE week (d)",
        "CREATE INDEX i ON week (d)",
        "CREATE TABLE d.week (d DATE) PARTITION BY HASH (d) (PARTITION week (SUBPARTITION a))",
        "INSERT INTO t VALUES (week(d))",
    ],
)
def test_names_and_texts_are_no_calls(sql: str) -> None:
    assert not leaves_week_modes(parse_ddl(sql, default_schema="d", flavor="mysql"))
