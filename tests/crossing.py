"""Crossings of cases with servers: which combinations a run of the tests leaves out.

A test with the marker `crossed("source", …)` crosses cases with servers; the marker names the parameters (or fixtures
with parameters) that are servers.  Unless `--all` is given, each case runs on one choice of servers, in turn, so that

- every case (the test with the values of its other parameters) runs at least once,
- every choice of servers has at least one case in each file,
- where there are several other parameters, every choice of servers meets every single value of them.

The choice is the same in every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

MARKER = "crossed"


@dataclass(frozen=True, slots=True)
class Row:
    """One combination: a test's name, its values that are servers, and its other values by parameter."""

    test: str
    servers: tuple[Any, ...]
    others: tuple[tuple[str, Any], ...] = ()

    def parts(self) -> Iterator[Hashable]:
        """What it covers."""
        yield self.test, self.others
        yield self.servers
        if len(self.others) > 1:
            for one in self.others:
                yield self.servers, one


def pairwise(rows: Sequence[Row]) -> list[Row]:
    """Those of ``rows`` that together cover what all of them cover, by greedy choice, in their order."""
    parts = [(row, frozenset(row.parts())) for row in rows]
    left = frozenset[Hashable]().union(*(covered for _, covered in parts))
    chosen: set[Row] = set()
    uses: Counter[Hashable] = Counter()
    while left:
        # What covers most comes first; of equals, the servers that were used least take their turn.
        best, covered = max(parts, key=lambda one: (len(left & one[1]), -uses[one[0].servers]))
        left -= covered
        chosen.add(best)
        uses[best.servers] += 1
    return [row for row in rows if row in chosen]


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
    return Row(item.nodeid.partition("[")[0], tuple(_known(values[name]) for name in servers), others)


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
