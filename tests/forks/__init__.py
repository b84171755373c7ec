"""Processes of modules of the tests, forked from one that has imported all that they need.

A new interpreter that imports the units takes some 0.7 s of CPU, and the tests start hundreds of them.  `Forked` is
a process of its own as a new one would be: with its own arguments, environment and streams, and it can be killed.
dm-master, dm-worker and dmctl are never started in this way: they are programs.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
NUMBER = struct.Struct("i")  # a pid or an exit code on the pipe of a fork's fate


class _Nursery:
    """The process that forks; one for all tests of this process."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        command = [sys.executable, "-m", "tests.forks.nursery", str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),))

    def fork(self, request: Mapping[str, object], ends: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(request).encode()], ends)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


_nursery: _Nursery | None = None
_beginning = threading.Lock()


def _open_nursery() -> _Nursery:
    global _nursery
    with _beginning:
        if _nursery is None:
            _nursery = _Nursery()
            atexit.register(_nursery.close)
        return _nursery


def _end_for(file: IO[str] | None) -> tuple[IO[str] | None, int]:
    """What we read of a stream that goes to ``file``, and where the fork writes it."""
    if file is not None:
        return None, os.dup(file.fileno())
    read, write = os.pipe()
    return os.fdopen(read), write


class Forked:
    """``python -m module arguments…`` as a fork; what `subprocess.Popen` has under the same names does the same.

    ``stdin`` is a pipe; ``stdout`` and ``stderr`` are, too, unless files are given.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        environment: Mapping[str, str],
        stdout: IO[str] | None = None,
        stderr: IO[str] | None = None,
    ) -> None:
        read_in, write_in = os.pipe()
        fate, tell_fate = os.pipe()
        self.stdout, to_stdout = _end_for(stdout)
        self.stderr, to_stderr = _end_for(stderr)
        ends = [read_in, to_stdout, to_stderr, tell_fate]
        request = {"module": module, "arguments": arguments, "environment": dict(environment)}
        _open_nursery().fork(request, ends)
        for end in ends:
            os.close(end)
        self._fate = fate
        self.returncode: int | None = None
        self.stdin: IO[str] | None = os.fdopen(write_in, "w")
        self.pid = self._number()

    def poll(self) -> int | None:
        """The exit code, as a negative number the signal that ended it; None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Ends its input, and waits for its end; what it has written and nobody has read."""
        deadline = None if timeout is None else time.monotonic() + timeout
        if self.stdin is not None:
            with suppress(BrokenPipeError):
                self.stdin.close()
        said = ["", ""]

        def read(number: int, pipe: IO[str]) -> None:
            said[number] = pipe.read()
            pipe.close()

        outputs = enumerate((self.stdout, self.stderr))
        pipes = [(number, pipe) for number, pipe in outputs if pipe is not None and not pipe.closed]
        readers = [threading.Thread(target=read, args=one, daemon=True) for one in pipes]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(None if deadline is None else max(deadline - time.monotonic(), 0))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout or 0)
        self.wait(None if deadline is None else max(deadline - time.monotonic(), 0))
        return said[0], said[1]

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._fate], [], [], timeout)[0]:
            self.returncode = self._number()
            os.close(self._fate)
        return self.returncode

    def _number(self) -> int:
        read = os.read(self._fate, NUMBER.size)
        assert read, "the process that forks has ended"
        number: int = NUMBER.unpack(read)[0]
        return number
