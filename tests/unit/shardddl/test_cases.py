"""Shard DDL as small texts (`cases/`), in several orders, and with every source dying behind each of its effects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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
TEXTS = FOLDER / "texts.txt"


def all_cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.txt")):
        if path != TEXTS:
            yield from read_cases(path)
    for arrangement in ARRANGEMENTS:
        for text in read_texts(TEXTS):
            yield arranged(text, arrangement)


CASES = list(all_cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    ways = (*WAYS, *LATE_WAYS) if case.is_plain else WAYS
    for way in ways:
        try:
            World(case, way).go()
        except AssertionError as exc:
            exc.add_note(f"in the case «{case.name}», {way.name}")
            raise


def test_there_are_enough_cases() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 150
