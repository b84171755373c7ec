"""The streams to the workers, as the coordinator sees them: where orders are put, and what was sent last."""

from __future__ import annotations

import queue
from dataclasses import dataclass, field, replace

from dm_master.cluster import Desired
from dm_master.observed import Observation
from pkg.errors import DMError

RESEND_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a worker says it is."""

    name: str
    address: str
    lease_seconds: float
    instance: str
    config: str = ""


@dataclass(slots=True)
class Link:
    """One worker's stream.  The coordinator puts orders in, the stream's thread takes them out."""

    hello: Hello
    orders: queue.SimpleQueue[Desired | int | DMError | None] = field(default_factory=queue.SimpleQueue)
    sent: Desired | None = None
    sent_at: float = 0.0

    def offer(self, desired: Desired, observed: Observation | None, now: float) -> bool:
        """Send ``desired`` when it is new, or when the worker does not show that it has acted on it."""
        if self.sent is not None and _same(self.sent, desired):
            acted = observed is not None and observed.revision >= self.sent.revision
            if acted or now - self.sent_at < RESEND_SECONDS:
                return False
            desired = self.sent
        self.sent, self.sent_at = desired, now
        self.orders.put(desired)
        return True

    def look(self, number: int) -> None:
        """Have the worker measure anew how it stands, and say so under this number."""
        self.orders.put(number)

    def close(self, reason: DMError | None = None) -> None:
        """End the stream, with ``reason`` as its status."""
        self.orders.put(reason)


def _same(one: Desired, other: Desired) -> bool:
    return replace(one, revision=other.revision) == other
