"""The rows that loading a dump keeps in the task's meta tables: its files as chunks, and how far each is.

A file's row has its name, size and packing as ``lower_bound``, and the place up to which it is loaded as
``upper_bound``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dm_worker.dumper.chunks import Range, bound_from_text
from dm_worker.dumper.layout import Compression
from dm_worker.loader.dump_tables import TableFiles
from dm_worker.loader.file_feed import RowFile
from dm_worker.loader.meta import FINISHED, LoadMeta, PlannedChunk
from pkg.adapters.meta_tables import fenced
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.rules.router import Target


@dataclass(frozen=True, slots=True)
class FileState:
    """One file of the plan."""

    chunk: PlannedChunk
    is_done: bool
    rows: int

    def file(self) -> RowFile:
        assert self.chunk.range.lower is not None, "a file's row has its name"
        name, size, compression = self.chunk.range.lower
        return RowFile(name, int(size), Compression(compression))


class FileMeta(LoadMeta):
    """One source's load state when it loads a dump."""

    def store_files(
        self,
        start: Location | None,
        end: Location | None,
        tables: Sequence[tuple[TableFiles, Target]],
        taken: str = "",
    ) -> None:
        """The plan by the rules ``taken``, all or nothing.

        The largest files come first, so that lanes end at about the same time.
        """
        in_transaction(self._connection, lambda cursor: self._set_source(cursor, "end", end or start, ""))
        found = [(file, one.source.structure, target) for one, target in tables for file in one.files]
        found.sort(key=lambda part: -part[0].size)
        chunks = [
            PlannedChunk(
                number, table.schema, table.name, target.schema, target.table,
                Range((file.name, str(file.size), str(file.compression))),
            )
            for number, (file, table, target) in enumerate(found)
        ]  # fmt: skip
        self.store_plan(start, chunks, [one.source.structure for one, _ in tables], taken=taken)

    def files(self) -> list[FileState]:
        columns = "chunk_id, schema_name, table_name, target_schema, target_table, lower_bound, done, row_count"
        rows = self._rows(f"SELECT {columns} FROM {self._tables.chunk} WHERE source_id = %s ORDER BY chunk_id")
        return [
            FileState(
                PlannedChunk(int(row[0]), row[1], row[2], row[3], row[4], Range(bound_from_text(row[5]))),
                bool(row[6]),
                int(row[7]),
            )
            for row in rows
        ]

    def finish(self) -> None:
        """Every file is loaded."""
        sql = f"UPDATE {self._tables.source} SET load_status = %s WHERE source_id = %s AND epoch = %s"

        def work(cursor: Any) -> None:
            if cursor.execute(sql, (FINISHED, self._source_id, self._epoch)) != 1:
                raise fenced(cursor, self._tables, self._source_id, self._epoch)

        in_transaction(self._connection, work)

    def start(self) -> Location | None:
        """Where the dump stands in its upstream's binary log."""
        rows = self._rows(
            f"SELECT start_binlog_name, start_binlog_pos, start_gtid FROM {self._tables.source} WHERE source_id = %s"
        )
        if not rows or not rows[0][0]:
            return None
        name, offset, gtids = rows[0]
        return Location(Position(name, int(offset)), parse_gtid_set(gtids, "") if gtids else None)

    def is_of_one_moment(self) -> bool:
        """Whether the dump ended where it began: then its rows fit together."""
        rows = self._rows(
            "SELECT start_binlog_name, start_binlog_pos, end_binlog_name, end_binlog_pos "
            f"FROM {self._tables.source} WHERE source_id = %s"
        )
        return bool(rows) and rows[0][:2] == rows[0][2:]
