"""Crossings of cases with servers: which combinations a run of the tests leaves out.

A test with the marker `crossed("source", …)` crosses cases with servers; the marker names the parameters (or fixtures
with parameters) that are servers.  Unless `--all` is given, each case runs on one choice of servers, so that

- every case (the test with the values of its other parameters) runs at least once,
- every choice of servers has at least one case in each file,
- where there are several other parameters, every choice of servers meets every single value of them.

The choice is the same in every run.  It goes by the name of the test's item, not by its place in the file.  So a case that
is added moves no other one to servers on which that has never run, but for the one that a choice of servers had in its file
for the second rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import pytest

MARKER = "crossed"


@dataclass(frozen=True, slots=True)
class Row:
    """One combination: a test's name, its values that are servers, its other values by parameter, and its item's name."""

    test: str
    servers: tuple[Any, ...]
    others: tuple[tuple[str, Any], ...] = ()
    name: str = field(default="", compare=False)

    def parts(self) -> Iterator[Hashable]:
        """What it covers."""
        yield self.test, self.others
        yield self.servers
        if len(self.others) > 1:
            for one in self.others:
                yield self.servers, one


def pairwise(rows: Sequence[Row]) -> list[Row]:
    """Those of ``rows`` that together cover what all of them cover, by greedy choice, in their order.

    Of rows that cover the same number of things it is their names' digests that choose.
    """
    parts = sorted(((row, frozenset(row.parts())) for row in rows), key=lambda one: digest(one[0].name))
    left = frozenset[Hashable]().union(*(covered for _, covered in parts))
    chosen: set[Row] = set()
    while left:
        best, covered = max(parts, key=lambda one: len(left & one[1]))
        left -= covered
        chosen.add(best)
    return [row for row in rows if row in chosen]


def digest(name: str) -> int:
    """A number of 32 bits that is a name's own: the same in every run, wherever the name stands."""
    return crc32(name.encode())


def left_out_of_crossings(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """The items of crossed tests that the choice does not need.  Raises UsageError for a marker that crosses nothing."""
    crossings: dict[Hashable, dict[Row, pytest.Item]] = {}
    said: set[Hashable] = set()
    for item in items:
        mark = item.get_closest_marker(MARKER)
        if mark is None:
            continue
        key = item.nodeid.partition("::")[0], mark.args
        said.add(key)
        # A file's marker is for those of its tests that have servers to choose.
        if set(mark.args) <= set(parameters(item)):
            crossings.setdefault(key, {})[_row(item, mark.args)] = item
    if unknown := said - crossings.keys():
        raise pytest.UsageError(f"markers {MARKER!r} whose names no test has as parameters: {unknown}")
    kept = {row for crossing in crossings.values() for row in pairwise(list(crossing))}
    return {item for crossing in crossings.values() for row, item in crossing.items() if row not in kept}


def _row(item: pytest.Item, servers: Sequence[str]) -> Row:
    values = parameters(item)
    others = tuple((name, _known(value)) for name, value in sorted(values.items()) if name not in servers)
    return Row(item.nodeid.partition("[")[0], tuple(_known(values[name]) for name in servers), others, item.nodeid)


def parameters(item: pytest.Item) -> Mapping[str, Any]:
    """The values of a test's parameters; {} of one that has none."""
    return item.callspec.params if hasattr(item, "callspec") else {}


def _known(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return id(value)
    known: Hashable = value
    return known
