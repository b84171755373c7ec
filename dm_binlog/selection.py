"""What is shown: events between the bounds and about the tables that are asked for, with their transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dm_binlog.bounds import Bounds
from dm_binlog.items import Ended, Group, Head, Placed, Started, Step
from dm_binlog.where import Where


class Selection:
    """Steps that are asked for.  A transaction is announced with the first event of it that is."""

    def __init__(self, bounds: Bounds, where: Where) -> None:
        self._bounds = bounds
        self._where = where
        self._announced: Group | None = None
        self._held: list[Step] = []  # what goes with the next event, if that one is shown

    def of(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            match step:
                case Started():
                    self._held = [step]
                case Ended(group):
                    if self._announced is group:
                        yield from self._held
                        yield step
                    self._held = []
                case Placed():
                    yield from self._event(step)
                    if self._bounds.is_over:
                        return

    def _event(self, placed: Placed) -> Iterator[Step]:
        if isinstance(placed.item.meaning, Head):
            yield placed
            return
        if not self._bounds.include(placed):
            return
        if placed.group is None:
            yield placed
            return
        verdict = self._where.is_about(placed.item.meaning)
        if verdict is None:
            self._held.append(placed)
        elif verdict:
            yield from self._held
            self._held = []
            self._announced = placed.group
            yield placed
        elif self._announced is placed.group:
            self._held = []
        else:
            self._held = [step for step in self._held if not _goes_with_rows(step)]


def _goes_with_rows(step: Step) -> bool:
    return isinstance(step, Placed) and step.item.frame.code in (29, 160)
