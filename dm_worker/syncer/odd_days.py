"""Rows with days of no calendar of which the target calculates other values than upstream: refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.change import RowImage
from pkg.schema.calculated import calculated_columns
from pkg.schema.odd_days import DAY_TYPES, DayRead, days_read, is_odd, reads_of
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

ODD_DAY = ErrorKind(
    36271,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {source} at {place} has {day} in {column}, and {reader} of {target} would have another value of it than "
    "upstream",
    workaround="make what is calculated there a plain column in {target}, which replication then fills (DROP and ADD "
    "COLUMN without the expression, and copy its values by the table's key; of a unique key: DROP INDEX), then "
    "resume-task; or have the upstream write no such days (NULL), and copy the tables anew (start-task --remove-meta)",
)


@dataclass(frozen=True, slots=True)
class OddDays:
    """What the target reads of days of an upstream table's rows: each with the places of the day and of `day_of`."""

    source: str
    target: str
    reads: tuple[tuple[int, int | None, DayRead], ...]

    def refuse(self, rows: Sequence[RowImage], place: str) -> None:
        """Raise ODD_DAY for one of the rows."""
        for row in rows:
            for day, stored, read in self.reads:
                if read.differs(row[day], b"" if stored is None else row[stored]):
                    raise ODD_DAY.error(
                        source=self.source, target=self.target, place=place, column=read.column, reader=read.of,
                        day=row[day].decode(),
                    )  # fmt: skip


def odd_days(structure: Table, there: Table, flavors: tuple[str, str]) -> OddDays | None:
    """None where the target, whose table is ``there``, calculates nothing of days of rows of ``structure``."""
    if not any(column.base_type in DAY_TYPES for column in structure.columns):
        return None
    reads = []
    for read in days_read(there, flavors):
        column, stored = structure.column(read.column), structure.column(read.day_of) if read.day_of else None
        is_known = not read.day_of or (stored is not None and stored.generated == "STORED")
        if column is not None and column.base_type in DAY_TYPES and is_known:
            place = None if stored is None else structure.ordinal(stored.name)
            reads.append((structure.ordinal(column.name), place, read))
    if not reads:
        return None
    return OddDays(f"{structure.schema}.{structure.name}", f"{there.schema}.{there.name}", tuple(reads))


def days_calculated(
    piece: Ddl, before: Table | None, after: Table, present: Table, flavors: tuple[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Columns that an ALTER TABLE calculates of days, each with a column that it reads and a condition.

    The condition finds rows of the target, which is ``present``, with a day of which it would have another value.
    """
    for column, text in calculated_columns(piece, before, after):
        for read in reads_of(column.name, text, column, after, flavors):
            there, above = present.column(read.column), after.column(read.column)
            if not read.day_of and there is not None:
                yield column.name, read.column, read.condition
            elif not read.day_of and above is not None and _begins_odd(above):
                yield column.name, read.column, "TRUE"


def _begins_odd(column: Column) -> bool:
    """Whether rows that are there get such a day, where the column is new."""
    return not column.nullable if column.default is None else is_odd(column.default.strip("'"))
