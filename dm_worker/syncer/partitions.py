"""ALTER TABLE that deletes or moves the rows of partitions: refused where the target's partitions hold other rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.passing import AskedUpstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.column_rules import ColumnRules
from pkg.schema.errors import shortened
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_string
from pkg.schema.partitions import Doubt, hashed_moments, other_bounds, partition_doubts, takes_rows
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


_OLD_FORMAT = "SELECT column_name FROM information_schema.columns WHERE column_type LIKE '%/* mariadb-5.3 */%' AND "


@dataclass(frozen=True, slots=True)
class PartitionedUpstream:
    """What is known of the tables of an upstream: its flavour, itself, and what is mapped of its rows."""

    flavor: str
    asked: AskedUpstream
    rules: ColumnRules


def refuse_other_partitions(
    downstream: Downstream,
    piece: Ddl,
    before: Table | None,
    target: TableName,
    upstream: PartitionedUpstream,
    place: str,
) -> None:
    """Raises OTHER_PARTITIONS; ``before`` is the table upstream before the statement, as far as it is tracked."""
    if not takes_rows(piece):
        return
    subject, present = piece.subject, downstream.table(target.schema, target.table)
    is_later = before is None or not before.partitions
    now = upstream.asked.table(subject.schema, subject.table) if is_later else None
    if present is None or (table := before or now) is None:
        return
    mapped = {small(one.target) for one in upstream.rules.of(subject.schema, subject.table).mapped}
    bounds = other_bounds(piece, now or table, present, mapped, upstream.asked.value_of, is_later=is_later)
    doubts = partition_doubts(table, present, (upstream.flavor, downstream.server.flavor))
    for doubt in filter(None, (*doubts, bounds, _of_old_format(downstream, table, target, upstream))):
        if downstream.has_row(target, doubt.where):
            raise OTHER_PARTITIONS.error(
                place=place,
                target=f"{target.schema}.{target.table}",
                reason=doubt.reason,
                sql=shortened(piece.text, 400),
            )


def _of_old_format(
    downstream: Downstream, table: Table, target: TableName, upstream: PartitionedUpstream
) -> Doubt | None:
    """MariaDB keeps moments of tables of its old versions, and under mysql56_temporal_format=OFF, in other bytes."""
    moments = hashed_moments(table)
    if not moments or upstream.flavor != "mariadb":
        return None
    ours = _old_moments(upstream.asked.rows, TableName(table.schema, table.name))
    theirs = _old_moments(downstream.rows, target) if downstream.server.flavor == "mariadb" else frozenset()
    unlike = sorted((ours ^ theirs) & moments)
    return Doubt(f"the column {unlike[0]} is in MariaDB's old temporal format on one side alone") if unlike else None


def _old_moments(ask: Callable[[str], Sequence[Sequence[Any]]], name: TableName) -> frozenset[str]:
    schema, table = (quote_string(word) for word in (name.schema, name.table))
    return frozenset(
        small(str(row[0])) for row in ask(f"{_OLD_FORMAT}table_schema = {schema} AND table_name = {table}")
    )
