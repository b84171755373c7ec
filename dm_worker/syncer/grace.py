"""What a stop waits for: a transaction's end, for a while; then replication is ended wherever it stands."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from pkg.unit import StopSignal

GRACE_SECONDS = 5.0  # to come to a transaction's end, with all applied
LAST_SECONDS = 1.0  # to come to the end of the channels' transactions
_LOOK_SECONDS = 0.5

log = logging.getLogger(__name__)


class Grace(threading.Thread):
    """Waits for the stop; then, if replication is not over in time, drops what is queued, and cuts what hangs."""

    def __init__(
        self, stop: StopSignal, drop: Callable[[], None], cut: Callable[[], None], seconds: float = GRACE_SECONDS
    ) -> None:
        super().__init__(name="grace", daemon=True)
        self._stop_signal = stop
        self._drop, self._cut = drop, cut
        self._seconds = seconds
        self._over = threading.Event()
        self.has_cut = False

    def run(self) -> None:
        while not self._stop_signal.wait(_LOOK_SECONDS):
            if self._over.is_set():
                return
        if self._over.wait(self._seconds):
            return
        self._drop()
        if self._over.wait(LAST_SECONDS):
            return
        log.warning("the target keeps a transaction waiting: its connections are cut")
        self.has_cut = True
        self._cut()

    def end(self) -> None:
        """Replication is over."""
        self._over.set()
