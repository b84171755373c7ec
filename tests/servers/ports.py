"""Ports for servers of tests, which no two tests get at a time, nor the system gives to connections.

A port that the system gave to a socket and got back may be anybody's a moment later: the other end of a connection,
or the next one's who asks.  Here all processes of a user count through the other ports, one after another.
"""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from pathlib import Path

HOST = "127.0.0.1"
_FIRST, _LAST = 10_000, 65_535
_GIVEN_BY_THE_SYSTEM = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """A port on which nobody listens; others get it when all other ports have had their turn."""
    low, high = (int(word) for word in _GIVEN_BY_THE_SYSTEM.read_text().split())
    ports = [port for port in range(_FIRST, _LAST) if not low <= port <= high]
    counter = Path(tempfile.gettempdir(), f"spark-dm-port-{os.getuid()}")
    with counter.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        turn = int(file.read() or 0)
        while not _is_free(port := ports[turn % len(ports)]):
            turn += 1
        file.truncate(0)
        file.write(str(turn + 1))
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
