"""The line between the lanes in Spark's executors and their migration: reports one way, allowances the other.

Datagrams, because nothing depends on them: a lane that gets no answer goes on at its first allowance, and its
chunks show when they are done.  A token tells datagrams of this migration from any other.
"""

from __future__ import annotations

import hmac
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from dm_worker.loader.governor import Allowance, Report
from dm_worker.loader.pace import Pace

_TOKEN_BYTES: Final = 16
_REPORT: Final = struct.Struct(f"!{_TOKEN_BYTES}sQqQQ")
_ANSWER: Final = struct.Struct("!Qd?")
_LONGEST_TEXT: Final = 300
_LONGEST_DATAGRAM: Final = 2048
_ANSWER_SECONDS: Final = 0.2
_PATIENCE: Final = 3  # questions without an answer, after which one is asked only now and then
_DEAF_SECONDS: Final = 10.0
_WAKE_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class LineAddress:
    """Where a lane reports; it travels with the job."""

    host: str
    port: int
    token: bytes
    first: Allowance


class LineServer:
    """The migration's end: ``hear`` is called for each report, in a thread of its own."""

    def __init__(self, host: str, hear: Callable[[Report], Allowance]) -> None:
        self._token = os.urandom(_TOKEN_BYTES)
        self._hear = hear
        self._host = host
        self._closed = threading.Event()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1" if host == "127.0.0.1" else "", 0))
        self._socket.settimeout(_WAKE_SECONDS)
        self._thread = threading.Thread(target=self._run, name="loader-line", daemon=True)
        self._thread.start()

    def address(self, first: Allowance) -> LineAddress:
        return LineAddress(self._host, int(self._socket.getsockname()[1]), self._token, first)

    def close(self) -> None:
        self._closed.set()
        with suppress(OSError):  # a word to ourselves, so that the thread looks up at once
            self._socket.sendto(b"", ("127.0.0.1", self._socket.getsockname()[1]))
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                datagram, sender = self._socket.recvfrom(_LONGEST_DATAGRAM)
            except OSError:
                continue
            report = self._read(datagram)
            if report is None:
                continue
            answer = self._hear(report)
            with suppress(OSError):
                self._socket.sendto(_ANSWER.pack(report.lane, answer.bytes_per_second, answer.holds), sender)

    def _read(self, datagram: bytes) -> Report | None:
        if len(datagram) < _REPORT.size:
            return None
        token, lane, chunk, rows, size = _REPORT.unpack_from(datagram)
        if not hmac.compare_digest(token, self._token):
            return None
        return Report(lane, chunk, rows, size, datagram[_REPORT.size :].decode(errors="replace"))


class LineClient:
    """A lane's end; one thread uses it."""

    def __init__(self, address: LineAddress, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = address
        self._clock = clock
        self._unanswered = 0
        self._deaf_until = float("-inf")

    def ask(self, report: Report) -> Allowance | None:
        if self._clock() < self._deaf_until:
            return None
        try:
            answer = self._exchange(report)
        except OSError:
            answer = None
        if answer is not None:
            self._unanswered = 0
            return answer
        self._unanswered += 1
        if self._unanswered >= _PATIENCE:
            self._deaf_until = self._clock() + _DEAF_SECONDS
            return self._address.first
        return None

    def _exchange(self, report: Report) -> Allowance | None:
        text = report.busy.encode()[:_LONGEST_TEXT]
        head = _REPORT.pack(self._address.token, report.lane, report.chunk, report.rows, report.bytes)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:  # of its own: a late answer meets nobody
            link.settimeout(_ANSWER_SECONDS)
            link.connect((self._address.host, self._address.port))
            link.send(head + text)
            datagram = link.recv(_LONGEST_DATAGRAM)
        if len(datagram) != _ANSWER.size:
            return None
        lane, rate, holds = _ANSWER.unpack(datagram)
        return Allowance(rate, holds) if lane == report.lane else None


def pace_of(address: LineAddress | None) -> Pace:
    """The pace of a lane in an executor."""
    if address is None:
        return Pace(lambda report: None, Allowance())
    return Pace(LineClient(address).ask, address.first)


def reachable_host(master: str, conf_host: str = "") -> str:
    """The address of this machine at which executors of Spark's ``master`` reach it."""
    if master.startswith("local"):
        return "127.0.0.1"
    if conf_host:
        return conf_host
    found = urlsplit(master.split(",")[0])
    host = found.hostname or socket.gethostname()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((host, found.port or 9))  # nothing is sent: this only asks for a route
            return str(probe.getsockname()[0])
    except (OSError, ValueError):
        return socket.gethostname()
