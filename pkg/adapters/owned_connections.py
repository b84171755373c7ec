"""Connections by which a run changes structures: whoever takes its source over ends them before it begins.

The epoch fences rows: each transaction checks it.  A DDL is no transaction.  The server goes on with one whose client
is frozen or gone, and a client that was frozen sends its next statement when it thaws.  So

1. a connection runs DDL only after it was registered, in a transaction that checks the epoch;
2. who has claimed a newer epoch finds the registered connections of earlier ones, waits for a statement that one of
   them executes (the DDL of its checkpoint's mark), kills one that is idle, and begins when none is left.

A process that dies in between leaves rows, which the next claim removes when their connections are gone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from pkg.adapters.meta_tables import MetaTables, hold_epoch
from pkg.adapters.mysql.connection import Connection, connection_number
from pkg.adapters.mysql.transaction import in_transaction
from pkg.errors import DMError
from pkg.unit import StopSignal

_LOOK_SECONDS: Final = 0.05
_WAIT_SECONDS: Final = 0.5
_LOG_SECONDS: Final = 10.0
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Session:
    """What the server's process list says of a connection."""

    number: int
    client: str  # numbers come again when a server is restarted, the client's address and port do not
    command: str
    statement: str


@dataclass(frozen=True, slots=True)
class OwnedConnections:
    """Of one source of a task; ``flavor`` is the target's."""

    tables: MetaTables
    source_id: str
    flavor: str

    def register(self, connection: Connection, epoch: int) -> None:
        """From now on the connection may change structures.  Raises FENCED when another run has taken over."""
        number = connection_number(connection)
        client = next((one.client for one in self._sessions(connection) if one.number == number), "")

        registered = self.tables.connection

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self.tables, self.source_id, epoch)
            columns = "source_id, connection_id, client, epoch"
            sql = f"REPLACE INTO {registered} ({columns}) VALUES (%s, %s, %s, %s)"
            cursor.execute(sql, (self.source_id, number, client, epoch))

        in_transaction(connection, work)

    def end_earlier(self, connection: Connection, epoch: int, stop: StopSignal, tell: Callable[[str], None]) -> None:
        """Wait until no connection of an earlier epoch is left, or ``stop``; ``tell`` is told of what is waited for."""
        log_at = time.monotonic()
        while left := self._left(connection, epoch):
            executed = ""
            for one in left:
                if one.command.lower() == "sleep":
                    log.info("a connection of an earlier run is ended: %s", one)
                    with suppress(DMError):  # it has ended meanwhile
                        connection.query(f"KILL {one.number}")
                else:
                    executed = executed or one.statement
            tell(executed)
            if executed and time.monotonic() >= log_at:
                log.warning("a statement of an earlier run is still executed, and waited for: %s", executed)
                log_at = time.monotonic() + _LOG_SECONDS
            if stop.wait(_WAIT_SECONDS if executed else _LOOK_SECONDS):
                break
        tell("")

    def _left(self, connection: Connection, epoch: int) -> list[_Session]:
        """Sessions of earlier runs; those that are gone are forgotten."""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT connection_id, client FROM {self.tables.connection} WHERE source_id = %s AND epoch < %s",
                (self.source_id, epoch),
            )
            registered = {(int(number), str(client)) for number, client in cursor.fetchall()}
        if not registered:
            return []
        sessions = self._sessions(connection)
        there = {(one.number, one.client) for one in sessions}
        if registered - there:
            in_transaction(connection, lambda cursor: self._forget(cursor, registered - there))
        return [one for one in sessions if (one.number, one.client) in registered]

    def _forget(self, cursor: Any, gone: Iterable[tuple[int, str]]) -> None:
        where = "source_id = %s AND connection_id = %s AND client = %s"
        for number, client in gone:
            cursor.execute(f"DELETE FROM {self.tables.connection} WHERE {where}", (self.source_id, number, client))

    def _sessions(self, connection: Connection) -> list[_Session]:
        """Those of this user, on all servers of a TiDB cluster."""
        with connection.cursor() as cursor:
            listed = "processlist"
            if self.flavor == "tidb":
                cursor.execute("SELECT COUNT(*) FROM information_schema.tidb_servers_info")
                if int((cursor.fetchone() or (1,))[0]) > 1:
                    listed = "cluster_processlist"  # which asks each of them
            cursor.execute(f"SELECT id, host, command, COALESCE(info, '') FROM information_schema.{listed}")
            return [_Session(int(row[0]), str(row[1]), str(row[2]), str(row[3])) for row in cursor.fetchall()]
