"""The rows by which dm-worker and the lanes of a consistent snapshot speak: ``snapshot`` and ``lane``.

They lie in the target, which every executor reaches anyway.  The snapshot's state goes
``gathering`` (lanes enter themselves) → ``opening`` (commits are kept out; members begin their snapshots,
once for each attempt) → ``held`` (they copy) → ``ended``.  Every write checks the epoch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pkg.adapters.meta_tables import MetaTables, fenced, hold_all_epochs, hold_epoch, location_values
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position

GATHERING: Final = "gathering"
OPENING: Final = "opening"
HELD: Final = "held"
ENDED: Final = "ended"

Names = Collection[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a lane reads: the snapshot's state, and whether the lane belongs to it."""

    state: str
    attempt: int
    is_member: bool


@dataclass(frozen=True, slots=True)
class LaneState:
    """What dm-worker reads of one lane."""

    lane: int
    is_member: bool
    attempt: int
    connection_id: int
    ended: bool
    position: Position | None  # where its snapshot is, on servers that tell


class _Rows:
    """Statements on one source's rows, through one connection of the caller."""

    def __init__(self, connection: Connection, tables: MetaTables, source_id: str, epoch: int) -> None:
        self._connection = connection
        self._tables = tables
        self._source_id = source_id
        self._epoch = epoch

    def _query(self, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(sql, arguments)
            return list(cursor.fetchall())

    def _change(self, sql: str, *arguments: Any) -> None:
        with self._connection.cursor() as cursor:
            if cursor.execute(sql, arguments) < 1:
                raise fenced(cursor, self._tables, self._source_id, self._epoch)


class SnapshotMeta(_Rows):
    """dm-worker's side."""

    def not_empty(self) -> set[tuple[str, str]] | None:
        """Target tables that had rows before this task wrote the first one; None: no snapshot was begun."""
        rows = self._query(f"SELECT not_empty FROM {self._tables.snapshot} WHERE source_id = %s", self._source_id)
        return {(schema, table) for schema, table in json.loads(rows[0][0] or "[]")} if rows else None

    def begin(self, not_empty: Names) -> None:
        """A new snapshot, of which no lane knows yet."""
        tables = self._tables

        def work(cursor: Any) -> None:
            hold_epoch(cursor, tables, self._source_id, self._epoch)
            cursor.execute(f"DELETE FROM {tables.lane} WHERE source_id = %s", (self._source_id,))
            cursor.execute(
                f"REPLACE INTO {tables.snapshot} (source_id, epoch, state, not_empty) VALUES (%s, %s, %s, %s)",
                (self._source_id, self._epoch, GATHERING, json.dumps(sorted(not_empty), ensure_ascii=False)),
            )

        in_transaction(self._connection, work)

    def copied_targets(self) -> list[tuple[str, str]]:
        """Target tables that have chunks of this source."""
        sql = f"SELECT DISTINCT target_schema, target_table FROM {self._tables.chunk} WHERE source_id = %s AND done > 0"
        return sorted((str(schema), str(table)) for schema, table in self._query(sql, self._source_id))

    def close_door(self) -> int:
        """Lanes that have entered belong to the snapshot, later ones do not; how many there are."""
        with self._connection.cursor() as cursor:
            sql = f"UPDATE {self._tables.lane} SET is_member = 1 WHERE source_id = %s AND epoch = %s"
            return int(cursor.execute(sql, (self._source_id, self._epoch)))

    def set_state(self, state: str, attempt: int) -> None:
        self._change(
            f"UPDATE {self._tables.snapshot} SET state = %s, attempt = %s WHERE source_id = %s AND epoch = %s",
            state, attempt, self._source_id, self._epoch,
        )  # fmt: skip

    def lanes(self) -> list[LaneState]:
        rows = self._query(
            "SELECT lane, is_member, attempt, connection_id, ended, binlog_name, binlog_pos "
            f"FROM {self._tables.lane} WHERE source_id = %s AND epoch = %s ORDER BY lane",
            self._source_id, self._epoch,
        )  # fmt: skip
        return [
            LaneState(
                int(lane), bool(member), int(attempt), int(number), bool(ended),
                Position(str(name), int(offset)) if name else None,
            )
            for lane, member, attempt, number, ended, name, offset in rows
        ]  # fmt: skip

    def done_among(self, chunk_ids: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """(chunk, rows, bytes, done) of those that are done; they should lie close together."""
        rows = self._query(
            f"SELECT chunk_id, row_count, byte_count, done FROM {self._tables.chunk} "
            "WHERE source_id = %s AND chunk_id BETWEEN %s AND %s AND done > 0",
            self._source_id, min(chunk_ids), max(chunk_ids),
        )  # fmt: skip
        wanted = set(chunk_ids)
        return [(int(one), int(count), int(size), int(done)) for one, count, size, done in rows if int(one) in wanted]

    def store_location(self, location: Location) -> None:
        """Replication, or a later task, starts where the snapshot is."""
        self._change(
            f"UPDATE {self._tables.source} SET start_binlog_name = %s, start_binlog_pos = %s, start_gtid = %s "
            "WHERE source_id = %s AND epoch = %s",
            *location_values(location), self._source_id, self._epoch,
        )  # fmt: skip

    def stored_location(self, flavor: Literal["mysql", "mariadb"]) -> Location:
        rows = self._query(
            f"SELECT start_binlog_name, start_binlog_pos, start_gtid FROM {self._tables.source} WHERE source_id = %s",
            self._source_id,
        )
        name, offset, gtids = rows[0]
        return Location(Position(str(name), int(offset)), None if gtids is None else parse_gtid_set(gtids, flavor))

    def alone(self, targets: Names, clear: Callable[[], None]) -> list[tuple[str, str, str]]:
        """Run ``clear`` unless other sources feed some of ``targets``, which are named then.

        Meanwhile no source can store a plan, so none can begin to feed them, and no run can claim this one.
        """
        tables = self._tables

        def work(cursor: Any) -> list[tuple[str, str, str]]:
            hold_all_epochs(cursor, tables, self._source_id, self._epoch)
            cursor.execute(
                f"SELECT DISTINCT target_schema, target_table, source_id FROM {tables.chunk} WHERE source_id <> %s",
                (self._source_id,),
            )
            wanted = set(targets)
            shared = [(row[0], row[1], row[2]) for row in cursor.fetchall() if (row[0], row[1]) in wanted]
            if not shared:
                clear()
            return shared

        return in_transaction(self._connection, work)


class LaneMeta(_Rows):
    """One lane's side."""

    def __init__(self, connection: Connection, tables: MetaTables, source_id: str, epoch: int, lane: int) -> None:
        super().__init__(connection, tables, source_id, epoch)
        self._mine = f"source_id = %s AND lane = {int(lane)} AND epoch = %s"
        self._lane = lane

    def was_here(self) -> bool:
        """Whether an earlier attempt of this lane belongs to the snapshot."""
        sql = f"SELECT is_member FROM {self._tables.lane} WHERE {self._mine}"
        rows = self._query(sql, self._source_id, self._epoch)
        return bool(rows and rows[0][0])

    def enter(self, connection_id: int) -> None:
        def work(cursor: Any) -> None:
            hold_epoch(cursor, self._tables, self._source_id, self._epoch)  # a later run's lane has the same number
            cursor.execute(
                f"REPLACE INTO {self._tables.lane} (source_id, lane, epoch, connection_id) VALUES (%s, %s, %s, %s)",
                (self._source_id, self._lane, self._epoch, connection_id),
            )

        in_transaction(self._connection, work)

    def invitation(self) -> Invitation:
        rows = self._query(
            f"SELECT s.state, s.attempt, l.is_member FROM {self._tables.snapshot} s JOIN {self._tables.lane} l "
            "ON l.source_id = s.source_id AND l.epoch = s.epoch "
            f"WHERE s.source_id = %s AND s.epoch = %s AND l.lane = {int(self._lane)}",
            self._source_id, self._epoch,
        )  # fmt: skip
        if not rows:
            with self._connection.cursor() as cursor:
                raise fenced(cursor, self._tables, self._source_id, self._epoch)
        return Invitation(str(rows[0][0]), int(rows[0][1]), bool(rows[0][2]))

    def opened(self, attempt: int, position: Position | None) -> None:
        name, offset = (position.name, position.offset) if position is not None else ("", 0)
        self._change(
            f"UPDATE {self._tables.lane} SET attempt = %s, binlog_name = %s, binlog_pos = %s WHERE {self._mine}",
            attempt, name, offset, self._source_id, self._epoch,
        )  # fmt: skip

    def take(self, most: int) -> int | None:
        """The first of ``most`` tasks that are this lane's from now on; None when the snapshot has ended."""
        with self._connection.cursor() as cursor:
            changed = cursor.execute(
                f"UPDATE {self._tables.snapshot} SET next_task = LAST_INSERT_ID(next_task) + %s "
                "WHERE source_id = %s AND epoch = %s AND state = %s",
                (most, self._source_id, self._epoch, HELD),
            )
        if changed < 1:
            return None
        return int(self._query("SELECT LAST_INSERT_ID()")[0][0])

    def ended(self) -> None:
        self._change(f"UPDATE {self._tables.lane} SET ended = 1 WHERE {self._mine}", self._source_id, self._epoch)
