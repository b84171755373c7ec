"""The steps of random rounds: the same for a seed, in a file and back, each fault with what undoes it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.soak.sql.campaign import steps_of
from tests.soak.sql.harm import FAULTS, PAIRED
from tests.soak.sql.settings import META, PAIRS, Settings, task_text
from tests.soak.sql.steps import COMPARE, FAULT, SQL, START, read, written

SEEDS = range(5)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_seed_gives_the_same_round_again_and_a_file_holds_it(pair: str) -> None:
    for seed in SEEDS:
        settings, steps = steps_of(seed, pair, 300)
        assert steps_of(seed, pair, 300) == (settings, steps)
        assert read(written(settings, steps, ["different\nrows"])) == (settings, steps)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_round_starts_once_compares_last_and_undoes_its_faults(pair: str) -> None:
    for seed in SEEDS:
        _, steps = steps_of(seed, pair, 300)
        assert [step.what for step in steps].count(START) == 1
        assert steps[-1].what == COMPARE
        faults = [step.kind for step in steps if step.what == FAULT]
        assert set(faults) <= FAULTS.keys() | set(PAIRED.values())
        undone = Counter(PAIRED[name] for name in faults if name in PAIRED)
        assert undone == Counter(name for name in faults if name in PAIRED.values())


def test_transactions_of_a_connection_are_not_nested() -> None:
    for seed in SEEDS:
        _, steps = steps_of(seed, "mariadb-tidb", 300)
        is_open: dict[str, bool] = {}
        for step in steps:
            if step.kind == "begin":
                assert not is_open.get(step.at)
                is_open[step.at] = True
            elif step.kind in ("commit", "rollback"):
                is_open[step.at] = False
            elif step.what == COMPARE:
                assert not any(is_open.values())


def test_many_kinds_of_statements_come() -> None:
    kinds = Counter(
        step.kind for seed in range(40) for step in steps_of(seed, "mariadb-tidb", 600)[1] if step.what == SQL
    )
    assert len(kinds) > 30, kinds
    assert min(kinds.values()) > 1, kinds


def test_where_a_table_leads() -> None:
    moved = Settings("mariadb-tidb", 2, "moved", "all", relay=False, gtid=True, statements=1, workers=1)
    assert moved.target_of("s1", ("s1_a", "t1")) == ("to_s1_a", "t1")
    assert moved.target_of("s1", ("s1_a", "left_t1")) is None
    assert moved.target_of("s1", (META, "t1")) is None
    rules = re.findall(r"route-rules: \[(.*?)\]", task_text(moved, "h", 1, {}))
    assert rules == ["s1_a, s1_b", "s2_a, s2_b"]
