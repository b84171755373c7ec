"""Signals that ask a daemon to stop."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Collection

_MOST_AT_ONCE = 64


def on_signals(numbers: Collection[int], react: Callable[[], None]) -> None:
    """Call ``react``, in a thread of its own, each time that one of these signals comes; once in a process.

    Python runs a handler in the main thread, between any two of its steps.  One that sets a threading.Event would wait
    for ever where that thread is just about to wait for the event and holds its lock; and none runs at all where a
    signal comes behind the thread's last step before it waits.  A daemon would not end.  So the number is read from a
    socket, to which the interpreter writes it at once, whatever the main thread does (``signal.set_wakeup_fd``).
    """
    came, written = socket.socketpair()
    written.setblocking(False)
    signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, lambda *_: None)

    def listen() -> None:
        with written:  # as long as the process has the handlers
            while True:
                for number in came.recv(_MOST_AT_ONCE):
                    if number in numbers:
                        react()

    threading.Thread(target=listen, name="signals", daemon=True).start()
