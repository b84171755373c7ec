"""Which warnings of a session without strictness leave the upstream's value as it is."""

from __future__ import annotations

import pytest

from pkg.rows.tolerance import speaks_of_values, tolerance
from pkg.schema.hidden_characters import with_doubts
from pkg.schema.parse import parse_create_table


@pytest.mark.parametrize(
    ("above", "below", "number", "text", "allowed"),
    [
        ("enum('a')", "enum('b','a')", 1265, "Data truncated for column 'c' at row 1", True),
        ("enum('a','b')", "enum('a')", 1265, "Data truncated for column 'c' at row 1", False),
        ("enum('a')", "enum('a')", 1265, "Data truncated for column 'd' at row 1", False),
        ("enum('a')", "enum('a')", 1265, "Data truncated for column '%s' at row %d", False),
        ("enum('a')", "enum('a')", 1406, "Data too long for column 'c' at row 1", False),
        ("enum('a')", "enum('a')", 1292, "Truncated incorrect INTEGER value: 'abc'", False),
        ("varchar(3)", "enum('a')", 1265, "Data truncated for column 'c' at row 1", False),
        ("set('a')", "set('a')", 1265, "Data truncated for column 'c' at row 1", False),
        ("float(10,2)", "float(10,2)", 1264, "Out of range value for column 'C' at row 7", True),
        ("float(8,0)", "float", 1264, "Out of range value for column 'c' at row 1", True),
        ("float(10,2)", "float(9,2)", 1264, "Out of range value for column 'c' at row 1", False),
        ("float(8,0)", "float unsigned", 1264, "Out of range value for column 'c' at row 1", False),
        ("double(20,2)", "float", 1264, "Out of range value for column 'c' at row 1", False),
        ("float", "float", 1264, "Out of range value for column 'c' at row 1", False),
        ("int as (d)", "int as (d)", 1366, "Incorrect integer value: 'x' for column `a`.`b`.`c` at row 1", True),
        ("int as (d)", "int as (d)", 1366, "Incorrect integer value: ' column 'c'' for column `a`.`b`.`d` at", False),
        ("int as (d)", "int as (d)", 1292, "Truncated incorrect INTEGER value: 'abc'", True),
        ("tinyint as (d)", "tinyint as (d)", 1264, "Out of range value for column 'c' at row 1", True),
        ("int as (d - 1)", "int as (d - 1)", 1264, "Out of range value for column 'c' at row 1", True),
        ("int as (d - u)", "int as (d - u)", 1264, "Out of range value for column 'c' at row 1", False),
        ("int as (d - crc32(d))", "int as (d - crc32(d))", 1264, "Out of range value for column 'c' at row 1", False),
        (
            "text as (cast(d as char))",
            "text as (cast(d as char))",
            1406,
            "Data Too Long, field len 7, data len 8",
            False,
        ),
        (
            "text as (left(cast(d as char(3)), 9))",
            "text as (left(cast(d as char(3)), 9))",
            1406,
            "Data Too Long, field len 3, data len 8",
            True,
        ),
        (
            "char(3) as (cast(d as char))",
            "char(3) as (cast(d as char))",
            1406,
            "Data too long for column 'c' at row 1",
            True,
        ),
        ("enum('a','b')", "enum('a','b')", 1265, "Data truncated for column 'c' at row 1", True),
        ("enum('a','?')", "enum('a','?')", 1265, "Data truncated for column 'c' at row 1", True),
        ("int as (d)", "int as (d)", 1300, "Invalid utf8mb4 character string", False),
        ("int", "int as (d)", 1366, "Incorrect integer value: 'x' for column 'c' at row 1", False),
    ],
)
def test_a_warning_is_tolerated_where_no_value_is_lost(
    above: str, below: str, number: int, text: str, allowed: bool
) -> None:
    upstream, target = (
        parse_create_table(f"CREATE TABLE t (c {one}, d int, u int unsigned)", "s") for one in (above, below)
    )
    assert tolerance(upstream.columns, target).allows(number, text) is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("Incorrect date value: '2024-00-00'", False),  # of a plain column, in TiDB's LOAD DATA
        ("Incorrect integer value: 'x' for column 'c' at row 1", True),
    ],
)
def test_a_warning_of_load_data_is_tolerated_only_where_it_names_the_column(text: str, allowed: bool) -> None:
    table = parse_create_table("CREATE TABLE t (c int as (d), d int)", "s")
    number = 1366 if allowed else 1292
    assert tolerance(table.columns, table).allows_named(number, text) is allowed


@pytest.mark.parametrize(
    ("number", "text", "of_values"),
    [
        (1287, "'ucs2' is deprecated and will be removed in a future release. Please use utf8mb4 instead", False),
        (1681, "Integer display width is deprecated and will be removed in a future release.", False),
        (3719, "'utf8' is currently an alias for the character set UTF8MB3, but will be an alias for UTF8MB4", False),
        (4095, "Delimiter ':' in position 4 in datetime value '2020:1:1' at row 1 is deprecated.", False),
        (4095, "Subroutine 'deprecate' is declared in the package specification but is not defined", True),  # MariaDB
        (1265, "Data truncated for column 'deprecated' at row 1", True),
        (1105, "something else", True),
    ],
)
def test_a_warning_about_words_says_nothing_of_a_value(number: int, text: str, of_values: bool) -> None:
    assert speaks_of_values(number, text) is of_values


@pytest.mark.parametrize(
    ("number", "text", "allowed"),
    [
        (3751, "Data truncated for functional index 'n' at row 1", True),
        (3903, "Invalid JSON value for CAST for functional index 'n'.", True),
        (1366, "Incorrect bigint value: '0' for column '_V$_n_1' at row 1", True),  # TiDB
        (1366, "Incorrect bigint value: '0' for column '_V$_n_0' at row 1", False),
        (1265, "Data truncated for column 'd' at row 1", False),
    ],
)
def test_the_hidden_value_of_a_functional_key_may_be_cut(number: int, text: str, allowed: bool) -> None:
    table = parse_create_table("CREATE TABLE t (d int, key n (d, (cast(d as char))))", "s")
    assert tolerance(table.columns, table).allows_named(number, text) is allowed


def test_an_empty_value_is_not_tolerated_where_a_label_may_be_another_one() -> None:
    table = parse_create_table("CREATE TABLE t (c enum('a','?'))", "s")
    text = "Data truncated for column 'c' at row 1"
    assert tolerance(table.columns, table).allows(1265, text)
    assert not tolerance(with_doubts(table, {"c"}).columns, table).allows(1265, text)
