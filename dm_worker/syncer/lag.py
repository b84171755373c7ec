"""How far the target is behind the upstream, in seconds, from the commits' own times.

A commit's time is in whole seconds of the upstream's clock, so a lag is right to a second, and never too
small.  An upstream that was idle does not make the next commit late: what was in step a moment ago is
at most that moment behind.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class LagMeter:
    """Times are of our clock that never jumps, unless said otherwise; the upstream's is ``offset`` ahead of it."""

    offset: float = 0.0
    began: float = 0.0  # the run
    in_step_at: float = 0.0  # when all that the upstream had was applied; 0: not seen yet

    def seconds(self, now: float, *, open_since: int, applied: int) -> float:
        """The lag of a target that is not in step.

        ``open_since`` is the upstream's time of the oldest commit that is not applied, ``applied`` that of the
        newest before which all is; 0: there is none.
        """
        committed = open_since or applied
        bounds = [now + self.offset - committed] if committed else []
        if self.in_step_at:
            bounds.append(now - self.in_step_at)
        elif not committed:
            bounds.append(now - self.began)  # no commit has been met since the start: it is behind at least since then
        return max(0.0, min(bounds))
