"""The two ends of a chunk's way in one executor process: what to connect to, and the open connections.

Connections outlive a chunk (a table of a few rows is one too) and are dropped after any error, since a
half-read result or an open transaction is not worth repairing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect

_STATEMENT_BYTES: Final = 1 << 20


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
    on_duplicate: str  # "replace" or "error"
    tables: tuple[TableCopy, ...]
    statement_rows: int = 1000


class Ends:
    """Open connections of one job in this process; one thread at a time uses them."""

    _current: Ends | None = None

    def __init__(self, job: CopyJob) -> None:
        self._job = job
        self._upstream: Connection | None = None
        self._downstream: Connection | None = None
        self._statement_bytes = 0

    @classmethod
    def of(cls, job: CopyJob) -> Ends:
        """This process's ends of ``job``; those of an earlier job are dropped."""
        current = cls._current
        if current is None or not current._serves(job):
            if current is not None:
                current.drop()
            current = cls._current = Ends(job)
        return current

    def _serves(self, job: CopyJob) -> bool:
        mine = self._job
        return (mine.meta, mine.source_id, mine.epoch) == (job.meta, job.source_id, job.epoch)

    def upstream(self) -> Connection:
        if self._upstream is None:
            self._upstream = self.open_upstream()
        return self._upstream

    def open_upstream(self) -> Connection:
        """A connection of the caller's own."""
        return connect(self._job.upstream, side="upstream", session=self._job.upstream_session)

    def downstream(self) -> Connection:
        if self._downstream is None:
            self._downstream = connect(self._job.downstream, side="downstream", session=self._job.downstream_session)
        return self._downstream

    def statement_bytes(self) -> int:
        """How long a statement may get: values grow by escaping, so half of what the server takes."""
        if not self._statement_bytes:
            with self.downstream().cursor() as cursor:
                cursor.execute("SELECT @@max_allowed_packet")
                row: Any = cursor.fetchone()
            self._statement_bytes = min(_STATEMENT_BYTES, int(row[0]) // 2)
        return self._statement_bytes

    def drop(self) -> None:
        """Close both without a word: the servers roll back what is open."""
        for connection in (self._upstream, self._downstream):
            if connection is not None:
                with suppress(Exception):
                    connection._force_close()
        self._upstream = self._downstream = None
