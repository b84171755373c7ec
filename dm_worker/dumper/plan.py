"""The plan of a full migration: which tables, where to, in which chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dm_worker.dumper.chunks import WHOLE, ChunkSize, Range, best_key, rows_per_chunk
from dm_worker.dumper.cutting import plan_ranges
from dm_worker.dumper.key_probe import IndexProbe
from dm_worker.dumper.source_tables import SourceTable
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.rules.router import Target


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One upstream table, its target and its chunks."""

    source: SourceTable
    target: Target
    ranges: tuple[Range, ...]


def plan_tables(
    connection: Connection,
    tables: Sequence[tuple[SourceTable, Target]],
    size: ChunkSize,
    stopped: Callable[[], bool],
) -> list[TablePlan]:
    """Cut every table; a stop ends it early with fewer tables, and the caller must not use them."""
    total = sum(source.listed.size.rows for source, _ in tables)
    plans: list[TablePlan] = []
    for source, target in tables:
        if stopped():
            break
        plans.append(TablePlan(source, target, tuple(_ranges(connection, source, size, total))))
    return plans


def _ranges(connection: Connection, source: SourceTable, size: ChunkSize, total_rows: int) -> list[Range]:
    key = best_key(source.structure)
    if key is None:
        return [WHOLE]
    target = rows_per_chunk(size, source.listed.size, total_rows)
    name = f"{quoted(source.structure.schema)}.{quoted(source.structure.name)}"
    return plan_ranges(key, source.listed.size, target, IndexProbe(connection, name, key))
