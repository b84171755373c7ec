"""Connections over which tables of the target are created side by side.

Each waits for the server's disk: in MariaDB four of them create twice as many tables a second as one does.  TiDB
has one owner of all DDL, and is slower with four (docs/scaling.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import Final, TypeVar

from pkg.adapters.mysql.connection import Connection, Link

_MOST: Final = 4
_T = TypeVar("_T")


class Makers:
    """Does work over whichever connection is free."""

    def __init__(self, pool: ThreadPoolExecutor, connections: Sequence[Connection]) -> None:
        self._pool = pool
        self._free: SimpleQueue[Connection] = SimpleQueue()
        for connection in connections:
            self._free.put(connection)

    def begin(self, work: Callable[[Connection], _T]) -> Future[_T]:
        return self._pool.submit(self._do, work)

    def _do(self, work: Callable[[Connection], _T]) -> _T:
        connection = self._free.get()
        try:
            return work(connection)
        finally:
            self._free.put(connection)


@contextmanager
def makers(connect: Link, flavor: str, tables: int) -> Iterator[Makers]:
    """For so many tables of a target of that flavor; what has not begun at the end does not begin."""
    count = max(1, min(_MOST, tables if flavor != "tidb" else 1))
    with ExitStack() as stack:
        connections = [stack.enter_context(connect()) for _ in range(count)]
        pool = ThreadPoolExecutor(count, thread_name_prefix="loader-maker")
        stack.callback(pool.shutdown, cancel_futures=True)
        yield Makers(pool, connections)
