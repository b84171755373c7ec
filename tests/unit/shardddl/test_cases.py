"""Shard DDL as small texts (`cases/`), in several orders, and with every source dying behind each of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from dm_worker.syncer.shards import Shards
from pkg.shardddl.lock import TaskLocks
from tests.unit.shardddl.text_case import ARRANGEMENTS, FOLDER, Case, arranged, read_cases, read_texts
from tests.unit.shardddl.text_world import Way, World

WAYS = (
    Way("in turn"),
    Way("each as far as it comes", backwards=True, burst=1000),
    Way("dying", dies=True),
    Way("dying, with new checkpoints", dies=True, backwards=True, saves_often=True),
    Way("at random", seed="1"),
    Way("at random, dying", seed="2", dies=True),
)
LATE_WAYS = (
    Way("all read late", late=True),
    Way("late, at random", late=True, seed="1"),
    Way("the last first", late=True, backwards=True, burst=1000),
    Way("late and dying", late=True, dies=True, backwards=True),
)
FEW_WAYS = (WAYS[0], WAYS[5], LATE_WAYS[3])
TEXTS = FOLDER / "texts.txt"
TOLD = [case for path in sorted(FOLDER.glob("*.txt")) if path != TEXTS for case in read_cases(path)]
LISTED = [arranged(text, arrangement) for arrangement in ARRANGEMENTS for text in read_texts(TEXTS)]


def ways_of(case: Case, ways: Iterable[Way]) -> Iterator[Way]:
    """Those of the ways that come to what the case says."""
    return (way for way in ways if (case.is_plain or not way.late) and not (way.dies and case.once))


def go(case: Case, ways: Iterable[Way]) -> None:
    for way in ways_of(case, ways):
        try:
            World(case, way).go()
        except AssertionError as exc:
            exc.add_note(f"in the case «{case.name}», {way.name}")
            raise


@pytest.mark.parametrize("case", TOLD, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    go(case, FEW_WAYS)


@pytest.mark.slow
@pytest.mark.parametrize("case", TOLD, ids=lambda case: case.name)
def test_case_in_other_ways(case: Case) -> None:
    go(case, [way for way in (*WAYS, *LATE_WAYS) if way not in FEW_WAYS])


@pytest.mark.slow
@pytest.mark.parametrize("case", LISTED, ids=lambda case: case.name)
def test_kind_of_ddl(case: Case) -> None:
    go(case, FEW_WAYS)


def test_there_are_enough_cases() -> None:
    names = [case.name for case in (*TOLD, *LISTED)]
    assert len(names) == len(set(names))
    assert len(names) >= 150


BROKEN = {
    "an owner does not wait for the others": (TaskLocks, "members", lambda self, target: frozenset()),
    "no table is held back": (Shards, "wants", lambda self, schema, table: True),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_seen(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in TOLD if case.name == "three sources of two tables in three orders")
    monkeypatch.setattr(*BROKEN[rule])
    with pytest.raises(AssertionError):
        go(case, LATE_WAYS)


def test_sources_die_in_these_cases() -> None:
    world = World(TOLD[0], Way("dying", dies=True))
    world.go()
    assert world.deaths > 10
