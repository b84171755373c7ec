"""A location up to which all that the binlog has is visible: where a copy without a lock may start.

A server writes a transaction to its binlog before it shows it, and between the two it may wait: for a replica
(semi-synchronous replication), for the disk, for others of a group commit.  A copy that starts behind such a
transaction reads its tables without it, and the stream does not bring it.

- MariaDB says at which position a snapshot of a session is: all before it is visible.
- MySQL with GTIDs says which of them are owned by transactions on their way: they are waited for.
- MySQL without GTIDs says nothing: writers are kept out of the tables for a moment, which waits for commits.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from dm_worker.dumper.consistency import Way
from dm_worker.dumper.upstream_lock import NO_LOCK_PRIVILEGE, Stopped, TableName, stopped_commits
from pkg.adapters.mysql.connection import Connection, Link
from pkg.adapters.mysql.dialect import Server
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

NOT_VISIBLE = ErrorKind(
    32018,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a copy starts where all that the binlog has is visible. MySQL without GTIDs does not say that, and {user} may "
    "not keep writers out of the tables for a moment",
    workaround="run upstream: GRANT LOCK TABLES, SELECT ON *.* TO {account}; or set gtid_mode = ON there; then "
    "resume-task",
)

_LOOK_SECONDS: Final = 0.02
_TELL_SECONDS: Final = 10.0
log = logging.getLogger(__name__)


def visible_location(
    link: Link, server: Server, tables: Callable[[], Sequence[TableName]], stop: StopSignal
) -> Location:
    """Asked of ``server``, for a copy of ``tables`` that begins afterwards; on a stop any location.

    Its GTID set may have transactions behind the position that are visible, too.  Raises NOT_VISIBLE.
    """
    with link() as connection:
        newest = server.fetch_location(connection)  # which is refused where there is no binlog
        if server.knows_snapshot_location:
            return _of_a_snapshot(connection, server, newest)
        if server.uses_gtids(connection):
            return _behind_all_owned(connection, server, newest, stop)
        return _behind_writers(connection, server, tables(), stop)


def _of_a_snapshot(connection: Connection, server: Server, newest: Location) -> Location:
    connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    visible = server.snapshot_position(connection)
    connection.query("COMMIT")
    if visible is None or visible == newest.position:
        return newest
    return server.location_at(connection, visible)


def _behind_all_owned(connection: Connection, server: Server, newest: Location, stop: StopSignal) -> Location:
    owned = server.owned_gtids(connection)
    tell_at = time.monotonic() + _TELL_SECONDS
    while owned and not stop.wait(_LOOK_SECONDS):
        owned &= server.owned_gtids(connection)
        if owned and time.monotonic() >= tell_at:
            log.warning("the copy waits for transactions that are written and not visible yet: %s", sorted(owned)[:3])
            tell_at = time.monotonic() + _TELL_SECONDS
    return Location(newest.position, server.fetch_location(connection).gtid_set)


def _behind_writers(connection: Connection, server: Server, tables: Sequence[TableName], stop: StopSignal) -> Location:
    try:
        with stopped_commits(lambda: connection, server, (Way.LOCK, Way.FLUSH), tables, stop) as lock:
            location = lock.location()
            lock.release()
            return location
    except Stopped:
        return server.fetch_location(connection)
    except DMError as exc:
        if not exc.is_a(NO_LOCK_PRIVILEGE):
            raise
        raise NOT_VISIBLE.error(user=exc.fields["user"], account=exc.fields["account"], cause=exc) from exc
