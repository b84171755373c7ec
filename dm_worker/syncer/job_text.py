"""A row change in words, for errors and logs."""

from __future__ import annotations

from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.job import Job

NO_ROW_NUMBER = ErrorKind(
    36226,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target has no number left for a row of a table without a clustered primary key: its AUTO_INCREMENT column, "
    "which counts on with the rows, has reached the end: {text}",
    workaround="make the table there anew with AUTO_ID_CACHE=1 (CREATE TABLE … AUTO_ID_CACHE=1 under another name, "
    "INSERT … SELECT, RENAME TABLE): it then numbers rows apart from the column; then resume-task",
)
OVERFLOW = ErrorKind(
    36228,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "MariaDB calculates a generated column from a value that its integers cannot hold, where other servers may have "
    "another result: {text}",
    workaround="make the column that converts the value a plain one in the target, which replication then fills (DROP "
    "and ADD COLUMN there, and copy its values by the table's key); then resume-task",
)
_KINDS = {1467: NO_ROW_NUMBER, 1916: OVERFLOW}  # by the server's number: TiDB's, MariaDB's
CHANGES = {Kind.INSERT: "an INSERT", Kind.UPDATE: "an UPDATE", Kind.DELETE: "a DELETE"}
_SHOWN_CHARACTERS = 80  # of one value
_OF_A_STATEMENT = 400


def values(table: TargetTable, image: RowImage | None) -> str:
    """`` `name`=literal, … ``, long values cut."""
    names = [name.decode() for name in table.names]
    return ", ".join(f"{name}={cut(v.decode('utf-8', 'replace'))}" for name, v in zip(names, image or (), strict=True))


def ours(job: Job) -> str:
    """The row as the change would write it."""
    return values(job.table, job.after if job.after is not None else job.before)


def cut(text: str, limit: int = _SHOWN_CHARACTERS) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …"


def place_of(job: Job) -> str:
    place = job.place
    return f"({place.file_name}, {place.end})" + (f" {place.gtid}" if place.gtid else "")


def with_statement(error: DMError, sql: bytes) -> DMError:
    """``error`` with the beginning of the statement that it is about."""
    begun = cut(sql.decode("utf-8", "replace"), _OF_A_STATEMENT)
    if kind := _KINDS.get(errno_of(error) or 0):
        error = kind.error(cause=error, text=error.fields.get("text", ""))
    return DMError(error.kind, f"{error.message}: {begun}", error.workaround, error.raw_cause, error.fields)
