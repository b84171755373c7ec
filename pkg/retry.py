"""When to try again: delays that grow, as values.  The policy decides, shells wait."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays between tries: ``first``, then ``factor`` times as long each time, never above ``maximum`` (seconds)."""

    first: float = 1.0
    maximum: float = 300.0
    factor: float = 2.0
    jitter: bool = True

    def delay(self, failures: int, chance: float = 1.0) -> float:
        """The wait after that many failures in a row; ``chance`` in [0, 1) spreads those who failed together.

        >>> [Backoff(jitter=False, maximum=5).delay(n) for n in (1, 2, 3, 4)]
        [1.0, 2.0, 4.0, 5.0]
        """
        if failures <= 0:
            return 0.0
        # The power is capped before it overflows: weeks of failures are many.
        whole = min(self.maximum, self.first * self.factor ** min(failures - 1, 64))
        return whole * (0.5 + chance / 2) if self.jitter else whole
