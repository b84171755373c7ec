"""Where a table is cut into chunks.  It decides; what it must know of the data it asks through ``KeyProbe``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import ceil
from typing import Final

from dm_worker.dumper.chunks import WHOLE, Ascent, Bound, Key, KeyProbe, Range, TableSize
from dm_worker.dumper.leaves import SLACK, Leaf, settled
from dm_worker.dumper.value_cuts import ValueCuts

_DENSE: Final = 1.2  # values of the key per row up to which the key has no gaps worth looking for


def plan_ranges(key: Key, table: TableSize, target: int, probe: KeyProbe) -> list[Range]:
    """The table's chunks.  Raises NotAscending.

    An integer key is cut by calculation, any other one by values between keys that are there; both are refined by the
    index's own estimates.  That costs a few index dives a chunk and reads no rows.  Only a table that is small by its
    statistics (which may be stale) is walked along its index: one query a chunk that passes over the chunk's keys.
    """
    is_small = table.rows <= 2 * target
    if is_small and not key.is_integer:
        return _ranges(_walked(target, probe))
    extremes = probe.extremes()
    if extremes is None:
        return [WHOLE]
    if key.is_integer:
        low, high = (int(bound[0]) for bound in extremes)
        if high - low < target:
            return [WHOLE]
        return _ranges(_walked(target, probe) if is_small else _integer_bounds(low, high, table.rows, target, probe))
    return _ranges(settled(partial(ValueCuts(key, probe, extremes).leaves, table.rows), target, probe))


def _ranges(bounds: Iterator[Bound]) -> list[Range]:
    """Ranges that ``bounds`` (ascending, without the last row's) separate."""
    ranges: list[Range] = []
    lower: Bound | None = None
    for bound in bounds:
        ranges.append(Range(lower, bound))
        lower = bound
    return [*ranges, Range(lower, None)]


def _walked(target: int, probe: KeyProbe) -> Iterator[Bound]:
    ascent = Ascent()
    bound = probe.nth(WHOLE, target)
    while bound is not None:
        yield ascent.take(bound)
        bound = probe.nth(Range(bound), target)


def _integer_bounds(low: int, high: int, rows: int, target: int, probe: KeyProbe) -> Iterator[Bound]:
    if high - low + 1 <= rows * _DENSE:
        parts = ceil((high - low + 1) / (target * _DENSE))
        return ((str(bound),) for bound in _cut(low - 1, high, parts)[:-1])
    return settled(lambda wanted: _leaves(low - 1, high, rows, wanted, probe), target, probe)


def _cut(lower: int, upper: int, parts: int) -> list[int]:
    """Upper bounds of ``parts`` equal parts of (lower, upper]."""
    span = upper - lower
    parts = max(1, min(parts, span))
    return [lower + span * part // parts for part in range(1, parts + 1)]


def _leaves(low: int, high: int, rows: int, target: int, probe: KeyProbe) -> list[Leaf]:
    """Ascending: cut until each holds about ``target`` rows."""
    done: list[Leaf] = []
    open_ranges = [(low, high, rows)]
    while open_ranges:
        lower, upper, estimated = open_ranges.pop()
        if estimated <= target * SLACK or upper - lower <= target:
            done.append(Leaf(_between(lower, upper), estimated))
            continue
        bounds = _cut(lower, upper, max(2, ceil(estimated / target)))
        starts = [lower, *bounds[:-1]]
        sized = probe.estimates([_between(start, stop) for start, stop in zip(starts, bounds, strict=True)])
        if (lower, upper) != (low, high) and set(sized) == {estimated}:  # a HASH index tells no range from another
            return _equal_leaves(low, high, rows, target)
        open_ranges.extend(reversed(list(zip(starts, bounds, sized, strict=True))))
    return done


def _equal_leaves(low: int, high: int, rows: int, target: int) -> list[Leaf]:
    bounds = _cut(low, high, ceil(rows / target))
    share = ceil(rows / len(bounds))
    return [Leaf(_between(start, stop), share) for start, stop in zip([low, *bounds[:-1]], bounds, strict=True)]


def _between(lower: int, upper: int) -> Range:
    return Range((str(lower),), (str(upper),))
