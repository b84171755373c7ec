"""Rows of which the target would calculate another value than upstream: the copy refuses them.

Days of no calendar, letters that it makes large or small in another way, characters that the upstream's generated
column lacks, values of another session (its time zone).  They are looked for before their chunk, in its transaction, by
one query for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pymysql.cursors import SSCursor

from dm_worker.dumper.chunks import Range
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.cased_texts import condition, pattern_of, texts_cased
from pkg.schema.letter_case import small
from pkg.schema.narrow_results import narrow_reads
from pkg.schema.odd_days import days_read
from pkg.schema.table import Column, Table
from pkg.schema.zone_reads import calculated, stored_of_sessions

ODD_DAY = ErrorKind(
    34144,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has {day} in {column}, and {reader} of the target would have another value of it than "
    "upstream; the row: {row}",
    workaround="have the upstream write no such days (NULL), then resume-task; or make the table in the target by "
    "hand, without the expression (a plain column takes the upstream's values), and start the task anew (start-task "
    "--remove-meta); or leave the table out",
)
OTHER_LETTER = ErrorKind(
    34145,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has the letter {letter} in {column}, of which {function} makes another one in the "
    "target than upstream; {reader} has it; the row: {row}",
    workaround="give the upstream's column the target's character set and collation, and start the task anew "
    "(start-task --remove-meta); or make the table in the target by hand, without the expression (a plain column takes "
    "the upstream's values), and start the task anew; or leave the table out",
)
LACKING_CHARACTER = ErrorKind(
    34146,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has a character in {column} which the {charset} of its generated column {reader} lacks: "
    "it holds ? there, and the target's would hold the character; the row: {row}",
    workaround="give the upstream's {reader} the character set utf8mb4, and start the task anew (start-task "
    "--remove-meta); or make the table in the target by hand, without the expression (a plain column takes the "
    "upstream's values), and start the task anew; or leave the table out",
)
OTHER_SESSION = ErrorKind(
    34151,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "a row of {schema}.{table} has the value {value} in the STORED column {column}, which its session gave it (by its "
    "time zone, lc_time_names or default_week_format); the target calculates in UTC, with the upstream's global "
    "settings, and would have another value; the row: {row}",
    workaround="make the table in the target by hand with {column} as a plain column, without its expression, which "
    "takes the upstream's values, and start the task anew (start-task --remove-meta); or leave the table out",
)
Unlike = Callable[[str, Column, Column], str]
"""See LetterMaps.unlike."""
_MOST_SHOWN: Final = 400


@dataclass(frozen=True, slots=True)
class _Doubt:
    """``condition`` holds for rows that are refused; ``said``: what the error says, by the value of ``shown``."""

    condition: str
    column: str
    shown: str
    kind: ErrorKind
    reader: str
    said: Callable[[str], dict[str, Any]]


def refuse_other_values(
    reader: Connection,
    table: TableCopy,
    chunk: Range,
    tables: tuple[Table | None, Table | None],
    flavors: tuple[str, str],
    unlike: Unlike,
) -> None:
    """Raise ODD_DAY, OTHER_LETTER, LACKING_CHARACTER, OTHER_SESSION for a row of the chunk.

    ``tables``, ``flavors``: the upstream's and the target's; ``unlike``: see LetterMaps.unlike.
    """
    upstream, there = tables
    if upstream is None or there is None:
        return
    doubts = [
        *_of_days(table, upstream, there, flavors),
        *_of_letters(table, upstream, there, unlike),
        *_of_characters(upstream, there),
        *_of_sessions(upstream, there),
    ]
    if not doubts:
        return
    with reader.cursor() as cursor:
        cursor.execute(table.select(chunk, [f"MAX({one.condition})" for one in doubts]))
        found = cursor.fetchone() or ()
    for doubt, is_there in zip(doubts, found, strict=False):
        if is_there:
            raise _error(reader, table, chunk, doubt)


def _of_days(table: TableCopy, upstream: Table, there: Table, flavors: tuple[str, str]) -> Iterator[_Doubt]:
    names = table.names
    stored = {"", *(small(column.name) for column in upstream.columns if column.generated == "STORED")}
    for read in days_read(there, flavors):
        if small(read.column) in names and small(read.day_of) in stored:
            shown = f"CAST({quoted(read.column)} AS CHAR)"
            yield _Doubt(read.condition, read.column, shown, ODD_DAY, read.of, _of_day)


def _of_day(day: str) -> dict[str, Any]:
    return {"day": day}


def _of_letters(table: TableCopy, upstream: Table, there: Table, unlike: Unlike) -> Iterator[_Doubt]:
    for read in texts_cased(there):
        above, below = upstream.column(read.column), there.column(read.column)
        if read.column not in table.names or above is None or below is None:
            continue
        letters = unlike(read.function, above, below)
        if letters:
            where = condition(above.name, letters, is_json=above.base_type == "json")
            said = partial(_of_letter, read.function, letters)
            yield _Doubt(where, above.name, _text(above.name), OTHER_LETTER, read.of, said)


def _of_letter(function: str, letters: str, text: str) -> dict[str, Any]:
    letter = pattern_of(letters).search(text)
    return {"function": function, "letter": letter[0] if letter is not None else "written as an escape"}


def _of_characters(upstream: Table, there: Table) -> Iterator[_Doubt]:
    for read in narrow_reads(upstream, there):
        said = partial(_of_charset, read.charset)
        yield _Doubt(read.condition, read.column, _text(read.column), LACKING_CHARACTER, read.of, said)


def _of_charset(charset: str, _: str) -> dict[str, Any]:
    return {"charset": charset}


def _of_sessions(upstream: Table, there: Table) -> Iterator[_Doubt]:
    for column in stored_of_sessions(upstream):
        below = there.column(column.name)
        if below is not None and below.generated and column.expression:
            shown = f"CAST({quoted(column.name)} AS CHAR)"
            differs = f"NOT ({quoted(column.name)} <=> {calculated(column)})"
            yield _Doubt(differs, column.name, shown, OTHER_SESSION, column.name, _of_value)


def _of_value(value: str | None) -> dict[str, Any]:
    return {"value": "NULL" if value is None else value}


def _text(column: str) -> str:
    return f"CONVERT({quoted(column)} USING utf8mb4)"


def _error(reader: Connection, table: TableCopy, chunk: Range, doubt: _Doubt) -> DMError:
    """With the first row, as the chunk is read."""
    key = [quoted(name) for name in table.identity]
    with reader.cursor(SSCursor) as cursor:
        cursor.execute(table.select(chunk, [doubt.condition, doubt.shown, *key]))
        _, value, *identity = next(row for row in cursor if row[0])
    shown = [*zip(table.identity, identity, strict=True), (doubt.column, value)]
    return doubt.kind.error(
        column=doubt.column, schema=table.schema, table=table.name, reader=doubt.reader, **doubt.said(value),
        row=", ".join(f"{one}={value!r}" for one, value in shown)[:_MOST_SHOWN],
    )  # fmt: skip
