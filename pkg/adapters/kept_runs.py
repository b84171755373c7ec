"""Reads what earlier runs of a task have left unfinished in its meta tables, also those of an earlier build."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.errors import DMError
from pkg.task.kept import RUNNING, Kept, TableName, Waiting, refusals
from pkg.task.subtask import SubtaskConfig

Connection = Any


def kept_runs(connection: Connection, tables: MetaTables) -> Mapping[str, Kept]:
    """By source.  Raises what the server says, but not where a table is not there yet."""
    sources = {str(row["source_id"]): row for row in _rows(connection, f"SELECT * FROM {tables.source}")}
    checkpoints = {str(row["source_id"]) for row in _rows(connection, f"SELECT source_id FROM {tables.checkpoint}")}
    planned = _planned(connection, tables) if any(one["load_status"] == RUNNING for one in sources.values()) else {}
    waiting, again = _shards(connection, tables)
    return {
        source: Kept(
            str(row["load_status"]),
            str(row.get("taken") or ""),
            source in checkpoints,
            bool(row["start_binlog_name"]),
            planned.get(source, {}),
            tuple(waiting.get(source, ())),
            source in again,
        )
        for source, row in sources.items()
    }


def refuse_to_ignore(connection: Connection, tables: MetaTables, config: SubtaskConfig) -> None:
    """Raises what forbids a run by this task file: it would ignore what earlier ones left."""
    kept = kept_runs(connection, tables).get(config.source_id, Kept())
    for refusal in refusals(config, kept):
        raise refusal


def _planned(connection: Connection, tables: MetaTables) -> Mapping[str, Mapping[TableName, bool]]:
    found: dict[str, dict[TableName, bool]] = {}
    names = "source_id, schema_name, table_name"
    for row in _rows(connection, f"SELECT {names}, MIN(done) AS lowest FROM {tables.chunk} GROUP BY {names}"):
        name = str(row["schema_name"]), str(row["table_name"])
        found.setdefault(str(row["source_id"]), {})[name] = not row["lowest"]
    return found


def _shards(connection: Connection, tables: MetaTables) -> tuple[Mapping[str, list[Waiting]], frozenset[str]]:
    """What tables wait, by source, and the sources that read rows again."""
    columns = "source_id, target_schema, target_table, kind, document"
    rows = _rows(connection, f"SELECT {columns} FROM {tables.shard} WHERE kind IN ('held', 'main')")
    waiting: dict[str, list[Waiting]] = {}
    for row in rows:
        if row["kind"] == "held":
            schema, table = json.loads(row["document"])["table"]
            target = str(row["target_schema"]), str(row["target_table"])
            waiting.setdefault(str(row["source_id"]), []).append(Waiting((schema, table), target))
    return waiting, frozenset(str(row["source_id"]) for row in rows if row["kind"] == "main")


def _rows(connection: Connection, sql: str) -> Sequence[Mapping[str, Any]]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            names = [column[0].lower() for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except DMError as exc:
        if any(one.matches(exc) for one in (UNKNOWN_TABLE, UNKNOWN_DATABASE)):
            return ()
        raise
