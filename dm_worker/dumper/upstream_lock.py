"""The moment in which nothing is committed upstream, so that all connections can begin the same snapshot.

A lock that waits makes writers wait behind it, so it waits for seconds only, and gives them a pause
before it is tried again.  It is held by one connection of dm-worker and ends with that connection,
whatever happens to the process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from dm_worker.dumper.blockers import blocking_sessions
from dm_worker.dumper.consistency import Way
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import LOCK_CONFLICT, MISSING_PRIVILEGE
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

NO_LOCK_PRIVILEGE = ErrorKind(
    32011,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the full migration reads one consistent snapshot, and user {user} may not stop commits for the moment in which "
    "it begins: {way} is refused",
    workaround="run upstream: GRANT {privileges} TO {account}; or set `consistency: none` where nothing is written "
    "upstream meanwhile; then resume-task",
)
LOCK_BLOCKED = ErrorKind(
    32012,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{way} was tried {tries} times for {seconds} s and could not stop commits for a moment, because of {blockers}",
    workaround="it is tried again by itself; end that session (KILL), or wait for it",
    resumable=True,
)
LOCK_LOST = ErrorKind(
    32013,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the connection that held {way} ended before all connections had begun their snapshots",
    workaround="nothing was copied, and it begins again by itself; look for what ends connections",
    resumable=True,
)

LOCK_WAIT_SECONDS: Final = 5  # writers queue behind a lock that waits
_IDLE_SECONDS: Final = 60  # behind which the server ends a connection that holds writers off and says nothing
_PAUSE_SECONDS: Final = (2.0, 5.0, 10.0, 20.0)  # between tries: writers must get on
_PRIVILEGES: Final = {
    Way.BACKUP_STAGE: "RELOAD ON *.*",
    Way.FLUSH: "RELOAD ON *.*",
    Way.LOCK: "LOCK TABLES, SELECT ON *.*",
}
TableName = tuple[str, str]


class Stopped(Exception):
    """The unit was told to stop while it waited for the lock."""


@dataclass(slots=True)
class HeldLock:
    """Commits are kept out from ``since`` on, until ``release``."""

    connection: Connection
    server: Server
    way: Way
    since: float
    seconds: float = 0.0

    def location(self) -> Location:
        return self.server.fetch_location(self.connection)

    def release(self) -> None:
        """Let writers go on; raises LOCK_LOST when they could before."""
        try:
            self.connection.query("BACKUP STAGE END" if self.way is Way.BACKUP_STAGE else "UNLOCK TABLES")
        except DMError as exc:
            raise LOCK_LOST.error(way=self.way, cause=exc) from exc
        self.seconds = time.monotonic() - self.since


@contextmanager
def stopped_commits(
    connect: Callable[[], Connection],
    server: Server,
    ways: Sequence[Way],
    tables: Sequence[TableName],
    stop: StopSignal,
) -> Iterator[HeldLock]:
    """Hold commits to ``tables`` off; the first of ``ways`` for which the privileges are there."""
    connection = connect()
    try:
        bound_lock(connection)
        way = _first_allowed(connection, ways, tables, stop)
        crashpoint("snapshot.locked")
        yield HeldLock(connection, server, way, time.monotonic())
    finally:
        with suppress(Exception):
            connection._force_close()


def bound_lock(connection: Connection) -> None:
    """Its locks are not waited for long, and a process that is frozen while it holds some does not keep them."""
    connection.query(f"SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}, wait_timeout = {_IDLE_SECONDS}")


def _first_allowed(connection: Connection, ways: Sequence[Way], tables: Sequence[TableName], stop: StopSignal) -> Way:
    for way in ways:
        try:
            _take(connection, way, tables, stop)
            return way
        except DMError as exc:
            if not MISSING_PRIVILEGE.matches(exc):
                raise
            if way is ways[-1]:
                privileges = " or ".join(dict.fromkeys(_PRIVILEGES[one] for one in ways))
                fields = {"user": exc.fields["user"], "account": exc.fields["account"]}
                raise NO_LOCK_PRIVILEGE.error(way=way, privileges=privileges, cause=exc, **fields) from exc
            log.info("no privilege for %s: %s is tried", way, ways[ways.index(way) + 1])
    raise AssertionError("the last way returns or raises")


def _take(connection: Connection, way: Way, tables: Sequence[TableName], stop: StopSignal) -> None:
    for number, pause in enumerate((*_PAUSE_SECONDS, None), 1):
        try:
            for statement in lock_statements(way, tables):
                connection.query(statement)
            return
        except DMError as exc:
            if not LOCK_CONFLICT.matches(exc):
                raise
            blockers = blocking_sessions(connection, LOCK_WAIT_SECONDS)
            _give_up_place(connection, way)
            log.warning("%s waited %d s in vain for %s", way, LOCK_WAIT_SECONDS, blockers)
            if pause is None:
                raise LOCK_BLOCKED.error(
                    way=way, tries=number, seconds=LOCK_WAIT_SECONDS, blockers=blockers, cause=exc
                ) from exc
        if stop.wait(pause):
            raise Stopped


def _give_up_place(connection: Connection, way: Way) -> None:
    """Stages that were reached before the one that timed out must not stay."""
    with suppress(DMError):
        connection.query("BACKUP STAGE END" if way is Way.BACKUP_STAGE else "UNLOCK TABLES")


def keep_locked(connection: Connection, tables: Sequence[TableName]) -> None:
    """Keep writers of ``tables`` out for as long as the connection lasts."""
    connection.query(f"SET SESSION lock_wait_timeout = {LOCK_WAIT_SECONDS}")
    try:
        for statement in lock_statements(Way.LOCK, tables):
            connection.query(statement)
    except DMError as exc:
        if MISSING_PRIVILEGE.matches(exc):
            fields = {"user": exc.fields["user"], "account": exc.fields["account"]}
            raise NO_LOCK_PRIVILEGE.error(way=Way.LOCK, privileges=_PRIVILEGES[Way.LOCK], cause=exc, **fields) from exc
        if LOCK_CONFLICT.matches(exc):
            blockers = blocking_sessions(connection, LOCK_WAIT_SECONDS)
            raise LOCK_BLOCKED.error(
                way=Way.LOCK, tries=1, seconds=LOCK_WAIT_SECONDS, blockers=blockers, cause=exc
            ) from exc
        raise


def lock_statements(way: Way, tables: Sequence[TableName]) -> list[str]:
    """What takes the lock, in order."""
    match way:
        case Way.BACKUP_STAGE:
            return [f"BACKUP STAGE {stage}" for stage in ("START", "BLOCK_DDL", "BLOCK_COMMIT")]
        case Way.FLUSH:
            return ["FLUSH TABLES WITH READ LOCK"]
        case Way.LOCK:
            named = ", ".join(f"{quoted(schema)}.{quoted(table)} READ" for schema, table in tables)
            return [f"LOCK TABLES {named}"] if named else []
    return []
