"""What a full migration came to: one JSON document per source, in the task's target."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pkg.adapters.meta_tables import Connection, MetaTables
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.adapters.mysql.transaction import in_transaction
from pkg.errors import DMError

Summary = Mapping[str, Any]


def store_summary(connection: Connection, tables: MetaTables, source_id: str, epoch: int, summary: Summary) -> bool:
    """Keep it in the place of an earlier one; False where a later run has taken over."""
    text = json.dumps(summary, ensure_ascii=False)

    def work(cursor: Any) -> bool:
        cursor.execute(f"SELECT epoch FROM {tables.source} WHERE source_id = %s FOR UPDATE", (source_id,))
        row = cursor.fetchone()
        if row is None or int(row[0]) != epoch:
            return False
        cursor.execute(f"REPLACE INTO {tables.summary} (source_id, document) VALUES (%s, %s)", (source_id, text))
        return True

    return in_transaction(connection, work)


def load_summary(connection: Connection, tables: MetaTables, source_id: str) -> Summary | None:
    """None when there is none, also where the task never was."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT document FROM {tables.summary} WHERE source_id = %s", (source_id,))
            row = cursor.fetchone()
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return None
        raise
    found: Any = json.loads(row[0]) if row else None
    return found if isinstance(found, dict) else None
