"""A row change in words, for errors and logs."""

from __future__ import annotations

from pkg.errors import DMError
from pkg.rows.change import Kind, RowImage, TargetTable
from pkg.rows.job import Job

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
    return DMError(error.kind, f"{error.message}: {begun}", error.workaround, error.raw_cause, error.fields)
