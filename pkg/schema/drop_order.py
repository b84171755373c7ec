"""The order in which tables of one statement are dropped one by one: those with foreign keys before their parents."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from pkg.schema.letter_case import small
from pkg.schema.statement import TableName


def children_first(
    tables: Sequence[TableName], references: Iterable[tuple[TableName, TableName]]
) -> tuple[list[int], frozenset[int]]:
    """Places of the tables in that order, else as they are listed; and those that are referred to even then.

    ``references``: foreign keys as (child, parent).  Those that refer to each other in a circle have no such order.
    """
    places = {_folded(name): place for place, name in enumerate(tables)}
    children: dict[int, set[int]] = {place: set() for place in range(len(tables))}
    parents: dict[int, set[int]] = {place: set() for place in range(len(tables))}
    for child, parent in references:
        one, other = places.get(_folded(child)), places.get(_folded(parent))
        if one is not None and other is not None and one != other:
            children[other].add(one)
            parents[one].add(other)
    free = [place for place, left in children.items() if not left]
    order, held, listed = list[int](), set[int](), iter(range(len(tables)))
    while len(order) < len(tables):
        if free:
            place = heapq.heappop(free)
        else:
            place = next(one for one in listed if children[one])
            held.add(place)
            children[place].clear()
        order.append(place)
        for above in parents[place]:
            if place in children[above]:
                children[above].remove(place)
                if not children[above]:
                    heapq.heappush(free, above)
    return order, frozenset(held)


def _folded(name: TableName) -> tuple[str, str]:
    return small(name.schema), small(name.table)
