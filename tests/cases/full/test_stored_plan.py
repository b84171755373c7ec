"""The plan of a full migration as it is stored: two runs that plan at the same moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import pytest

from dm_worker.dumper.chunks import Range
from dm_worker.loader.meta import LoadMeta, PlannedChunk
from pkg.adapters.meta_structure import create_meta_tables
from pkg.adapters.meta_tables import FENCED, MetaTables, claim_epoch
from pkg.errors import DMError
from tests.cases.full.migration import execute
from tests.cases.full.one_chunk import SOURCE_ID, linked
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("kind")

TABLES = MetaTables("full_two_plans_meta", "two_plans")
CHUNKS = [PlannedChunk(number, "here", "t", "there", "t", Range()) for number in range(3)]


class PlannedMeanwhile(Sequence[PlannedChunk]):
    """Whoever begins to store these finds that the successor has just stored its plan."""

    def __init__(self, successor: LoadMeta) -> None:
        self._successor = successor

    @overload
    def __getitem__(self, index: int) -> PlannedChunk: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlannedChunk]: ...
    def __getitem__(self, index: int | slice) -> PlannedChunk | Sequence[PlannedChunk]:
        return CHUNKS[index]

    def __len__(self) -> int:
        return len(CHUNKS)

    def __iter__(self) -> Iterator[PlannedChunk]:
        self._successor.store_plan(None, CHUNKS, [])
        return iter(CHUNKS)


@pytest.mark.parametrize("kind", ["tidb", "mariadb"])
def test_a_run_that_was_replaced_while_it_planned_says_so(request: pytest.FixtureRequest, kind: str) -> None:
    target: RunningServer = request.getfixturevalue(kind)
    with linked(target) as mine, linked(target) as theirs:
        create_meta_tables(mine, TABLES)
        former = LoadMeta(mine, TABLES, SOURCE_ID, claim_epoch(mine, TABLES, SOURCE_ID, 1))
        successor = LoadMeta(theirs, TABLES, SOURCE_ID, claim_epoch(theirs, TABLES, SOURCE_ID, 2))
        with pytest.raises(DMError) as caught:
            former.store_plan(None, PlannedMeanwhile(successor), [])
        assert caught.value.is_a(FENCED)
        assert former.unfinished() == []
        successor.store_plan(None, CHUNKS, [])
        assert len(successor.unfinished()) == len(CHUNKS)
    execute(target, f"DROP DATABASE {TABLES.schema}")
