"""Who waits for whom, and who waits so for itself.  No I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

Place = TypeVar("Place")


def in_circles(
    places: Collection[Place], there: Mapping[int, frozenset[str]], awaited: Mapping[int, frozenset[str]]
) -> Mapping[str, list[Place]]:
    """The places, by who waits in them, from which the waits lead back to who does.

    ``there``: who waits in a place, by its number among ``places``; ``awaited``: for whom.
    """
    found: dict[str, list[Place]] = {}
    for number, place in enumerate(places):
        reached = _reached(awaited[number], there, awaited)
        for name in there[number] & reached:
            found.setdefault(name, []).append(place)
    return found


def _reached(
    names: frozenset[str], there: Mapping[int, frozenset[str]], awaited: Mapping[int, frozenset[str]]
) -> frozenset[str]:
    """These, those for whom they wait, and so on."""
    while more := frozenset().union(*(awaited[one] for one, waiting in there.items() if waiting & names)) - names:
        names |= more
    return names
