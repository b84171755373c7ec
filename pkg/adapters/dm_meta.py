"""The meta tables that DM itself left in a target: what is read of them, and what `--remove-meta` deletes.

DM's tables stand beside ours in the task's ``meta-schema``; its rows are found by the source's id.
They are only read, so that one can go back to DM; ``--remove-meta`` deletes them, as it does in DM.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.errors import DMError

Row = Mapping[str, Any]

_FRESH = "COALESCE(binlog_name, '') = '' AND COALESCE(binlog_gtid, '') = ''"


def checkpoint_table(tables: MetaTables) -> str:
    return f"{quoted(tables.schema)}.{quoted(f'{tables.task}_syncer_checkpoint')}"


def shard_table(tables: MetaTables) -> str:
    return f"{quoted(tables.schema)}.{quoted(f'{tables.task}_syncer_sharding_meta')}"


def checkpoint_rows(connection: Any, tables: MetaTables, source_id: str) -> list[Row]:
    """DM's checkpoint of a source: the global row and one per table; empty when DM has none here."""
    return _rows(connection, f"SELECT * FROM {checkpoint_table(tables)} WHERE id = %s", (source_id,))


def shard_rows(connection: Any, tables: MetaTables, source_id: str) -> list[Row]:
    """What DM noted of shard groups (pessimistic mode)."""
    return _rows(connection, f"SELECT * FROM {shard_table(tables)} WHERE source_id = %s", (source_id,))


def sources_with_checkpoint(connection: Any, tables: MetaTables) -> frozenset[str]:
    """The sources that DM replicated in this task."""
    sql = f"SELECT id FROM {checkpoint_table(tables)} WHERE is_global AND NOT ({_FRESH})"
    return frozenset(str(row["id"]) for row in _rows(connection, sql, ()))


def forget_dm(connection: Any, tables: MetaTables, source_id: str) -> None:
    """Delete DM's rows of a source, so that they are not taken over again."""
    for table, column in ((checkpoint_table(tables), "id"), (shard_table(tables), "source_id")):
        _rows(connection, f"DELETE FROM {table} WHERE {column} = %s", (source_id,))
    connection.commit()


def _rows(connection: Any, sql: str, arguments: tuple[object, ...]) -> list[Row]:
    """By column names, for early versions of DM have fewer columns; no row where there is no such table."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, arguments)
            names = [column[0].lower() for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return []
        raise
