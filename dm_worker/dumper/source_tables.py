"""Which tables of the upstream a task takes, with their structures and sizes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dm_worker.dumper.chunks import TableSize
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import UNKNOWN_TABLE
from pkg.adapters.structures import shown_table
from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList
from pkg.schema.table import Table, kind_of

log = logging.getLogger(__name__)

SYSTEM_SCHEMAS = frozenset(("mysql", "information_schema", "performance_schema", "sys", "metrics_schema"))
_BASE_TABLES = frozenset(("BASE TABLE", "SYSTEM VERSIONED"))


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table by name, and what the server's statistics say of it."""

    schema: str
    name: str
    size: TableSize


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table with its structure; ``create_sql`` is the server's own text."""

    listed: ListedTable
    create_sql: str
    structure: Table


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that the rules take and that is no table."""

    schema: str
    name: str
    kind: str


Listing: TypeAlias = tuple[list[ListedTable], list[Skipped]]


def list_tables(connection: Connection, allowed: BlockAllowList) -> Listing:
    """Base tables that the block-allow-list takes, largest first; views and sequences apart."""
    tables: list[ListedTable] = []
    skipped: list[Skipped] = []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, AVG_ROW_LENGTH, ENGINE "
            "FROM information_schema.TABLES"
        )
        rows = list(cursor.fetchall())
    for schema, name, kind, count, row_bytes, engine in rows:
        if schema.lower() in SYSTEM_SCHEMAS or not allowed.allows(schema, name):
            continue
        if kind_of(str(engine).upper()) == "merge":
            skipped.append(Skipped(schema, name, "MERGE table: its rows are those of other tables"))
        elif kind in _BASE_TABLES:
            tables.append(ListedTable(schema, name, TableSize(int(count or 0), int(row_bytes or 0))))
        else:
            skipped.append(Skipped(schema, name, kind))
    tables.sort(key=lambda table: (-table.size.rows * table.size.row_bytes, table.schema, table.name))
    return tables, skipped


def wanted_tables(connection: Connection, allowed: BlockAllowList, meta_schema: str) -> Listing:
    """The same without the tables of the task's own, which may be on the same server."""
    listed, skipped = list_tables(connection, allowed)
    return [table for table in listed if table.schema != meta_schema], skipped


def read_structures(connection: Connection, tables: Sequence[ListedTable]) -> Iterator[SourceTable]:
    """The tables with their structures; one that was dropped since it was listed is left out."""
    for listed in tables:
        try:
            shown = shown_table(connection, f"{quoted(listed.schema)}.{quoted(listed.name)}")
        except DMError as exc:
            if UNKNOWN_TABLE.matches(exc):
                log.info("table is gone: schema=%s table=%s", listed.schema, listed.name)
                continue
            raise
        yield SourceTable(listed, shown.text, shown.parsed(listed.schema))
