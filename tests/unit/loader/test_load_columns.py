"""Which columns take the bytes of a field, and which want text."""

from __future__ import annotations

import pytest

from dm_worker.loader.load_columns import AS_TEXT, load_columns, target_columns
from dm_worker.loader.streamed import LoadColumn, load_statement
from pkg.rows.text_protocol import BINARY, BITS, NUMBER, TEXT, VECTOR


def expression(kind: str, collation: str | None, mode: int = TEXT, flavor: str = "mysql") -> str:
    [column] = load_columns(["`C``1`"], [mode], target_columns([("c`1", kind, collation, "")]), flavor)
    assert column.name == "`C``1`"
    return column.expression


@pytest.mark.parametrize(
    ("kind", "collation"),
    [
        ("int(11) unsigned", None),
        ("varchar(20)", "utf8mb4_bin"),
        ("enum('a','b')", "utf8mb3_general_ci"),
        ("text", "utf8_general_ci"),
        ("varbinary(3)", None),
        ("datetime(6)", None),
        ("point", None),
    ],
)
def test_bytes_are_taken_as_they_are(kind: str, collation: str | None) -> None:
    assert expression(kind, collation) == ""


@pytest.mark.parametrize(
    ("kind", "collation"),
    [
        ("varchar(20)", "latin1_swedish_ci"),
        ("set('a','b')", "gbk_chinese_ci"),
        ("char(3)", "ucs2_bin"),
        ("text", "uca1400_ai_ci"),  # of which character set is not said
        ("uuid", None),
        ("inet6", None),
        ("json", None),
    ],
)
def test_other_text_is_converted_by_the_target(kind: str, collation: str | None) -> None:
    assert expression(kind, collation) == AS_TEXT


def test_bytes_of_the_upstream_are_never_read_as_text() -> None:
    assert expression("varchar(20)", "latin1_swedish_ci", BINARY) == ""
    assert expression("vector(3)", None, VECTOR) == ""
    assert expression("varchar(20)", "ucs2_bin", NUMBER) == AS_TEXT


def test_bits_and_numbers_are_no_digits_of_a_text() -> None:
    assert expression("bit(7)", None, NUMBER) == expression("bit(7)", None, TEXT) == "CAST(@c AS UNSIGNED)"
    assert expression("bit(7)", None, BINARY) == expression("bit(7)", None, BITS) == ""
    assert expression("int", None, BITS) == "CONV(HEX(@c), 16, 10)"


def test_only_mysql_wants_json_with_a_character_set() -> None:
    assert expression("json", None, flavor="tidb") == ""


def test_a_column_that_is_not_there_is_left_to_the_server() -> None:
    assert load_columns(["`gone`"], [TEXT], {}, "tidb") == [LoadColumn("`gone`", AS_TEXT)]


@pytest.mark.parametrize(
    ("flavor", "other", "counter"),
    [("mariadb", "latin1_bin", "@c"), ("mariadb", "utf8mb4_bin", ""), ("mysql", "latin1_bin", "")],
)
def test_a_counter_goes_as_the_others_do_in_mariadb(flavor: str, other: str, counter: str) -> None:
    there = target_columns([("id", "int(11)", None, "auto_increment"), ("v", "varchar(9)", other, "")])
    columns = load_columns(["`id`", "`v`"], [NUMBER, TEXT], there, flavor)
    assert columns[0] == LoadColumn("`id`", counter)


def test_the_statement_sets_what_goes_through_a_variable() -> None:
    columns = [LoadColumn("`a`"), LoadColumn("`b`", AS_TEXT), LoadColumn("`c`", "UNHEX(@c)")]
    sql = load_statement("`s`.`t`", columns, "REPLACE")
    assert sql == (
        "LOAD DATA LOCAL INFILE 'chunk' REPLACE INTO TABLE `s`.`t` CHARACTER SET binary "
        r"FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (`a`, @c1, @c2) "
        "SET `b` = CONVERT(@c1 USING utf8mb4), `c` = UNHEX(@c2)"
    )
    assert load_statement("`t`", columns[:1]).endswith(" (`a`)")
