"""The plan of a full migration: which tables, where to, in which chunks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from dm_worker.dumper.chunks import WHOLE, Bound, ChunkSize, Key, NotAscending, Range, best_key, rows_per_chunk
from dm_worker.dumper.cutting import plan_ranges
from dm_worker.dumper.key_probe import IndexProbe
from dm_worker.dumper.source_tables import SourceTable
from pkg.adapters.meta_tables import quoted
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import errno_of, naming
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.router import Target

log = logging.getLogger(__name__)

NOT_ASCENDING = ErrorKind(
    34132,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "table {table} cannot be cut into chunks by its key {key}: the upstream finds {bound} behind itself, so its index "
    "has another order than its comparisons",
    workaround="rebuild the index upstream (ALTER TABLE … FORCE), or give the table a key of numbers, then "
    "resume-task; or leave the table out of the task (block-allow-list) and copy it by other means",
)


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
    of_ddl: Collection[int] = (),
) -> list[TablePlan]:
    """Cut every table; a stop ends it early with fewer tables, and the caller must not use them.

    ``of_ddl``: server errors that say that a table is not as its structure says any more: it is one chunk then, and
    whoever copies that finds out what became of the table.
    """
    total = sum(source.listed.size.rows for source, _ in tables)
    plans: list[TablePlan] = []
    for source, target in tables:
        if stopped():
            break
        plans.append(TablePlan(source, target, tuple(_ranges(connection, source, size, total, of_ddl))))
    return plans


def _ranges(
    connection: Connection, source: SourceTable, size: ChunkSize, total_rows: int, of_ddl: Collection[int]
) -> list[Range]:
    key = best_key(source.structure)
    if key is None:
        return [WHOLE]
    target = rows_per_chunk(size, source.listed.size, total_rows)
    name = f"{quoted(source.structure.schema)}.{quoted(source.structure.name)}"
    try:
        return plan_ranges(key, source.listed.size, target, IndexProbe(connection, name, key))
    except NotAscending as exc:
        raise not_ascending(name, key, exc.bound) from exc
    except DMError as exc:
        if errno_of(exc) in of_ddl:
            log.info("table is altered while it is planned: table=%s error=%s", name, exc.message)
            return [WHOLE]
        raise naming(exc, f"cutting {name} into chunks by its key {key}") from exc


def not_ascending(table: str, key: Key, bound: Bound) -> DMError:
    """``table`` is quoted."""
    return NOT_ASCENDING.error(table=table, key=str(key), bound=f"({', '.join(bound)})")
