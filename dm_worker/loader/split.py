"""A chunk that has many more rows than it was planned for is cut when its turn comes.

Ranges are cut by the server's estimates, and rows may have come since.  The chunk keeps its first rows; the rest
becomes a chunk of its own, in one transaction of the meta tables: together they hold the same rows, whatever dies when.
"""

from __future__ import annotations

from typing import Any, Final

from dm_worker.dumper.chunks import WHOLE, Bound, Range, bound_to_text
from dm_worker.dumper.copy_plan import TableCopy
from dm_worker.dumper.key_probe import IndexProbe
from dm_worker.dumper.plan import not_ascending
from dm_worker.loader.ends import CopyJob
from pkg.adapters.meta_tables import hold_epoch
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction

TIMES: Final = 4  # as many rows as planned are no reason to cut


def cut_of(upstream: Connection, table: TableCopy, chunk: Range, rows: int) -> Bound | None:
    """Where the chunk's first ``rows`` rows end; None where it has no more than ``TIMES`` as many."""
    if table.key is None or chunk == WHOLE:
        return None
    probe = IndexProbe(upstream, table.upstream_name, table.key)
    if probe.nth(chunk, TIMES * rows + 1) is None:
        return None
    found = probe.nth(chunk, rows)
    if found is not None and found == chunk.lower:
        raise not_ascending(table.upstream_name, table.key, found)
    return None if found == chunk.upper else found


def split(downstream: Connection, job: CopyJob, chunk_id: int, chunk: Range, at: Bound) -> int | None:
    """The chunk ends ``at`` that key; the new chunk's number, which has the rest.  Raises FENCED.

    None where another attempt at the chunk was faster.
    """
    mine = "source_id = %s AND chunk_id = %s"
    names = "schema_name, table_name, target_schema, target_table"

    def work(cursor: Any) -> int | None:
        hold_epoch(cursor, job.meta, job.source_id, job.epoch)  # so that splits of one source follow each other, too
        cursor.execute(f"SELECT MAX(chunk_id) + 1 FROM {job.meta.chunk} WHERE source_id = %s", (job.source_id,))
        number = int(cursor.fetchone()[0])
        changed = cursor.execute(
            f"UPDATE {job.meta.chunk} SET upper_bound = %s WHERE {mine} AND epoch = %s AND done = 0 "
            "AND upper_bound <=> %s",
            (bound_to_text(at), job.source_id, chunk_id, job.epoch, bound_to_text(chunk.upper)),
        )
        if changed != 1:
            return None
        cursor.execute(
            f"INSERT INTO {job.meta.chunk} (source_id, chunk_id, {names}, lower_bound, upper_bound, epoch) "
            f"SELECT source_id, %s, {names}, %s, %s, epoch FROM {job.meta.chunk} WHERE {mine}",
            (number, bound_to_text(at), bound_to_text(chunk.upper), job.source_id, chunk_id),
        )
        return number

    return in_transaction(downstream, work)
