"""One lane's consistent snapshot: a connection that is kept for all chunks, and nothing can take its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import LOST_CONNECTION
from pkg.binlog.position import Position
from pkg.errors import DMError, ErrorKind, Level, Scope

SNAPSHOT_LOST = ErrorKind(
    32014,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the consistent snapshot is lost: {text}",
    workaround="it begins again by itself with a new snapshot: tables that it has copied are emptied first. Where this "
    "goes on, look for what ends the upstream's connections, or use `consistency: none` with task-mode all, which goes "
    "on where it was",
    resumable=True,
)

_T = TypeVar("_T")


class HeldSnapshot:
    """A snapshot that begins with ``open`` and ends with its connection."""

    def __init__(self, connection: Connection, server: Server) -> None:
        self._connection = connection
        self._server = server
        self._rows: Iterator[Any] | None = None
        self._broken: BaseException | None = None

    @property
    def connection_id(self) -> int:
        return int(self._connection.thread_id())  # type: ignore[no-untyped-call]

    def open(self) -> Position | None:
        """Begin a snapshot, in place of an earlier one; its position, where the server tells."""
        self._connection.rollback()
        self._connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        return self._server.snapshot_position(self._connection)

    def usable(self) -> Connection:
        """The connection; raises SNAPSHOT_LOST."""
        if self._broken is not None:
            raise lost(self._broken)
        return self._connection

    def reading(self, rows: Iterator[_T]) -> Iterator[_T]:
        self._rows = rows
        return rows

    def read_out(self) -> None:
        """After an error: the answer that is under way is read to its end, so that the connection can be used on."""
        rows, self._rows = self._rows, None
        try:
            for _ in rows or ():
                pass
            self._connection.ping(reconnect=False)
        except Exception as exc:
            self._broken = exc

    def close(self) -> None:
        with suppress(Exception):
            self._connection._force_close()


def lost(error: BaseException) -> DMError:
    """The error that says so, with the reason."""
    text = error.message if isinstance(error, DMError) else str(error) or type(error).__name__
    return SNAPSHOT_LOST.error(text=text, cause=error)


def is_connection_lost(error: BaseException) -> bool:
    return LOST_CONNECTION.matches(error)
