"""The loader's own rows in the task's meta tables: source, chunk, pinned, and the first structures.

Every write checks the epoch in the same transaction, so a run that was replaced changes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

from dm_worker.dumper.chunks import Range, bound_from_text, bound_to_text
from dm_worker.dumper.plan import TablePlan
from pkg.adapters.meta_tables import CHUNK_GONE, MetaTables, fenced, hold_epoch, location_values, store_taken
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.position import Location
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.task.kept import RUNNING

FINISHED: Final = "finished"

COPIED: Final = 1  # what ``done`` of a chunk says
COMPARED: Final = 2  # it is copied, and both sides had the same checksum

_ROWS_PER_STATEMENT: Final = 500
CHUNK_COLUMNS: Final = "chunk_id, schema_name, table_name, target_schema, target_table, lower_bound, upper_bound"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """One chunk as it is stored: which rows of which table go where."""

    chunk_id: int
    schema: str
    table: str
    target_schema: str
    target_table: str
    range: Range


@dataclass(frozen=True, slots=True)
class Copied:
    """What of one table is done."""

    chunks: int
    done: int
    rows: int
    bytes: int
    compared: int = 0


def numbered(plans: Sequence[TablePlan]) -> list[PlannedChunk]:
    """All chunks in the order in which they are copied."""
    chunks: list[PlannedChunk] = []
    for plan in plans:
        table = plan.source.structure
        for one in plan.ranges:
            chunks.append(
                PlannedChunk(len(chunks), table.schema, table.name, plan.target.schema, plan.target.table, one)
            )
    return chunks


class LoadMeta:
    """One source's load state, through one connection of the caller."""

    def __init__(self, connection: Connection, tables: MetaTables, source_id: str, epoch: int) -> None:
        self._connection = connection
        self._tables = tables
        self._source_id = source_id
        self._epoch = epoch

    def load_status(self) -> str:
        rows = self._rows(f"SELECT load_status FROM {self._tables.source} WHERE source_id = %s")
        return str(rows[0][0]) if rows else ""

    def server(self) -> str:
        """The identity of the server whose rows the stored plan copies; "" when it is not known."""
        rows = self._rows(f"SELECT start_server FROM {self._tables.source} WHERE source_id = %s")
        return str(rows[0][0]) if rows else ""

    def store_plan(
        self,
        start: Location | None,
        chunks: Sequence[PlannedChunk],
        structures: Iterable[Table],
        server: str = "",
        taken: str = "",
        collations: Mapping[str, str] | None = None,
    ) -> None:
        """The plan by the rules ``taken``, and where replication starts, on which ``server``, all or nothing.

        An earlier plan is forgotten.  ``collations``: the defaults of the upstream's databases at the start; None: not
        known.
        """
        tables = self._tables
        known = None if collations is None else json.dumps(collations, ensure_ascii=False)
        of_source = f"UPDATE {tables.source} SET start_server = %s, taken = %s, database_collations = %s"

        def work(cursor: Any) -> None:
            # First of all: a run that was replaced would meet the rows of its successor's plan.
            self._set_source(cursor, "start", start, RUNNING)
            cursor.execute(f"{of_source} WHERE source_id = %s", (server, taken or None, known, self._source_id))
            for table in (tables.chunk, tables.pinned, tables.structure, tables.again, tables.copied):
                cursor.execute(f"DELETE FROM {table} WHERE source_id = %s", (self._source_id,))
            columns = f"source_id, {CHUNK_COLUMNS}, epoch"
            self._insert(cursor, f"INSERT INTO {tables.chunk} ({columns}) VALUES", map(self._chunk_row, chunks))
            columns = "source_id, schema_name, table_name, structure"
            rows = ((self._source_id, one.schema, one.name, _json(one)) for one in structures)
            self._insert(cursor, f"INSERT INTO {tables.structure} ({columns}) VALUES", rows)

        in_transaction(self._connection, work)

    def store_taken(self, taken: str) -> None:
        """The rules by which the run that goes on with the plan takes tables."""
        store_taken(self._connection, self._tables, self._source_id, self._epoch, taken)

    def store_ended(self, names: Iterable[tuple[str, str]], location: Location) -> None:
        """All chunks of these tables were read before ``location``."""
        place = location.position
        rows = [(self._source_id, *name, place.name, place.offset) for name in names]
        columns = "source_id, schema_name, table_name, binlog_name, binlog_pos"

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            self._insert(cursor, f"REPLACE INTO {self._tables.copied} ({columns}) VALUES", rows)

        in_transaction(self._connection, work)

    def mark_gone(self, schema: str, table: str) -> None:
        """The table is there no more: what of it is not copied needs no copying."""
        sql = f"UPDATE {self._tables.chunk} SET done = {CHUNK_GONE} WHERE source_id = %s AND epoch = %s AND done = 0"

        def work(cursor: Any) -> None:
            names = self._source_id, self._epoch, schema, table
            if not cursor.execute(f"{sql} AND schema_name = %s AND table_name = %s", names):
                raise fenced(cursor, self._tables, self._source_id, self._epoch)

        in_transaction(self._connection, work)

    def store_end(self, end: Location) -> None:
        """Everything is copied; up to ``end`` rows may be there that the stream brings again."""
        in_transaction(self._connection, lambda cursor: self._set_source(cursor, "end", end, FINISHED))

    def unfinished(self) -> list[PlannedChunk]:
        where = "source_id = %s AND done = 0 ORDER BY chunk_id"
        return [
            PlannedChunk(
                int(number), schema, table, to_schema, to_table, Range(bound_from_text(lower), bound_from_text(upper))
            )
            for number, schema, table, to_schema, to_table, lower, upper in self._rows(
                f"SELECT {CHUNK_COLUMNS} FROM {self._tables.chunk} WHERE {where}"
            )
        ]

    def structures(self) -> list[Table]:
        """The upstream's tables as they are copied: as they were when the plan was made, or when one started again."""
        rows = self._rows(f"SELECT structure FROM {self._tables.structure} WHERE source_id = %s")
        first = [Table.from_json(json.loads(row[0])) for row in rows]
        again = self._rows(f"SELECT schema_name, create_sql FROM {self._tables.again} WHERE source_id = %s")
        found = {(table.schema, table.name): table for table in first}
        later = [parse_create_table(str(sql), str(schema)) for schema, sql in again]
        return list((found | {(table.schema, table.name): table for table in later}).values())

    def copied(self) -> dict[tuple[str, str], Copied]:
        """How far each table is."""
        sums = f"COUNT(*), SUM(done > 0), SUM(row_count), SUM(byte_count), SUM(done = {COMPARED})"
        rows = self._rows(
            f"SELECT schema_name, table_name, {sums} FROM {self._tables.chunk} WHERE source_id = %s "
            "GROUP BY schema_name, table_name"
        )
        return {(row[0], row[1]): Copied(*(int(value or 0) for value in row[2:])) for row in rows}

    def feeders(self) -> dict[tuple[str, str], int]:
        """How many upstream tables, also of other sources whose plans are stored, go to each target table."""
        columns = "source_id, schema_name, table_name, target_schema, target_table"
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT DISTINCT {columns} FROM {self._tables.chunk}")
            return dict(Counter((str(row[3]), str(row[4])) for row in cursor.fetchall()))

    def _chunk_row(self, chunk: PlannedChunk) -> tuple[Any, ...]:
        bounds = bound_to_text(chunk.range.lower), bound_to_text(chunk.range.upper)
        names = chunk.schema, chunk.table, chunk.target_schema, chunk.target_table
        return (self._source_id, chunk.chunk_id, *names, *bounds, self._epoch)

    def _set_source(self, cursor: Any, which: str, location: Location | None, status: str) -> None:
        place = ("", 0, None) if location is None else location_values(location)
        changed = cursor.execute(
            f"UPDATE {self._tables.source} SET {which}_binlog_name = %s, {which}_binlog_pos = %s, {which}_gtid = %s, "
            "load_status = %s WHERE source_id = %s AND epoch = %s",
            (*place, status, self._source_id, self._epoch),
        )
        if changed != 1:
            raise fenced(cursor, self._tables, self._source_id, self._epoch)

    def _insert(self, cursor: Any, prefix: str, rows: Iterable[tuple[Any, ...]]) -> None:
        for batch in _batches(rows, _ROWS_PER_STATEMENT):
            marks = "(" + ", ".join(["%s"] * len(batch[0])) + ")"
            arguments = [value for row in batch for value in row]
            cursor.execute(f"{prefix} {', '.join([marks] * len(batch))}", arguments)

    def _rows(self, sql: str, *further: Any) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql, (self._source_id, *further))
            return list(cursor.fetchall())


def _json(table: Table) -> str:
    return json.dumps(table.to_json(), ensure_ascii=False)


def _batches(rows: Iterable[_T], size: int) -> Iterator[list[_T]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, size)):
        yield batch
