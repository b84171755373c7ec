"""Whether partitions of one name hold the same rows on both ends: by their bounds, and by how these divide the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pkg.schema.letter_case import small
from pkg.schema.partition_list import Partition, is_literal

ValueOf = Callable[[str, str], str]
"""(expression, zone) → the number that it is upstream; "" where it is none."""
_DEFAULT = ("DEFAULT",)


def unlike_partition(
    ours: Sequence[Partition], theirs: Sequence[Partition], named: Iterable[str], kind: str, value_of: ValueOf
) -> str:
    """Why one of the partitions ``named`` holds other rows in the target; "" where each holds the same.

    ``ours``: the upstream's before the statement.  What the target alone lacks it refuses by itself.
    """
    if kind in ("HASH", "KEY"):
        return _unlike_numbers(ours, theirs)
    ours, theirs = _computed(ours, theirs, value_of), _computed(theirs, ours, value_of)
    for name in named:
        here, there = _place(ours, name), _place(theirs, name)
        if there is None:
            continue
        if here is None:
            return f"upstream has no partition {name}"
        held, found = (_held(one, place, kind) for one, place in ((ours, here), (theirs, there)))
        if held != found:
            return f"the partition {name} is {_said(held)} upstream and {_said(found)} there"
    return ""


def contradiction(ours: Sequence[Partition], theirs: Sequence[Partition], kind: str, value_of: ValueOf) -> str:
    """The same of partitions as they are upstream some time later, when some are gone and some are new.

    No partition of one name may have other bounds, and none may have the bounds of one of another name.
    """
    if kind in ("HASH", "KEY"):
        return _unlike_numbers(ours, theirs)
    ours, theirs = _computed(ours, theirs, value_of), _computed(theirs, ours, value_of)
    owners = {value: one.name for one in theirs for value in one.values}
    for one in ours:
        place = _place(theirs, one.name)
        if place is not None and theirs[place].values != one.values:
            return f"the partition {one.name} has other bounds upstream"
        for value in one.values:
            if small(owners.get(value, one.name)) != small(one.name):
                return f"the partition {owners[value]} is called {one.name} upstream"
    return ""


def _unlike_numbers(ours: Sequence[Partition], theirs: Sequence[Partition]) -> str:
    """A row belongs to the partition whose number its hash gives."""
    here, there = ([one.name for one in partitions] for partitions in (ours, theirs))
    if list(map(small, here)) == list(map(small, there)):
        return ""
    return f"the partitions are {', '.join(here)} upstream and {', '.join(there)} there"


def _place(partitions: Sequence[Partition], name: str) -> int | None:
    return next((place for place, one in enumerate(partitions) if small(one.name) == small(name)), None)


def _held(partitions: Sequence[Partition], place: int, kind: str) -> tuple[str, ...]:
    """What a partition holds, in words that are equal where the rows are."""
    values = partitions[place].values
    if kind == "LIST":
        rest = (value for one in partitions for value in one.values if values == _DEFAULT)
        return ("what is in no list of", *sorted(rest)) if values == _DEFAULT else ("IN", *values)
    lower = ("from", *partitions[place - 1].values) if place else ()
    return (*lower, "below", *values)


def _said(held: tuple[str, ...]) -> str:
    return " ".join(held)


def _computed(partitions: Sequence[Partition], others: Sequence[Partition], value_of: ValueOf) -> list[Partition]:
    """With numbers for expressions that the other side does not have as they are."""
    known = {value for one in others for value in one.values}
    return [
        replace(one, values=tuple(sorted(_number(value, one.zone, known, value_of) for value in one.values)))
        for one in partitions
    ]


def _number(value: str, zone: str, known: set[str], value_of: ValueOf) -> str:
    if is_literal(value) or (not zone and value in known):
        return value
    return value_of(value, zone) or value
