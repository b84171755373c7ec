"""A key of any type is cut by values, without a pass over its index.

A part of the key's values with too many rows is cut so, until none is left:

1. ask for its first key (its last one is known), and space values evenly between the two, in the first column in which
   they differ (``key_values``);
2. for each of them ask for the last key below it: a bound that is there, in the server's own order;
3. ask the index for an estimate of the rows between two such keys.

A bound comes after the one before it because the server was asked for a key between that one and the part's end;
so the parts hold every row once, also where the values were spaced in an order that is not the server's.  A bound
that comes twice would show that the index has another order than comparisons.  A part that does not get smaller
is walked along its index, by as many rows as it is estimated to have; the rest is one chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Final

from dm_worker.dumper.chunks import Ascent, Bound, Key, KeyProbe, NotAscending, Range
from dm_worker.dumper.key_values import TEXTS, Kind, Symbols, between, symbols_of
from dm_worker.dumper.leaves import SLACK, Leaf

_MOST_PARTS: Final = 64  # at once: the keys that are found tell where to look on
_LARGEST: Final = 0.9  # of a part's rows in one of its parts is hardly a cut
_GUESS: Final = 2  # such cuts, and symbols are guessed
_STALLS: Final = 24  # such cuts, one inside the other, before a part is walked
_FEW: Final = 4  # chunks: a part that is no larger is rather walked than cut with guesses


@dataclass(frozen=True, slots=True)
class _Open:
    """A part that may be cut further."""

    range: Range  # with an upper bound
    rows: int
    stalls: int = 0


class ValueCuts:
    """Cuts one key of one table."""

    def __init__(self, key: Key, probe: KeyProbe, extremes: tuple[Bound, Bound]) -> None:
        self._kinds = key.kinds
        self._is_unique = key.is_whole
        self._ascent = Ascent()
        self._probe = probe
        self._last = extremes[1]
        self._symbols = [Symbols(self._order(at, kind)) for at, kind in enumerate(key.kinds)]

    def _order(self, at: int, kind: Kind) -> Callable[[Sequence[str]], Sequence[Sequence[str]]]:
        return sorted if kind is Kind.BYTES else partial(self._probe.ordered, at)

    def leaves(self, rows: int, target: int) -> list[Leaf]:
        """Ascending: cut until each holds about ``target`` rows of the ``rows`` in all.  Raises NotAscending."""
        self._ascent = Ascent()
        done: list[Leaf] = []
        parts = [_Open(Range(None, self._last), rows)]
        while parts:
            part = parts.pop()
            if part.rows <= target * SLACK:
                done.append(Leaf(part.range, part.rows))
            elif part.stalls > (_STALLS if part.rows > _FEW * target else _GUESS):
                done.extend(self._walked(part, target))
            elif found := self._cut(part, target):
                parts.extend(reversed(found))
            else:
                done.append(Leaf(part.range, part.rows))
        return done

    def _cut(self, part: _Open, target: int) -> list[_Open]:
        """Its parts, ascending; none where it holds one value only."""
        first, last = self._probe.nth(part.range, 1), part.range.upper
        if first is None or last is None or first == last:
            return []
        wanted = min(_MOST_PARTS, ceil(part.rows / target))
        ranges = list(self._ranges(part.range, self._values(first, last, wanted, guess=part.stalls >= _GUESS)))
        if len(ranges) == 1:
            return [replace(part, stalls=_STALLS + 1)]
        sized = list(zip(ranges, self._probe.estimates(ranges), strict=True))
        total = sum(rows for _, rows in sized)
        if min(rows for _, rows in sized) > part.rows / 2:  # an index that cannot be asked says always the same
            sized = [(one, part.rows * rows // total) for one, rows in sized]
            total = part.rows
        return [_Open(one, rows, part.stalls + 1 if rows > total * _LARGEST else 0) for one, rows in sized]

    def _ranges(self, whole: Range, values: Sequence[Bound]) -> Iterator[Range]:
        lower = whole.lower
        for value in values:
            found = self._probe.last_below(Range(lower, whole.upper), value)
            if found is not None and found != whole.upper and self._is_new(found):
                yield Range(lower, found)
                lower = found
                self._learn(found)
        yield Range(lower, whole.upper)

    def _is_new(self, bound: Bound) -> bool:
        # Values of a part of a key may be equal by its collation, and found one for the other.
        if self._is_unique:
            self._ascent.take(bound)
            return True
        return self._ascent.add(bound)

    def _values(self, first: Bound, last: Bound, parts: int, *, guess: bool) -> list[Bound]:
        """Where to cut between the two keys: values of the first column in which they differ, and what they share."""
        self._learn(first)
        self._learn(last)
        for at, (kind, symbols) in enumerate(zip(self._kinds, self._symbols, strict=True)):
            if kind is Kind.UNICODE and guess:
                symbols.guess()
            symbols.sort()
            values = between(kind, first[at], last[at], max(2, parts), symbols)
            if values:
                return [(*first[:at], value) for value in values]
        return []

    def _learn(self, key: Bound) -> None:
        for kind, symbols, value in zip(self._kinds, self._symbols, key, strict=True):
            if kind in TEXTS:
                symbols.learn(symbols_of(value))

    def _walked(self, part: _Open, target: int) -> Iterator[Leaf]:
        whole, rows = part.range, part.rows
        while rows > target * SLACK:
            found = self._probe.nth(whole, target)
            if found is None or found == whole.upper:
                break
            if found == whole.lower:
                raise NotAscending(found)
            yield Leaf(Range(whole.lower, found), target)
            whole, rows = Range(found, whole.upper), rows - target
        yield Leaf(whole, rows)
