"""One channel's thread: takes batches of jobs and applies each in one transaction of the target.

The transaction also moves the channel's row to the batch's last job, `WHERE epoch = mine`, so rows
and location are never apart, and a run that was replaced changes no row there and stops
(DESIGN.md §4.5-4.6).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from pymysql.constants import CLIENT
from pymysql.converters import escape_string

from dm_worker.syncer.channels import Channels, Stopped
from dm_worker.syncer.duplicates import IsShared, LogLimit, OnDuplicate, OneByOne, Outcome
from dm_worker.syncer.job_text import with_statement
from dm_worker.syncer.large_rows import fitting
from dm_worker.syncer.making_way import cannot_replace
from dm_worker.syncer.missing_rows import OnMissingRow
from dm_worker.syncer.moved_rows import MovedRows
from pkg.adapters.meta_tables import FENCED, SET_BACK, MetaTables, not_ours
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import FOREIGN_KEY, VALUE_REFUSED, errno_of
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, as_dm_error
from pkg.rows.compact import segments
from pkg.rows.job import Job, Place
from pkg.rows.statements import Limits, Statement, statements
from pkg.rows.stored_values import compared

# A transaction that meets nobody else is cheaper on TiDB without locks.  What it would meet is told by its COMMIT
# alone, so a batch that failed is tried again with locks: it waits for others, and each error has its statement.
_BEGIN_FREELY = b"BEGIN /*T! OPTIMISTIC */"
_BEGIN_LOCKING = b"BEGIN /*T! PESSIMISTIC */"
_ASK = "asked=asked+1"  # a change, which any other transaction on the row must meet
_NULL_REFUSED = 1048
RETRY_DELAYS_SECONDS = (0.02, 0.1, 0.3, 1.0, 2.0, 3.0)


@dataclass(slots=True)
class Counters:
    """What the appliers did; each field is only added to, under `lock`."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    transactions: int = 0
    rows: int = 0
    retries: int = 0
    missing_rows: int = 0  # updates and deletes whose row was not there
    replaced_rows: int = 0  # of the target, which gave way to ours
    ignored_changes: int = 0  # whose unique value a row of the target has

    def add(self, rows: int, outcome: Outcome) -> None:
        """A transaction is applied."""
        with self.lock:
            self.transactions += 1
            self.rows += rows
            self.missing_rows += outcome.missing
            self.replaced_rows += outcome.replaced
            self.ignored_changes += outcome.ignored


@dataclass(frozen=True, slots=True)
class ApplySettings:
    """What all channels of one run share."""

    connect: Callable[[int], Connection]  # client flag -> a connection to the target
    tables: MetaTables
    source_id: str
    epoch: int
    limits: Limits
    packet_bytes: int
    compact: bool
    on_duplicate: OnDuplicate = "error"
    on_missing_row: OnMissingRow = "error"
    to_tidb: bool = False
    moved: MovedRows = field(default_factory=MovedRows)
    largest_bytes: int = 1 << 30  # of one packet that the target takes
    is_shared: IsShared = lambda connection, table: False  # whether several upstream tables lead to it
    batches: dict[int, int] = field(default_factory=dict)  # by channel the number of the newest one committed


class _OtherRows(Exception):
    """A statement found fewer rows than it should, rows that the batch itself had still to insert, or another value.

    Which ones is seen change by change.
    """


def last_place(batch: Sequence[Job]) -> Place | None:
    """Where the channel stands once `batch` is applied; None: where it stood."""
    return next((job.place for job in reversed(batch) if not job.is_replay), None)


def _is_ahead(error: DMError, batch: Sequence[Job]) -> bool:
    """Whether foreign keys refuse a change that the target may be ahead of."""
    return FOREIGN_KEY.matches(error) and any(job.safe for job in batch)


def _may_be_tolerated(error: DMError, batch: Sequence[Job]) -> bool:
    """Whether the value that was refused may be one that the upstream holds."""
    return VALUE_REFUSED.matches(error) and any(job.table.tolerance for job in batch)


class Applier(threading.Thread):
    """Owns one connection to the target; shares nothing but the channels and counters."""

    def __init__(self, channel: int, channels: Channels, settings: ApplySettings, counters: Counters) -> None:
        super().__init__(name=f"channel-{channel}", daemon=True)
        self._channel = channel
        self._channels = channels
        self._settings = settings
        self._counters = counters
        self._connection: Connection | None = None
        self._move_sent: Statement | None = None
        self._log_limit = LogLimit()
        self._committed = settings.batches.get(channel, 0)  # the newest batch's number; no other run uses it

    def run(self) -> None:
        try:
            while True:
                batch = self._channels.take(self._channel)
                self._apply_with_retries(batch)
                self._committed += 1
                self._settings.batches[self._channel] = self._committed
                crashpoint("syncer.after_apply_before_ack")
                self._channels.applied(self._channel, batch)
        except Stopped:
            pass
        except BaseException as exc:
            self._channels.fail(as_dm_error(exc))
        finally:
            self._close()

    def _apply_with_retries(self, batch: list[Job]) -> None:
        delays = iter(RETRY_DELAYS_SECONDS)
        delay: float | None
        begin, work = _BEGIN_FREELY, self._apply
        while True:
            try:
                if begin is _BEGIN_FREELY or not self._is_applied():
                    work(batch, begin)
                return
            except _OtherRows:
                begin, work, delay = _BEGIN_LOCKING, self._apply_one_by_one, 0.0
            except DMError as exc:
                alone = cannot_replace(exc) or _is_ahead(exc, batch) or _may_be_tolerated(exc, batch)
                collides = work == self._apply and alone
                delay = 0.0 if collides else next(delays, None)
                is_lost = exc.is_a(FENCED) or exc.is_a(SET_BACK)
                final = is_lost or (not exc.resumable and begin is _BEGIN_LOCKING and not collides)
                if final or delay is None:
                    raise
                begin = _BEGIN_LOCKING
                if collides:
                    work = self._apply_one_by_one
            with self._counters.lock:
                self._counters.retries += 1
            self._close()
            self._channels.pause(delay)

    def _apply(self, batch: list[Job], begin: bytes) -> None:
        connection = self._open()
        missing = 0
        for packet in self._packets(batch, begin):
            running = packet[0]
            try:
                connection.query(b";".join([statement.sql for statement in packet]))
                for position, running in enumerate(packet):
                    if position:
                        connection.next_result()
                    missing += self._check(connection, running)
            except DMError as exc:
                if running is self._move_sent:
                    raise self._refused_move(exc) from exc
                if exc.resumable or exc.is_a(FENCED):
                    raise
                raise with_statement(exc, running.sql) from exc
        crashpoint("syncer.before_commit")
        connection.commit()
        self._counters.add(len(batch), Outcome(missing))

    def _apply_one_by_one(self, batch: list[Job], begin: bytes) -> None:
        """As the policy for rows that others wrote wants it."""
        connection = self._open()
        connection.query(begin)
        settings = self._settings
        one_by_one = OneByOne(
            connection,
            settings.on_duplicate,
            self._log_limit,
            settings.on_missing_row,
            splits_updates=settings.to_tidb,
            moved=settings.moved,
            largest_bytes=settings.largest_bytes,
            is_shared=settings.is_shared,
        )
        for job in batch:
            one_by_one.apply(job)
        self._move_sent = self._move(last_place(batch))
        try:
            connection.query(self._move_sent.sql)
        except DMError as exc:
            raise self._refused_move(exc) from exc
        self._check(connection, self._move_sent)
        crashpoint("syncer.before_commit")
        connection.commit()
        self._counters.add(len(batch), one_by_one.outcome)

    def _check(self, connection: Connection, statement: Statement) -> int:
        """The rows that `statement` did not find.

        Raises FENCED when the channel's row is not ours any more, _OtherRows when others should have been there.
        """
        driver: Any = connection  # its stubs leave affected_rows untyped
        affected: int = driver.affected_rows()
        if statement is self._move_sent and affected != 1:
            raise self._fenced(connection)
        if statement.expected is None or affected == statement.expected:
            return 0
        if affected > statement.expected:
            raise _OtherRows
        if self._settings.on_missing_row == "error" and not statement.may_miss:
            raise _OtherRows
        return statement.expected - affected

    def _packets(self, batch: Sequence[Job], begin: bytes) -> Iterator[list[Statement]]:
        """The batch's statements, ``begin`` first and the channel's row last, in packets that the target takes."""
        packet = [Statement(begin, None)]
        size = 0
        for group in segments(batch, compact=self._settings.compact):
            for segment in group:
                limits = self._settings.limits
                for statement in chain(statements(segment, limits), compared(segment, limits)):
                    if len(statement.sql) > self._settings.packet_bytes:
                        statement = replace(statement, sql=fitting(statement.sql, self._settings.largest_bytes))
                    if size and size + len(statement.sql) > self._settings.packet_bytes:
                        yield packet
                        packet, size = [], 0
                    packet.append(statement)
                    size += len(statement.sql)
        self._move_sent = self._move(last_place(batch))
        packet.append(self._move_sent)
        yield packet

    def _move(self, place: Place | None) -> Statement:
        """The channel's row moves to `place` (None: stays where it is), if the epoch is still ours.

        Where the row has not the last batch's number the target was set back, and NULL is refused.  A condition in
        WHERE would say the same, but TiDB takes the fast way to a row only where that names its key and no more.
        """
        values = f"batch=IF(batch={self._committed},{self._committed + 1},NULL)"
        if place is not None:
            name, end, row_index, gtid, before = place
            values += f",binlog_name='{escape_string(name)}',binlog_pos={end},row_index={row_index},gtid='{gtid}'"
            if before is not None:
                values += f",gtids_before='{before}'"
        sql = f"UPDATE {self._settings.tables.channel} SET {values} WHERE {self._mine()}"
        return Statement(f"{sql} AND epoch={self._settings.epoch}".encode(), None)

    def _mine(self) -> str:
        return f"source_id='{escape_string(self._settings.source_id)}' AND channel={self._channel}"

    def _stored(self, connection: Connection) -> tuple[int, int]:
        """The epoch, and the newest batch's number, in the channel's row; (-1, 0): it is not there."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT epoch, batch FROM {self._settings.tables.channel} WHERE {self._mine()}")
            row = cursor.fetchone()
        return (-1, 0) if row is None else (int(row[0]), int(row[1]))

    def _is_applied(self) -> bool:
        """Whether an earlier try, whose answer was lost, did commit.

        Its COMMIT may still be on its way.  The row is changed here, so it either waits for that one's end,
        or makes it fail.
        """
        connection = self._open()
        connection.query(_BEGIN_LOCKING)
        with connection.cursor() as cursor:
            touch = f"UPDATE {self._settings.tables.channel} SET {_ASK} WHERE {self._mine()}"
            if cursor.execute(f"{touch} AND epoch={self._settings.epoch}") != 1:
                raise self._fenced(connection)
        _, number = self._stored(connection)
        connection.commit()
        if number not in (self._committed, self._committed + 1):
            raise self._set_back()
        return number > self._committed

    def _refused_move(self, exc: DMError) -> DMError:
        """What the target's answer to the channel's move says."""
        return self._set_back() if errno_of(exc) == _NULL_REFUSED else exc

    def _fenced(self, connection: Connection) -> DMError:
        connection.rollback()
        settings, current = self._settings, self._stored(connection)[0]
        return not_ours(settings.tables, settings.source_id, settings.epoch, current, settings.tables.channel)

    def _set_back(self) -> DMError:
        tables = self._settings.tables
        return SET_BACK.error(source=self._settings.source_id, task=tables.task, table=tables.channel)

    def _open(self) -> Connection:
        if self._connection is None:
            # FOUND_ROWS: a row that an UPDATE finds counts, also when it has the new values already.
            self._connection = self._settings.connect(CLIENT.MULTI_STATEMENTS | CLIENT.FOUND_ROWS)
        return self._connection

    def _close(self) -> None:
        """The server rolls back what was open; results that were not read go with the connection."""
        if self._connection is not None:
            self._connection._force_close()
            self._connection = None
