"""What looks, before rows are written, for values of which the target calculates others than the upstream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dm_worker.syncer.cased_letters import Unlike, cased_letters
from dm_worker.syncer.named_documents import object_texts
from dm_worker.syncer.narrow_results import narrow_results
from dm_worker.syncer.odd_days import odd_days
from pkg.binlog.events import RowsEvent
from pkg.rows.change import RowImage
from pkg.schema.table import Table


class RowDoubt(Protocol):
    """Looks at the rows of one upstream table."""

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise DMError for such a row; ``place``: of its event."""


def row_doubts(structure: Table, there: Table, flavors: tuple[str, str], unlike: Unlike) -> tuple[RowDoubt, ...]:
    """For rows of ``structure`` that go to ``there``; ``flavors``: the upstream's and its own."""
    found: tuple[RowDoubt | None, ...] = (
        odd_days(structure, there, flavors),
        cased_letters(structure, there, unlike),
        object_texts(structure, there, flavors),
        narrow_results(structure, there),
    )
    return tuple(one for one in found if one is not None)


def written_rows(event: RowsEvent) -> Sequence[RowImage]:
    """The rows that an event writes, as they are then."""
    return () if event.kind == "delete" else event.rows[1::2] if event.kind == "update" else event.rows
