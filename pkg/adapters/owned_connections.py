"""The connections by which a run writes to its target: whoever takes its source over ends them before it begins.

The epoch alone fences transactions: each checks it before its end.  It does not fence a DDL, with which the server
goes on when its client is frozen or gone, and of which a client that was frozen sends the next one when it thaws.  Nor
does it end the transaction of a client that is frozen in the middle of it, with its locks.  So

1. a connection writes only after it was registered, in a transaction that checks the epoch;
2. who claims a newer epoch kills the registered connections of earlier ones that have nothing to do;
3. once the epoch is its own it waits for a DDL that one of them executes (that of its checkpoint's mark, an index),
   kills the others, and begins when none is left, and in TiDB no DDL job that one of them has begun.

TiDB up to 8.5 may crash when a session that is idle in a transaction is killed (pingcap/tidb#63956).  So there those
that write nothing but rows are not registered, and of the others whoever is in a transaction is left alone: it can
commit nothing, and TiDB itself ends it when it is idle for long (tidb_idle_transaction_timeout).  A session of a run
that lives may begin a transaction just before it is killed: only those are that have done the same for a second.

A process that dies in between leaves rows, which the next claim removes when their connections are gone.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from pkg.adapters.meta_tables import MetaTables, claim_epoch, hold_epoch
from pkg.adapters.mysql.connection import Connection, connection_number, set_session
from pkg.adapters.mysql.errors import LOCK_CONFLICT, errno_of
from pkg.adapters.mysql.sessions import sessions
from pkg.adapters.mysql.transaction import in_transaction
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.facts import RUN_BITS
from pkg.unit import StopSignal

_LOOK_SECONDS: Final = 0.05
_WAIT_SECONDS: Final = 0.5
_LOG_SECONDS: Final = 10.0
_QUIET_SECONDS: Final = 1  # as TiDB counts them
_QUIET_WITHIN_SECONDS: Final = 30.0  # else it is killed as it is
_LOCK_WAIT_SECONDS: Final = 2  # of a claim, before it looks again who may hold the lock
_CLAIM_SECONDS: Final = 300.0
_LOCKS_HELD: Final = "locks on the task's meta tables: a transaction that an earlier run may have left open"
# What is done again from the beginning by whoever comes next, or not at all: rows, and questions.
_MAY_BE_CUT: Final = re.compile(
    r"\s*(INSERT|REPLACE|UPDATE|DELETE|LOAD|SELECT|SHOW|SET|BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|XA|KILL)\b", re.I
)
_JOB: Final = "DDL job"
_NO_SUCH_THREAD: Final = 1094
_NOT_ALLOWED: Final = frozenset({1095, 1227})
log = logging.getLogger(__name__)

CANNOT_END = ErrorKind(
    36187,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the connection {number} of an earlier run of this task is open in the target, and this account may not end it",
    workaround="GRANT CONNECTION_ADMIN ON *.* TO the target's account (TiDB asks for it where the connection is one of "
    "another server of its cluster), or KILL the connection there; then resume-task",
)
UNSEEN_SESSIONS = ErrorKind(
    36186,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target's {listed} does not list the session that asks, so connections of earlier runs cannot be ended",
    workaround="let every TiDB server report its status (report-status, status-port), for cluster_processlist asks "
    "them; then resume-task",
)


@dataclass(frozen=True, slots=True)
class _Session:
    """What the server's process list says of a connection."""

    number: int
    client: str  # numbers come again when a server is restarted, the client's address and port do not
    command: str
    statement: str
    seconds: int = 0  # for which it has executed the statement, or been idle
    in_transaction: bool = False  # which only TiDB tells

    @property
    def is_idle(self) -> bool:
        return self.command.lower() == "sleep"

    @property
    def is_waited_for(self) -> bool:
        """It executes a DDL, which would go on, or be half done, whatever became of its connection."""
        return not self.is_idle and bool(self.statement) and not _MAY_BE_CUT.match(self.statement)


@dataclass(frozen=True, slots=True)
class OwnedConnections:
    """Of one source of a task; ``flavor`` is the target's."""

    tables: MetaTables
    source_id: str
    flavor: str

    def register(self, connection: Connection, epoch: int, *, of_rows: bool = False) -> None:
        """From now on the connection may write; ``of_rows``: nothing else, in transactions that check the epoch.

        Raises FENCED when another run has taken over.
        """
        if of_rows and self.flavor == "tidb":
            return
        number, client = _own_session(connection)
        registered = self.tables.connection

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self.tables, self.source_id, epoch)
            columns = "source_id, connection_id, client, epoch"
            sql = f"REPLACE INTO {registered} ({columns}) VALUES (%s, %s, %s, %s)"
            cursor.execute(sql, (self.source_id, number, client, epoch))

        in_transaction(connection, work)

    def take_over(
        self,
        connection: Connection,
        bind_epoch: int,
        stop: StopSignal,
        tell: Callable[[str], None],
        *,
        only_from: int | None = None,
    ) -> int:
        """Claim an epoch, and end all connections of earlier ones, or ``stop``.  Raises FENCED.

        ``tell`` is told of what is waited for, and of "" in the end.  ``only_from``: nobody else may have claimed one
        since that epoch.
        """
        epoch = self._claim(connection, bind_epoch, stop, tell, only_from)
        self._end_earlier(connection, epoch, stop, tell)
        return epoch

    def _claim(
        self,
        connection: Connection,
        bind_epoch: int,
        stop: StopSignal,
        tell: Callable[[str], None],
        only_from: int | None,
    ) -> int:
        """A run that was frozen in the middle of a transaction holds what the claim changes, until it is ended."""
        set_session(connection, {"innodb_lock_wait_timeout": str(_LOCK_WAIT_SECONDS)})
        began = time.monotonic()
        until = began + _CLAIM_SECONDS
        while True:
            earlier = self._left(connection, (bind_epoch + 1) << RUN_BITS)
            self._kill(connection, (one for one in earlier if one.is_idle), began)
            try:
                return claim_epoch(connection, self.tables, self.source_id, bind_epoch, only_from)
            except DMError as exc:
                if not LOCK_CONFLICT.matches(exc) or stop.is_set() or time.monotonic() > until:
                    raise
                log.warning("the source cannot be claimed yet: %s", exc)
                tell(_LOCKS_HELD)

    def _end_earlier(self, connection: Connection, epoch: int, stop: StopSignal, tell: Callable[[str], None]) -> None:
        began = log_at = time.monotonic()
        while left := self._left(connection, epoch):
            executed = next((one.statement for one in left if one.is_waited_for), "")
            self._kill(connection, (one for one in left if not one.is_waited_for), began)
            tell(executed)
            if time.monotonic() >= log_at:
                log.info("waiting for the end of an earlier run's connections: %s", left)
                log_at = time.monotonic() + _LOG_SECONDS
            if stop.wait(_WAIT_SECONDS if executed else _LOOK_SECONDS):
                break
        tell("")

    def _kill(self, connection: Connection, sessions: Iterable[_Session], began: float) -> None:
        """``began``: since when these are to end."""
        is_patient = self.flavor == "tidb" and time.monotonic() < began + _QUIET_WITHIN_SECONDS
        for one in sessions:
            if is_patient and one.seconds < _QUIET_SECONDS:
                continue
            log.info("a connection of an earlier run is ended: %s", one)
            try:
                connection.query(f"KILL {one.number}")
            except DMError as exc:
                if errno_of(exc) in _NOT_ALLOWED:
                    raise CANNOT_END.error(number=one.number, cause=exc) from exc
                if errno_of(exc) != _NO_SUCH_THREAD:  # it has ended meanwhile
                    raise

    def _left(self, connection: Connection, epoch: int) -> list[_Session]:
        """Sessions of runs before that epoch that are to end; those that are gone, with their jobs, are forgotten."""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT connection_id, client FROM {self.tables.connection} WHERE source_id = %s AND epoch < %s",
                (self.source_id, epoch),
            )
            registered = {(int(number), str(client)) for number, client in cursor.fetchall()}
        if not registered:
            return []
        there = [one for one in self._sessions(connection) if (one.number, one.client) in registered]
        gone = registered - {(one.number, one.client) for one in there}
        jobs = _ddl_jobs(connection) if gone and self.flavor == "tidb" else {}
        at_work = [_Session(number, client, _JOB, jobs[number]) for number, client in gone if number in jobs]
        if forgotten := [one for one in gone if one[0] not in jobs]:
            in_transaction(connection, lambda cursor: self._forget(cursor, forgotten))
        return [one for one in there if not one.in_transaction] + at_work

    def _forget(self, cursor: Any, gone: Iterable[tuple[int, str]]) -> None:
        where = "source_id = %s AND connection_id = %s AND client = %s"
        for number, client in gone:
            cursor.execute(f"DELETE FROM {self.tables.connection} WHERE {where}", (self.source_id, number, client))

    def _sessions(self, connection: Connection) -> list[_Session]:
        """Those of this user, on all servers of a TiDB cluster."""
        shown = sessions(connection, of_cluster=self.flavor == "tidb")
        if connection_number(connection) not in (one.number for one in shown):
            raise UNSEEN_SESSIONS.error(listed="cluster_processlist")
        return [
            _Session(one.number, one.client, one.command, one.info, one.seconds, "in transaction" in one.state)
            for one in shown
        ]


def _ddl_jobs(connection: Connection) -> dict[int, str]:
    """Statements of TiDB's DDL jobs that have not ended, by the connections that have begun them.

    A job outlives the server of its connection.  An account that may not read them waits for the job that has the
    text of its DDL, when it comes to that (dm_worker/syncer/ddl_jobs.py).
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT job_meta FROM mysql.tidb_ddl_job")
            jobs = [json.loads(row[0]) for row in cursor.fetchall()]
    except DMError as exc:
        if exc.resumable:
            raise
        log.info("whether TiDB has DDL jobs of earlier runs is not known: %s", exc)
        return {}
    return {int((one.get("trace_info") or {}).get("connection_id", 0)): str(one.get("query")) for one in jobs}


def _own_session(connection: Connection) -> tuple[int, str]:
    own = connection_number(connection)
    client = next((one.client for one in sessions(connection) if one.number == own), None)
    assert client is not None, "a session sees itself"
    return own, client
