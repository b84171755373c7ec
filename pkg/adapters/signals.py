"""Signals that ask a daemon to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue


def on_signals(numbers: Iterable[int], react: Callable[[], None]) -> None:
    """Call ``react``, in a thread of its own, each time that one of these signals comes.

    Python runs a handler in the main thread, between any two of its steps. A handler that sets a threading.Event would
    wait for ever where that thread is just about to wait for the event and holds its lock: a daemon that no SIGTERM
    ends. ``SimpleQueue.put`` is made to be called there.
    """
    came: SimpleQueue[None] = SimpleQueue()
    for number in numbers:
        signal.signal(number, lambda *_: came.put(None))

    def listen() -> None:
        while True:
            came.get()
            react()

    threading.Thread(target=listen, name="signals", daemon=True).start()
