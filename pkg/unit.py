"""What a unit of work is to the process that runs it.

A subtask passes through units (dump, load, sync).  A unit works until it is done or told to stop; it
never knows the stage machine: pausing, stopping and a lost worker all reach it as one stop signal,
and it must be able to go on later from what it has stored downstream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Protocol

from pkg.shardddl.lock import Order
from pkg.task.live import LiveSettings


class UnitName(StrEnum):
    """Units by the names that DM's status shows."""

    CHECK = "Check"
    DUMP = "Dump"
    LOAD = "Load"
    SYNC = "Sync"


class StopSignal(Protocol):
    """How a pause or stop reaches a unit; a ``threading.Event`` is one."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until stopped, at most ``timeout`` seconds; whether it is stopped."""
        ...


class Unit(Protocol):
    """One stretch of a subtask's way."""

    @property
    def name(self) -> UnitName:
        """May change while it runs: a full migration is Dump first and Load then."""
        ...

    def run(self, stop: StopSignal) -> None:
        """Work until finished or stopped (``stop.is_set()`` tells which); raise DMError on failure."""
        ...

    def status(self) -> Mapping[str, Any]:
        """The fields of DM's status for this unit (camelCase); cheap, callable from any thread."""
        ...

    def on_news(self, tell: Callable[[], None]) -> None:
        """``tell`` is to be called when the status has something that others wait for."""
        ...

    def look(self, number: int) -> None:
        """Measure what the status says, now: `looked` in it is then ``number``.  From any thread, returns at once.

        For a unit whose status compares with another server, and may be old; others ignore it.
        """
        ...

    def order(self, orders: tuple[Order, ...]) -> None:
        """What dm-master orders about shard DDL, all that holds; from any thread, and safe to repeat."""
        ...

    def steer(self, settings: LiveSettings) -> None:
        """These hold from now on; from any thread, and safe to repeat."""
        ...
