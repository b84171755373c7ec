"""Sources that alter tables of several targets in any order: nobody waits for good, and all is there once."""

from __future__ import annotations

import random

import pytest

from pkg.shardddl.circles import in_circles
from tests.unit.shardddl.text_case import Case, Step
from tests.unit.shardddl.text_world import Way, World

TABLES = {"t1": "`all`.`t`", "u1": "`all`.`u`", "v1": "`d`.`v1`"}
SEEDS = 8


def case_of(seed: int) -> Case:
    """Each source runs the DDLs of each table in order, and those of the tables in an order of its own."""
    rng = random.Random(seed)
    names = [f"s{number}" for number in range(1, rng.choice((2, 2, 3)) + 1)]
    tables = sorted(TABLES)[: rng.choice((2, 3))]
    ddls = {table: [f"ADD COLUMN `c{number}` INT" for number in range(rng.choice((1, 2)))] for table in tables}
    case = Case(f"seed {seed}", {name: list(tables) for name in names})
    for name in names:
        order = [table for table in tables for _ in ddls[table]]
        rng.shuffle(order)
        left = {table: list(ones) for table, ones in ddls.items()}
        case.steps += [Step(f"{name}: ALTER TABLE {table} {left[table].pop(0)}") for table in order]
    case.steps[0].executed = [f"ALTER TABLE {TABLES[table]} {ddl}" for table in tables for ddl in ddls[table]]
    return case


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("dies", [False, True], ids=["living", "dying"])
def test_any_order(seed: int, *, dies: bool) -> None:
    World(case_of(seed), Way("at random", late=True, seed=str(seed), dies=dies, saves_often=seed % 2 == 0)).go()


@pytest.mark.parametrize(
    ("there", "awaited", "found"),
    [
        ([{"a"}, {"b"}], [{"b"}, {"a"}], {"a": ["0"], "b": ["1"]}),
        ([{"a"}, {"b"}], [{"b"}, {"c"}], {}),  # c is on its way
        ([{"a"}, {"b"}, {"c"}], [{"b"}, {"c"}, {"a"}], {"a": ["0"], "b": ["1"], "c": ["2"]}),
        ([{"a", "x"}, {"b"}], [{"b"}, {"a"}], {"a": ["0"], "b": ["1"]}),  # nobody who waits waits for x
        ([{"a"}, {"b"}, {"a"}], [{"b"}, {"a"}, {"c"}], {"a": ["0"], "b": ["1"]}),
    ],
)
def test_who_waits_in_a_circle(there: list[set[str]], awaited: list[set[str]], found: dict[str, list[str]]) -> None:
    numbered = [dict(enumerate(map(frozenset, sets))) for sets in (there, awaited)]
    places = [str(number) for number in range(len(there))]
    assert in_circles(places, numbered[0], numbered[1]) == found
