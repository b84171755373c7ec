"""Compares a chunk with what became of it, within the transaction that writes it.

The upstream's sums come from the snapshot that the rows were read in, the target's from the open transaction,
which sees its own rows.  Both servers calculate at the same time.  A key range that had rows before the chunk
came is not compared: they are somebody else's.  What differs is looked into, key by key, only for the error.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from pymysql.constants.COMMAND import COM_QUERY

from dm_worker.dumper.chunks import WHOLE, Range, condition
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.loader.compared_tables import Compared, Side, difference, sides_of
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.errors import DMError, ErrorKind, Level, Scope

CHECKSUM_DIFFERS = ErrorKind(
    34022,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "rows of {source} are not the same in {target}: {range}: {up_count} rows with the checksum {up_sum} upstream, "
    "{down_count} with {down_sum} downstream; {rows}",
    workaround="compare the structures of the two tables (types, character sets, collations of unique keys, triggers) "
    "and correct the target's, then resume-task: the chunk is copied again; nothing of it was kept. verify: none "
    "copies without comparing",
)

HAD_ROWS: Final = "rows were in the target before"

_MOST_ROWS: Final = 200_000  # of one chunk, among which differences are looked for
_SHOWN_ROWS: Final = 3
_SHOWN_COLUMNS: Final = 8
_SHOWN_CHARACTERS: Final = 60

Sums = tuple[int, int]


class Comparer:
    """Of one chunk: ``before`` it is written, ``compare`` afterwards."""

    def __init__(self, table: TableCopy, compared: Compared, chunk: Range, downstream: Connection) -> None:
        self._table = table
        self._chunk = chunk
        self._downstream = downstream
        self._upstream_side, self._side, self._columns = sides_of(table, compared, chunk)
        self._had_rows = False
        self.seconds = 0.0

    def before(self) -> None:
        began = time.monotonic()
        self._had_rows = bool(_fetched(self._downstream, self._side.has_rows()))
        self.seconds += time.monotonic() - began

    @property
    def note(self) -> str:
        """Why the chunk is not compared; "" when it is."""
        return HAD_ROWS if self._had_rows else ""

    def compare(self, reader: Connection) -> DMError | None:
        """What differs, without the rows that do."""
        if self._had_rows:
            return None
        began = time.monotonic()
        here, there = self._sums(reader)
        self.seconds += time.monotonic() - began
        return None if here == there else self._error(here, there, "the first differing rows are looked for next time")

    def explained(self, error: DMError, reader: Connection) -> DMError:
        """``error`` with the first rows that differ."""
        here = int(error.fields["up_count"]), int(error.fields["up_sum"])
        there = int(error.fields["down_count"]), int(error.fields["down_sum"])
        return self._error(here, there, self._rows(reader))

    def _sums(self, reader: Connection) -> tuple[Sums, Sums]:
        driver: Any = reader
        reader._execute_command(COM_QUERY, self._upstream_side.sums())  # it calculates meanwhile
        try:
            there = _fetched(self._downstream, self._side.sums())[0]
        finally:
            driver._read_query_result()
        here = driver._result.rows[0]
        return (int(here[0]), int(here[1])), (int(there[0]), int(there[1]))

    def _error(self, here: Sums, there: Sums, rows: str) -> DMError:
        return CHECKSUM_DIFFERS.error(
            source=self._table.upstream_name, target=self._table.downstream_name, range=self._range(),
            up_count=here[0], up_sum=here[1], down_count=there[0], down_sum=there[1], rows=rows,
        )  # fmt: skip

    def _range(self) -> str:
        key = self._table.key
        if key is None or self._chunk == WHOLE:
            return "all rows"
        return f"rows with {condition(tuple(quoted(name) for name in key.columns), self._chunk)}"

    # -- which rows

    def _rows(self, reader: Connection) -> str:
        if not self._side.key:
            return "without a key, its rows cannot be named"
        shown = list(islice(self._differing(reader), _SHOWN_ROWS))
        return f"the first rows that differ: {'; '.join(shown)}" if shown else "no single row was found that differs"

    def _differing(self, reader: Connection) -> Iterator[str]:
        here, there = _keyed(reader, self._upstream_side), _keyed(self._downstream, self._side)
        for key, checksum in here.items():
            if key not in there:
                yield f"{self._named(key)} is missing downstream"
            elif there[key] != checksum:
                yield f"{self._named(key)}{self._columns_that_differ(reader, key)}"
        for key in there:
            if key not in here:
                yield f"{self._named(key)} is downstream alone"

    def _columns_that_differ(self, reader: Connection, key: tuple[Any, ...]) -> str:
        with suppress(DMError):
            here = _fetched(reader, self._upstream_side.row(), key)
            there = _fetched(self._downstream, self._side.row(), key)
            if here and there:
                names = difference(self._columns, here[0], there[0])
                return f" ({', '.join(names[:_SHOWN_COLUMNS])}{', …' if len(names) > _SHOWN_COLUMNS else ''})"
        return ""

    def _named(self, key: tuple[Any, ...]) -> str:
        return ", ".join(f"{name}={_cut(value)}" for name, value in zip(self._side.key, key, strict=True))


def _keyed(connection: Connection, side: Side) -> dict[tuple[Any, ...], int]:
    return {row[:-1]: int(row[-1]) for row in _fetched(connection, side.rows(_MOST_ROWS))}


def _fetched(connection: Connection, sql: str, arguments: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return list(cursor.fetchall())


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]} …"
