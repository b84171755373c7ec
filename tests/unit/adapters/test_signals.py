"""A signal to stop is heard, whatever the main thread is at."""

from __future__ import annotations

import subprocess
import sys

AT_THE_LOCK = """
import os, signal, sys, threading
from pkg.adapters.signals import on_signals
stop = threading.Event()
on_signals((signal.SIGTERM,), stop.set)
with stop._cond:  # as when `wait` has just begun
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(1000): pass
sys.exit(7 if stop.wait(30) else 1)
"""


def test_a_thread_that_holds_the_lock_of_the_event_is_not_caught() -> None:
    assert subprocess.run([sys.executable, "-c", AT_THE_LOCK], timeout=60).returncode == 7


TO_ANOTHER_THREAD = """
import os, signal, sys, threading
from pkg.adapters.signals import on_signals
stop = threading.Event()
on_signals((signal.SIGTERM,), stop.set)
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # the kernel gives it to another thread
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
sys.exit(7 if stop.wait(10) else 1)
"""


def test_a_thread_that_waits_need_not_wake_for_it() -> None:
    assert subprocess.run([sys.executable, "-c", TO_ANOTHER_THREAD], timeout=60).returncode == 7
