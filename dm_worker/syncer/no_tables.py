"""DDL about what is no table of the target: views, sequences and MERGE tables, which stay upstream, and files."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import PartitionChange, SetOptions
from pkg.schema.errors import shortened
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName
from pkg.schema.table import Table, kind_of

KindOf = Callable[[str, str], str]
"""(schema, name) → its TABLE_TYPE on a server, "" when there is nothing of that name."""
CONVERT_PARTITION = ErrorKind(
    36126,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a partition becomes a table, or a table a partition, at {place}, and the target has no words for it: {sql}",
    workaround="run there, one by one, {instead}; then `dmctl binlog skip <task>`",
)
OTHER_KIND_THERE = ErrorKind(
    36234,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the table {name} is created at {place}, and the target has a {kind} of that name, which replication does not "
    "drop: {sql}",
    workaround="drop the {kind} there, or give it another name (RENAME TABLE), then resume-task",
)
FILES = ErrorKind(
    36238,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the file of a table, with its rows, is taken away or brought at {place}, and the binlog does not hold them: {sql}",
    workaround="`dmctl binlog skip <task>` passes over DISCARD TABLESPACE; where IMPORT TABLESPACE follows, give the "
    "target's table the rows that the upstream has behind it, and skip that, too",
)
MERGE_TRUNCATED = ErrorKind(
    36261,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{name} is a MERGE table, and emptying it at {place} has emptied its tables, of which the task takes some: {sql}",
    workaround="empty downstream the tables that were in its UNION, then `dmctl binlog skip <task>`; and truncate "
    "its tables themselves upstream",
)
BECOMES_MERGE = ErrorKind(
    36262,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the table {name} becomes a MERGE table at {place}, and its rows go where the binlog does not say: {sql}",
    workaround="drop {target} downstream; where the table had rows, give the last or first table of the UNION, as "
    "INSERT_METHOD says, those that it has got upstream; then `dmctl binlog skip <task>`",
)
BECOMES_TABLE = ErrorKind(
    36263,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{name}, which is no table of the target, becomes one at {place} with rows that the binlog does not hold: {sql}",
    workaround="copy the table: create {target} downstream, with the rows that it has upstream at {place}; then "
    "`dmctl binlog skip <task>`",
)
_OF_TABLES = frozenset({DdlKind.RENAME_TABLE, DdlKind.DROP_TABLE, DdlKind.ALTER_TABLE, DdlKind.TRUNCATE_TABLE})
_BASE_TABLES = ("BASE TABLE", "SYSTEM VERSIONED")
log = logging.getLogger(__name__)


def is_about_no_table(
    piece: Ddl,
    before: Table | None,
    after: Table | None,
    target: TableName,
    downstream: Downstream,
    upstream_kind: KindOf,
    place: str,
) -> bool:
    """Whether nothing is to be run: RENAME, DROP and ALTER TABLE also mean views and sequences.

    ``before``, ``after``: the tracked structure, which only tables have.
    """
    known = after if before is None else before
    if known is not None and known.kind == "sequence":
        known = None
    if known is not None and known.kind == "merge":
        log.warning("%s at %s: the target has no MERGE tables: %s", target.quoted(), place, shortened(piece.text))
        return True
    if known is not None or piece.kind not in _OF_TABLES:
        return False
    there = downstream.kind_of(target.schema, target.table)
    if there in _BASE_TABLES:
        return False
    name = piece.renames[-1][1] if piece.renames else piece.subject
    here = there or upstream_kind(name.schema, name.table)
    may_be_gone = piece.kind is DdlKind.DROP_TABLE or bool(piece.renames)  # a view that was dropped since
    if here in _BASE_TABLES or (not here and not may_be_gone):
        return False
    log.warning("left upstream, since it is no table there: %s at %s", shortened(piece.text), place)
    return True


def refuse_truncation(ddl: Ddl, reaches: Callable[[TableName], bool], place: str) -> None:
    """Raise MERGE_TRUNCATED for TRUNCATE TABLE; ``reaches``: see MergeTables."""
    if reaches(ddl.subject):
        raise MERGE_TRUNCATED.error(name=ddl.subject.quoted(), place=place, sql=shortened(ddl.text))


def refuse_becoming(
    downstream: Downstream, piece: Ddl, before: Table | None, after: Table | None, target: TableName, place: str
) -> None:
    """Raise BECOMES_MERGE or BECOMES_TABLE where an ALTER TABLE makes a table something else, or the other way round.

    One that makes a table a sequence is read as what drops the table (ddl_reading.py).  What is not tracked was a table
    where the target has one.
    """
    options = [one.options for one in piece.alterations if isinstance(one, SetOptions)]
    engine = next((one.engine for one in reversed(options) if one.engine), "")
    sequence = next((one.sequence for one in reversed(options) if one.sequence is not None), None)
    if not engine and sequence is None:
        return

    def is_there() -> bool:
        return downstream.kind_of(target.schema, target.table) in _BASE_TABLES

    was = before.kind if before is not None else ""
    becomes = after.kind if before is not None and after is not None else kind_of(engine)
    error = None
    if becomes == "merge" and (was == "table" or (not was and is_there())):
        error = BECOMES_MERGE
    elif becomes == "table" and (was in ("merge", "sequence") or (not was and sequence is False and not is_there())):
        error = BECOMES_TABLE
    if error is not None:
        name, sql = piece.subject.quoted(), shortened(piece.text)
        raise error.error(name=name, target=target.quoted(), place=place, sql=sql)


def refuse_files(ddl: Ddl, place: str) -> None:
    """Raise FILES for ALTER TABLE … DISCARD or IMPORT [PARTITION …] TABLESPACE."""
    if any(one.clause.key in ("DISCARD", "IMPORT") for one in ddl.clauses):
        raise FILES.error(place=place, sql=shortened(ddl.text))


def refuse_other_kind(downstream: Downstream, piece: Ddl, target: TableName, place: str) -> None:
    """Raise OTHER_KIND_THERE where a new table's name is that of a view or sequence.

    CREATE TABLE IF NOT EXISTS would do nothing there, and rows would be written through the view.
    """
    if piece.kind not in CREATIONS:
        return
    there = downstream.kind_of(target.schema, target.table)
    if there in ("VIEW", "SEQUENCE"):
        sql = shortened(piece.text)
        raise OTHER_KIND_THERE.error(name=target.quoted(), place=place, kind=there.lower(), sql=sql)


def refuse_conversion(piece: Ddl, renamed: Callable[[TableName], TableName], flavor: str, place: str) -> None:
    """Raise CONVERT_PARTITION for MariaDB's CONVERT, which the others do not have."""
    converts = next((o.action for o in piece.alterations if isinstance(o, PartitionChange) and o.converts), "")
    if flavor == "mariadb" or not converts:
        return
    table, other = (renamed(name).quoted() for name in (piece.tables[0], piece.tables[-1]))
    steps: tuple[str, ...]
    if converts == "CONVERT PARTITION":
        steps = (
            f"CREATE TABLE {other} LIKE {table}",
            f"ALTER TABLE {other} REMOVE PARTITIONING",
            f"ALTER TABLE {table} EXCHANGE PARTITION p WITH TABLE {other}",
            f"ALTER TABLE {table} DROP PARTITION p",
        )
    else:
        steps = (
            f"ALTER TABLE {table} ADD PARTITION (PARTITION p …)",
            f"ALTER TABLE {table} EXCHANGE PARTITION p WITH TABLE {other}",
            f"DROP TABLE {other}",
        )
    instead = "; ".join(steps) + " (p: the partition)"
    raise CONVERT_PARTITION.error(place=place, sql=shortened(piece.text), instead=instead)
