"""Taking over a task that DM ran: DM's checkpoint in the target is read once, at the first start here.

Replication starts at DM's global checkpoint.  DM may have applied more than that: rows are applied
before they are in a checkpoint.  How far it may have come, so that safe mode covers it:

- DM notes a safe mode exit point whenever it stops in order or by an error: nothing after it was applied.
  Where it equals the checkpoint, nothing at all was, and there is no safe mode.
- Without one DM was killed; what it read was in the upstream's binlog, so the present end is the bound.
- With GTIDs the upstream may be another server than the one whose positions DM noted, so only equal
  GTID sets are trusted, and else the present end is the bound.

A table's own checkpoint that is ahead of the global one counts as in DM: the table's earlier rows are
passed over.  Structures are read from the upstream, not from DM's ``table_info``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pkg.adapters.dm_meta import Row, checkpoint_rows, checkpoint_table, shard_rows
from pkg.adapters.meta_tables import MetaTables
from pkg.binlog.gtid import BAD_GTID_SET, GtidSet, parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope

DM_SHARD_GROUPS = ErrorKind(
    24101,
    "checkpoint",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "task {task} cannot be taken over from DM: source {source} stands in the middle of a sharded DDL: {groups}",
    workaround="run the task in DM until the DDL is through on all shards (its `shard-ddl-lock` shows who is missing), "
    "stop it there, then resume-task here; or start it with --remove-meta, which forgets DM's checkpoint",
)
DM_UNREADABLE = ErrorKind(
    24102,
    "checkpoint",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "DM's checkpoint of source {source} in {table} cannot be read: {reason}",
    workaround="correct the row; or start the task with --remove-meta, and with `meta` or --start-time as its start",
)

_RELAY_NAME = re.compile(r"(.+)\|\d{6,}\.(\d+)", re.ASCII)  # base, number of the relay's folder, number of the file

TableName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Where replication goes on after DM."""

    start: Location
    safe_until: Position | None  # None: DM has applied nothing after its checkpoint
    pins: Mapping[TableName, Position] = field(default_factory=dict)


def upstream_name(name: str) -> str:
    """The upstream's own name of a binlog file that DM read from its relay log: mysql-bin|000001.000003."""
    found = _RELAY_NAME.fullmatch(name)
    return f"{found[1]}.{found[2]}" if found else name


def is_begun(rows: Sequence[Row]) -> bool:
    """Whether DM has replicated: its full migration was over then."""
    return _global(rows) is not None


def take_over(rows: Sequence[Row], *, flavor: str, by_gtid: bool, present: Location) -> TakeOver | None:
    """What follows from DM's checkpoint; None when there is none.

    ``present`` is where the upstream's binlog ends now.  Raises BAD_GTID_SET.
    """
    row = _global(rows)
    if row is None:
        return None
    gtids, exit_gtids = (_gtids(row, name, flavor) for name in ("binlog_gtid", "exit_safe_binlog_gtid"))
    if by_gtid and gtids is not None:
        exact = exit_gtids is not None and exit_gtids.compare(gtids) == 0
        return TakeOver(Location(Position("", 0), gtids), None if exact else present.position)
    start, exit_point = _position(row, ""), _position(row, "exit_safe_")
    assert start is not None  # by _global
    pins = {(str(one["cp_schema"]), str(one["cp_table"])): _position(one, "") for one in rows if not one["is_global"]}
    ahead = {name: pin for name, pin in pins.items() if pin is not None and pin > start}
    until = exit_point or present.position
    return TakeOver(Location(start), until if until > start else None, ahead)


def unfinished_groups(rows: Sequence[Row]) -> list[str]:
    """Shard groups that wait for some of their tables, as text."""
    found = []
    for row in rows:
        items = json.loads(row["data"] or "null") or []
        if row["is_global"] and items[int(row["active_index"]) :]:
            ddls = "; ".join(str(ddl) for item in items for ddl in item.get("ddls") or ())
            found.append(f"{row['target_table_id']} ({ddls})")
    return found


def read_take_over(
    connection: Any, tables: MetaTables, source_id: str, *, flavor: str, by_gtid: bool, present: Location
) -> TakeOver | None:
    """What DM left of this source.  Raises DM_SHARD_GROUPS, DM_UNREADABLE."""
    rows = checkpoint_rows(connection, tables, source_id)
    if not is_begun(rows):
        return None
    try:
        groups = unfinished_groups(shard_rows(connection, tables, source_id))
        found = take_over(rows, flavor=flavor, by_gtid=by_gtid, present=present)
    except (ValueError, TypeError, KeyError) as exc:
        raise _unreadable(tables, source_id, exc) from exc
    except DMError as exc:
        if exc.is_a(BAD_GTID_SET):
            raise _unreadable(tables, source_id, exc) from exc
        raise
    if groups:
        raise DM_SHARD_GROUPS.error(task=tables.task, source=source_id, groups=", ".join(groups))
    return found


def marks(tables: MetaTables, source_id: str, taken: TakeOver) -> Iterator[tuple[str, Sequence[Any]]]:
    """What keeps the take-over in our own tables: there is nothing to load, and where safe mode ends."""
    until = taken.safe_until or Position("", 0)
    values = "load_status = 'finished', end_binlog_name = %s, end_binlog_pos = %s, end_gtid = NULL"
    yield f"UPDATE {tables.source} SET {values} WHERE source_id = %s", (until.name, until.offset, source_id)
    columns = "source_id, schema_name, table_name, binlog_name, binlog_pos, gtid"
    sql = f"REPLACE INTO {tables.pinned} ({columns}) VALUES (%s, %s, %s, %s, %s, '')"
    for (schema, table), pin in taken.pins.items():
        yield sql, (source_id, schema, table, pin.name, pin.offset)


def _unreadable(tables: MetaTables, source_id: str, reason: Exception) -> DMError:
    text = reason.message if isinstance(reason, DMError) else repr(reason)
    return DM_UNREADABLE.error(source=source_id, table=checkpoint_table(tables), reason=text)


def _global(rows: Sequence[Row]) -> Row | None:
    """The global row, when it names a place."""
    return next((row for row in rows if row["is_global"] and (row["binlog_name"] or row["binlog_gtid"])), None)


def _position(row: Row, prefix: str) -> Position | None:
    name = row.get(f"{prefix}binlog_name")
    return Position(upstream_name(str(name)), int(row[f"{prefix}binlog_pos"])) if name else None


def _gtids(row: Row, column: str, flavor: str) -> GtidSet | None:
    text = row.get(column)
    return parse_gtid_set(str(text), flavor) if text else None
