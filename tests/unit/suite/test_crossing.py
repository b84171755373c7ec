"""The choice from crossings of cases with servers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crossing import MARKER, Row, left_out_of_crossings, pairwise

OTHERS = st.tuples(st.tuples(st.just("mode"), st.integers(0, 3)), st.tuples(st.just("point"), st.integers(0, 3)))
ROWS = st.lists(st.builds(Row, st.sampled_from("ab"), st.tuples(st.integers(0, 3)), OTHERS), min_size=1, unique=True)


@given(ROWS)
def test_whatever_the_rows_cover_is_covered(rows: list[Row]) -> None:
    chosen = pairwise(rows)
    assert {part for row in chosen for part in row.parts()} == {part for row in rows for part in row.parts()}
    assert set(chosen) <= set(rows)
    assert len(chosen) == len(set(chosen))


def _each_on_all(cases: range) -> list[Row]:
    kinds = ("mariadb", "mysql", "tidb")
    return [Row(f"test_{n}", (kind,), name=f"test_{n}[{kind}]") for n in cases for kind in kinds]


def test_each_case_runs_once_and_all_servers_have_some() -> None:
    chosen = pairwise(_each_on_all(range(60)))
    assert Counter(row.test for row in chosen) == dict.fromkeys((f"test_{n}" for n in range(60)), 1)
    assert min(Counter(row.servers for row in chosen).values()) >= 10


def test_what_is_added_does_not_move_the_others() -> None:
    before, after = pairwise(_each_on_all(range(10, 60))), pairwise(_each_on_all(range(70)))
    moved = set(before) - set(after)
    assert len(moved) <= 2  # of the first ones, which also cover a server that had no case yet


def test_servers_meet_every_value_of_other_parameters() -> None:
    rows = [
        Row("t", (server,), (("mode", mode), ("point", point)))
        for server in range(2)
        for mode in range(3)
        for point in range(11)
    ]
    chosen = pairwise(rows)
    assert len(chosen) == 33  # each (mode, point) once, and that is enough for the rest
    assert {(row.servers, one) for row in chosen for one in row.others} == {
        (r.servers, o) for r in rows for o in r.others
    }


@pytest.mark.crossed("word")
@pytest.mark.parametrize("word", ["server"])
def test_a_marker_that_names_no_parameter_is_an_error(word: str, request: pytest.FixtureRequest) -> None:
    assert not left_out_of_crossings([request.node])
    request.node.own_markers.append(pytest.mark.crossed(f"no {word}").mark)
    request.node.own_markers.reverse()
    with pytest.raises(pytest.UsageError, match=MARKER):
        left_out_of_crossings([request.node])
