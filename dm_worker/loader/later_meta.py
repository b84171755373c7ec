"""What of a task's target tables is made when their rows are there, as rows of the task's meta tables.

A row is written before its table is created, so a run that finds the table knows whether this task left
something out of it.  Rows of views (``view_meta``) have a negative ``seq``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pkg.adapters.meta_tables import MetaTables, hold_epoch
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction
from pkg.rules.router import Target
from pkg.schema.later import LaterIndex
from pkg.schema.table import ForeignKey

_INDEX, _FOREIGN_KEY = "index", "foreign key"


@dataclass(frozen=True, slots=True)
class LaterOfTable:
    """What one target table still lacks, or lacked."""

    target: Target
    indexes: tuple[LaterIndex, ...] = ()
    keys: tuple[ForeignKey, ...] = ()


class LaterMeta:
    """One source's rows, through one connection of the caller."""

    def __init__(self, connection: Connection, tables: MetaTables, source_id: str, epoch: int) -> None:
        self._connection = connection
        self._tables = tables
        self._source_id = source_id
        self._epoch = epoch

    def note(self, table: LaterOfTable) -> None:
        """In place of what was noted of the table before."""
        rows = [(_INDEX, one.name, one.clause) for one in table.indexes]
        rows += [(_FOREIGN_KEY, one.name, json.dumps(asdict(one), ensure_ascii=False)) for one in table.keys]
        columns = "source_id, target_schema, target_table, seq, kind, name, document"

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            self._delete(cursor, table.target)
            for number, row in enumerate(rows):
                cursor.execute(
                    f"INSERT INTO {self._tables.later} ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s)",
                    (self._source_id, table.target.schema, table.target.table, number, *row),
                )

        in_transaction(self._connection, work)

    def forget(self, target: Target) -> None:
        """The table was made by somebody else."""

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            self._delete(cursor, target)

        in_transaction(self._connection, work)

    def all(self) -> list[LaterOfTable]:
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"SELECT target_schema, target_table, kind, name, document FROM {self._tables.later} "
                "WHERE source_id = %s AND seq >= 0 ORDER BY target_schema, target_table, seq",
                (self._source_id,),
            )
            rows: Sequence[Any] = cursor.fetchall()
        found: dict[Target, LaterOfTable] = {}
        for schema, table, kind, name, document in rows:
            target = Target(schema, table)
            one = found.get(target, LaterOfTable(target))
            if kind == _INDEX:
                found[target] = LaterOfTable(target, (*one.indexes, LaterIndex(name, document)), one.keys)
            else:
                found[target] = LaterOfTable(target, one.indexes, (*one.keys, _key(document)))
        return list(found.values())

    def other_feeders(self, targets: Iterable[Target]) -> dict[Target, str]:
        """Those of ``targets`` that another source of the task feeds, too, with that source."""
        wanted = set(targets)
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"SELECT DISTINCT target_schema, target_table, source_id FROM {self._tables.chunk} "
                "WHERE source_id <> %s",
                (self._source_id,),
            )
            return {target: str(row[2]) for row in cursor.fetchall() if (target := Target(row[0], row[1])) in wanted}

    def merged(self, targets: Iterable[Target]) -> frozenset[Target]:
        """Those that several tables go to: ``targets`` has one for each table of this source; others are planned."""
        counted = Counter(targets)
        several = (target for target, number in counted.items() if number > 1)
        return frozenset((*several, *self.other_feeders(counted)))

    def _delete(self, cursor: Any, target: Target) -> None:
        cursor.execute(
            f"DELETE FROM {self._tables.later} WHERE source_id = %s AND target_schema = %s AND target_table = %s "
            "AND seq >= 0",
            (self._source_id, target.schema, target.table),
        )


def _key(document: str) -> ForeignKey:
    values: dict[str, Any] = {}
    for name, value in json.loads(document).items():
        values[name] = tuple(value) if isinstance(value, list) else value
    return ForeignKey(**values)
