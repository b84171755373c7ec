"""The pairwise choice from crossings of parameters."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.crossing import pairwise

ROWS = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=40, unique=True)
)


def pairs(rows: list[tuple[Any, ...]], size: int) -> set[Any]:
    return {part for row in rows for part in combinations(enumerate(row), size)}


@given(ROWS)
def test_every_pair_that_the_rows_hold_is_held(rows: list[tuple[int, ...]]) -> None:
    size = 2 if len(rows[0]) > 2 else 1
    chosen = pairwise(rows)
    assert pairs(chosen, size) == pairs(rows, size)
    assert set(chosen) <= set(rows)
    assert len(chosen) == len(set(chosen))


def test_a_crossing_of_three_is_much_smaller() -> None:
    rows = list(product(range(20), ("mariadb", "mysql"), ("tidb", "mariadb", "mysql")))
    assert len(pairwise(rows)) <= 65  # of 120; 60 pairs of a case and a target are the least


def test_of_two_each_value_is_held_and_servers_take_turns() -> None:
    chosen = pairwise(list(product(range(30), ("mariadb", "mysql", "tidb"))))
    assert len(chosen) == 30
    assert {sum(server == one for _, one in chosen) for server in ("mariadb", "mysql", "tidb")} == {10}
