"""Asks the upstream where its binlog stands, once a second, on a connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from pkg.binlog.position import Location
from pkg.errors import DMError

POLL_SECONDS = 1.0
CLOCK_POLLS = 10  # clocks are compared once in as many polls


def presumed_offset() -> float:
    """The upstream's clock goes as ours does until it was asked."""
    return time.time() - time.monotonic()


class UpstreamWatch(threading.Thread):
    """An upstream that does not answer makes the figures old, never the status slow."""

    def __init__(
        self, fetch: Callable[[], Location], clock_offset: Callable[[], float], tick: Callable[[], None]
    ) -> None:
        super().__init__(name="upstream-watch", daemon=True)
        self._fetch = fetch
        self._fetch_clock_offset = clock_offset
        self._tick = tick
        self._over = threading.Event()
        self.location: Location | None = None
        self.asked_at = 0.0  # by our monotonic clock, for `location`
        self.clock_offset = presumed_offset()  # seconds that the upstream's clock is ahead of our monotonic one

    def run(self) -> None:
        polls = 0
        while not self._over.is_set():
            try:
                self._ask(polls)
                polls += 1
            except DMError:
                pass  # the stream's own connection reports what is wrong; here only the age grows
            self._tick()
            self._over.wait(POLL_SECONDS)

    def _ask(self, polls: int) -> None:
        asked_at = time.monotonic()
        self.location = self._fetch()
        self.asked_at = asked_at
        if polls % CLOCK_POLLS == 0:
            self.clock_offset = self._fetch_clock_offset()

    def stop(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join(timeout=5)
