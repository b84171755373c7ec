"""Where a source's subtasks still have to read: a relay log starts there, and deletes nothing after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from dm_worker.syncer.checkpoint import CheckpointStore
from dm_worker.syncer.dm_checkpoint import take_over
from pkg.adapters.dm_meta import checkpoint_rows
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig


@dataclass(frozen=True, slots=True)
class Reader:
    """A subtask, and the checkpoint that its process told last ("": none yet)."""

    task: str
    wire: str = field(repr=False)
    checkpoint: str = ""
    gtid: str = ""


def least_needed(readers: Iterable[Reader]) -> Location | None:
    """The first location that any of them needs; None when none of them has begun.  Raises as `all_needed`."""
    return reduce(earlier, needed) if (needed := all_needed(readers)) else None


def all_needed(readers: Iterable[Reader]) -> list[Location]:
    """The locations at which they go on, of those that have begun.

    Asks the targets; raises DMError when one cannot be asked, for then nobody knows.
    """
    return [location for location in map(needed_by, readers) if location is not None]


def earlier(one: Location, other: Location) -> Location:
    """The one to begin at when both are needed; by GTIDs where they tell."""
    if one.gtid_set is not None and other.gtid_set is not None:
        order = one.gtid_set.compare(other.gtid_set)
        if order is not None:
            return one if order <= 0 else other
    return min(one, other, key=lambda location: location.position)


def needed_by(reader: Reader) -> Location | None:
    """Where it goes on; None when that is its own to find: at the copy's begin, at a time, or at present."""
    config = SubtaskConfig.from_wire(reader.wire)
    if config.task_mode in (TaskMode.DUMP, TaskMode.LOAD):
        return None  # they read no binlog
    if reader.checkpoint:
        gtid_set = parse_gtid_set(reader.gtid, config.flavor) if reader.gtid else None
        return Location(Position.parse(reader.checkpoint), gtid_set)
    return _stored(config) or _left_by_dm(config) or _named(config)


def _stored(config: SubtaskConfig) -> Location | None:
    """The checkpoint in the target, else where the full migration began to read."""
    options = ConnectionOptions.from_config(config.target, side="downstream")

    def open_target() -> Connection:
        return connect(options, side="downstream")

    tables = MetaTables(config.meta_schema, config.task_name)
    store = CheckpointStore(open_target, tables, config.source_id, config.flavor)
    try:
        known = store.load()
        places = store.shards().needed()  # what waits for a DDL of other shards is read again from there
        if known is None:
            return store.load_meta().start
        return reduce(earlier, places, known.location)
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return None
        raise
    finally:
        store.close()


def _left_by_dm(config: SubtaskConfig) -> Location | None:
    """The checkpoint of the DM that ran this task before."""
    if config.start_time or config.task_mode is TaskMode.FULL:
        return None
    connection = connect(ConnectionOptions.from_config(config.target, side="downstream"), side="downstream")
    try:
        rows = checkpoint_rows(connection, MetaTables(config.meta_schema, config.task_name), config.source_id)
    finally:
        connection.close()
    nowhere = Location(Position("", 0))
    taken = take_over(rows, flavor=config.flavor, by_gtid=config.enable_gtid, present=nowhere)
    return taken.start if taken is not None else None


def _named(config: SubtaskConfig) -> Location | None:
    """What the task file says (`meta`)."""
    meta = config.meta
    if meta is None or config.start_time or not (meta.binlog_name or meta.binlog_gtid):
        return None
    gtid_set = parse_gtid_set(meta.binlog_gtid, config.flavor) if meta.binlog_gtid else None
    return Location(Position(meta.binlog_name, meta.binlog_pos or 4), gtid_set)
