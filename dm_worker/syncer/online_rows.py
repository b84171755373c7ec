"""Records of online DDL as rows of the target's meta table ``onlineddl``, and back.  No I/O.

Layout and document are DM's (``schema`` and ``table`` of the real table, ``ddls``), so a task that DM left
in the middle of an online DDL goes on here; ``events`` adds the sessions in which the DDLs ran, ``created`` and
``before`` the structures of a shadow table with foreign keys and of a real one that is gone, ``rows`` what is known of
the shadow table's rows, ``like`` whether it was made by LIKE.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pkg.binlog.events import QueryEvent, QueryStatus
from pkg.schema.statement import TableName
from pkg.schema.table import Table

Statement = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Record:
    """What was done to a shadow table since it was created."""

    events: tuple[QueryEvent, ...] = ()
    moved_to: str = ""  # the trash table that the real one has become already, before the shadow takes its place
    begun: str = ""  # the end of the statement that made the table; "": not known
    created: Table | None = None  # the shadow table as it was made, where it has foreign keys
    before: Table | None = None  # the real table, where a statement has taken it, or its trash, away already
    rows: Mapping[str, Any] | None = field(default=None, compare=False)  # of the table at the checkpoint, as stored
    is_like: bool = False  # made by LIKE, which names CHECKs anew in MySQL


class RecordStatements:
    """Statements that store a source's records, for the transaction that stores its checkpoint."""

    def __init__(self, table: str, source_id: str) -> None:
        self._table = table
        self._source_id = source_id

    def put(self, shadow: TableName, real: TableName, record: Record) -> Statement:
        document = {
            "schema": real.schema,
            "table": real.table,
            "ddls": [event.sql for event in record.events],
            "events": [asdict(event) for event in record.events],
            "movedTo": record.moved_to,
            "begun": record.begun,
            "created": _document(record.created),
            "before": _document(record.before),
            "rows": record.rows,
            "like": record.is_like,
        }
        values = (self._source_id, shadow.schema, shadow.table, json.dumps(document, ensure_ascii=False))
        return f"REPLACE INTO {self._table} (id, ghost_schema, ghost_table, ddls) VALUES (%s, %s, %s, %s)", values

    def delete(self, shadow: TableName) -> Statement:
        where = "id = %s AND ghost_schema = %s AND ghost_table = %s"
        return f"DELETE FROM {self._table} WHERE {where}", (self._source_id, shadow.schema, shadow.table)


def record_of(text: str) -> Record:
    """What `put` stored, or DM."""
    document = json.loads(text)
    stored = document.get("events")
    if stored is None:  # DM keeps the bare statements
        stored = [{"schema": document["schema"], "sql": sql, "end": 0, "timestamp": 0} for sql in document["ddls"]]
    events = (QueryEvent(**one | {"status": QueryStatus.of(one.get("status", {}))}) for one in stored)
    return Record(
        tuple(events),
        document.get("movedTo", ""),
        document.get("begun", ""),
        _table(document.get("created")),
        _table(document.get("before")),
        document.get("rows"),
        document.get("like", False),
    )


def _document(table: Table | None) -> dict[str, Any] | None:
    return None if table is None else table.to_json()


def _table(document: Mapping[str, Any] | None) -> Table | None:
    return None if document is None else Table.from_json(document)
