"""Literals in, literals out; and what is refused before the first row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pkg.errors import DMError
from pkg.rows.change import plan_target
from pkg.rules.column_mapping import MAX_ID, Affix, MappedColumn, PartitionId
from pkg.rules.column_rules import (
    EXTRACT_COLUMN_TAKEN,
    NO_EXTRACT_COLUMN,
    NO_MAPPED_COLUMN,
    SHARDS_COLLIDE,
    VALUE_DOES_NOT_FIT,
    WRONG_COLUMN_TYPE,
    ShardNumbers,
    TableColumnRules,
    arriving,
)
from pkg.rules.extract import ExtractedColumn
from pkg.rules.row_mapper import RowMapper
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

BASE = 3 << 59
PARTITION = TableColumnRules((MappedColumn("m", "id", "id", PartitionId(BASE)),))


def table(columns: str, name: str = "t") -> Table:
    return parse_create_table(f"CREATE TABLE {name} ({columns}) DEFAULT CHARSET=utf8mb4", "s")


UPSTREAM = table("id int unsigned NOT NULL, note varchar(40), PRIMARY KEY (id)")
DOWNSTREAM = table("id bigint NOT NULL, note varchar(40), PRIMARY KEY (id)")
TEXT_KEY = table("id varchar(40) NOT NULL, note varchar(40), PRIMARY KEY (id)")


def affix(prefix: str, suffix: str, column: str = "note") -> TableColumnRules:
    return TableColumnRules((MappedColumn("m", column, column, Affix(prefix, suffix)),))


def mapped(rules: TableColumnRules, *row: bytes, upstream: Table = UPSTREAM, below: Table = DOWNSTREAM) -> list[bytes]:
    [image] = RowMapper(upstream, below, rules)([row])
    return list(image)


def refused(rules: TableColumnRules, upstream: Table, below: Table) -> DMError:
    with pytest.raises(DMError) as caught:
        RowMapper(upstream, below, rules)
    return caught.value


def test_an_id_gets_the_bits_of_its_shard() -> None:
    assert mapped(PARTITION, b"7", b"'x'") == [b"%d" % (BASE + 7), b"'x'"]
    assert mapped(PARTITION, b"%d" % MAX_ID, b"NULL") == [b"%d" % (BASE + MAX_ID), b"NULL"]
    assert mapped(PARTITION, b"NULL", b"NULL") == [b"NULL", b"NULL"]
    assert mapped(PARTITION, b"'7'", b"''", upstream=TEXT_KEY, below=TEXT_KEY) == [b"'%d'" % (BASE + 7), b"''"]


@pytest.mark.parametrize("value", [b"-1", b"%d" % (MAX_ID + 1), b"18446744073709551615"])
def test_an_id_that_does_not_fit_is_an_error_with_the_row(value: bytes) -> None:
    with pytest.raises(DMError) as caught:
        mapped(PARTITION, value, b"'a note'")
    assert caught.value.is_a(VALUE_DOES_NOT_FIT)
    assert f"id = {value.decode()} of s.t" in caught.value.message
    assert "note='a note'" in caught.value.message


@pytest.mark.parametrize("value", [b"'x'", b"''", b"'007'", b"'1 '", b"'-1'", b"x'31'"])
def test_a_text_that_is_no_canonical_number_is_an_error(value: bytes) -> None:
    with pytest.raises(DMError, match="without leading zeros"):
        mapped(PARTITION, value, b"NULL", upstream=TEXT_KEY, below=TEXT_KEY)


def test_text_before_and_behind() -> None:
    assert mapped(affix("it's ", ""), b"1", b"'x'")[1] == b"'it\\'s x'"
    assert mapped(affix("", "é\\"), b"1", b"'x'")[1] == "'xé\\\\'".encode()
    assert mapped(affix("a", "b"), b"1", b"''")[1] == b"'ab'"
    assert mapped(affix("a", ""), b"1", b"x'ff'")[1] == b"x'61ff'"
    assert mapped(affix("", "a"), b"1", b"x'ff'")[1] == b"x'ff61'"
    assert mapped(affix("a", ""), b"1", b"NULL")[1] == b"NULL"


def test_a_value_may_be_made_of_another_column() -> None:
    rules = TableColumnRules((MappedColumn("m", "id", "note", PartitionId(BASE)),))
    assert mapped(rules, b"7", b"'x'") == [b"7", b"'%d'" % (BASE + 7)]


def test_extracted_columns_come_behind_the_tables_own() -> None:
    rules = TableColumnRules(extracted=(ExtractedColumn("shop", "o'e"), ExtractedColumn("part", "017")))
    below = table("part int NOT NULL, id bigint NOT NULL, shop varchar(9) NOT NULL, note text, PRIMARY KEY (shop, id)")
    assert mapped(rules, b"7", b"'x'", below=below) == [b"7", b"'x'", b"'o\\'e'", b"17"]
    target = plan_target(arriving(UPSTREAM, rules), below)
    assert [target.names[i] for i in target.identity] == [b"`shop`", b"`id`"]
    assert target.take_identity((b"7", b"'x'", b"'oe'", b"17")) == (b"'oe'", b"7")


@pytest.mark.parametrize(
    ("upstream", "below", "words"),
    [
        ("id float, note text", "id bigint, note text", "id is float"),
        ("id date, note text", "id bigint, note text", "id is date"),
        ("id int, note text", "id int, note text", "the target table s.t: id is int, it needs bigint"),
        ("id varchar(40), note text", "id varchar(18), note text", "19 characters"),
        ("id int, note text", "id bigint AS (1) STORED, note text", "generated"),
        ("x int, id int AS (x) STORED, note text", "x int, id bigint, note text", "generated"),
    ],
)
def test_types_that_a_partition_id_does_not_go_into(upstream: str, below: str, words: str) -> None:
    error = refused(PARTITION, table(upstream), table(below))
    assert error.is_a(WRONG_COLUMN_TYPE)
    assert words in error.message


def test_a_prefix_needs_a_text() -> None:
    assert refused(affix("a", "", "id"), UPSTREAM, DOWNSTREAM).is_a(WRONG_COLUMN_TYPE)
    assert refused(affix("a", ""), table("note varbinary(9)"), table("note varbinary(9)")).is_a(WRONG_COLUMN_TYPE)


def test_a_column_that_is_not_there_is_an_error_with_those_that_are() -> None:
    error = refused(affix("a", "", "memo"), UPSTREAM, DOWNSTREAM)
    assert error.is_a(NO_MAPPED_COLUMN)
    assert "memo" in error.message
    assert "note varchar(40)" in error.message


def test_an_extracted_column_that_the_target_lacks_is_an_error_with_both_structures() -> None:
    error = refused(TableColumnRules(extracted=(ExtractedColumn("shop", "x"),)), UPSTREAM, DOWNSTREAM)
    assert error.is_a(NO_EXTRACT_COLUMN)
    assert "upstream: (id int unsigned, note varchar(40)), downstream: (id bigint, note varchar(40))" in error.message


def test_an_extracted_column_that_the_upstream_has_is_an_error() -> None:
    with pytest.raises(DMError) as caught:
        arriving(UPSTREAM, TableColumnRules(extracted=(ExtractedColumn("NOTE", "x"),)))
    assert caught.value.is_a(EXTRACT_COLUMN_TAKEN)


def test_two_shards_with_the_same_bits_are_an_error() -> None:
    numbers = ShardNumbers()
    numbers.add("s.t_1", "x", "t", PARTITION)
    numbers.add("s.t_1", "x", "t", PARTITION)
    numbers.add("s.t_1b", "x", "other", PARTITION)
    numbers.add("s.t_2", "x", "t", replace(PARTITION, mapped=(MappedColumn("m", "id", "id", PartitionId(0)),)))
    with pytest.raises(DMError) as caught:
        numbers.add("s.t_01", "X", "T", PARTITION)
    assert caught.value.is_a(SHARDS_COLLIDE)
    assert "s.t_1 and s.t_01" in caught.value.message
