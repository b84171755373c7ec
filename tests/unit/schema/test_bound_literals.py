"""Bounds of partitions that are written by their bytes, as text."""

from __future__ import annotations

import pytest

from pkg.schema.bound_literals import bounds_as_moments, bounds_as_texts, introduced_bounds, typed_bounds
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import edited
from pkg.schema.table import Table

HEAD = "CREATE TABLE t (a INT, v VARCHAR(9) CHARACTER SET latin1, b VARBINARY(9), KEY (b)) PARTITION BY"


def table(partitions: str) -> Table:
    return parse_create_table(f"{HEAD} {partitions}", "s")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("_latin1'ä'", "'Ã¤'"),
        ("_latin1 0xE4", "'ä'"),
        ("_latin1 x'E4'", "'ä'"),
        ("_latin1 0b11100100", "'ä'"),
        ("_latin1 b'11100100'", "'ä'"),
        ("_utf8mb4'ä'", "'ä'"),
        ("'_latin1 0xE4'", "'_latin1 0xE4'"),
        ("_binary x'E4'", "_binary x'E4'"),
        ("_utf8mb4 x'E4'", "_utf8mb4 x'E4'"),  # no text of that set
        ("0xE4", "0xE4"),
    ],
)
def test_bounds_that_name_their_set(written: str, text: str) -> None:
    def said(value: str) -> str:
        return f"ALTER TABLE t ADD PARTITION (PARTITION p VALUES IN ({value}, 'x') COMMENT '_latin1 0xE4')"

    sql = said(written)
    assert edited(sql, introduced_bounds(sql, "utf8mb4")).replace("( '", "('") == said(text)


def test_the_bytes_are_those_that_the_client_sent() -> None:
    sql = "CREATE TABLE t (v VARCHAR(9)) PARTITION BY RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (_cp1251'ä'))"
    assert "'д'" in edited(sql, introduced_bounds(sql, "latin1"))


@pytest.mark.parametrize(
    ("partitions", "text"),
    [
        ("RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (x'C3A4'))", "'Ã¤'"),
        ("LIST COLUMNS (v) (PARTITION p VALUES IN ('x', 0xE4))", "'ä'"),
        ("LIST COLUMNS (v) (PARTITION p VALUES IN ('x', b'11100100'))", "'ä'"),
        ("RANGE COLUMNS (a, v) (PARTITION p VALUES LESS THAN (0x31, x'E4'))", "0x31,  'ä'"),
        (
            "LIST COLUMNS (v, b) (PARTITION p VALUES IN ((x'E4', x'E5'), (x'E6', 0xE7)))",
            "(( 'ä', x'E5'), ( 'æ', 0xE7))",
        ),
        ("RANGE COLUMNS (b) (PARTITION p VALUES LESS THAN (x'C3A4'))", "(x'C3A4')"),
        ("RANGE (a) (PARTITION p VALUES LESS THAN (0x10))", "(0x10)"),
    ],
)
def test_digits_are_texts_of_their_column(partitions: str, text: str) -> None:
    assert text in edited(partitions, bounds_as_texts(partitions, table(partitions)))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (x'E4'))", "RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN ('ä'))", True),
        ("RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (x'C3A4'))", "RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN ('ä'))", False),
        ("RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (_latin1 x'E4'))", "RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN ('ä'))", True),
        ("RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN (_latin1 b'11100100'))", "RANGE COLUMNS (v) (PARTITION p VALUES LESS THAN ('ä'))", True),
        ("RANGE COLUMNS (b) (PARTITION p VALUES LESS THAN (x'C3A4'))", "RANGE COLUMNS (b) (PARTITION p VALUES LESS THAN ('ä'))", True),
        ("RANGE COLUMNS (a, v) (PARTITION p VALUES LESS THAN (1, x'E4'))", "RANGE COLUMNS (a, v) (PARTITION p VALUES LESS THAN (1, 'ä'))", True),
    ],
)  # fmt: skip
def test_partitions_are_compared_by_what_their_bounds_mean(one: str, other: str, is_same: bool) -> None:
    assert (table(one).partitions == table(other).partitions) is is_same


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ("RANGE COLUMNS (d, a, m) (PARTITION p VALUES LESS THAN ('1-1-1', '1-1-1', '20240101T101010'))",
         "RANGE COLUMNS (d, a, m) (PARTITION p VALUES LESS THAN ('0001-01-01', '1-1-1', '2024-01-01 10:10:10'))"),
        ("LIST COLUMNS (d) (PARTITION p VALUES IN ('2024-1-1', '2024-01-02', NULL))",
         "LIST COLUMNS (d) (PARTITION p VALUES IN ('2024-01-01', '2024-01-02', NULL))"),
        ("RANGE COLUMNS (m) (PARTITION p VALUES LESS THAN ('2024-01-01 10:00:00+02:00'))",
         "RANGE COLUMNS (m) (PARTITION p VALUES LESS THAN ('2024-01-01 10:00:00+02:00'))"),
        ("RANGE (TO_DAYS(d)) (PARTITION p VALUES LESS THAN (TO_DAYS('1-1-1')))",
         "RANGE (TO_DAYS(d)) (PARTITION p VALUES LESS THAN (TO_DAYS('1-1-1')))"),
        ("RANGE COLUMNS (d, m) (PARTITION p VALUES LESS THAN (DATE'2024-1-1', TIMESTAMP '2024-01-01 10:00:00'))",
         "RANGE COLUMNS (d, m) (PARTITION p VALUES LESS THAN ('2024-01-01', '2024-01-01 10:00:00'))"),
        ("RANGE (TO_DAYS(d)) (PARTITION p VALUES LESS THAN (TO_DAYS(DATE'2024-01-01')))",
         "RANGE (TO_DAYS(d)) (PARTITION p VALUES LESS THAN (TO_DAYS('2024-01-01')))"),
    ],
)  # fmt: skip
def test_bounds_that_are_dates(bounds: str, text: str) -> None:
    head = "CREATE TABLE t (d DATE, m DATETIME, a VARCHAR(9)) PARTITION BY"
    table = parse_create_table(f"{head} {bounds}", "s")
    assert edited(bounds, (*bounds_as_moments(bounds, table), *typed_bounds(bounds))) == text
