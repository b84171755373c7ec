"""What a dump does, from its task's options, and its chunks as files.  Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dm_worker.dumper.dump_state import DumpState, FileChunk
from dm_worker.dumper.file_chunk import STATEMENT_BYTES
from dm_worker.dumper.file_lane import FileTask
from dm_worker.dumper.layout import Compression, chunk_file
from dm_worker.dumper.metadata import Place
from dm_worker.dumper.plan import TablePlan
from pkg.binlog.position import Location
from pkg.schema.table import Table
from pkg.task.subtask import SubtaskConfig


@dataclass(frozen=True, slots=True)
class DumpSettings:
    """The options of the task that say what is in the files."""

    folder: str
    compression: Compression
    statement_bytes: int
    where: str
    with_schemas: bool
    with_rows: bool
    with_views: bool

    @classmethod
    def of(cls, config: SubtaskConfig) -> DumpSettings:
        dump = config.dump
        return cls(
            dump_folder(config.load.dir, config.source_id, config.source_count),
            Compression(dump.compress),
            dump.statement_size or STATEMENT_BYTES,
            dump.where,
            not dump.has_argument("-m", "--no-schemas"),
            not dump.has_argument("-d", "--no-data"),
            not dump.has_argument("-W", "--no-views"),
        )

    def kept(self) -> dict[str, str]:
        """Those that must not change in the middle of a dump."""
        schemas, rows = str(self.with_schemas), str(self.with_rows)
        return {"compress": str(self.compression), "where": self.where, "schemas": schemas, "rows": rows}


def dump_folder(folder: str, source: str, sources: int) -> str:
    """Where a source's dump is: sources of one task have each a folder of their own."""
    return folder if sources == 1 else f"{folder.rstrip('/')}/{source}"


def file_chunks(plans: Sequence[TablePlan], tables: Sequence[Table], compression: Compression) -> tuple[FileChunk, ...]:
    """All chunks in the order in which they are written, numbered within their tables."""
    index = {(table.schema, table.name): number for number, table in enumerate(tables)}
    return tuple(
        FileChunk(index[table.schema, table.name], chunk_file(table.schema, table.name, number, compression), one)
        for plan in plans
        for table in (plan.source.structure,)
        for number, one in enumerate(plan.ranges)
    )


def file_tasks(state: DumpState) -> list[FileTask]:
    """The chunks that are not done."""
    chunks = state.plan.chunks if state.plan is not None else ()
    return [
        FileTask(number, chunk.table, chunk.range, chunk.file)
        for number, chunk in enumerate(chunks)
        if number not in state.done
    ]


def place_of(location: Location) -> Place:
    gtids = location.gtid_set
    return Place(location.position.name, location.position.offset, "" if gtids is None else str(gtids))
