"""A transaction on a task's own tables: all or nothing, and tried again when it gave way to another one.

Subtasks of one task share these tables, each with rows of its own.  READ COMMITTED keeps InnoDB from locking
the gaps between them, where subtasks that start at the same moment would meet.  A server whose binlog_format is
STATEMENT refuses it; there they may meet.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from pkg.adapters.mysql.errors import LOCK_CONFLICT, errno_of
from pkg.errors import DMError
from pkg.retry import Backoff

_TRIES: Final = 8
_ISOLATION_REFUSED: Final = 1665
_BACKOFF: Final = Backoff(first=0.05, maximum=1.0)
_T = TypeVar("_T")


def in_transaction(connection: Any, work: Callable[[Any], _T]) -> _T:
    """``work(cursor)`` and a commit; an error rolls back.  Raises what ``work`` and the server raise."""
    isolation = "READ COMMITTED"
    for failures in range(1, _TRIES + 1):
        try:
            return _once(connection, work, isolation)
        except DMError as exc:
            if errno_of(exc) == _ISOLATION_REFUSED and isolation == "READ COMMITTED":
                isolation = "REPEATABLE READ"
                continue
            if failures == _TRIES or not LOCK_CONFLICT.matches(exc):
                raise
        threading.Event().wait(_BACKOFF.delay(failures, random.random()))
    raise AssertionError("unreachable")


def _once(connection: Any, work: Callable[[Any], _T], isolation: str) -> _T:
    with connection.cursor() as cursor:
        cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
    connection.begin()
    try:
        with connection.cursor() as cursor:
            result = work(cursor)
        connection.commit()
    except BaseException:
        with suppress(DMError):  # a server that has ended the connection has undone it, and the first error says why
            if connection.open:
                connection.rollback()
        raise
    return result
