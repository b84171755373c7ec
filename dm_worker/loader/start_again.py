"""A run whose snapshot was lost begins anew: what it had copied goes, and nothing else.

A target table is emptied when it had no rows before this task came and no other source feeds it.  Else
rows of two snapshots, or somebody's own rows, would be mixed or lost, and an operator has to decide.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from dm_worker.loader.lane_meta import SnapshotMeta
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.adapters.structures import shown_create
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope

log = logging.getLogger(__name__)

CANNOT_START_AGAIN = ErrorKind(
    34120,
    "load-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the consistent snapshot of this source ended before all was copied, and the target table {table} cannot be "
    "emptied for a new one: {reason}",
    workaround="stop-task, empty the tables of the task downstream, and start-task --remove-meta for all its sources; "
    "or start it anew with task-mode: all and `consistency: none`, which goes on wherever it was interrupted",
)

_AT_ONCE: Final = 100
_COUNTER = re.compile(r"\bAUTO_INCREMENT=(\d+)", re.ASCII | re.IGNORECASE)
TableName = tuple[str, str]


def not_empty_tables(connection: Connection, tables: Iterable[TableName]) -> set[TableName]:
    """Those of the target's ``tables`` that have rows."""
    listed = sorted(set(tables))
    found: set[TableName] = set()
    for start in range(0, len(listed), _AT_ONCE):
        part = listed[start : start + _AT_ONCE]
        asked = ", ".join(f"EXISTS(SELECT 1 FROM {_name(table)})" for table in part)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {asked}")
            row: Any = cursor.fetchone()
        found.update(table for table, has_rows in zip(part, row, strict=True) if has_rows)
    return found


def empty_targets(meta: SnapshotMeta, connection: Connection, copied: Sequence[TableName]) -> None:
    """Empty the target tables ``copied``, which have chunks of a lost snapshot.  Raises CANNOT_START_AGAIN."""
    if not copied:
        return
    before = meta.not_empty()
    if before is None:
        _refuse(copied[0], "it was begun without a snapshot")
    for table in copied:
        if table in (before or ()):
            _refuse(table, "it had rows before this task copied the first one")
    crashpoint("snapshot.emptying")
    shared = meta.alone(copied, lambda: _truncate(connection, copied))
    if shared:
        schema, name, other = shared[0]
        _refuse((schema, name), f"source {other} feeds it too")


def _refuse(table: TableName, reason: str) -> None:
    raise CANNOT_START_AGAIN.error(table=".".join(table), reason=reason)


def _truncate(connection: Connection, tables: Sequence[TableName]) -> None:
    for table in tables:
        log.warning("the table %s.%s is emptied: it has rows of a snapshot that is lost", *table)
        try:
            counter = _next_auto_increment(connection, table)
            connection.query(f"TRUNCATE TABLE {_name(table)}")
            if counter > 1:
                connection.query(f"ALTER TABLE {_name(table)} AUTO_INCREMENT = {counter}")
        except DMError as exc:
            if not (UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc)):
                raise
        crashpoint("snapshot.emptied")


def _next_auto_increment(connection: Connection, table: TableName) -> int:
    found = _COUNTER.search(shown_create(connection, f"TABLE {_name(table)}").rpartition(")")[2])
    return int(found[1]) if found else 0


def _name(table: TableName) -> str:
    return f"{quoted(table[0])}.{quoted(table[1])}"
