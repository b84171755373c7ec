"""Which chunks one task of Spark does."""

from __future__ import annotations

from dm_worker.dumper.chunks import WHOLE, Range
from dm_worker.loader.chunk_copy import ChunkTask
from dm_worker.loader.lanes import groups_of


def chunks(parts: int, tables: int) -> list[ChunkTask]:
    cut = [ChunkTask(number, 0, Range((str(number),), (str(number + 1),))) for number in range(parts)]
    return cut + [ChunkTask(parts + number, 1 + number, WHOLE) for number in range(tables)]


def test_few_tables_go_alone() -> None:
    assert [len(group) for group in groups_of(chunks(5, 100))] == [1] * 105


def test_many_tables_go_by_several_and_parts_of_one_never() -> None:
    tasks = chunks(3, 10_000)
    groups = groups_of(tasks)
    assert [len(group) for group in groups[:4]] == [1, 1, 1, 8]
    assert [task for group in groups for task in group] == tasks
    assert max(map(len, groups)) == 8


def test_groups_stay_more_than_lanes() -> None:
    assert len(groups_of(chunks(0, 1000))) == 125


def test_nothing_is_no_group() -> None:
    assert groups_of([]) == []
