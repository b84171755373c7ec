"""Reading a keyless table at a location that is known exactly.

1. Connection A: ``LOCK TABLES t READ`` waits until the writers of t are done and keeps new ones out.
2. Connection B: a consistent snapshot begins; what it shows of t is what every transaction up to now wrote.
3. Connection A reads the location of the binary log: each event of t up to there is in the snapshot,
   and none after it.
4. Connection A unlocks; the lock was held for milliseconds, on this table alone.

A table whose engine has no transactions has no snapshot either: there A keeps the lock until it is read.
A crash in any step leaves nothing behind: locks and snapshots end with their connections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from dm_worker.dumper.upstream_lock import LOCK_WAIT_SECONDS, bound_lock
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.dialect import Server
from pkg.adapters.mysql.errors import LOCK_CONFLICT, MISSING_PRIVILEGE
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope

CANNOT_LOCK = ErrorKind(
    32004,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the table {schema}.{table} is read as it is at one location, and user {user} may not lock it for that moment",
    workaround="run upstream: GRANT LOCK TABLES, SELECT ON {object} TO {account}; or give the table a primary key; "
    "then resume-task",
)
LOCK_TIMED_OUT = ErrorKind(
    32005,
    "dump-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the table {schema}.{table} is locked for a moment to be read as it is at one location, and a transaction that "
    "writes to it did not end within {seconds} s",
    workaround="it is tried again by itself; find the long transaction upstream when it goes on",
    resumable=True,
)

WITH_SNAPSHOTS = frozenset(("innodb", "rocksdb", "tokudb"))


@contextmanager
def pinned_snapshot(
    connect: Callable[[], Connection], schema: str, table: str
) -> Iterator[tuple[Connection, Location]]:
    """A connection that sees ``schema.table`` as it was at the location."""
    with _closing(connect()) as locker:
        server = Server.probe(locker)
        _lock(locker, schema, table)
        if _engine(locker, schema, table) not in WITH_SNAPSHOTS:
            yield locker, server.fetch_location(locker)
            return
        with _closing(connect()) as reader:
            reader.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            location = server.fetch_location(locker)
            locker.query("UNLOCK TABLES")
            yield reader, location


def hold_still(connection: Connection, schema: str, table: str) -> Location:
    """Until the connection ends nobody writes to the table or alters it: it is as all up to there has left it."""
    server = Server.probe(connection)
    _lock(connection, schema, table)
    return server.fetch_location(connection)


def _lock(connection: Connection, schema: str, table: str) -> None:
    bound_lock(connection)
    try:
        connection.query(f"LOCK TABLES {quoted(schema)}.{quoted(table)} READ")
    except DMError as exc:
        if MISSING_PRIVILEGE.matches(exc):
            fields = {"user": exc.fields["user"], "account": exc.fields["account"], "object": f"{quoted(schema)}.*"}
            raise CANNOT_LOCK.error(schema=schema, table=table, cause=exc, **fields) from exc
        if LOCK_CONFLICT.matches(exc):
            raise LOCK_TIMED_OUT.error(schema=schema, table=table, seconds=LOCK_WAIT_SECONDS, cause=exc) from exc
        raise


def _engine(connection: Connection, schema: str, table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s", (schema, table)
        )
        row = cursor.fetchone()
    return str(row[0]).lower() if row and row[0] else ""


@contextmanager
def _closing(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
    finally:
        with suppress(Exception):
            connection._force_close()
