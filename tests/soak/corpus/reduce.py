"""Fewer steps with the same verdict: what a file did, made small enough to read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Step = TypeVar("Step")
Holds = Callable[[Sequence[Step]], bool]


def reduced(steps: Sequence[Step], holds: Holds[Step], seconds: float) -> list[Step]:
    """The steps that are left when none of them can be taken away; what there is when the time is over."""
    end = time.monotonic() + seconds
    left = _shortest_beginning(list(steps), holds, end)
    size = max(1, len(left) // 2)
    while time.monotonic() < end:
        smaller = _without_parts(left, size, holds, end)
        if size == 1 and len(smaller) == len(left):
            return smaller
        left, size = smaller, max(1, min(size // 2, len(smaller) // 2))
    return left


def _shortest_beginning(steps: list[Step], holds: Holds[Step], end: float) -> list[Step]:
    """By halves: usually the verdict is there from some step on."""
    low, high = 0, len(steps)
    while high - low > 1 and time.monotonic() < end:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(steps[:middle]) else (middle, high)
    return steps[:high]


def _without_parts(steps: list[Step], size: int, holds: Holds[Step], end: float) -> list[Step]:
    at = len(steps)
    while at > 0 and time.monotonic() < end:
        begin = max(0, at - size)
        tried = steps[:begin] + steps[at:]
        if tried and holds(tried):
            steps = tried
        at = begin
    return steps
