"""Parts of a key's values with their estimated rows, on the way to chunks of about one size.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from dm_worker.dumper.chunks import Bound, KeyProbe, Range

SLACK: Final = 1.5  # a server's estimate of a range is rough; below this it is not worth asking again
_STALE: Final = 2  # times more rows than estimated: the statistics are wrong
_SAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part that is not cut any more."""

    range: Range
    rows: int  # estimated


def settled(leaves_of: Callable[[int], Sequence[Leaf]], target: int, probe: KeyProbe) -> Iterator[Bound]:
    """Bounds of chunks of about ``target`` rows; where the statistics are stale, as much smaller ones."""
    leaves = leaves_of(target)
    truth = _truth_of_estimates(leaves, probe)
    if truth > _STALE:
        target = max(1, int(target / truth))
        leaves = leaves_of(target)
    return _merged(leaves, target)


def _truth_of_estimates(leaves: Sequence[Leaf], probe: KeyProbe) -> float:
    """How many times more rows some sampled leaves hold than was estimated."""
    step = max(1, len(leaves) // _SAMPLES)
    sampled = [leaf for leaf in leaves[step // 2 :: step] if leaf.rows > 0][:_SAMPLES]
    estimated = sum(leaf.rows for leaf in sampled)
    counted = sum(probe.count(leaf.range) for leaf in sampled)
    return counted / estimated if estimated else 1.0


def _merged(leaves: Sequence[Leaf], target: int) -> Iterator[Bound]:
    """Bounds between leaves, leaving out those between neighbours that together are no more than one chunk."""
    held = 0
    for leaf, following in pairwise(leaves):
        held += leaf.rows
        if held + following.rows > target and leaf.range.upper is not None:
            yield leaf.range.upper
            held = 0
