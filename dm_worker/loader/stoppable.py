"""A connection for statements that may take hours, and that a stop ends wherever they are."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

CUT_SHORT = ErrorKind(
    34123,
    "load-unit",
    Scope.INTERNAL,
    Level.LOW,
    "the full migration is stopping, and a statement on the target was cut short",
    workaround="nothing to do: it is carried out after the next start",
    resumable=True,
)
_LOOK_SECONDS: Final = 0.2


class Stoppable:
    """One thread uses it; another one watches for the stop, and then kills what the server does for it."""

    def __init__(
        self, connect: Callable[[], Connection], stop: StopSignal, register: Callable[[Connection], None]
    ) -> None:
        """``register`` is told of the connection before it is used."""
        self._connect = connect
        self._register = register
        self._stop = stop
        self._over = threading.Event()
        self._watch: threading.Thread | None = None

    def __enter__(self) -> Stoppable:
        self.connection = self._connect()
        try:
            self._register(self.connection)
        except BaseException:
            self.connection._force_close()
            raise
        number = int(self.rows("SELECT CONNECTION_ID()")[0][0])
        self._watch = threading.Thread(target=self._wait, args=(number,), name="loader-stop-watch", daemon=True)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._watch is not None:
            self._watch.join()
        self.connection._force_close()

    @property
    def is_stopped(self) -> bool:
        return self._stop.is_set()

    def run(self, sql: str) -> None:
        """Raises CUT_SHORT for what failed because of the stop."""
        self.rows(sql)

    def rows(self, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(sql, arguments or None)
                return list(cursor.fetchall())
        except DMError as exc:
            if self._stop.is_set():
                raise CUT_SHORT.error(cause=exc) from exc
            raise

    def _wait(self, number: int) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            if self._over.is_set():
                return
        if self._over.is_set():
            return
        with suppress(DMError):  # of a server that is dead
            killer = self._connect()
            try:
                killer.query(f"KILL {number}")
                log.info("a statement on the target was cut short by the stop: connection=%d", number)
            finally:
                killer._force_close()
        with suppress(OSError, AttributeError):  # it is closed just now
            self.connection._sock.shutdown(socket.SHUT_RDWR)
