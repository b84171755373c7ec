"""Events of a binlog that matter to a reader, as they come out of the decoder, in stream order.

``end`` is the 64-bit offset behind the event in its file; events of one compressed transaction share
the payload's.  ``timestamp`` is the upstream's, in seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pkg.binlog.frequent_events import GtidEvent, RowImage, RowsEvent, XidEvent
from pkg.binlog.sql_modes import without_quoting
from pkg.binlog.table_layout import TableMap


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """The session in which a statement ran, as far as its event says."""

    sql_mode: int | None = None
    client_collation: int | None = None
    connection_collation: int | None = None
    server_collation: int | None = None
    database_collation: int | None = None
    utf8mb4_collation: int | None = None
    time_zone: str | None = None
    explicit_defaults_for_timestamp: bool | None = None
    flags: int | None = None  # of the session
    locale: int = 0  # of lc_time_names
    auto_increment_increment: int = 1
    auto_increment_offset: int = 1
    table_encryption: bool | None = None  # default_table_encryption
    charset_collations: tuple[tuple[int, int], ...] = ()  # MariaDB: a set's number and that of its default collation
    microseconds: int = 0  # of the statement's moment, when it asked for them
    has_xid: bool = False  # MySQL: it changed the dictionary, and tables of engines with transactions alone
    databases: tuple[str, ...] | None = None  # that the statement has changed, by MySQL; None: it does not say

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> QueryStatus:
        """From ``asdict``, also of an older version, after its way through JSON."""
        pairs = tuple((charset, collation) for charset, collation in document.get("charset_collations", ()))
        databases = document.get("databases")
        names = None if databases is None else tuple(databases)
        return cls(**{**document, "charset_collations": pairs, "databases": names})


@dataclass(frozen=True, slots=True)
class QueryEvent:
    """A statement: a DDL, or DML that was logged as text.  BEGIN is passed over, COMMIT is an XidEvent."""

    schema: str
    sql: str
    end: int
    timestamp: int
    status: QueryStatus = QueryStatus()
    thread_id: int = 0
    error_code: int = 0  # what the statement ended with upstream
    server_id: int = 0
    is_thread_specific: bool = False  # it, or one before it in the same procedure, used a temporary table or such
    in_transaction: bool = False  # others of its transaction follow, its commit at least
    seconds: int = 0  # from `timestamp`, which a session may set, to the statement's end by the server's clock
    is_text: bool = True  # False: `?` stands for bytes that are none

    def written_anew(self, sql: str) -> QueryEvent:
        """The same event with ``sql``, a text that no mode of quoting changes (of a Ddl), in its place."""
        return replace(self, sql=sql, status=replace(self.status, sql_mode=without_quoting(self.status.sql_mode)))


@dataclass(frozen=True, slots=True)
class XaPrepareEvent:
    """The rows since the last commit are of a distributed transaction, which an XaEndEvent decides later, or never."""

    xid: str  # as statements name it: X'…',X'…',format
    end: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class XaEndEvent:
    """A distributed transaction that was prepared before is committed or rolled back."""

    xid: str
    is_commit: bool
    end: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class SavepointEvent:
    """A place within the transaction to which a RollbackEvent may go back."""

    name: str


@dataclass(frozen=True, slots=True)
class RollbackEvent:
    """Rows since ``savepoint``, or (None) of the whole transaction, which then ends, do not count.

    Servers log such a transaction for what cannot be rolled back, as temporary tables that it made.  Rows of
    non-transactional tables are never in it: logged as rows they are a transaction of their own.
    """

    savepoint: str | None
    end: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class RotateEvent:
    """The stream goes on in ``file_name`` at ``offset``; an artificial one only says so at its start."""

    file_name: str
    offset: int
    artificial: bool


@dataclass(frozen=True, slots=True)
class HeartbeatEvent:
    """Nothing happened; the upstream stands at ``end``."""

    end: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class FormatEvent:
    """The head of a file."""

    server_version: str
    created: int  # when the server was started, of the first file since; else 0
    checksum: bool
    begun: int = 0  # when the file was begun, in seconds since 1970


@dataclass(frozen=True, slots=True)
class AnonymousGtidEvent:
    """The head of a transaction of MySQL's that has no GTID."""

    end: int
    timestamp: int = 0
    committed: int = 0  # as a GtidEvent's


@dataclass(frozen=True, slots=True)
class PreviousGtidsEvent:
    """What the files before this one hold, as the server writes it."""

    gtid_set: str
    end: int


Event = (
    RowsEvent | QueryEvent | XidEvent | GtidEvent | RotateEvent | HeartbeatEvent | FormatEvent | PreviousGtidsEvent
    | AnonymousGtidEvent | XaPrepareEvent | XaEndEvent | SavepointEvent | RollbackEvent
)  # fmt: skip

EVENT_NAMES: Mapping[int, str] = {
    1: "START_V3", 2: "QUERY", 3: "STOP", 4: "ROTATE", 5: "INTVAR", 9: "APPEND_BLOCK",
    11: "DELETE_FILE", 13: "RAND", 14: "USER_VAR",
    15: "FORMAT_DESCRIPTION", 16: "XID", 17: "BEGIN_LOAD_QUERY", 18: "EXECUTE_LOAD_QUERY", 19: "TABLE_MAP",
    20: "PRE_GA_WRITE_ROWS", 21: "PRE_GA_UPDATE_ROWS", 22: "PRE_GA_DELETE_ROWS", 23: "WRITE_ROWS_V1",
    24: "UPDATE_ROWS_V1", 25: "DELETE_ROWS_V1", 26: "INCIDENT", 27: "HEARTBEAT", 28: "IGNORABLE", 29: "ROWS_QUERY",
    30: "WRITE_ROWS", 31: "UPDATE_ROWS", 32: "DELETE_ROWS", 33: "GTID", 34: "ANONYMOUS_GTID", 35: "PREVIOUS_GTIDS",
    36: "TRANSACTION_CONTEXT", 37: "VIEW_CHANGE", 38: "XA_PREPARE", 39: "PARTIAL_UPDATE_ROWS",
    40: "TRANSACTION_PAYLOAD", 41: "HEARTBEAT_V2", 42: "GTID_TAGGED", 160: "ANNOTATE_ROWS", 161: "BINLOG_CHECKPOINT",
    162: "MARIADB_GTID", 163: "MARIADB_GTID_LIST", 164: "START_ENCRYPTION", 165: "QUERY_COMPRESSED",
    166: "WRITE_ROWS_COMPRESSED_V1", 167: "UPDATE_ROWS_COMPRESSED_V1", 168: "DELETE_ROWS_COMPRESSED_V1",
}  # fmt: skip


def event_name(code: int) -> str:
    return EVENT_NAMES.get(code, str(code))


__all__ = [
    "AnonymousGtidEvent", "Event", "FormatEvent", "GtidEvent", "HeartbeatEvent", "PreviousGtidsEvent", "QueryEvent",
    "QueryStatus", "RollbackEvent", "RotateEvent", "RowImage", "RowsEvent", "SavepointEvent",
    "TableMap", "XaEndEvent", "XaPrepareEvent", "XidEvent", "event_name",
]  # fmt: skip
