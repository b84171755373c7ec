"""The tables that a task keeps in its target: names, structure, and the claim of an epoch.

All of them live in the task's ``meta-schema`` and start with the task's name:

``source``      one row per source: the epoch (the fence of the running subtask), where replication
                starts, where the lock-free copy ended, how far the load is
``chunk``       one row per chunk of the full migration
``pinned``      keyless tables: the location of the snapshot in which each was read
``snapshot``    one row per source: the consistent snapshot of a full migration that holds one
``lane``        the connections that read this snapshot
``structure``   the tracked structure of each upstream table at the checkpoint's location
``shard``       what tables that are merged wait for, by their DDL
``onlineddl``   DDL of shadow tables, until they take their tables' places; named and built as DM's
``channel``     what each channel of the syncer has applied
``checkpoint``  the location before which everything is applied
``summary``     what the full migration came to, as JSON
``later``       indexes and foreign keys of tables of the target that come after the rows, and views
``made``        tables of the target that the full migration has created, as they were then
``again``       upstream tables that were altered while they were copied, and were copied anew: as they were, and where
``temporary``   temporary tables of the upstream's sessions that the stream has told of, as JSON
``connection``  connections that may change structures, until they are known to be gone (owned_connections.py)
``ddl``         what was begun of the DDL that the checkpoint marks, as JSON (dm_worker/syncer/ddl_journal.py)
``operator``    what an operator decided about single statements (`dmctl binlog`)

An epoch is ``bind_epoch << 20 | run``: a later binding of the source always outranks every run of an
earlier one, and a later run of the same binding outranks an earlier run (DESIGN.md §4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pkg.adapters.mysql.connection import run_allowed
from pkg.adapters.mysql.transaction import in_transaction
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope

Connection = Any  # pymysql.Connection[Any]; its stubs make the cursor class part of the type

CHUNK_GONE: Final = 3
"""What ``done`` says of a chunk whose table was gone from the upstream before it was read."""

FENCED = ErrorKind(
    42502,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "source {source} of task {task} is run by another worker: epoch {current} in {table} is newer than {mine}",
    workaround="nothing to do: the newer run goes on; this one has stopped without writing",
)

RUN_BITS = 20


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class MetaTables:
    """Qualified, quoted names of a task's meta tables."""

    schema: str
    task: str

    def _name(self, suffix: str) -> str:
        return f"{quoted(self.schema)}.{quoted(f'{self.task}_sparkdm_{suffix}')}"

    @property
    def source(self) -> str:
        return self._name("source")

    @property
    def chunk(self) -> str:
        return self._name("chunk")

    @property
    def pinned(self) -> str:
        return self._name("pinned")

    @property
    def snapshot(self) -> str:
        return self._name("snapshot")

    @property
    def lane(self) -> str:
        return self._name("lane")

    @property
    def structure(self) -> str:
        return self._name("structure")

    @property
    def channel(self) -> str:
        return self._name("channel")

    @property
    def checkpoint(self) -> str:
        return self._name("checkpoint")

    @property
    def operator(self) -> str:
        return self._name("operator")

    @property
    def summary(self) -> str:
        return self._name("summary")

    @property
    def later(self) -> str:
        return self._name("later")

    @property
    def made(self) -> str:
        return self._name("made")

    @property
    def again(self) -> str:
        return self._name("again")

    @property
    def temporary(self) -> str:
        return self._name("temporary")

    @property
    def shard(self) -> str:
        return self._name("shard")

    @property
    def connection(self) -> str:
        """Kept when a source is forgotten: whoever comes next ends them."""
        return self._name("connection")

    @property
    def ddl(self) -> str:
        return self._name("ddl")

    @property
    def online_ddl(self) -> str:
        """Rows are found by ``id``, the source's: it is DM's own table where DM ran the task before."""
        return f"{quoted(self.schema)}.{quoted(f'{self.task}_onlineddl')}"

    def all(self) -> tuple[str, ...]:
        return (
            self.source, self.chunk, self.pinned, self.structure, self.channel, self.checkpoint, self.operator,
            self.shard, self.snapshot, self.lane, self.summary, self.later,
            self.made, self.again, self.temporary, self.ddl,
        )  # fmt: skip


_SOURCE_ID = "source_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
_NAME = "VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
_LOCATION = (
    "{0}binlog_name VARCHAR(255) NOT NULL DEFAULT '', "
    "{0}binlog_pos BIGINT UNSIGNED NOT NULL DEFAULT 0, {0}gtid LONGTEXT"
)  # fmt: skip


def location_values(location: Location) -> tuple[str, int, str | None]:
    """What the three columns of a location hold."""
    gtids = location.gtid_set
    return location.position.name, location.position.offset, None if gtids is None else str(gtids)


def definitions(tables: MetaTables) -> tuple[str, ...]:
    """CREATE statements, each safe to repeat."""
    create = "CREATE TABLE IF NOT EXISTS "
    # Whatever the server's defaults are: rows and locations are one transaction, and the keys fit.
    tail = ") ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
    updated = "updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"
    key = "PRIMARY KEY"
    return (
        f"CREATE DATABASE IF NOT EXISTS {quoted(tables.schema)}",
        f"{create}{tables.source} ({_SOURCE_ID}, epoch BIGINT NOT NULL, {_LOCATION.format('start_')}, "
        f"{_LOCATION.format('end_')}, load_status VARCHAR(16) NOT NULL DEFAULT '', {updated}, "
        f"{key} (source_id){tail}",
        f"{create}{tables.chunk} ({_SOURCE_ID}, chunk_id INT NOT NULL, schema_name {_NAME}, table_name {_NAME}, "
        f"target_schema {_NAME}, target_table {_NAME}, lower_bound LONGTEXT, upper_bound LONGTEXT, "
        "epoch BIGINT NOT NULL, "
        f"done TINYINT NOT NULL DEFAULT 0, row_count BIGINT NOT NULL DEFAULT 0, byte_count BIGINT NOT NULL DEFAULT 0, "
        f"PRIMARY KEY (source_id, chunk_id){tail}",
        f"{create}{tables.pinned} ({_SOURCE_ID}, schema_name {_NAME}, table_name {_NAME}, {_LOCATION.format('')}, "
        f"PRIMARY KEY (source_id, schema_name, table_name){tail}",
        f"{create}{tables.structure} ({_SOURCE_ID}, schema_name {_NAME}, table_name {_NAME}, "
        f"structure LONGTEXT NOT NULL, PRIMARY KEY (source_id, schema_name, table_name){tail}",
        f"{create}{tables.channel} ({_SOURCE_ID}, channel INT NOT NULL, epoch BIGINT NOT NULL, "
        "binlog_name VARCHAR(255) NOT NULL DEFAULT '', binlog_pos BIGINT UNSIGNED NOT NULL DEFAULT 0, "
        f"row_index BIGINT NOT NULL DEFAULT 0, gtid VARCHAR(128) NOT NULL DEFAULT '', "
        "batch BIGINT NOT NULL DEFAULT 0, asked INT UNSIGNED NOT NULL DEFAULT 0, "
        # With the epoch in the key, a channel's move is the read of one key for TiDB: half the price of a search.
        f"PRIMARY KEY (source_id, channel, epoch){tail}",
        f"{create}{tables.checkpoint} ({_SOURCE_ID}, {_LOCATION.format('')}, channels INT NOT NULL, "
        "server_identity VARCHAR(64) NOT NULL DEFAULT '', ddl_location VARCHAR(300) NOT NULL DEFAULT '', "
        "checks_keys TINYINT NOT NULL DEFAULT 0, "
        f"{updated}, PRIMARY KEY (source_id){tail}",
        f"{create}{tables.shard} ({_SOURCE_ID}, target_schema {_NAME}, target_table {_NAME}, "
        "kind VARCHAR(16) NOT NULL, seq INT NOT NULL, document LONGTEXT NOT NULL, "
        f"{key} (source_id, target_schema, target_table, kind, seq){tail}",
        f"{create}{tables.online_ddl} (id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, "
        f"ghost_schema {_NAME}, ghost_table {_NAME}, ddls LONGTEXT, {updated.replace('updated_at', 'update_time')}, "
        f"UNIQUE KEY uk_id_schema_table (id, ghost_schema, ghost_table){tail}",
        f"{create}{tables.snapshot} ({_SOURCE_ID}, epoch BIGINT NOT NULL, state VARCHAR(16) NOT NULL DEFAULT '', "
        "attempt INT NOT NULL DEFAULT 0, next_task INT NOT NULL DEFAULT 0, not_empty LONGTEXT, "
        f"PRIMARY KEY (source_id){tail}",
        f"{create}{tables.lane} ({_SOURCE_ID}, lane INT NOT NULL, epoch BIGINT NOT NULL, "
        "is_member TINYINT NOT NULL DEFAULT 0, attempt INT NOT NULL DEFAULT 0, ended TINYINT NOT NULL DEFAULT 0, "
        f"connection_id BIGINT UNSIGNED NOT NULL, {_LOCATION.format('')}, PRIMARY KEY (source_id, lane){tail}",
        f"{create}{tables.summary} ({_SOURCE_ID}, document LONGTEXT NOT NULL, {updated}, {key} (source_id){tail}",
        f"{create}{tables.temporary} ({_SOURCE_ID}, document LONGTEXT NOT NULL, {key} (source_id){tail}",
        f"{create}{tables.ddl} ({_SOURCE_ID}, document LONGTEXT NOT NULL, {key} (source_id){tail}",
        f"{create}{tables.connection} ({_SOURCE_ID}, connection_id BIGINT UNSIGNED NOT NULL, "
        f"client VARCHAR(255) NOT NULL, epoch BIGINT NOT NULL, {updated}, "
        f"{key} (source_id, connection_id, client){tail}",
        f"{create}{tables.later} ({_SOURCE_ID}, target_schema {_NAME}, target_table {_NAME}, seq INT NOT NULL, "
        f"kind VARCHAR(16) NOT NULL, name {_NAME}, document LONGTEXT NOT NULL, "
        f"{key} (source_id, target_schema, target_table, seq){tail}",
        f"{create}{tables.made} ({_SOURCE_ID}, target_schema {_NAME}, target_table {_NAME}, "
        f"structure LONGTEXT NOT NULL, {key} (source_id, target_schema, target_table){tail}",
        f"{create}{tables.again} ({_SOURCE_ID}, schema_name {_NAME}, table_name {_NAME}, {_LOCATION.format('')}, "
        "create_sql LONGTEXT NOT NULL, is_made TINYINT NOT NULL DEFAULT 0, "
        f"{key} (source_id, schema_name, table_name){tail}",
        f"{create}{tables.operator} ({_SOURCE_ID}, binlog_name VARCHAR(255) NOT NULL, "
        f"binlog_pos BIGINT UNSIGNED NOT NULL, op VARCHAR(16) NOT NULL, sqls LONGTEXT NOT NULL, {updated}, "
        f"PRIMARY KEY (source_id, binlog_name, binlog_pos){tail}",
    )


def create_meta_tables(connection: Connection, tables: MetaTables) -> None:
    for statement in definitions(tables):
        run_allowed(connection, partial(connection.query, statement))


def claim_epoch(connection: Connection, tables: MetaTables, source_id: str, bind_epoch: int) -> int:
    """Take over ``source_id``: the new epoch, after which no earlier run can commit anything.

    The rows that a run's transactions check (source, channels, unfinished chunks) change together.
    Raises FENCED when a later binding has already claimed the source.
    """

    def work(cursor: Any) -> int:
        # The row is made first, so that FOR UPDATE has one to lock also when two workers start at once.
        cursor.execute(f"INSERT IGNORE INTO {tables.source} (source_id, epoch) VALUES (%s, 0)", (source_id,))
        cursor.execute(f"SELECT epoch FROM {tables.source} WHERE source_id = %s FOR UPDATE", (source_id,))
        current = int(cursor.fetchone()[0])
        if current >> RUN_BITS > bind_epoch:
            raise FENCED.error(
                source=source_id, task=tables.task, table=tables.source, current=current, mine=bind_epoch << RUN_BITS
            )
        epoch = max(current + 1, (bind_epoch << RUN_BITS) + 1)
        for table, condition in ((tables.source, ""), (tables.channel, ""), (tables.chunk, " AND done = 0")):
            cursor.execute(f"UPDATE {table} SET epoch = %s WHERE source_id = %s{condition}", (epoch, source_id))
        return epoch

    return in_transaction(connection, work)


def hold_epoch(cursor: Any, tables: MetaTables, source_id: str, epoch: int) -> None:
    """No other run claims the source until the open transaction ends.  Raises FENCED when one has."""
    cursor.execute(f"SELECT epoch FROM {tables.source} WHERE source_id = %s FOR UPDATE", (source_id,))
    row = cursor.fetchone()
    if row is None or int(row[0]) != epoch:
        raise fenced(tables, source_id, epoch)


def fenced(tables: MetaTables, source_id: str, epoch: int) -> DMError:
    return FENCED.error(source=source_id, task=tables.task, table=tables.source, current="another", mine=epoch)


def forget_source(connection: Connection, tables: MetaTables, source_id: str) -> None:
    """``--remove-meta``: drop all that is known of ``source_id`` but its epoch, which goes on fencing."""

    def work(cursor: Any) -> None:
        cursor.execute(
            f"UPDATE {tables.source} SET epoch = epoch + 1, load_status = '', start_binlog_name = '', "
            "start_binlog_pos = 0, start_gtid = NULL, "
            "end_binlog_name = '', end_binlog_pos = 0, end_gtid = NULL WHERE source_id = %s",
            (source_id,),
        )
        for table in tables.all()[1:]:
            cursor.execute(f"DELETE FROM {table} WHERE source_id = %s", (source_id,))
        cursor.execute(f"DELETE FROM {tables.online_ddl} WHERE id = %s", (source_id,))

    in_transaction(connection, work)
