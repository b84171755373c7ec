"""`max-rows-per-second`: how long to hold rows back before they are queued.  No clock, no waiting.

Up to a tenth of a second's rows may go out at once; a rows event stays whole, and what it is too much
is waited for.
"""

from __future__ import annotations

BURST_SECONDS = 0.1


class TokenBucket:
    """Tokens are rows that may go; below zero, those that were promised."""

    def __init__(self, rows_per_second: int, now: float) -> None:
        self.rows_per_second = rows_per_second
        self._at = now
        self._tokens = self._most

    @property
    def _most(self) -> float:
        return max(1.0, self.rows_per_second * BURST_SECONDS)

    def take(self, rows: int, now: float) -> float:
        """Seconds after which `rows` may go."""
        self._tokens = min(self._most, self._tokens + (now - self._at) * self.rows_per_second) - rows
        self._at = now
        return max(0.0, -self._tokens / self.rows_per_second)

    @property
    def portion(self) -> int:
        """Rows that are handed over at a time, so that a low rate is an even one."""
        return int(self._most)
