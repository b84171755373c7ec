"""Days of no calendar, and what expressions read of days."""

from __future__ import annotations

import pytest

from pkg.schema.odd_days import DayRead, days_read, is_odd
from pkg.schema.parse import parse_create_table

G = "the generated column g"
ODD, ZERO = DayRead("d", G), DayRead("d", G, zero_only=True)
TIDB, MYSQL, FROM_MARIADB = ("mysql", "tidb"), ("mysql", "mysql"), ("mariadb", "tidb")


@pytest.mark.parametrize(
    "text",
    [
        "0000-00-00", "0000-00-00 00:00:00.000", "2020-00-15", "2020-01-00", "2020-02-30", "2021-02-29", "1900-02-29",
        "2020-04-31 01:02:03", "0000-01-01",
    ],
)  # fmt: skip
def test_odd(text: str) -> None:
    assert is_odd(text)


@pytest.mark.parametrize("text", ["2020-02-29", "2000-02-29 23:59:59", "0001-01-01", "9999-12-31", "", "CURRENT_DATE"])
def test_not_odd(text: str) -> None:
    assert not is_odd(text)


@pytest.mark.parametrize(
    ("day", "expression", "flavors", "found"),
    [
        ("datetime", "varchar(9) AS (date_format(`d`,_utf8mb4'%Y'))", TIDB, [ODD]),
        ("datetime", "varchar(9) AS (date_format(`d`,_utf8mb4'%Y'))", MYSQL, []),
        ("date", "date AS ((`d` + interval 1 day))", TIDB, [ODD]),
        ("date", "date AS (ifnull((`d` + interval 1 day),`d`))", FROM_MARIADB, [ODD, ZERO]),
        ("date", "int AS (year(`d`))", TIDB, []),
        ("date", "int AS ((year(`d`) + month(`d`)))", TIDB, []),
        ("date", "int AS (extract(year_month from `d`))", TIDB, []),
        ("date", "int AS (to_days(`d`))", TIDB, []),
        ("date", "int AS (weekday(`d`))", TIDB, [ODD]),
        ("date", "tinyint AS ((`d` > '2020-01-01'))", TIDB, []),
        ("date", "tinyint AS ((`d` between '2020-01-01' and `e`))", TIDB, []),
        ("date", "int AS (case when (`d` is null) then 1 else 2 end)", TIDB, []),
        ("date", "int AS (case `d` when '2020-01-01' then 1 else 2 end)", TIDB, []),
        ("datetime", "date AS (`d`)", TIDB, []),
        ("datetime", "time AS (`d`)", TIDB, [ODD]),
        ("datetime", "date AS (cast(`d` as date))", TIDB, [DayRead("d", G, day_of="g")]),
        ("datetime", "date AS (date(`d`))", MYSQL, [DayRead("d", G, day_of="g")]),
        ("datetime", "varchar(40) AS (concat(`d`,''))", TIDB, []),
        ("datetime(3)", "varchar(40) AS (concat(`d`,''))", TIDB, [ZERO]),
        ("datetime(3)", "varchar(40) AS (concat(`d`,''))", ("mariadb", "mysql"), []),
        ("datetime(3)", "varchar(40) AS (`d`)", TIDB, [ZERO]),
        ("datetime(3)", "datetime(3) AS (`d`)", TIDB, []),
        ("datetime(3)", "varchar(40) AS (cast(`d` as date))", TIDB, [DayRead("d", G, day_of="g")]),
        ("datetime", "varchar(40) AS (cast(`d` as datetime(6)))", TIDB, [ZERO]),
        ("timestamp(2) NULL", "int AS (char_length(`d`))", TIDB, [ZERO]),
        ("datetime(3)", "varchar(40) AS (if((`d` < `e`),`d`,`e`))", TIDB, [ZERO]),
        ("datetime", "datetime AS (if((`d` < '2020-01-01'),`d`,NULL))", TIDB, []),
        ("datetime", "datetime AS (if((`d` < '2020-01-01'),`d`,NULL))", FROM_MARIADB, [ZERO]),
        ("datetime", "int AS (some words `d`)", TIDB, [ODD]),
        ("time", "varchar(9) AS (time_format(`d`,'%H'))", TIDB, []),
    ],
)  # fmt: skip
def test_what_is_read(day: str, expression: str, flavors: tuple[str, str], found: list[DayRead]) -> None:
    kind, text = expression.split(" AS ", 1)
    columns = f"`d` {day}, `e` date, `g` {kind} GENERATED ALWAYS AS {text} STORED"
    table = parse_create_table(f"CREATE TABLE `t` (`id` int NOT NULL, {columns}, PRIMARY KEY (`id`))", "s")
    assert [one for one in days_read(table, flavors) if one.column == "d"] == found


def test_what_a_generated_column_and_a_key_read() -> None:
    generated = "`b` date GENERATED ALWAYS AS ((`d` + interval 1 day)) VIRTUAL, `g` int GENERATED ALWAYS AS (year(`b`))"
    key = "UNIQUE KEY `u` ((date_format(`d`,'%Y')))"
    table = parse_create_table(f"CREATE TABLE t (id INT PRIMARY KEY, d DATE, {generated} VIRTUAL, {key})", "s")
    assert days_read(table, TIDB) == [DayRead("d", "the generated column b"), DayRead("d", "the unique key u")]


@pytest.mark.parametrize(
    ("read", "day", "stored", "differs"),
    [
        (ODD, b"'2020-02-31'", b"", True),
        (ODD, b"'2020-02-29'", b"", False),
        (ODD, b"NULL", b"", False),
        (ZERO, b"'0000-00-00 00:00:00.000'", b"", True),
        (ZERO, b"'2020-02-31 00:00:00.000'", b"", False),
        (DayRead("d", G, day_of="g"), b"'0000-00-00'", b"NULL", True),
        (DayRead("d", G, day_of="g"), b"'0000-00-00'", b"'0000-00-00'", False),
        (DayRead("d", G, day_of="g"), b"NULL", b"NULL", False),
    ],
)
def test_rows(read: DayRead, day: bytes, stored: bytes, differs: bool) -> None:
    assert read.differs(day, stored) is differs
