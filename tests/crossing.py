"""Pairwise choice from crossings: which combinations of parameters a run of the tests leaves out.

A test that crosses parameters (case × upstream × target) and carries the marker `crossed` runs, unless `--all` is
given, only as many of its combinations as hold each pair of values of two parameters at least once; where it crosses
only two parameters, each value of either at least once.  The choice is the same in every run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest

Row = tuple[Any, ...]  # a combination: one value for each parameter


def pairwise(rows: Sequence[Row]) -> list[Row]:
    """Those of ``rows`` that together hold whatever pair of values the rows hold, by greedy choice.

    With two parameters a pair is the whole row, so there each single value counts instead.
    """
    size = 2 if rows and len(rows[0]) > 2 else 1
    left = {part for row in rows for part in _parts(row, size)}
    chosen: list[Row] = []
    uses: dict[tuple[int, Any], int] = {}
    while left:
        # Most that is new first; of equals the one whose values were used least, so that pairs of servers take turns.
        best = max(
            rows, key=lambda row: (len(left & _parts(row, size)), -sum(uses.get(one, 0) for one in enumerate(row)))
        )
        left -= _parts(best, size)
        chosen.append(best)
        for one in enumerate(best):
            uses[one] = uses.get(one, 0) + 1
    return chosen


def _parts(row: Row, size: int) -> set[tuple[tuple[int, Any], ...]]:
    return set(combinations(enumerate(row), size))


def left_out_of_crossings(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The items of `crossed` tests that the pairwise choice does not need."""
    by_test: dict[str, dict[Row, pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("crossed"):
            by_test.setdefault(item.nodeid.partition("[")[0], {})[_row(item)] = item
    out: set[pytest.Item] = set()
    for crossing in by_test.values():
        kept = set(pairwise(list(crossing)))
        out |= {item for row, item in crossing.items() if row not in kept}
    return out


def _row(item: pytest.Item) -> Row:
    parameters: Mapping[str, Any] = item.callspec.params  # type: ignore[attr-defined]
    return tuple(value if isinstance(value, Hashable) else id(value) for _, value in sorted(parameters.items()))
