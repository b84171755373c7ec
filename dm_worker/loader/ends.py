"""The two ends of a chunk's way in one executor process: what to connect to, and the open connections.

Connections outlive a chunk (a table of a few rows is one too) and are dropped after any error, since a
half-read result or an open transaction is not worth repairing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.held_snapshot import HeldSnapshot
from dm_worker.dumper.held_structure import ProvenTexts, begin
from dm_worker.loader.compared_tables import Compared
from dm_worker.loader.line import LineAddress
from dm_worker.loader.load_columns import TargetColumn, target_columns
from dm_worker.loader.streamed import CLIENT_FLAG
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.letter_maps import LetterMaps
from pkg.adapters.owned_connections import OwnedConnections
from pkg.adapters.structures import structure_of
from pkg.rows.statements import CLOCK_RIGHT, local_clock
from pkg.schema.letter_case import small
from pkg.schema.local_times import fills_local_times
from pkg.schema.mapping import stores_unicode
from pkg.schema.table import Table
from pkg.task.start_time import seconds_ahead

_STATEMENT_BYTES: Final = 1 << 20
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CopyJob:
    """All that copying chunks of one subtask needs; it travels to executors (with its passwords) as one value."""

    upstream: ConnectionOptions
    downstream: ConnectionOptions
    upstream_session: Mapping[str, str]
    downstream_session: Mapping[str, str]
    meta: MetaTables
    source_id: str
    epoch: int
    on_duplicate: str  # "replace", "error" or "ignore"; "": as the table is merged with others, or not (own_rows.py)
    tables: tuple[TableCopy, ...]
    statement_rows: int = 1000
    line: LineAddress | None = None  # where lanes report what they send
    flavor: str = ""  # the target's
    upstream_flavor: str = ""
    streams: bool = False  # the target takes LOAD DATA LOCAL
    compared: tuple[Compared | None, ...] = ()  # for each table, unless nothing is compared
    timezone: str = ""  # the task's, for columns that the target fills with local times
    chunk_rows: int = 0  # that a chunk was planned to have at most; 0: none is cut when its turn comes


class _Here(threading.local):
    """What each thread has open."""

    ends: Ends | None = None


class Ends:
    """Open connections of one job, for one thread."""

    _here: Final = _Here()

    def __init__(self, job: CopyJob) -> None:
        self._job = job
        self._upstream: Connection | None = None
        self._downstream: Connection | None = None
        self._statement_bytes = 0
        self._snapshot: HeldSnapshot | None = None
        self._streams = job.streams
        self._columns: dict[str, dict[str, TargetColumn]] = {}
        self._structures: dict[str, Table | None] = {}  # by the target's name
        self.proven: ProvenTexts = {}  # texts of upstream tables
        self.letters = LetterMaps(lambda sql: _rows(self.upstream(), sql), lambda sql: _rows(self.downstream(), sql))
        self._is_local = False  # the target's session takes the task's local time for the present moment

    @classmethod
    def of(cls, job: CopyJob) -> Ends:
        """This thread's ends of ``job``; those of an earlier job are dropped."""
        current = cls._here.ends
        if current is None or not current._serves(job):
            if current is not None:
                current.drop()
            current = cls._here.ends = Ends(job)
        return current

    @classmethod
    def forget(cls) -> None:
        """Drop this thread's ends: what they hold has ended."""
        if cls._here.ends is not None:
            cls._here.ends._snapshot = None
            cls._here.ends.drop()
            cls._here.ends = None

    def _serves(self, job: CopyJob) -> bool:
        mine = self._job
        return (mine.meta, mine.source_id, mine.epoch) == (job.meta, job.source_id, job.epoch)

    def hold(self, snapshot: HeldSnapshot) -> None:
        """From now on chunks are read in this snapshot, which no error may exchange for another one."""
        self._snapshot = snapshot

    def reading(self, rows: Iterator[_T]) -> Iterator[_T]:
        """``rows`` as they are read; what is left of them after an error is known to ``drop``."""
        return rows if self._snapshot is None else self._snapshot.reading(rows)

    def upstream(self) -> Connection:
        if self._snapshot is not None:
            return self._snapshot.usable()
        if self._upstream is None:
            self._upstream = self.open_upstream()
        return self._upstream

    def upstream_transaction(self, *, is_snapshot: bool) -> Connection:
        """The upstream in a transaction, until ``release``: as it is now, where that is asked for or held already."""
        connection = self.upstream()
        if self._snapshot is None and is_snapshot:
            connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        elif self._snapshot is None:
            begin(connection)
        return connection

    def release(self) -> None:
        """End what ``upstream_transaction`` began."""
        if self._snapshot is None:
            self.upstream().rollback()

    has_upstream = True  # rows can be asked for once more

    def open_upstream(self) -> Connection:
        """A connection of the caller's own."""
        return connect(self._job.upstream, side="upstream", session=self._job.upstream_session)

    def downstream(self) -> Connection:
        if self._downstream is None:
            job, flag = self._job, CLIENT_FLAG if self._streams else 0
            self._downstream = connect(
                job.downstream, side="downstream", session=job.downstream_session, client_flag=flag
            )
            owned = OwnedConnections(job.meta, job.source_id, job.flavor)
            owned.register(self._downstream, job.epoch, of_rows=True)
        return self._downstream

    @property
    def streams(self) -> bool:
        """Whether rows go by LOAD DATA."""
        return self._streams

    def stop_streaming(self) -> None:
        """The target has refused LOAD DATA, whatever it said before."""
        self._streams = False

    def target_columns(self, table: TableCopy) -> dict[str, TargetColumn]:
        """The columns of the table that ``table`` is copied to, by name in lower case; asked for once."""
        name = table.downstream_name
        if name not in self._columns:
            with self.downstream().cursor() as cursor:
                cursor.execute(f"SHOW FULL COLUMNS FROM {name}")
                rows: Any = cursor.fetchall()
            self._columns[name] = target_columns((*row[:3], row[6]) for row in rows)
        return self._columns[name]

    def read_for_target(self, table: TableCopy) -> TableCopy:
        """``table`` with its texts read as the target's columns take them."""
        if not table.is_read_for_target:
            return table
        made = self.structure(table)
        columns, keys = (made.columns, made.unique_keys) if made is not None else ((), ())
        keeps = not stores_unicode(self._job.flavor)
        kept = {small(column.name): column.charset or "" for column in columns if keeps}
        unique = frozenset(small(columns[place].name) for key in keys for place in key.columns)
        of_json = frozenset(small(column.name) for column in columns if column.base_type == "json")
        there = {small(column.name): column for column in columns}
        return table.read_for(kept, unique, of_json, there, takes_types=self._job.flavor == "mariadb")

    def structure(self, table: TableCopy) -> Table | None:
        """The table that ``table`` is copied to; asked for once."""
        name = table.downstream_name
        if name not in self._structures:
            self._structures[name] = structure_of(self.downstream(), table.target_schema, table.target_table)
        return self._structures[name]

    def set_clock(self, table: TableCopy) -> None:
        """Let the target fill columns that rows of ``table`` do not name with times of the task's zone."""
        ahead = seconds_ahead(self._job.timezone, time.time())
        connection, is_local = self.downstream(), ahead != 0 and self._fills_local_times(table)
        if self._is_local:
            connection.query(CLOCK_RIGHT.sql)
        if is_local:
            connection.query(local_clock(ahead))
        self._is_local = is_local

    def _fills_local_times(self, table: TableCopy) -> bool:
        structure = self.structure(table)
        return structure is not None and fills_local_times(structure, table.names)

    def statement_bytes(self) -> int:
        """How long a statement may get: values grow by escaping, so half of what the server takes."""
        if not self._statement_bytes:
            with self.downstream().cursor() as cursor:
                cursor.execute("SELECT @@max_allowed_packet")
                row: Any = cursor.fetchone()
            self._statement_bytes = min(_STATEMENT_BYTES, int(row[0]) // 2)
        return self._statement_bytes

    def drop(self) -> None:
        """Close both without a word: the servers roll back what is open.  A snapshot that is held stays."""
        self._is_local = False
        for connection in (self._upstream, self._downstream):
            if connection is not None:
                with suppress(Exception):
                    connection._force_close()
        self._upstream = self._downstream = None
        if self._snapshot is not None:
            self._snapshot.read_out()


def _rows(connection: Connection, sql: str) -> list[Sequence[Any]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
