"""ALTER TABLE that deletes or moves the rows of partitions: refused where the target's partitions hold other rows."""

from __future__ import annotations

from collections.abc import Callable

from dm_worker.syncer.servers import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.errors import shortened
from pkg.schema.partitions import partition_doubt, takes_rows
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Table

OTHER_PARTITIONS = ErrorKind(
    36195,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the partitions that the statement at {place} names hold other rows in {target} than upstream: {reason}; {sql}",
    workaround="delete the rows that the statement took upstream from the target (of EXCHANGE PARTITION: move them) "
    "by a condition of your own or by comparing the keys of both ends, then `dmctl binlog skip <task>`",
)


def refuse_other_partitions(
    downstream: Downstream,
    piece: Ddl,
    known: Callable[[], Table | None],
    target: TableName,
    *,
    upstream: str,
    place: str,
) -> None:
    """Raises OTHER_PARTITIONS; ``known`` gives the table upstream, ``upstream`` is the flavour of its server."""
    if not takes_rows(piece):
        return
    present, table = downstream.table(target.schema, target.table), known()
    if present is None or table is None:
        return
    doubt = partition_doubt(table, present, (upstream, downstream.server.flavor))
    if doubt is not None and downstream.has_row(target, doubt.where):
        raise OTHER_PARTITIONS.error(
            place=place,
            target=f"{target.schema}.{target.table}",
            reason=doubt.reason,
            sql=shortened(piece.text, 400),
        )
