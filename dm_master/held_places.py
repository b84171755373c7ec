"""Places of DDL with which merged tables wait: the stream has passed them, and they may still be decided about."""

from __future__ import annotations

from collections.abc import Iterator

from dm_master.ddl_locks import locks_of
from dm_master.observed import ObservedSubtask, Picture
from pkg.binlog.position import Position
from pkg.facts import SubtaskFact


def lock_place(picture: Picture, fact: SubtaskFact) -> Position | None:
    """Where the DDL ends with which the source waits for the other sources; None when it does not wait."""
    locks = locks_of(picture.cluster, fact.task).locks
    there = (lock.waiting[fact.source] for lock in locks if fact.source in lock.waiting.keys() - lock.done)
    return next((place for one in there if (place := _position(one.location)) is not None), None)


def held_places(picture: Picture, fact: SubtaskFact, observed: ObservedSubtask | None) -> frozenset[Position]:
    """The places that an operator may name."""
    return frozenset(_places(picture, fact, observed))


def _places(picture: Picture, fact: SubtaskFact, observed: ObservedSubtask | None) -> Iterator[Position]:
    place = lock_place(picture, fact)
    if place is not None:
        yield place
    sync = (observed.status.get("sync") or {}) if observed is not None else {}
    groups = [_position(group["firstLocation"]) for group in sync.get("unresolvedGroups") or ()]
    yield from (one for one in groups if one is not None)


def _position(text: str) -> Position | None:
    try:
        return Position.parse(text)
    except ValueError:
        return None
