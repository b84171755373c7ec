"""Writing a chunk's statements: duplicates as the task says, and no warning passed over."""

from __future__ import annotations

from typing import Any, Final

from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.ends import CopyJob
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import DUPLICATE
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope

DUPLICATE_ROW = ErrorKind(
    34020,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a row of {source} is already in {target}: {text}",
    workaround="remove the row downstream or give the shards distinct keys, then resume-task; "
    "on-duplicate-logical: replace keeps the row that comes last",
)
WARNED = ErrorKind(
    34021,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows of {source} do not arrive in {target} as they are: {text}",
    workaround="compare the structures of the two tables and make the target's columns at least as wide",
)

_SHOWN_WARNINGS: Final = 3
_TRUNCATED: Final = 1265  # MySQL says only a note when it cuts the digits of a DECIMAL


class DuplicateAtCommit(Exception):
    """The chunk meets rows that are there already, which the target says only when it commits."""


class ChunkWriter:
    """Writes one chunk within the open transaction of ``connection``."""

    def __init__(self, connection: Connection, job: CopyJob, table: TableCopy, verb: str) -> None:
        self._connection = connection
        self._job = job
        self._table = table
        self._verb = verb

    def write(self, statement: bytes) -> None:
        try:
            self._connection.query(statement)
        except DMError as exc:
            if not DUPLICATE.matches(exc):
                raise
            self._refuse_if_told(exc)
            # A statement that fails leaves nothing of itself, so all of its rows are written again.
            self._connection.query(b"REPLACE" + statement.removeprefix(b"INSERT"))
        result: Any = self._connection._result
        if result is not None and result.warning_count:
            self._refuse_warnings()

    def pin(self, location: Location) -> None:
        """The location of the snapshot that a keyless table was read in."""
        position, gtids = location.position, location.gtid_set
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"REPLACE INTO {self._job.meta.pinned} "
                "(source_id, schema_name, table_name, binlog_name, binlog_pos, gtid) "
                "VALUES (%s, %s, %s, %s, %s, %s)",
                (self._job.source_id, self._table.schema, self._table.name, position.name, position.offset,
                 None if gtids is None else str(gtids)),
            )  # fmt: skip

    def commit(self) -> None:
        try:
            self._connection.commit()
        except DMError as exc:
            if not DUPLICATE.matches(exc) or self._verb != "INSERT":
                raise
            self._refuse_if_told(exc)
            self._connection.rollback()
            raise DuplicateAtCommit from exc

    def _refuse_if_told(self, exc: DMError) -> None:
        if self._job.on_duplicate == "error":
            raise DUPLICATE_ROW.error(text=exc.fields["text"], cause=exc, **self._names()) from exc

    def _refuse_warnings(self) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"SHOW WARNINGS LIMIT {_SHOWN_WARNINGS}")
            rows: list[Any] = list(cursor.fetchall())
        serious = [f"{text} ({code})" for level, code, text in rows if level != "Note" or int(code) == _TRUNCATED]
        if serious:
            raise WARNED.error(text="; ".join(serious), **self._names())

    def _names(self) -> dict[str, Any]:
        return {"source": self._table.upstream_name, "target": self._table.downstream_name}
