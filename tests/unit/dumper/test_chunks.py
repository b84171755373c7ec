"""Chunks of a key: together they hold every row once, and each about as many as wanted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dm_worker.dumper.chunks import (
    WHOLE,
    Bound,
    ChunkSize,
    Key,
    Range,
    TableSize,
    best_key,
    bound_from_text,
    bound_to_text,
    condition,
    rows_per_chunk,
)
from dm_worker.dumper.cutting import plan_ranges
from dm_worker.dumper.key_values import Kind
from pkg.schema.parse import parse_create_table
from tests.unit.dumper.key_index import KeyIndex


class Values(KeyIndex):
    """The values of an integer key; ``wrong`` times fewer are estimated than there are."""

    def __init__(self, values: list[int], wrong: int = 1) -> None:
        super().__init__([(str(value),) for value in values], [int], wrong=wrong)


INTEGER = Key("PRIMARY", ("id",), (Kind.NUMBER,), True)


def rows_of(chunk: Range, values: list[int]) -> int:
    lower = None if chunk.lower is None else int(chunk.lower[0])
    upper = None if chunk.upper is None else int(chunk.upper[0])
    return sum((lower is None or value > lower) and (upper is None or value <= upper) for value in values)


@given(
    values=st.lists(st.integers(-(2**63), 2**64 - 1), unique=True, max_size=300),
    target=st.integers(1, 50),
    stated=st.integers(0, 1000),
    wrong=st.integers(1, 5),
)
def test_every_value_is_in_exactly_one_chunk(values: list[int], target: int, stated: int, wrong: int) -> None:
    ranges = plan_ranges(INTEGER, TableSize(stated, 100), target, Values(values, wrong))
    assert ranges[0].lower is None
    assert ranges[-1].upper is None
    assert [one.upper for one in ranges[:-1]] == [one.lower for one in ranges[1:]]
    assert sum(rows_of(one, values) for one in ranges) == len(values)


@pytest.mark.slow
@given(gaps=st.lists(st.integers(1, 10**6), min_size=200, max_size=400), target=st.integers(5, 40))
def test_chunks_of_uneven_keys_are_of_about_one_size(gaps: list[int], target: int) -> None:
    values = [sum(gaps[: n + 1]) for n in range(len(gaps))]
    ranges = plan_ranges(INTEGER, TableSize(len(values), 100), target, Values(values))
    assert max(rows_of(one, values) for one in ranges) <= 2 * target + 1
    assert len(ranges) <= 4 * len(values) / target


def test_keys_without_gaps_are_cut_without_a_question() -> None:
    values = Values(list(range(1, 1001)))
    ranges = plan_ranges(INTEGER, TableSize(1000, 100), 100, values)
    assert (len(ranges), values.questions) == (9, 0)


def test_statistics_that_say_too_little_do_not_make_huge_chunks() -> None:
    values = [n * 10 for n in range(5000)]
    ranges = plan_ranges(INTEGER, TableSize(3, 100), 100, Values(values))
    assert max(rows_of(one, values) for one in ranges) <= 100


def test_estimates_that_are_far_too_low_are_noticed() -> None:
    values = [n * 10 for n in range(20_000)]
    ranges = plan_ranges(INTEGER, TableSize(2_000, 100), 100, Values(values, wrong=10))
    assert max(rows_of(one, values) for one in ranges) <= 300


def test_an_empty_table_is_one_chunk() -> None:
    assert plan_ranges(INTEGER, TableSize(0, 0), 100, Values([])) == [WHOLE]


@pytest.mark.parametrize(
    ("create", "expected"),
    [
        ("CREATE TABLE t (id int NOT NULL, PRIMARY KEY (id))", Key("PRIMARY", ("id",), (Kind.NUMBER,), True)),
        ("CREATE TABLE t (a int NOT NULL, UNIQUE KEY u (a))", Key("u", ("a",), (Kind.NUMBER,), True)),
        ("CREATE TABLE t (a int, UNIQUE KEY u (a))", None),
        (
            "CREATE TABLE t (a int NOT NULL, b varchar(9) NOT NULL, PRIMARY KEY (a, b))",
            Key("PRIMARY", ("a", "b"), (Kind.NUMBER, Kind.UNICODE), False),
        ),
        (
            "CREATE TABLE t (a int NOT NULL, b enum('x') NOT NULL, c int NOT NULL, PRIMARY KEY (a, b, c))",
            Key("PRIMARY", ("a",), (Kind.NUMBER,), False),
        ),
        ("CREATE TABLE t (a enum('x') NOT NULL, PRIMARY KEY (a))", None),
        (
            "CREATE TABLE t (a int NOT NULL, b text, PRIMARY KEY (a), KEY k (b(10)))",
            Key("PRIMARY", ("a",), (Kind.NUMBER,), True),
        ),
    ],
)
def test_the_best_key_is_the_usable_start_of_the_identity_key(create: str, expected: Key | None) -> None:
    assert best_key(parse_create_table(create, "s")) == expected


def test_a_composite_bound_is_compared_column_by_column() -> None:
    chunk = Range(("1", "'x'"), ("2", "'y'"))
    assert condition(("`a`", "`b`"), chunk) == (
        "(`a` > 1 OR (`a` = 1 AND `b` > 'x')) AND (`a` < 2 OR (`a` = 2 AND `b` <= 'y'))"
    )
    assert condition(("`a`", "`b`"), WHOLE) == ""


@given(st.one_of(st.none(), st.lists(st.text(), min_size=1, max_size=4).map(tuple)))
def test_bounds_survive_being_stored(bound: Bound | None) -> None:
    assert bound_from_text(bound_to_text(bound)) == bound


@pytest.mark.parametrize(
    ("size", "table", "total", "expected"),
    [
        (ChunkSize(123, 1, 4), TableSize(10**6, 10**6), 10**6, 123),
        (ChunkSize(0, 64 << 20, 4), TableSize(10**7, 100), 10**7, 50_000),
        (ChunkSize(0, 64 << 20, 4), TableSize(10**7, 1 << 20), 10**7, 64),
        (ChunkSize(0, 64 << 20, 4), TableSize(160_000, 100), 160_000, 10_000),
        (ChunkSize(0, 64 << 20, 4), TableSize(100, 0), 100, 5_000),
        (ChunkSize(0, 1, 4), TableSize(100, 1 << 30), 100, 1),
    ],
)
def test_rows_of_a_chunk(size: ChunkSize, table: TableSize, total: int, expected: int) -> None:
    assert rows_per_chunk(size, table, total) == expected
