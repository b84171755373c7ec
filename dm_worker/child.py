"""The daemon's end of a subtask's process: start it, speak to it, learn of its end."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from dm_worker.messages import Down, Look, Orders, Start, Steer, Stop, Up
from pkg.adapters.log import fields
from pkg.shardddl.lock import Order
from pkg.task.live import LiveSettings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """The process is gone."""

    how: str


Heard = Callable[[Up | Ended], None]


class Child:
    """One process.  To be made by a thread that lives as long as the daemon: the kernel ties the child to it."""

    def __init__(self, start: Start, source: str, heard: Heard) -> None:
        ours, theirs = socket.socketpair()
        self._pipe: Connection = Connection(ours.detach())
        self._lock = threading.Lock()  # guards the pipe's writing end
        command = [sys.executable, "-m", "dm_worker.runner", str(theirs.fileno()), str(os.getpid()), start.task, source]
        with theirs:
            # A group of its own: Ctrl-C in a terminal is for the daemon, which ends its subtasks in order.
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=_environment(), process_group=0
            )
        self._heard = heard
        log.info("subtask process started", extra=fields(task=start.task, source=source, pid=self._process.pid))
        threading.Thread(target=self._listen, name=f"child-{start.task}", daemon=True).start()
        self._send(start)

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        self._send(Stop())

    def steer(self, live: LiveSettings) -> None:
        self._send(Steer(live))

    def order(self, orders: tuple[Order, ...]) -> None:
        self._send(Orders(orders))

    def look(self, number: int) -> None:
        self._send(Look(number))

    def kill(self) -> None:
        self._process.kill()

    def _send(self, message: Down) -> None:
        try:
            with self._lock:
                self._pipe.send(message)
        except OSError:
            pass  # it is gone; _listen says so

    def _listen(self) -> None:
        try:
            while True:
                message: Up = self._pipe.recv()
                self._heard(message)
        except (EOFError, OSError):
            pass
        except Exception:
            log.exception("a subtask's process said what is not understood")
            self._process.kill()
        how = _how(self._process.wait())
        self._pipe.close()
        self._heard(Ended(how))


def _how(returncode: int) -> str:
    if returncode >= 0:
        return f"exit code {returncode}"
    name = signal.Signals(-returncode).name if -returncode in set(signal.Signals) else "?"
    hint = ", perhaps by the kernel for lack of memory" if -returncode == signal.SIGKILL else ""
    return f"killed by signal {-returncode} ({name}{hint})"


def _environment() -> dict[str, str]:
    """The daemon's environment; the child finds the same modules, also in a source tree that is not installed.

    It and Spark's Python import nothing from the folder in which the daemon was started (a `copy.py`).
    """
    root = str(Path(__file__).resolve().parent.parent)
    path = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, path])), "PYTHONSAFEPATH": "1"}
