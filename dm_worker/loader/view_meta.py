"""The views of a source in the task's meta tables, noted with the plan and made when all rows are there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from dm_worker.dumper.source_views import SourceView
from pkg.adapters.meta_tables import MetaTables, hold_epoch
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction

VIEW: Final = "view"
_SEQ: Final = -1  # what belongs to a table of the same name has others
_BEGUN: Final = "begun"  # in ``name``: this task was about to make it, so one that is there is its own


class ViewMeta:
    """One source's rows of ``later``, by the upstream's names; through one connection of the caller."""

    def __init__(self, connection: Connection, tables: MetaTables, source_id: str, epoch: int) -> None:
        self._connection = connection
        self._tables = tables
        self._source_id = source_id
        self._epoch = epoch

    def note(self, views: Sequence[SourceView]) -> None:
        """In place of all that were noted before."""
        columns = "source_id, target_schema, target_table, seq, kind, name, document"
        rows = [
            (self._source_id, one.schema, one.name, _SEQ, VIEW, "", json.dumps(asdict(one), ensure_ascii=False))
            for one in views
        ]

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            cursor.execute(
                f"DELETE FROM {self._tables.later} WHERE source_id = %s AND kind = %s", (self._source_id, VIEW)
            )
            if rows:
                cursor.executemany(
                    f"INSERT INTO {self._tables.later} ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s)", rows
                )

        in_transaction(self._connection, work)

    def all(self) -> dict[SourceView, bool]:
        """Each with whether an earlier run was about to make it."""
        with self._connection.cursor() as cursor:
            cursor.execute(
                f"SELECT name, document FROM {self._tables.later} WHERE source_id = %s AND kind = %s "
                "ORDER BY target_schema, target_table",
                (self._source_id, VIEW),
            )
            return {SourceView(**json.loads(document)): name == _BEGUN for name, document in cursor.fetchall()}

    def begin(self, view: SourceView) -> None:
        """It is made next."""

        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)
            cursor.execute(
                f"UPDATE {self._tables.later} SET name = %s WHERE source_id = %s AND kind = %s "
                "AND target_schema = %s AND target_table = %s",
                (_BEGUN, self._source_id, VIEW, view.schema, view.name),
            )

        in_transaction(self._connection, work)
