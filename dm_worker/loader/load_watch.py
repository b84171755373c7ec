"""Looks how many threads run on the two servers of a migration, every other second."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import Side
from pkg.errors import DMError

log = logging.getLogger(__name__)

_SECONDS: Final = 2.0
_CLOSE_SECONDS: Final = 1.0
_SQL: Final = "SHOW GLOBAL STATUS LIKE 'Threads_running'"


class LoadWatch:
    """A thread that tells ``seen`` about each server that says how many threads run (TiDB does not)."""

    def __init__(
        self,
        servers: Mapping[Side, ConnectionOptions],
        seen: Callable[[Side, int], None],
        is_wanted: Callable[[], bool],
        seconds: float = _SECONDS,
    ) -> None:
        self._servers = dict(servers)
        self._seen, self._is_wanted, self._seconds = seen, is_wanted, seconds
        self._connections: dict[Side, Connection] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loader-load-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """A server that hangs is not waited for: the thread ends by itself when it answers or is given up."""
        self._closed.set()
        self._thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        while True:
            for side in list(self._servers):
                if self._is_wanted() and not self._closed.is_set():
                    self._look(side)
            if self._closed.wait(self._seconds):
                break
        for side in list(self._connections):
            self._drop(side)

    def _look(self, side: Side) -> None:
        try:
            threads = self._threads(side)
        except DMError as exc:
            log.debug("the load of the %s is not known: %s", side, exc)
            self._drop(side)
            return
        if threads is None:
            log.info("the %s does not say how many threads run: max-threads-running does not hold there", side)
            del self._servers[side]
            self._drop(side)
            return
        self._seen(side, threads)

    def _threads(self, side: Side) -> int | None:
        if side not in self._connections:
            self._connections[side] = connect(self._servers[side], side=side)
        with self._connections[side].cursor() as cursor:
            cursor.execute(_SQL)
            row: Any = cursor.fetchone()
        return int(row[1]) if row else None

    def _drop(self, side: Side) -> None:
        connection = self._connections.pop(side, None)
        if connection is not None:
            with suppress(Exception):
                connection._force_close()
