"""The rows of a SELECT as what a builder makes of them (statements, lines), straight from the socket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

import pymysql
from pymysql.constants.COMMAND import COM_QUERY

from pkg.adapters.mysql.connection import Connection
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.text_protocol import BrokenResult, ServerError

BROKEN_RESULT = ErrorKind(
    32101,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "upstream {address}: its answer to a SELECT cannot be read: {text}",
    workaround="look for a proxy between dm-worker and the upstream that changes the protocol",
)

_RECEIVE_BYTES = 256 * 1024
_Made = TypeVar("_Made", covariant=True)


class Builder(Protocol[_Made]):
    """Takes the bytes of a result set, and gives what it made of them."""

    @property
    def finished(self) -> bool: ...

    def feed(self, data: memoryview) -> Sequence[_Made]: ...


def read_statements(connection: Connection, sql: str, builder: Builder[_Made]) -> Iterator[_Made]:
    """Run ``sql`` and give each statement, or block, that ``builder`` completes.

    The connection cannot be used for anything else before the last statement is out; a reader that
    gives up earlier must drop it.
    """
    connection._execute_command(COM_QUERY, sql)
    buffer = bytearray(_RECEIVE_BYTES)
    view = memoryview(buffer)
    try:
        while not builder.finished:
            yield from builder.feed(view[: _receive(connection, buffer)])
    except ServerError as exc:
        failed = pymysql.err.OperationalError(exc.number, exc.text)
        raise connection.translated(failed) from exc
    except BrokenResult as exc:
        raise BROKEN_RESULT.error(address=connection.options.address, text=str(exc), cause=exc) from exc


def _receive(connection: Connection, buffer: bytearray) -> int:
    try:
        size: int = connection._sock.recv_into(buffer)
    except OSError as exc:
        raise connection.translated(pymysql.err.OperationalError(2013, str(exc))) from exc
    if size == 0:
        raise connection.translated(pymysql.err.OperationalError(2013, "the server closed the connection"))
    return size
