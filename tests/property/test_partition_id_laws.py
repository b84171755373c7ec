"""Partition ids: whatever the shards, their bits can be read back, and two shards never share an id."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pkg.rules.column_mapping import MAX_ID, PARTITION_ID, ColumnMappingRule, ColumnMappings, MappedColumn
from pkg.rules.column_rules import TableColumnRules
from pkg.rules.row_mapper import RowMapper
from pkg.schema.parse import parse_create_table

TABLE = parse_create_table("CREATE TABLE t (id bigint NOT NULL, PRIMARY KEY (id)) DEFAULT CHARSET=utf8mb4", "s")
SEPARATORS = st.sampled_from(["", "_", "-", "__"])
USED = st.tuples(st.booleans(), st.booleans(), st.booleans()).filter(any)
SHARDS = st.tuples(st.integers(0, 15), st.integers(0, 127), st.integers(0, 255))
IDS = st.integers(0, MAX_ID)


def mapped_by(used: tuple[bool, bool, bool], separator: str, shard: tuple[int, int, int]) -> MappedColumn:
    instance, schema, table = shard
    arguments = (str(instance) if used[0] else "", "db" if used[1] else "", "tb" if used[2] else "", separator)
    rule = ColumnMappingRule("m", "db*", "tb*", "id", "id", PARTITION_ID, arguments)
    [mapped] = ColumnMappings([rule], True).of(f"db{separator}{schema}", f"tb{separator}{table}")
    return mapped


def mapped_id(mapped: MappedColumn, number: int) -> int:
    [image] = RowMapper(TABLE, TABLE, TableColumnRules((mapped,)))([(b"%d" % number,)])
    return int(image[0])


def read_back(used: tuple[bool, bool, bool], value: int) -> tuple[int, ...]:
    """Numbers of the parts that are used, and the id: the layout as DM's documentation draws it."""
    bits = f"{value:064b}"
    assert bits[0] == "0"
    position, parts = 1, []
    for width, is_used in zip((4, 7, 8), used, strict=True):
        if is_used:
            parts.append(int(bits[position : position + width], 2))
            position += width
    assert set(bits[position:20]) <= {"0"}
    return (*parts, int(bits[20:], 2))


@given(USED, SEPARATORS, SHARDS, IDS)
def test_the_parts_and_the_id_can_be_read_back(
    used: tuple[bool, bool, bool], separator: str, shard: tuple[int, int, int], number: int
) -> None:
    value = mapped_id(mapped_by(used, separator, shard), number)
    expected = [part for part, is_used in zip(shard, used, strict=True) if is_used]
    assert read_back(used, value) == (*expected, number)


@given(USED, SEPARATORS, SHARDS, SHARDS, IDS, IDS)
def test_ids_are_equal_only_for_the_same_id_of_the_same_shard(
    used: tuple[bool, bool, bool],
    separator: str,
    one: tuple[int, int, int],
    other: tuple[int, int, int],
    first: int,
    second: int,
) -> None:
    values = mapped_id(mapped_by(used, separator, one), first), mapped_id(mapped_by(used, separator, other), second)
    same_shard = all(a == b for a, b, is_used in zip(one, other, used, strict=True) if is_used)
    assert (values[0] == values[1]) == (same_shard and first == second)
