"""Which rule maps which column of a table, and the bits of a partition id."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.rules.column_mapping import (
    ADD_PREFIX,
    MAPPED_TWICE,
    PARTITION_ID,
    SHARD_WITHOUT_NUMBER,
    Affix,
    ColumnMappingRule,
    ColumnMappings,
    PartitionId,
    problem_of,
)


def rule(
    *arguments: str,
    name: str = "m",
    schema: str = "shop_*",
    table: str = "t_*",
    column: str = "id",
    expression: str = PARTITION_ID,
) -> ColumnMappingRule:
    return ColumnMappingRule(name, schema, table, column, column, expression, arguments)


def base(schema: str, table: str, *arguments: str, case_sensitive: bool = True) -> int:
    [mapped] = ColumnMappings([rule(*arguments)], case_sensitive).of(schema, table)
    assert isinstance(mapped.change, PartitionId)
    return mapped.change.base


def refused(mappings: ColumnMappings, schema: str, table: str) -> DMError:
    with pytest.raises(DMError) as caught:
        mappings.of(schema, table)
    return caught.value


def test_the_bits_are_those_of_dm() -> None:
    assert base("shop_3", "t_7", "2", "shop_", "t_") == 2 << 59 | 3 << 52 | 7 << 44
    assert base("shop_127", "t_255", "15", "shop_", "t_") == (2**63 - 1) >> 44 << 44


def test_an_empty_argument_leaves_its_part_out_and_later_ones_move_up() -> None:
    assert base("shop_3", "t_7", "", "shop_", "t_") == 3 << 56 | 7 << 48
    assert base("shop_3", "t_7", "2", "", "t_") == 2 << 59 | 7 << 51
    assert base("shop_3", "t_7", "", "", "t_") == 7 << 55
    assert base("shop_3", "t_7", "2", "", "") == 2 << 59


def test_the_separator_stands_between_prefix_and_number() -> None:
    assert base("shop_3", "t_7", "", "shop", "t", "_") == base("shop_3", "t_7", "", "shop_", "t_")


def test_the_prefix_alone_is_number_0() -> None:
    rules = [rule("", "shop", "t", "_", schema="shop*", table="t*")]
    [mapped] = ColumnMappings(rules, True).of("shop", "t")
    assert mapped.change == PartitionId(0)


@pytest.mark.parametrize("table", ["t_x", "t_1x", "t_-1", "t_256", "t_1 ", "t_１"])
def test_a_table_without_a_number_is_an_error_that_shows_what_is_wanted(table: str) -> None:
    error = refused(ColumnMappings([rule("1", "shop_", "t_", "")], True), "shop_1", table)
    assert error.is_a(SHARD_WITHOUT_NUMBER)
    assert repr(table) in error.message
    assert "0 to 255" in error.message


def test_a_schema_without_a_number_is_an_error() -> None:
    error = refused(ColumnMappings([rule("1", "shop_", "t_")], True), "shop_128", "t_1")
    assert error.is_a(SHARD_WITHOUT_NUMBER)
    assert "the schema name 'shop_128'" in error.message


def test_prefixes_fold_case_where_names_do() -> None:
    assert base("SHOP_3", "T_7", "", "shop_", "t_", case_sensitive=False) == 3 << 56 | 7 << 48


def test_rules_for_tables_beat_those_for_schemas() -> None:
    wide = rule("w-", name="wide", table="", expression=ADD_PREFIX)
    narrow = rule("n-", name="narrow", table="t_1", expression=ADD_PREFIX)
    mappings = ColumnMappings([wide, narrow], True)
    assert [one.change for one in mappings.of("shop_1", "t_1")] == [Affix("n-", "")]
    assert [one.change for one in mappings.of("shop_1", "t_2")] == [Affix("w-", "")]
    assert mappings.of("other", "t_1") == ()
    assert mappings.of("mysql", "t_1") == ()


def test_several_columns_of_a_table_may_be_mapped_but_none_twice() -> None:
    both = [rule("1", "", "", name="a"), rule("1", "", "", name="b", column="parent")]
    assert [one.target for one in ColumnMappings(both, True).of("shop_1", "t_1")] == ["id", "parent"]
    twice = [rule("1", "", "", name="a"), rule("1", "", "", name="b", column="ID")]
    error = refused(ColumnMappings(twice, True), "shop_1", "t_1")
    assert error.is_a(MAPPED_TWICE)
    assert "a and b" in error.message


@pytest.mark.parametrize(
    ("expression", "arguments", "words"),
    [
        (PARTITION_ID, ["1", "s"], "3 or 4 arguments"),
        (PARTITION_ID, ["16", "s", "t"], "0 to 15"),
        (PARTITION_ID, ["one", "s", "t"], "0 to 15"),
        (PARTITION_ID, ["", "", ""], "stay as they are"),
        (ADD_PREFIX, [], "one argument"),
        (ADD_PREFIX, ["a", "b"], "one argument"),
    ],
)
def test_wrong_arguments(expression: str, arguments: list[str], words: str) -> None:
    assert words in problem_of(expression, arguments)


def test_right_arguments() -> None:
    assert problem_of(PARTITION_ID, ["15", "", "t", "_"]) == ""
    assert problem_of(ADD_PREFIX, [""]) == ""
