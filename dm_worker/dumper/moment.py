"""One moment of the upstream for all who read it: the lock, the snapshots, the location, and the proof.

Tables whose engine has no snapshots (MyISAM, Aria, MEMORY) are kept locked, they alone, until they are read.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from dm_worker.dumper.consistency import Way
from dm_worker.dumper.held_snapshot import lost
from dm_worker.dumper.snapshot import WITH_SNAPSHOTS
from dm_worker.dumper.upstream_lock import HeldLock, Stopped, TableName, keep_locked, stopped_commits
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.position import Location, Position
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

NO_QUIET_MOMENT = ErrorKind(
    32015,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "consistency: snapshot found no moment without a commit in {tries} tries: the upstream is written to all the time",
    workaround="use `consistency: auto` (GRANT RELOAD) or `lock` (GRANT LOCK TABLES, SELECT), which hold commits off "
    "for milliseconds; it is tried again by itself",
    resumable=True,
)
NOT_ONE_MOMENT = ErrorKind(
    32016,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "something was committed at {found} while {way} was held at {location}",
    workaround="nothing was copied, and it begins again by itself; look for a proxy that spreads connections",
    resumable=True,
)

_TRIES: Final = 50
_PAUSE_SECONDS: Final = 0.02


class Readers(Protocol):
    """All connections that will read."""

    def begin(self, attempt: int) -> list[Position | None]:
        """Each begins a snapshot now, in place of an earlier one; where they are, on servers that tell."""
        ...


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment that all readers see."""

    location: Location
    way: Way
    waited_seconds: float  # until commits were kept out
    held_seconds: float  # for which they were
    connections: int
    kept: KeptTables


class KeptTables:
    """Tables without snapshots, that nobody may write to until they are read."""

    def __init__(self, connect: Callable[[], Connection], tables: Sequence[TableName]) -> None:
        self._connection: Connection | None = None
        self.tables = frozenset(tables)
        if tables:
            self._connection = connect()
            try:
                keep_locked(self._connection, tables)
            except BaseException:
                self.close()
                raise

    def release(self) -> None:
        """They are read; raises SNAPSHOT_LOST when writers may have been quicker."""
        if self._connection is None:
            return
        try:
            self._connection.query("UNLOCK TABLES")
        except DMError as exc:
            raise lost(exc) from exc
        finally:
            self.close()

    def close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection._force_close()
            self._connection = None


def take_moment(
    connect: Callable[[], Connection],
    server: Server,
    ways: Sequence[Way],
    tables: Sequence[TableName],
    readers: Readers,
    stop: StopSignal,
) -> Moment:
    """Let all readers begin at one moment; raises ``Stopped``."""
    asked = time.monotonic()
    without = tables_without_snapshots(connect, tables)
    if ways[0] is Way.SNAPSHOT:
        moment = _proven(connect, server, without, readers, stop)
    else:
        with stopped_commits(connect, server, ways, tables, stop) as lock:
            moment = _locked(connect, lock, without, readers, lock.since - asked)
    log.info(
        "one snapshot for %d connections: location=%s gtid=%s by=%s waited_ms=%.0f commits_held_off_ms=%.1f",
        moment.connections, moment.location.position, moment.location.gtid_set or "", moment.way,
        moment.waited_seconds * 1000, moment.held_seconds * 1000,
    )  # fmt: skip
    return moment


def _locked(
    connect: Callable[[], Connection], lock: HeldLock, without: Sequence[TableName], readers: Readers, waited: float
) -> Moment:
    kept = KeptTables(connect, without)
    try:
        positions = readers.begin(1)
        location = lock.location()
        other = [one for one in positions if one is not None and one != location.position]
        if other and lock.way.stops_all_commits:
            raise NOT_ONE_MOMENT.error(found=other[0], way=lock.way, location=location.position)
        crashpoint("snapshot.opened")
        lock.release()
    except BaseException:
        kept.close()
        raise
    return Moment(location, lock.way, waited, lock.seconds, len(positions), kept)


def _proven(
    connect: Callable[[], Connection],
    server: Server,
    without: Sequence[TableName],
    readers: Readers,
    stop: StopSignal,
) -> Moment:
    """Without a lock: again and again, until all snapshots are at one position."""
    kept = KeptTables(connect, without)
    began = time.monotonic()
    try:
        for attempt in range(1, _TRIES + 1):
            positions = set(found := readers.begin(attempt))
            position = positions.pop()
            if position is not None and not positions:
                location = _location_at(connect, server, position)
                return Moment(location, Way.SNAPSHOT, time.monotonic() - began, 0.0, len(found), kept)
            if stop.wait(_PAUSE_SECONDS):
                raise Stopped
        raise NO_QUIET_MOMENT.error(tries=_TRIES)
    except BaseException:
        kept.close()
        raise


def _location_at(connect: Callable[[], Connection], server: Server, position: Position) -> Location:
    connection = connect()
    try:
        return server.location_at(connection, position)
    finally:
        connection._force_close()


def tables_without_snapshots(connect: Callable[[], Connection], tables: Sequence[TableName]) -> list[TableName]:
    """Those of ``tables`` whose engine has no transactions."""
    connection = connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE ENGINE IS NOT NULL"
            )
            engines = {(row[0], row[1]): str(row[2]).lower() for row in cursor.fetchall()}
    finally:
        connection._force_close()
    return [table for table in tables if engines.get(table, "innodb") not in WITH_SNAPSHOTS]
