"""How a table is cut into chunks: ranges of its best key, each about as large as one transaction should be.

A chunk is ``lower < key <= upper``; the first has no lower bound and the last no upper one, so that
together they hold every row, also those that arrive meanwhile.  Bounds are SQL literals, compared
column by column in the order of the key, as the index has it.

This module decides; what it must know of the data it asks through ``KeyProbe``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final, Protocol

from pkg.schema.table import Table
from pkg.task.chunk_size import TARGET_ROWS, ChunkSize, TableSize, rows_per_chunk

Bound = tuple[str, ...]

__all__ = [
    "TARGET_ROWS", "WHOLE", "Bound", "ChunkSize", "Key", "KeyProbe", "Range", "TableSize", "best_key",
    "bound_from_text", "bound_to_text", "condition", "plan_ranges", "rows_per_chunk",
]  # fmt: skip

_SLACK: Final = 1.5  # a server's estimate of a range is rough; below this it is not worth asking again
_DENSE: Final = 1.2  # values of the key per row up to which the key has no gaps worth looking for
_SAMPLES: Final = 3

_INTEGERS: Final = frozenset(("tinyint", "smallint", "mediumint", "int", "integer", "bigint"))
# Types whose order in the index is the order of comparison with a literal.  Not ENUM and SET (ordered by
# number, compared as text), not FLOAT (its text is not its value), not BIT.
_ORDERED: Final = _INTEGERS | {
    "decimal", "numeric", "char", "varchar", "binary", "varbinary", "date", "time", "datetime", "timestamp", "year",
    "uuid", "inet4", "inet6",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """The part of a table's identity key that chunks are ranges of."""

    index: str
    columns: tuple[str, ...]
    is_integer: bool  # one column of integers: its values can be calculated with


@dataclass(frozen=True, slots=True)
class Range:
    """``lower < key <= upper``; None has no bound on that side."""

    lower: Bound | None = None
    upper: Bound | None = None


WHOLE: Final = Range()


class KeyProbe(Protocol):
    """Questions about the values of a key, answered by the upstream."""

    def extremes(self) -> tuple[int, int] | None:
        """Least and greatest value of an integer key; None for an empty table."""
        ...

    def estimate(self, lower: int, upper: int) -> int:
        """About how many rows have ``lower < key <= upper``, from the index without reading it."""
        ...

    def count(self, lower: int, upper: int) -> int:
        """Exactly how many rows have ``lower < key <= upper``."""
        ...

    def nth_after(self, lower: Bound | None, n: int) -> Bound | None:
        """The key of the n-th row after ``lower``; None when there are fewer."""
        ...


def best_key(table: Table) -> Key | None:
    """The longest usable start of the table's identity key; None when there is none."""
    wanted = tuple(table.columns[ordinal].name for ordinal in table.identity_key)
    index = next((one for one in table.indexes if one.unique and one.columns == wanted), None)
    if index is None:
        return None
    usable: list[str] = []
    for ordinal in table.identity_key:
        if table.columns[ordinal].base_type not in _ORDERED:
            break
        usable.append(table.columns[ordinal].name)
    if not usable:
        return None
    first = table.columns[table.identity_key[0]]
    return Key(index.name, tuple(usable), len(wanted) == 1 and first.base_type in _INTEGERS)


def plan_ranges(key: Key, table: TableSize, target: int, probe: KeyProbe) -> list[Range]:
    """The table's chunks.

    An integer key is cut by calculation, refined by the index's own estimates; that costs two index
    dives a chunk and reads no rows.  Any other key, and a table that is small by its statistics (which
    may be stale), is walked along its index: one query a chunk that passes over the chunk's keys.
    """
    if key.is_integer:
        extremes = probe.extremes()
        if extremes is None or extremes[1] - extremes[0] < target:
            return [WHOLE]
        if table.rows > 2 * target:
            return _ranges((str(bound),) for bound in _integer_bounds(*extremes, table.rows, target, probe))
    return _ranges(_walked(target, probe))


def _ranges(bounds: Iterator[Bound]) -> list[Range]:
    """Ranges that ``bounds`` (ascending, without the last row's) separate."""
    ranges: list[Range] = []
    lower: Bound | None = None
    for bound in bounds:
        ranges.append(Range(lower, bound))
        lower = bound
    return [*ranges, Range(lower, None)]


def _walked(target: int, probe: KeyProbe) -> Iterator[Bound]:
    bound = probe.nth_after(None, target)
    while bound is not None:
        yield bound
        bound = probe.nth_after(bound, target)


def _integer_bounds(low: int, high: int, rows: int, target: int, probe: KeyProbe) -> Iterator[int]:
    if high - low + 1 <= rows * _DENSE:
        return iter(_cut(low - 1, high, ceil((high - low + 1) / (target * _DENSE)))[:-1])
    leaves = _leaves(low - 1, high, rows, target, probe)
    truth = _truth_of_estimates(leaves, probe)
    if truth > 2:  # the statistics are stale: cut finer by as much as they were wrong
        target = max(1, int(target / truth))
        leaves = _leaves(low - 1, high, rows, target, probe)
    return _merged(leaves, target)


def _cut(lower: int, upper: int, parts: int) -> list[int]:
    """Upper bounds of ``parts`` equal parts of (lower, upper]."""
    span = upper - lower
    parts = max(1, min(parts, span))
    return [lower + span * part // parts for part in range(1, parts + 1)]


def _leaves(low: int, high: int, rows: int, target: int, probe: KeyProbe) -> list[tuple[int, int, int]]:
    """(lower, upper, estimated rows), ascending: cut until each holds about ``target`` rows."""
    done: list[tuple[int, int, int]] = []
    open_ranges = [(low, high, rows)]
    while open_ranges:
        lower, upper, estimated = open_ranges.pop()
        if estimated <= target * _SLACK or upper - lower <= target:
            done.append((lower, upper, estimated))
            continue
        bounds = _cut(lower, upper, max(2, ceil(estimated / target)))
        starts = [lower, *bounds[:-1]]
        parts = [(start, stop, probe.estimate(start, stop)) for start, stop in zip(starts, bounds, strict=True)]
        open_ranges.extend(reversed(parts))
    return done


def _truth_of_estimates(leaves: Sequence[tuple[int, int, int]], probe: KeyProbe) -> float:
    """How many times more rows some sampled leaves hold than was estimated."""
    step = max(1, len(leaves) // _SAMPLES)
    sampled = [leaf for leaf in leaves[step // 2 :: step] if leaf[2] > 0][:_SAMPLES]
    estimated = sum(rows for _, _, rows in sampled)
    counted = sum(probe.count(lower, upper) for lower, upper, _ in sampled)
    return counted / estimated if estimated else 1.0


def _merged(leaves: Sequence[tuple[int, int, int]], target: int) -> Iterator[int]:
    """Bounds between leaves, leaving out those between neighbours that together are no more than one chunk."""
    held = 0
    for (_, upper, rows), (_, _, following) in pairwise(leaves):
        held += rows
        if held + following > target:
            yield upper
            held = 0


def condition(columns: Sequence[str], chunk: Range) -> str:
    """The WHERE condition of a chunk, "" for all rows; ``columns`` are quoted.

    ``a > x OR (a = x AND b > y)`` instead of ``(a, b) > (x, y)``: servers use an index for the former only.
    """
    parts = []
    if chunk.lower is not None:
        parts.append(_compared(columns, chunk.lower, ">", ">"))
    if chunk.upper is not None:
        parts.append(_compared(columns, chunk.upper, "<", "<="))
    return " AND ".join(parts)


def _compared(columns: Sequence[str], bound: Bound, strict: str, last: str) -> str:
    column, value = columns[0], bound[0]
    if len(bound) == 1:
        return f"{column} {last} {value}"
    rest = _compared(columns[1:], bound[1:], strict, last)
    return f"({column} {strict} {value} OR ({column} = {value} AND {rest}))"


def bound_to_text(bound: Bound | None) -> str | None:
    """A bound as the chunk table keeps it."""
    return None if bound is None else json.dumps(bound, ensure_ascii=False)


def bound_from_text(text: str | None) -> Bound | None:
    return None if text is None else tuple(str(part) for part in json.loads(text))
