"""Chunks of a key: together they hold every row once, and each about as many as wanted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dm_worker.dumper.chunks import (
    WHOLE,
    Bound,
    ChunkSize,
    Key,
    NotAscending,
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


class Hashed(Values):
    """A HASH index, as tables of MEMORY have: every range is estimated like the whole table."""

    def estimates(self, chunks: Sequence[Range]) -> list[int]:
        super().estimates(chunks)
        return [len(self.rows(WHOLE))] * len(chunks)


@pytest.mark.parametrize(
    ("ids", "target"), [([n * 700_000 for n in range(5000)], 100), ([-(1 << 31), 0, 1, 2, 5, 8, 99, (1 << 31) - 1], 1)]
)
def test_an_index_that_estimates_no_ranges_is_cut_into_equal_ones(ids: list[int], target: int) -> None:
    values = Hashed(ids)
    ranges = plan_ranges(INTEGER, TableSize(len(ids), 100), target, values)
    assert sum(rows_of(one, ids) for one in ranges) == len(ids)
    assert values.questions <= 4


def test_an_empty_table_is_one_chunk() -> None:
    assert plan_ranges(INTEGER, TableSize(0, 0), 100, Values([])) == [WHOLE]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("id int NOT NULL, PRIMARY KEY (id)", Key("PRIMARY", ("id",), (Kind.NUMBER,), True, (None,))),
        ("a int NOT NULL, UNIQUE KEY u (a)", Key("u", ("a",), (Kind.NUMBER,), True, (None,))),
        ("a int, UNIQUE KEY u (a)", None),
        (
            "a int NOT NULL, b varchar(9) CHARACTER SET utf8mb4 NOT NULL, PRIMARY KEY (a, b)",
            Key("PRIMARY", ("a", "b"), (Kind.NUMBER, Kind.UNICODE), False, (None, "utf8mb4")),
        ),
        (
            "a char(9) CHARACTER SET cp932 NOT NULL, PRIMARY KEY (a)",
            Key("PRIMARY", ("a",), (Kind.TEXT,), False, ("cp932",)),
        ),
        (
            "a int NOT NULL, b enum('x') NOT NULL, c int NOT NULL, PRIMARY KEY (a, b, c)",
            Key("PRIMARY", ("a",), (Kind.NUMBER,), False, (None,), is_whole=False),
        ),
        ("a enum('x') NOT NULL, PRIMARY KEY (a)", None),
        (
            "a int NOT NULL, b text, PRIMARY KEY (a), KEY k (b(10))",
            Key("PRIMARY", ("a",), (Kind.NUMBER,), True, (None,)),
        ),
    ],
)
def test_the_best_key_is_the_usable_start_of_the_identity_key(columns: str, expected: Key | None) -> None:
    assert best_key(parse_create_table(f"CREATE TABLE t ({columns})", "s")) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("a int NOT NULL, b int NOT NULL, UNIQUE KEY a (a) IGNORED, UNIQUE KEY b (b)", "b"),
        ("a int NOT NULL, b int NOT NULL, UNIQUE KEY a (a) /*!80000 INVISIBLE */, UNIQUE KEY b (b)", "b"),
        ("a int NOT NULL, UNIQUE KEY a (a) IGNORED", None),
        ("a enum('x') NOT NULL, b int NOT NULL, PRIMARY KEY (a), UNIQUE KEY b (b)", "b"),
        ("a int NOT NULL, b int NOT NULL, UNIQUE KEY a (a) NOT IGNORED, UNIQUE KEY b (b)", "a"),
    ],
)
def test_an_index_that_no_query_can_use_is_no_key_for_chunks(columns: str, expected: str | None) -> None:
    key = best_key(parse_create_table(f"CREATE TABLE t ({columns})", "s"))
    assert (key.index if key else None) == expected


@pytest.mark.parametrize(
    "collation", ["utf8mb4_nopad_bin", "latin1_swedish_nopad_ci", "uca1400_nopad_as_cs", "tis620_thai_ci"]
)
def test_a_char_that_the_index_orders_with_its_blanks_is_no_key_for_chunks(collation: str) -> None:
    keyed = "CREATE TABLE t (a {}(9) COLLATE " + collation + " NOT NULL, PRIMARY KEY (a))"
    assert best_key(parse_create_table(keyed.format("char"), "s")) is None
    assert best_key(parse_create_table(keyed.format("varchar"), "s")) is not None


def test_a_walk_that_comes_back_to_a_key_ends() -> None:
    class Turning(Values):
        def nth(self, chunk: Range, n: int) -> Bound | None:
            return super().nth(WHOLE, 2 if chunk == WHOLE else 1)

    with pytest.raises(NotAscending):
        plan_ranges(Key("PRIMARY", ("id",), (Kind.TEXT,), False), TableSize(1, 100), 2, Turning([1, 2, 3, 4]))


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
