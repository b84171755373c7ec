"""What the syncer keeps in the target besides the channels' rows: the checkpoint and table structures.

Each write is a transaction that first touches the source's row `WHERE epoch = mine`, so a run that
was replaced can store nothing.  The checkpoint's location is one before which every job is applied;
the structures are those at that location, for a DDL saves both together.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dm_worker.syncer.ddl_journal import DdlJournal, Known, document_of
from dm_worker.syncer.online_rows import Record, record_of
from dm_worker.syncer.shard_rows import StoredShards, read_rows
from dm_worker.syncer.target_connections import answers
from pkg.adapters.meta_tables import CHUNK_GONE, SET_BACK, MetaTables, fenced
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.transaction import in_transaction
from pkg.adapters.operators import load_operators, removal
from pkg.adapters.structures import structure_row
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.rows.job import Place
from pkg.schema.statement import TableName as QualifiedName
from pkg.schema.table import Table
from pkg.task.operators import Operator, Operators

TableName = tuple[str, str]
_INSIDE, _BEGUN, _DDL_GTID = "statements inside of a transaction: ", "file begun: ", "DDL's GTID: "
ANSWER_SECONDS = 60.0  # a few rows are written, and nobody waits longer for a lock: a server that is silent is dead


@dataclass(frozen=True, slots=True)
class Inside:
    """Statements that ran in a transaction that goes on behind them, as ``CREATE TABLE … SELECT`` before its rows."""

    transaction: str  # its GTID, or the place before it
    statements: int  # so many from its beginning


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where replication goes on.

    ``channels`` is the number of channels whose rows belong to it; ``server`` the identity of the
    server whose positions these are; ``ddl_location`` the end of a DDL that was begun and is not
    known to be done, or "".  ``inside``: statements behind the location that are done all the same.
    ``file_begun``: when the location's file was begun, which tells it from another one of its name; 0: not known.
    ``ddl_gtid``: of the DDL that was begun; "": it has none, or is not known.
    """

    location: Location
    channels: int
    server: str
    ddl_location: str = ""
    inside: Inside | None = None
    file_begun: int = 0
    ddl_gtid: str = ""

    def moved_to(self, location: Location) -> Checkpoint:
        """The same channels and server at another location, where nothing is begun."""
        is_same_file = location.position.name == self.location.position.name
        return Checkpoint(location, self.channels, self.server, file_begun=self.file_begun if is_same_file else 0)


@dataclass(frozen=True, slots=True)
class LoadMeta:
    """What the full migration left for replication: where to start, and until where rows may be there already."""

    start: Location | None
    end: Location | None
    finished: bool


class CheckpointStore:
    """Reads and writes the syncer's meta rows of one source, through one connection of its own."""

    def __init__(self, connect: Callable[[], Connection], tables: MetaTables, source_id: str, flavor: str) -> None:
        self._connect = connect
        self._tables = tables
        self._source_id = source_id
        self._flavor = flavor
        self._connection: Connection | None = None
        self._last: tuple[str, int] | None = None  # the place of the checkpoint as it was last read or stored
        self.epoch = 0
        self.batches: dict[int, int] = {}
        """By channel the number of the newest batch that it is known to have committed; appliers write here."""
        self.checks_keys = (
            False  # whether tied tables share a channel: what it was at the stored checkpoint, once loaded
        )

    def load(self) -> Checkpoint | None:
        columns = "binlog_name, binlog_pos, gtid, channels, server_identity, ddl_location, checks_keys"
        rows = self._select(f"SELECT {columns} FROM {self._tables.checkpoint} WHERE source_id = %s")
        if not rows:
            return None
        name, offset, gtid, channels, server, marks, checks_keys = rows[0]
        self.checks_keys = bool(checks_keys)
        self._last = str(name), int(offset)
        location = self._location(name, offset, gtid)
        return None if location is None else Checkpoint(location, int(channels), server, *_marks(marks))

    def channels(self) -> dict[int, Place]:
        """The last place that each channel applied."""
        rows = self._select(self._channels_sql())
        return _places_of(rows)

    def _channels_sql(self) -> str:
        columns = "channel, binlog_name, binlog_pos, row_index, gtid, gtids_before"
        return f"SELECT {columns} FROM {self._tables.channel} WHERE source_id = %s"

    def take_channels(self) -> dict[int, Place]:
        """The same, and from here on each batch has a number, by which a target that is set back is known."""
        number, found = time.time_ns(), {}

        def work(cursor: Any) -> None:
            cursor.execute(f"UPDATE {self._tables.channel} SET batch = %s WHERE source_id = %s AND epoch = %s",
                           (number, self._source_id, self.epoch))  # fmt: skip
            cursor.execute(self._channels_sql(), (self._source_id,))
            found.update(_places_of(cursor.fetchall()))

        self._transact(work)
        self.batches = dict.fromkeys(found, number)
        return found

    def structures(self) -> list[Table]:
        rows = self._select(f"SELECT structure FROM {self._tables.structure} WHERE source_id = %s")
        return [Table.from_json(json.loads(structure)) for (structure,) in rows]

    def read_at(self) -> dict[TableName, Position]:
        """Tables whose structure is today's, not that of the checkpoint, and where the binlog was when it was read."""
        columns = "schema_name, table_name, read_binlog_name, read_binlog_pos"
        where = "source_id = %s AND read_binlog_name <> ''"
        rows = self._select(f"SELECT {columns} FROM {self._tables.structure} WHERE {where}")
        return {(str(schema), str(table)): Position(str(name), int(offset)) for schema, table, name, offset in rows}

    def store_present(self, tables: Mapping[TableName, Table], read_at: Mapping[TableName, Position]) -> None:
        """Track tables as they are today, and where the binlog was when that was read."""
        self._write(self._structure_change(*name, table, read_at.get(name)) for name, table in tables.items())

    def settle_structures(self, tables: Iterable[TableName]) -> None:
        """Today's structures of these tables, and defaults of databases, are those of the checkpoint, too."""
        settled = set(tables)
        of_databases = self.databases_read_at()
        if settled & of_databases.keys():
            left = {name: read for name, read in of_databases.items() if name not in settled}
            self.store_collations(self.database_collations() or {}, left)
        sql = f"UPDATE {self._tables.structure} SET read_binlog_name = '', read_binlog_pos = 0"
        where = "source_id = %s AND schema_name = %s AND table_name = %s"
        self._write((f"{sql} WHERE {where}", (self._source_id, *name)) for name in settled)

    def pins(self) -> dict[TableName, Location]:
        """The locations up to which tables' rows were copied with them: keyless ones, and those that started again."""
        return self.made_anew() | self._places(self._tables.pinned)

    def made_anew(self) -> dict[TableName, Location]:
        """Tables that were altered while they were copied; the target has them as they were at these locations."""
        return self._places(self._tables.again)

    def _places(self, of: str) -> dict[TableName, Location]:
        columns = "schema_name, table_name, binlog_name, binlog_pos, gtid"
        rows = self._select(f"SELECT {columns} FROM {of} WHERE source_id = %s")
        found = {(schema, table): self._location(*place) for schema, table, *place in rows}
        return {name: location for name, location in found.items() if location is not None}

    def exact_pins(self) -> frozenset[TableName]:
        """Keyless tables that had all their columns, and no other ones, when they were read."""
        where = "source_id = %s AND is_exact = 1"
        rows = self._select(f"SELECT schema_name, table_name FROM {self._tables.pinned} WHERE {where}")
        return frozenset((str(schema), str(table)) for schema, table in rows)

    def ended(self) -> dict[TableName, Position]:
        """Tables of which all chunks had been read when the upstream's binlog was there."""
        columns = "schema_name, table_name, binlog_name, binlog_pos"
        rows = self._select(f"SELECT {columns} FROM {self._tables.copied} WHERE source_id = %s")
        return {(str(schema), str(table)): Position(str(name), int(offset)) for schema, table, name, offset in rows}

    def copied(self) -> dict[TableName, bool]:
        """Upstream tables that the full migration has read, and whether one was gone before it was read to the end."""
        rows = self._select(
            f"SELECT schema_name, table_name, MAX(done = {CHUNK_GONE}) FROM {self._tables.chunk} WHERE source_id = %s "
            "GROUP BY schema_name, table_name"
        )
        return {(str(schema), str(table)): bool(is_gone) for schema, table, is_gone in rows}

    def shards(self) -> StoredShards:
        """What the tables that are merged wait for."""
        columns = "target_schema, target_table, kind, seq, document"
        rows = self._select(f"SELECT {columns} FROM {self._tables.shard} WHERE source_id = %s")
        return read_rows(((*names, int(seq), text) for *names, seq, text in rows), self._flavor)

    def online_ddl(self) -> dict[QualifiedName, Record]:
        """DDL of shadow tables."""
        rows = self._select(f"SELECT ghost_schema, ghost_table, ddls FROM {self._tables.online_ddl} WHERE id = %s")
        return {QualifiedName(schema, table): record_of(text) for schema, table, text in rows}

    def planned(self) -> str:
        """What ``store_planned`` stored; "" if nothing."""
        rows = self._select(f"SELECT document FROM {self._tables.planned} WHERE source_id = %s")
        return str(rows[0][0]) if rows else ""

    def store_planned(self, document: str) -> tuple[str, Sequence[Any]]:
        """The statement that stores what tables were like when their copy began, of those that have changed since."""
        return f"REPLACE INTO {self._tables.planned} (source_id, document) VALUES (%s, %s)", (self._source_id, document)

    def row_orders(self) -> dict[TableName, str]:
        """By what the rows of upstream tables are given to channels."""
        columns = "schema_name, table_name, row_order"
        rows = self._select(f"SELECT {columns} FROM {self._tables.row_order} WHERE source_id = %s")
        return {(str(schema), str(table)): str(order) for schema, table, order in rows}

    def row_order_change(self, name: TableName, order: str) -> tuple[str, Sequence[Any]]:
        """The statement that stores that of one table."""
        columns = "source_id, schema_name, table_name, row_order"
        sql = f"REPLACE INTO {self._tables.row_order} ({columns}) VALUES (%s, %s, %s, %s)"
        return sql, (self._source_id, *name, order)

    def store_row_order(self, name: TableName, order: str) -> None:
        """For a table none of whose rows are applied beyond the checkpoint."""
        self._write([self.row_order_change(name, order)])

    def temporary_tables(self) -> str:
        """What ``store_temporary_tables`` stored; "" if nothing."""
        rows = self._select(f"SELECT document FROM {self._tables.temporary} WHERE source_id = %s")
        return str(rows[0][0]) if rows else ""

    def store_temporary_tables(self, document: str) -> tuple[str, Sequence[Any]]:
        """The statement that stores what is known of sessions' temporary tables."""
        sql = f"REPLACE INTO {self._tables.temporary} (source_id, document) VALUES (%s, %s)"
        return sql, (self._source_id, document)

    def journal(self, marked: Checkpoint, begun: str) -> DdlJournal:
        """Of the DDL that ``marked`` marks; ``begun``: by which an earlier run marked it, "" if none did."""
        rows = self._select(f"SELECT document FROM {self._tables.ddl} WHERE source_id = %s") if begun else []

        def save(known: Known, with_mark: bool) -> None:
            statement = self._journal_change(known)
            self.save(marked, also=[statement]) if with_mark else self._write([statement])

        return DdlJournal(marked.ddl_location, document_of(rows, begun), save)

    def _journal_change(self, known: Known) -> tuple[str, Sequence[Any]]:
        sql = f"REPLACE INTO {self._tables.ddl} (source_id, document) VALUES (%s, %s)"
        return sql, (self._source_id, known.to_json())

    def operator_at(self, position: Position) -> Operator | None:
        """What an operator decided about the statement that ends there."""
        return self.operators().get(position)

    def operators(self) -> Operators:
        """All that operators decided, by the statement's end."""
        return load_operators(self._open(), self._tables, self._source_id)

    def forget_places(self, channels: Iterable[int]) -> list[tuple[str, Sequence[Any]]]:
        """The statements that leave channels no place of their own: the checkpoint has all that they applied."""
        nowhere = "binlog_name = '', binlog_pos = 0, row_index = 0, gtid = '', gtids_before = NULL"
        sql = f"UPDATE {self._tables.channel} SET {nowhere} WHERE source_id = %s AND channel = %s AND epoch = %s"
        return [(sql, (self._source_id, channel, self.epoch)) for channel in channels]

    def forget_operator(self, position: Position) -> tuple[str, Sequence[Any]]:
        """What removes a decision that was carried out, with the checkpoint."""
        return removal(self._tables, self._source_id, position)

    def load_meta(self) -> LoadMeta:
        start = "start_binlog_name, start_binlog_pos, start_gtid"
        end = "end_binlog_name, end_binlog_pos, end_gtid"
        sql = f"SELECT load_status, {start}, {end} FROM {self._tables.source} WHERE source_id = %s"
        rows = self._select(sql)
        if not rows:
            return LoadMeta(None, None, False)
        status, *places = rows[0]
        return LoadMeta(self._location(*places[:3]), self._location(*places[3:]), status == "finished")

    def database_collations(self) -> dict[str, str] | None:
        """The default collation of each upstream database at the checkpoint; None where it is not known."""
        stored = self._databases()
        return None if stored is None else {schema: collation for schema, (collation, *_) in stored.items()}

    def databases_read_at(self) -> dict[TableName, Position]:
        """Databases whose default is today's, with "" for a table, and where the binlog was when it was read."""
        stored = self._databases() or {}
        return {(schema, ""): Position(*read) for schema, (_, *read) in stored.items() if read}

    def _databases(self) -> dict[str, list[Any]] | None:
        """By database: its collation and, where that is today's, the binlog's name and position when it was read."""
        rows = self._select(f"SELECT database_collations FROM {self._tables.source} WHERE source_id = %s")
        if not rows or not rows[0][0]:
            return None
        return {name: [one] if isinstance(one, str) else one for name, one in json.loads(rows[0][0]).items()}

    def collations_change(
        self, collations: Mapping[str, str], read_at: Mapping[TableName, Position]
    ) -> tuple[str, Sequence[Any]]:
        """The statement that stores them; ``read_at``: of which today's is known alone, as databases_read_at()."""
        stored: dict[str, str | list[Any]] = dict(collations)
        for (schema, table), read in read_at.items():
            if not table and schema in collations:
                stored[schema] = [collations[schema], read.name, read.offset]
        sql = f"UPDATE {self._tables.source} SET database_collations = %s WHERE source_id = %s"
        return sql, (json.dumps(stored, ensure_ascii=False), self._source_id)

    def store_collations(self, collations: Mapping[str, str], read_at: Mapping[TableName, Position]) -> None:
        """Outside of the stream."""
        self._write([self.collations_change(collations, read_at)])

    def copied_server(self) -> str:
        """The identity of the server that the full migration read; "" when it is not known."""
        rows = self._select(f"SELECT start_server FROM {self._tables.source} WHERE source_id = %s")
        return str(rows[0][0]) if rows else ""

    def save(
        self,
        checkpoint: Checkpoint,
        changed: Mapping[TableName, Table | None] | None = None,
        *,
        new_channels: bool = False,
        forget_copy: bool = False,
        also: Iterable[tuple[str, Sequence[Any]]] = (),
        read_at: Mapping[TableName, Position] | None = None,
    ) -> None:
        """Store ``checkpoint`` and the structures that changed (None: dropped), all or nothing.

        ``new_channels`` starts the channels' rows anew: only right where every channel is drained.
        ``forget_copy`` drops the locations that the full migration left, which are behind.
        ``also`` are further statements of the same transaction.
        ``read_at``: of structures that were read as they are today, where the binlog was then.
        Raises FENCED when another run has taken over, SET_BACK where the target is not as this run left it.
        """
        location, number = checkpoint.location, time.time_ns()
        gtid = "" if location.gtid_set is None else str(location.gtid_set)
        values = (
            self._source_id, location.position.name, location.position.offset, gtid, checkpoint.channels,
            checkpoint.server, _marks_text(checkpoint), self.checks_keys,
        )  # fmt: skip
        columns = "source_id, binlog_name, binlog_pos, gtid, channels, server_identity, ddl_location, checks_keys"
        replace = f"REPLACE INTO {self._tables.checkpoint} ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
        statements: list[tuple[str, Sequence[Any]]] = [(replace, values)]
        for (schema, table), structure in (changed or {}).items():
            statements.append(self._structure_change(schema, table, structure, (read_at or {}).get((schema, table))))
        if new_channels:
            statements.extend(self._channel_rows(checkpoint.channels, number))
        if forget_copy:
            statements.extend(self._without_copy())
        statements.extend(also)
        self._write(statements, self._refuse_set_back)
        self._last = location.position.name, location.position.offset
        if new_channels:
            self.batches = dict.fromkeys(range(checkpoint.channels), number)

    def _refuse_set_back(self, cursor: Any, batches: Mapping[int, int]) -> None:
        """Raises SET_BACK where the checkpoint or a channel is behind what this run has stored (``batches``)."""
        if self._last is None:
            return
        sql = (
            f"SELECT p.binlog_name, p.binlog_pos, c.channel, c.batch FROM {self._tables.checkpoint} p "
            f"LEFT JOIN {self._tables.channel} c ON c.source_id = p.source_id WHERE p.source_id = %s"
        )
        cursor.execute(sql, (self._source_id,))
        rows = cursor.fetchall()
        there = {channel: int(batch) for _, _, channel, batch in rows if channel is not None}
        places = {(str(name), int(offset)) for name, offset, _, _ in rows}
        if places != {self._last} or any(there.get(channel, -1) < batch for channel, batch in batches.items()):
            raise SET_BACK.error(source=self._source_id, task=self._tables.task, table=self._tables.checkpoint)

    def _structure_change(
        self, schema: str, table: str, structure: Table | None, read_at: Position | None
    ) -> tuple[str, Sequence[Any]]:
        key = (self._source_id, schema, table)
        if structure is not None:
            return structure_row(self._tables, key, structure, read_at)
        where = "source_id = %s AND schema_name = %s AND table_name = %s"
        return f"DELETE FROM {self._tables.structure} WHERE {where}", key

    def _channel_rows(self, count: int, number: int) -> Iterable[tuple[str, Sequence[Any]]]:
        yield f"DELETE FROM {self._tables.channel} WHERE source_id = %s", (self._source_id,)
        for channel in range(count):
            sql = f"INSERT INTO {self._tables.channel} (source_id, channel, epoch, batch) VALUES (%s, %s, %s, %s)"
            yield sql, (self._source_id, channel, self.epoch, number)

    def _without_copy(self) -> Iterable[tuple[str, Sequence[Any]]]:
        no_end = "end_binlog_name = '', end_binlog_pos = 0, end_gtid = NULL"
        yield f"UPDATE {self._tables.source} SET {no_end} WHERE source_id = %s", (self._source_id,)
        # Decisions of an operator are about places of the former server, too.
        for table in (self._tables.pinned, self._tables.again, self._tables.operator):
            yield f"DELETE FROM {table} WHERE source_id = %s", (self._source_id,)

    def _write(
        self,
        statements: Iterable[tuple[str, Sequence[Any]]],
        check: Callable[[Any, Mapping[int, int]], None] | None = None,
    ) -> None:
        mine = f"UPDATE {self._tables.source} SET epoch = epoch WHERE source_id = %s AND epoch = %s"
        wanted, batches = list(statements), dict(self.batches)

        def work(cursor: Any) -> None:
            if cursor.execute(mine, (self._source_id, self.epoch)) != 1:
                raise fenced(cursor, self._tables, self._source_id, self.epoch)
            if check is not None:
                check(cursor, batches)
            for sql, arguments in wanted:
                cursor.execute(sql, arguments)

        self._transact(work)

    def _transact(self, work: Callable[[Any], None]) -> None:
        try:
            in_transaction(self._open(), work)
        except BaseException:
            self.close()
            raise

    def _select(self, sql: str) -> list[Sequence[Any]]:
        try:
            with self._open().cursor() as cursor:
                cursor.execute(sql, (self._source_id,))
                return list(cursor.fetchall())
        except BaseException:
            self.close()
            raise

    def _location(self, name: str, offset: int, gtid: str | None) -> Location | None:
        if not name and not gtid:
            return None
        return Location(Position(name, int(offset)), parse_gtid_set(gtid, self._flavor) if gtid else None)

    def _open(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
            self._connection._read_timeout = ANSWER_SECONDS
        return self._connection

    def ping(self) -> None:
        """Raise when the target does not answer, also to a new connection: a lost one alone means nothing."""
        if self._connection is not None and not answers(self._connection):
            self.close()
        self._open()

    def close(self) -> None:
        """Let the server roll back what is open; the next call connects again."""
        if self._connection is not None:
            self._connection._force_close()
            self._connection = None


def _places_of(rows: Iterable[Sequence[Any]]) -> dict[int, Place]:
    return {int(channel): Place(name, int(end), int(index), *gtids) for channel, name, end, index, *gtids in rows}


def _marks_text(checkpoint: Checkpoint) -> str:
    """The place of a DDL that was begun, and further marks, each on a line of its own."""
    lines = [checkpoint.ddl_location]
    if checkpoint.inside is not None:
        lines.append(f"{_INSIDE}{checkpoint.inside.statements} {checkpoint.inside.transaction}")
    if checkpoint.file_begun:
        lines.append(f"{_BEGUN}{checkpoint.file_begun}")
    if checkpoint.ddl_gtid:
        lines.append(f"{_DDL_GTID}{checkpoint.ddl_gtid}")
    return "\n".join(lines)


def _marks(text: str) -> tuple[str, Inside | None, int, str]:
    ddl_location, *lines = text.split("\n")
    inside, begun, ddl_gtid = None, 0, ""
    for line in lines:
        if line.startswith(_INSIDE):
            statements, _, transaction = line[len(_INSIDE) :].partition(" ")
            inside = Inside(transaction, int(statements))
        elif line.startswith(_BEGUN):
            begun = int(line[len(_BEGUN) :])
        elif line.startswith(_DDL_GTID):
            ddl_gtid = line[len(_DDL_GTID) :]
    return ddl_location, inside, begun, ddl_gtid
