"""All connections that replication has to its target, so that a stop can end what hangs in them.

A channel may wait for a lock that somebody else holds, or for a server that is dead.  Cutting it is safe: what
it was about to commit is either committed with its location or not at all (DESIGN.md §4.5-4.6).
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import weakref
from collections.abc import Mapping
from dataclasses import replace

from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect, connection_number
from pkg.adapters.mysql.sessions import sessions
from pkg.errors import DMError, ErrorKind, Level, Scope

CUT = ErrorKind(
    36111,
    "sync-unit",
    Scope.INTERNAL,
    Level.LOW,
    "replication is stopping, and the target did not answer in time",
    workaround="nothing to do: what was not committed is applied after the next start",
    resumable=True,
)
PING_SECONDS = 10.0
_KILL_SECONDS = 2.0  # for a connection to kill with; a server that is dead needs none
log = logging.getLogger(__name__)


class TargetConnections:
    """Makes connections, and cuts all of them from another thread."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        self._lock = threading.Lock()  # guards what follows
        self._open: weakref.WeakKeyDictionary[Connection, int] = weakref.WeakKeyDictionary()  # → its number there
        self._is_cut = False

    def connect(self, *, client_flag: int, session: Mapping[str, str], may_kill: bool) -> Connection:
        """A new connection; `may_kill`: a cut kills also what the server does for it.  Raises CUT after a cut."""
        self._check()
        made = connect(self._options, side="downstream", client_flag=client_flag, session=session)
        number = connection_number(made) if may_kill else 0
        with self._lock:
            self._open[made] = number
        try:
            self._check()
        except DMError:
            made._force_close()
            raise
        return made

    def _check(self) -> None:
        with self._lock:
            if self._is_cut:
                raise CUT.error()

    def cut(self) -> None:
        """End what the server does for these connections, and whoever waits for it."""
        with self._lock:
            self._is_cut = True
            connections = dict(self._open)
        numbers = [number for made, number in connections.items() if number and made.open]
        with contextlib.suppress(DMError):  # of a server that is dead
            self._kill(numbers)
        for made in connections:
            _shut(made)

    def _kill(self, numbers: list[int]) -> None:
        """A server goes on waiting for a lock, and holds others, although its client is gone."""
        options = replace(self._options, connect_timeout=_KILL_SECONDS, read_timeout=_KILL_SECONDS, session={})
        killer = connect(options, side="downstream")
        try:
            idle = _idle(killer)
            busy = [number for number in numbers if number not in idle]
            for number in busy:
                with contextlib.suppress(DMError):  # one that has ended meanwhile
                    killer.query(f"KILL {number}")
            log.info("connections killed in the target: %s", busy)
        finally:
            killer._force_close()


def answers(connection: Connection) -> bool:
    """Whether a connection that was idle is alive."""
    usual, connection._read_timeout = connection._read_timeout, PING_SECONDS
    try:
        connection.ping(reconnect=False)
    except DMError as exc:
        log.info("a connection to the target was lost while idle: %s", exc.raw_cause)
        return False
    connection._read_timeout = usual
    return True


def _idle(connection: Connection) -> set[int]:
    """Those that end with their clients; TiDB may crash when one is killed in a transaction (pingcap/tidb#63956)."""
    return {one.number for one in sessions(connection) if one.command == "Sleep"}


def _shut(connection: Connection) -> None:
    with contextlib.suppress(OSError, AttributeError):  # it is closed just now
        connection._sock.shutdown(socket.SHUT_RDWR)
