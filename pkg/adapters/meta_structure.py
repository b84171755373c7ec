"""The structure of a task's meta tables: what this build makes, and what it adds to those of an earlier build.

``FORMAT`` numbers what the tables hold, columns and documents.  Each source's row keeps the number of the build that
claimed it last.  Tables of a lower number get the columns that they lack when a unit starts, and what their documents
lack is unknown.  A higher number is refused by ``claim_epoch``: an older build would overlook what it does not know.
Whoever changes a table here, or the fields of a document that is stored, raises the number.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pkg.adapters.meta_tables import MetaTables, quoted
from pkg.adapters.mysql.connection import run_allowed
from pkg.adapters.mysql.creation import WITHIN_SECONDS, until_made
from pkg.adapters.mysql.errors import errno_of
from pkg.errors import DMError, ErrorKind, Level, Scope

Connection = Any  # pymysql.Connection[Any]; its stubs make the cursor class part of the type

OTHER_KEY = ErrorKind(
    42504,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "meta table {table} has the primary key ({there}) and not ({wanted}): another program or a build before the first "
    "release made it",
    workaround="go on with the build that made it, or begin anew with `dmctl start-task --remove-meta`",
)
NOT_MADE = ErrorKind(
    36295,
    "ha",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the target says that meta tables exist, makes none, and does not show them after {seconds} s: {tables}",
    workaround="see whether another program drops or makes tables in the schema of the meta tables, then resume-task",
    resumable=True,
)
_DUPLICATE_COLUMN: Final = 1060
# Whatever the server's defaults are: rows and locations are one transaction, and the keys fit.
_OPTIONS: Final = "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
_ID: Final = "VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
_NAME: Final = "VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
_NUMBER: Final = "BIGINT UNSIGNED NOT NULL"
_TIME: Final = "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"
_SOURCE: Final = f"source_id {_ID}"
_TABLE: Final = (f"schema_name {_NAME}", f"table_name {_NAME}")
_TARGET: Final = (f"target_schema {_NAME}", f"target_table {_NAME}")
_UPDATED: Final = f"updated_at {_TIME}"
_DOCUMENT: Final = "document LONGTEXT NOT NULL"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MetaTable:
    """One of them."""

    name: str  # qualified and quoted
    columns: tuple[str, ...]  # each begins with its name
    key: str = "source_id"  # columns, by ", "
    unique: bool = False  # the key has a name, as in DM's table, and is not the primary one

    @property
    def creation(self) -> str:
        """Safe to repeat."""
        key = "UNIQUE KEY uk_id_schema_table" if self.unique else "PRIMARY KEY"
        return f"CREATE TABLE IF NOT EXISTS {self.name} ({', '.join(self.columns)}, {key} ({self.key})) {_OPTIONS}"

    def additions(self, there: frozenset[str]) -> Iterator[str]:
        """Statements that add the columns that are not ``there``."""
        for column in self.columns:
            if column.split(" ", 1)[0] not in there:
                yield f"ALTER TABLE {self.name} ADD COLUMN {column}"


def _location(prefix: str = "") -> tuple[str, str, str]:
    return (
        f"{prefix}binlog_name VARCHAR(255) NOT NULL DEFAULT ''",
        f"{prefix}binlog_pos {_NUMBER} DEFAULT 0",
        f"{prefix}gtid LONGTEXT",
    )


def meta_tables(tables: MetaTables) -> tuple[MetaTable, ...]:
    """What this build makes; pkg/adapters/meta_tables.py says what each is for."""
    by_table, by_target = "source_id, schema_name, table_name", "source_id, target_schema, target_table"
    epoch, done = "epoch BIGINT NOT NULL", "done TINYINT NOT NULL DEFAULT 0"
    status = "load_status VARCHAR(16) NOT NULL DEFAULT ''"
    server = "start_server VARCHAR(64) NOT NULL DEFAULT ''"
    source = (
        epoch, *_location("start_"), *_location("end_"), status, _UPDATED, "format INT NOT NULL DEFAULT 0", server,
        "taken LONGTEXT", "database_collations LONGTEXT",
    )  # fmt: skip
    counts = (f"{name} BIGINT NOT NULL DEFAULT 0" for name in ("row_count", "byte_count"))
    bounds = ("lower_bound LONGTEXT", "upper_bound LONGTEXT")
    chunk = ("chunk_id INT NOT NULL", *_TABLE, *_TARGET, *bounds, epoch, done, *counts)
    channel = (
        "channel INT NOT NULL", epoch, *_location()[:2],
        "row_index BIGINT NOT NULL DEFAULT 0", "gtid VARCHAR(128) NOT NULL DEFAULT ''",
        "batch BIGINT NOT NULL DEFAULT 0", "asked INT UNSIGNED NOT NULL DEFAULT 0",
        "gtids_before LONGTEXT",
    )  # fmt: skip
    checkpoint = (
        *_location(), "channels INT NOT NULL", "server_identity VARCHAR(64) NOT NULL DEFAULT ''",
        "ddl_location VARCHAR(300) NOT NULL DEFAULT ''", "checks_keys TINYINT NOT NULL DEFAULT 0", _UPDATED,
    )  # fmt: skip
    online = (f"id {_ID}", f"ghost_schema {_NAME}", f"ghost_table {_NAME}", "ddls LONGTEXT", f"update_time {_TIME}")
    snapshot = (
        epoch, "state VARCHAR(16) NOT NULL DEFAULT ''", "attempt INT NOT NULL DEFAULT 0",
        "next_task INT NOT NULL DEFAULT 0", "not_empty LONGTEXT",
    )  # fmt: skip
    lane = (
        "lane INT NOT NULL", epoch, "is_member TINYINT NOT NULL DEFAULT 0", "attempt INT NOT NULL DEFAULT 0",
        "ended TINYINT NOT NULL DEFAULT 0", f"connection_id {_NUMBER}", *_location(),
    )  # fmt: skip
    session = (f"connection_id {_NUMBER}", "client VARCHAR(255) NOT NULL", epoch, _UPDATED)
    later = (*_TARGET, "seq INT NOT NULL", "kind VARCHAR(16) NOT NULL", f"name {_NAME}", _DOCUMENT)
    again = (*_TABLE, *_location(), "create_sql LONGTEXT NOT NULL", "is_made TINYINT NOT NULL DEFAULT 0")
    shard = (*_TARGET, "kind VARCHAR(16) NOT NULL", "seq INT NOT NULL", _DOCUMENT)
    place = ("binlog_name VARCHAR(255) NOT NULL", f"binlog_pos {_NUMBER}")
    operator = (*place, "op VARCHAR(16) NOT NULL", "sqls LONGTEXT NOT NULL", _UPDATED)
    return (
        MetaTable(tables.source, (_SOURCE, *source)),
        MetaTable(tables.chunk, (_SOURCE, *chunk), "source_id, chunk_id"),
        MetaTable(tables.pinned, (_SOURCE, *_TABLE, *_location(), "is_exact TINYINT NOT NULL DEFAULT 0"), by_table),
        MetaTable(tables.copied, (_SOURCE, *_TABLE, *_location()[:2]), by_table),
        MetaTable(
            tables.structure, (_SOURCE, *_TABLE, "structure LONGTEXT NOT NULL", *_location("read_")[:2]), by_table
        ),
        # With the epoch in the key, a channel's move is the read of one key for TiDB: half the price of a search.
        MetaTable(tables.channel, (_SOURCE, *channel), "source_id, channel, epoch"),
        MetaTable(tables.checkpoint, (_SOURCE, *checkpoint)),
        MetaTable(tables.shard, (_SOURCE, *shard), f"{by_target}, kind, seq"),
        MetaTable(tables.online_ddl, online, "id, ghost_schema, ghost_table", unique=True),
        MetaTable(tables.snapshot, (_SOURCE, *snapshot)),
        MetaTable(tables.lane, (_SOURCE, *lane), "source_id, lane"),
        MetaTable(tables.summary, (_SOURCE, _DOCUMENT, _UPDATED)),
        MetaTable(tables.row_order, (_SOURCE, *_TABLE, "row_order LONGTEXT NOT NULL"), by_table),
        MetaTable(tables.planned, (_SOURCE, _DOCUMENT)),
        MetaTable(tables.temporary, (_SOURCE, _DOCUMENT)),
        MetaTable(tables.ddl, (_SOURCE, _DOCUMENT)),
        MetaTable(tables.connection, (_SOURCE, *session), "source_id, connection_id, client"),
        MetaTable(tables.later, (_SOURCE, *later), f"{by_target}, seq"),
        MetaTable(tables.made, (_SOURCE, *_TARGET, "structure LONGTEXT NOT NULL"), by_target),
        MetaTable(tables.again, (_SOURCE, *again), by_table),
        MetaTable(tables.operator, (_SOURCE, *operator), "source_id, binlog_name, binlog_pos"),
    )


def create_meta_tables(connection: Connection, tables: MetaTables) -> None:
    """Make what is not there, and add what tables of an earlier build lack.  Raises OTHER_KEY and NOT_MADE."""
    wanted = meta_tables(tables)
    names = [table.name.removeprefix(quoted(tables.schema))[2:-1].replace("``", "`") for table in wanted]
    run_allowed(connection, partial(connection.query, f"CREATE DATABASE IF NOT EXISTS {quoted(tables.schema)}"))
    there = _made(connection, tables.schema, dict(zip(names, wanted, strict=True)))
    for table, name in zip(wanted, names, strict=True):
        columns = there[name]
        keys = {name for name, is_key in columns.items() if is_key}
        if not table.unique and keys != set(table.key.split(", ")):
            raise OTHER_KEY.error(table=table.name, there=", ".join(sorted(keys)), wanted=table.key)
        for statement in table.additions(frozenset(columns)):
            log.info("meta table of an earlier build: %s", statement)
            _add(connection, statement)


def _made(connection: Connection, schema: str, tables: Mapping[str, MetaTable]) -> dict[str, dict[str, bool]]:
    """``_columns`` of all of them, which are made where they are missing.  Raises NOT_MADE."""
    missing = list(tables)

    def create() -> None:
        for name in missing:
            run_allowed(connection, partial(connection.query, tables[name].creation))

    def made() -> dict[str, dict[str, bool]] | None:
        there = _columns(connection, schema, list(tables))
        # A server may keep names in lower case.
        found = {name: columns for name in tables if (columns := there.get(name) or there.get(name.lower()))}
        missing[:] = [name for name in tables if name not in found]
        return None if missing else found

    found = until_made(create, made)
    if found is None:
        raise NOT_MADE.error(seconds=int(WITHIN_SECONDS), tables=", ".join(missing))
    return found


def _add(connection: Connection, statement: str) -> None:
    """Raises what the server says, unless another source's unit has added the column at this moment."""
    try:
        run_allowed(connection, partial(connection.query, statement))
    except DMError as exc:
        if errno_of(exc) != _DUPLICATE_COLUMN:
            raise


def _columns(connection: Connection, schema: str, names: Sequence[str]) -> dict[str, dict[str, bool]]:
    """By table its columns in lower case, and whether each is of the primary key."""
    sql = "SELECT table_name, column_name, column_key FROM information_schema.columns WHERE table_schema = %s"
    found: dict[str, dict[str, bool]] = {}
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} AND table_name IN ({', '.join(['%s'] * len(names))})", (schema, *names))
        for table, column, key in cursor.fetchall():
            found.setdefault(str(table), {})[str(column).lower()] = key == "PRI"
    return found
