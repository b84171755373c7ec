"""Notices that the target is gone while there is nothing to write to it."""

from __future__ import annotations

from collections.abc import Callable

IDLE_SECONDS = 10.0


class TargetWatch:
    """For the thread that reads the stream; rows that are applied show that the target is there, too."""

    def __init__(self, ping: Callable[[], None], now: float) -> None:
        self._ping = ping
        self._heard_at = now
        self._applied_rows = 0

    def look(self, applied_rows: int, now: float) -> None:
        """Ask the target when nothing was heard of it for a while.  Raises when it does not answer."""
        if applied_rows != self._applied_rows:
            self._applied_rows, self._heard_at = applied_rows, now
        if now - self._heard_at >= IDLE_SECONDS:
            self._ping()
            self._heard_at = now
