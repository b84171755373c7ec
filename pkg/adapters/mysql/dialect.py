"""What each flavour and version says differently (DESIGN.md §4.18): statements, variables, modes.

Nobody else asks a server for its version.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pkg.adapters.mysql.errors import errno_of
from pkg.binlog.gtid import GtidSet, Transactions, parse_gtid_set, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.foreign_keys import asks_for_key_checks
from pkg.schema.lacking_functions import NOT_IN_ALL

Flavor = Literal["mysql", "mariadb", "tidb"]

NO_BINLOG = ErrorKind(
    10303,
    "database",
    Scope.UPSTREAM,
    Level.HIGH,
    "upstream {address}: the server writes no binary log",
    workaround="set log_bin, binlog_format=ROW and binlog_row_image=FULL there, and restart it",
)

# The target must store what the upstream stored, also dates that strict servers refuse, and must say so
# when it cannot: strict, with zero and impossible dates allowed and 0 kept in AUTO_INCREMENT columns.
LENIENT_SQL_MODE: Final = "NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES"
STRICT_SQL_MODE: Final = f"{LENIENT_SQL_MODE},STRICT_TRANS_TABLES"
# MySQL's variables that refuse a table or a foreign key, by the number of the error; few accounts may set them.
REFUSING: Final = {3750: "sql_require_primary_key", 6125: "restrict_fk_on_non_standard_key"}
_SHARED_MODES: Final = frozenset({
    "REAL_AS_FLOAT", "PIPES_AS_CONCAT", "ANSI_QUOTES", "IGNORE_SPACE", "NO_DIR_IN_CREATE", "NO_AUTO_VALUE_ON_ZERO",
    "NO_BACKSLASH_ESCAPES", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE",
    "ALLOW_INVALID_DATES", "ERROR_FOR_DIVISION_BY_ZERO", "HIGH_NOT_PRECEDENCE", "NO_ENGINE_SUBSTITUTION",
    "PAD_CHAR_TO_FULL_LENGTH", "ONLY_FULL_GROUP_BY", "NO_UNSIGNED_SUBTRACTION", "ANSI", "TRADITIONAL",
})  # fmt: skip
_MYSQL57_MODES: Final = frozenset({
    "NO_AUTO_CREATE_USER", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS", "POSTGRESQL", "ORACLE", "MSSQL",
    "DB2", "MAXDB", "MYSQL323", "MYSQL40",
})  # fmt: skip
_MARIADB_MODES: Final = _MYSQL57_MODES | {"EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT", "TIME_ROUND_FRACTIONAL"}
_FIXED_IN_TIDB: Final = frozenset({"lc_time_names", "explicit_defaults_for_timestamp", "sql_auto_is_null"})
_NO_FUNCTION: Final = frozenset({1046, 1305})  # no database, no such function in it
_TRIES_FOR_A_QUIET_MOMENT: Final = 20
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class Expression(str):
    """The value of a session variable that the server calculates."""

    __slots__ = ()


def folds_names(connection: Any) -> bool:
    """Whether names of databases and tables that differ by case only are the same there."""
    return int(_one_value(connection, "SELECT @@lower_case_table_names")) != 0


@dataclass(frozen=True, slots=True)
class Server:
    """A server's flavour and version, and all that follows from them."""

    flavor: Flavor
    version: tuple[int, int, int]
    version_text: str

    @classmethod
    def probe(cls, connection: Any) -> Server:
        return cls.from_version_text(str(_one_value(connection, "SELECT VERSION()")))

    @classmethod
    def from_version_text(cls, text: str) -> Server:
        """``8.0.11-TiDB-v8.5.0``, ``10.11.6-MariaDB-…``, ``5.5.5-10.11.6-MariaDB``, ``9.1.0``."""
        lowered = text.lower()
        numbers = [(int(a), int(b), int(c)) for a, b, c in _VERSION.findall(text)]
        if "tidb" in lowered:
            return cls("tidb", numbers[-1] if numbers else (0, 0, 0), text)
        if "mariadb" in lowered:
            # Servers before 11 put 5.5.5- in front for the sake of old replicas.
            own = next((number for number in numbers if number != (5, 5, 5)), (10, 0, 0))
            return cls("mariadb", own, text)
        return cls("mysql", numbers[0] if numbers else (0, 0, 0), text)

    @property
    def binlog_status_sql(self) -> str:
        if self.flavor == "mysql" and self.version >= (8, 2, 0):
            return "SHOW BINARY LOG STATUS"
        return "SHOW MASTER STATUS"

    @property
    def binlog_files_sql(self) -> str:
        return "SHOW BINARY LOGS"

    @property
    def replicas_sql(self) -> str:
        if self.flavor == "mysql" and self.version >= (8, 0, 22):
            return "SHOW REPLICAS"
        return "SHOW SLAVE HOSTS"

    @property
    def gtid_flavor(self) -> Literal["mysql", "mariadb"]:
        return "mariadb" if self.flavor == "mariadb" else "mysql"

    @property
    def knows_invisible_columns(self) -> bool:
        return self.flavor == "mariadb" or (self.flavor == "mysql" and self.version >= (8, 0, 23))

    @property
    def zone_limits(self) -> tuple[int, int]:
        """The offsets farthest west and east that a session's zone may have, in minutes."""
        is_wide = self.flavor == "mysql" and self.version >= (8, 0, 19)
        return -(13 if is_wide else 12) * 60 - 59, (14 if is_wide or self.flavor == "tidb" else 13) * 60

    @property
    def has_backup_stages(self) -> bool:
        """BACKUP STAGE, which blocks commits and no reads."""
        return self.flavor == "mariadb" and self.version >= (10, 4, 2)

    @property
    def knows_snapshot_location(self) -> bool:
        """Whether a session tells at which location of the binary log its consistent snapshot is."""
        return self.flavor == "mariadb"

    def snapshot_position(self, connection: Any) -> Position | None:
        """Where the binary log stood when this session's consistent snapshot began; None where none can tell."""
        if not self.knows_snapshot_location:
            return None
        found = dict(_rows(connection, "SHOW SESSION STATUS LIKE 'binlog_snapshot_%'"))
        named = {str(name).lower(): str(value) for name, value in found.items()}
        return Position(named["binlog_snapshot_file"], int(named["binlog_snapshot_position"]))

    def location_at(self, connection: Any, position: Position) -> Location:
        """The location of a MariaDB's position."""
        found = _one_value(connection, "SELECT BINLOG_GTID_POS(%s, %s)", (position.name, position.offset))
        return Location(position, _mariadb_set(str(found or "")))

    def snapshot_session(self) -> dict[str, str]:
        """Variables of a session that keeps a snapshot for hours, also while it waits for the target."""
        session = {self._isolation: "REPEATABLE-READ", "wait_timeout": "604800"}
        if self.flavor == "mariadb" and self.version >= (10, 3, 0):
            session |= {"idle_transaction_timeout": "0", "idle_readonly_transaction_timeout": "0"}
        return session

    def sql_modes(self) -> frozenset[str]:
        """Modes that can be set on this server."""
        if self.flavor == "mariadb":
            return _SHARED_MODES | _MARIADB_MODES
        if self.flavor == "mysql" and self.version >= (8, 0, 0):
            return _SHARED_MODES | {"TIME_TRUNCATE_FRACTIONAL"}
        return _SHARED_MODES | _MYSQL57_MODES  # TiDB still takes MySQL 5.7's names

    def may_set(self, variable: str) -> bool:
        """Whether a session can set a variable of this server; TiDB shows some that are of no effect."""
        return self.flavor != "tidb" or variable not in _FIXED_IN_TIDB

    def known_sql_mode(self, modes: str | Iterable[str]) -> str:
        """``modes`` (another server's) without what this server would refuse."""
        listed = modes.split(",") if isinstance(modes, str) else modes
        known = self.sql_modes()
        return ",".join(mode for mode in (one.strip().upper() for one in listed) if mode in known)

    def downstream_session(self, asked: Mapping[str, str] | None = None) -> dict[str, str]:
        """Variables of a session that writes to this server what an upstream holds.

        Strict, so that a value which does not fit is an error and never cut; foreign keys are not
        checked, unless the task asks for it, because channels and chunks write tables side by side.  What
        the task asks for comes on top, except what would change values on their way.
        """
        session = self._writing_session() | self._showing_session()
        if self.flavor == "tidb" and self.version >= (7, 6, 0):  # of a client that was frozen, with its locks
            session["tidb_idle_transaction_timeout"] = "600"
        if self.flavor != "tidb":  # locks on the gaps between rows made a fifth of the channels' transactions deadlock
            session[self._isolation] = Expression(
                "IF(@@binlog_format = 'STATEMENT', 'REPEATABLE-READ', 'READ-COMMITTED')"  # that log refuses the latter
            )
        session |= {name.lower(): value for name, value in (asked or {}).items()}
        session["foreign_key_checks"] = "1" if asks_for_key_checks(session) else "0"
        if self.flavor == "tidb":  # a row's lock tells when a transaction, whose COMMIT was lost, has ended
            session["tidb_txn_mode"] = "pessimistic"
            session["allow_auto_random_explicit_insert"] = "1"  # the upstream's values, not TiDB's
            if self.version < (8, 0, 0):  # a server that runs a transaction again by itself would apply it twice
                session["tidb_disable_txn_auto_retry"] = "1"
        return session | {"time_zone": "+00:00", "sql_mode": STRICT_SQL_MODE}

    def _writing_session(self) -> dict[str, str]:
        """Instead of what an administrator may have set: changes refused, statements passed over, other engines."""
        if self.flavor == "tidb":
            return {"tidb_low_resolution_tso": "0"}  # under which it would write nothing
        read_only = "transaction_read_only" if self._isolation == "transaction_isolation" else "tx_read_only"
        session = {read_only: "0", "sql_safe_updates": "0", "unique_checks": "1", "default_storage_engine": "InnoDB"}
        session["lc_messages"] = "en_US"  # warnings are read
        if self.flavor == "mariadb":
            session["check_constraint_checks"] = "0"
        if self.flavor == "mariadb" and self.version >= (10, 5, 2):
            session["sql_if_exists"] = "0"
        return session

    def _showing_session(self) -> dict[str, str]:
        """So that SHOW CREATE TABLE and information_schema show all of a structure, whatever the global values are.

        Besides these, ``sql_mode`` hides clauses: every session of ours that reads structures sets it.
        """
        session = {} if self.flavor == "tidb" else {"sql_quote_show_create": "1"}
        if self.flavor == "mysql" and self.version >= (8, 0, 30):  # primary keys that MySQL has made by itself
            session["show_gipk_in_create_table_and_information_schema"] = "1"
        if self.flavor == "mysql" and (5, 6, 24) <= self.version < (8, 0, 0):  # comments among the words of a type
            session["show_old_temporals"] = "0"
        return session

    @property
    def _isolation(self) -> str:
        """The variable that says how far transactions are kept apart."""
        is_new = self.flavor == "mysql" and self.version >= (5, 7, 20)
        return "transaction_isolation" if is_new else "tx_isolation"

    def copy_session(self, asked: Mapping[str, str] | None = None) -> dict[str, str]:
        """The same for copying chunks: large transactions that hardly ever meet each other."""
        mode = (asked or {}).get("tidb_txn_mode", "optimistic")
        session = self.downstream_session(asked) | {"foreign_key_checks": "0"}  # chunks come in any order
        # All that LOAD DATA warns of is looked at; and it may wait for rows longer than half a minute.
        session |= {"max_error_count": "65535", "net_read_timeout": "3600"}
        return session | ({"tidb_txn_mode": mode} if self.flavor == "tidb" else {})

    def upstream_session(self) -> dict[str, str]:
        """Variables of a session that reads from this server: UTC, nothing rewritten, no hurry.

        A bound of a chunk may be an impossible date: MySQL compares with such a literal only if it allows it.
        """
        session = {"time_zone": "+00:00", "sql_mode": "ALLOW_INVALID_DATES", "net_write_timeout": "3600"}
        session |= self._showing_session()
        if self.flavor == "mariadb":
            session["max_statement_time"] = "0"
        if self.flavor == "mysql" and self.version >= (5, 7, 8):
            session["max_execution_time"] = "0"
        if self.flavor == "mysql" and self.version >= (8, 0, 0):
            session["information_schema_stats_expiry"] = "0"
        return session

    def identity(self, connection: Any) -> str:
        """What tells this server from another one behind the same address: its binlog positions are its own."""
        variable = "server_uuid" if self.flavor == "mysql" else "server_id"
        return str(_one_value(connection, f"SELECT @@GLOBAL.{variable}"))

    def fetch_location(self, connection: Any) -> Location:
        """Where the server's binary log stands now: position and GTID set of the same moment."""
        if self.flavor == "mariadb":
            return _mariadb_location(connection, self.binlog_status_sql)
        position, executed = _binlog_status(connection, self.binlog_status_sql)
        gtids = parse_gtid_set(executed, "mysql") if self.uses_gtids(connection) else None
        return Location(position, gtids)

    def logs_cascades(self, connection: Any) -> bool:
        """Whether the binlog has what foreign keys cascade: MySQL does it above the engine from 9.6 on."""
        if self.flavor != "mysql" or self.version < (9, 6, 0):
            return False
        rows = _rows(connection, "SHOW GLOBAL VARIABLES LIKE 'innodb_native_foreign_keys'")
        return bool(rows) and str(rows[0][1]).upper() in ("OFF", "0")

    def makes_idle_keys(self, connection: Any) -> bool:
        """Whether a foreign key that is made now neither checks nor cascades: a TiDB's, by a variable or its age."""
        if self.flavor != "tidb":
            return False
        rows = _rows(connection, "SHOW GLOBAL VARIABLES LIKE 'tidb_enable_foreign_key'")
        return not rows or str(rows[0][1]).upper() in ("OFF", "0")

    def uses_gtids(self, connection: Any) -> bool:
        """Whether all transactions that begin on this server get a GTID of MySQL's."""
        if self.flavor != "mysql":
            return False
        return str(_one_value(connection, "SELECT @@GLOBAL.gtid_mode")).upper() in ("ON", "ON_PERMISSIVE")

    def owned_gtids(self, connection: Any) -> frozenset[str]:
        """MySQL's transactions on their way from the binary log to where others see them, as ``uuid:number#thread``."""
        found = set()
        for part in str(_one_value(connection, "SELECT @@GLOBAL.gtid_owned") or "").split(","):
            source, *rest = part.strip().split(":")
            tag = ""
            for one in rest:
                if "#" in one:
                    found.add(f"{source}{tag}:{one}")
                else:
                    tag = f":{one}"
        return frozenset(found)

    def held_transactions(self, connection: Any) -> Transactions | None:
        """Those that the server has in its binary logs, or did not need there; None without GTIDs.

        MariaDB tells them apart by the servers that wrote them; where a replica was set up from a copy of its source,
        ``gtid_slave_pos`` alone says what came with that.
        """
        if self.flavor == "mariadb":
            logged = str(_one_value(connection, "SELECT @@GLOBAL.gtid_binlog_state") or "")
            copied = str(_one_value(connection, "SELECT @@GLOBAL.gtid_slave_pos") or "")
            return parse_transactions(logged, "mariadb").union(parse_transactions(copied, "mariadb"))
        if not self.uses_gtids(connection):
            return None
        return parse_transactions(str(_one_value(connection, "SELECT @@GLOBAL.gtid_executed") or ""), "mysql")

    def unlogged_gtids(self, connection: Any) -> GtidSet | None:
        """Those that the server has, and its binary logs lack; None without GTIDs.

        A replica applied them without logging (``log_replica_updates`` is off), came from a copy of its source, or, of
        MySQL's, their files were purged.
        """
        if self.flavor == "mariadb":
            applied = parse_gtid_set(str(_one_value(connection, "SELECT @@GLOBAL.gtid_slave_pos") or ""), "mariadb")
            logged = str(_one_value(connection, "SELECT @@GLOBAL.gtid_binlog_state") or "")
            return applied.beyond(parse_transactions(logged, "mariadb"))
        if not self.uses_gtids(connection):
            return None
        return parse_gtid_set(str(_one_value(connection, "SELECT @@GLOBAL.gtid_purged") or ""), "mysql")

    def known_collations(self, connection: Any) -> frozenset[str]:
        return frozenset(str(row[0]).lower() for row in _rows(connection, "SHOW COLLATION") if row[0])

    def lacking_functions(self, connection: Any) -> frozenset[str]:
        """Those of NOT_IN_ALL that the server has not."""
        return frozenset(name for name in NOT_IN_ALL if self.flavor == "mysql" and not _has_function(connection, name))

    def known_charsets(self, connection: Any) -> Mapping[str, str]:
        """Character sets of the server, each with its default collation."""
        return {str(row[0]).lower(): str(row[2]).lower() for row in _rows(connection, "SHOW CHARACTER SET")}


def _has_function(connection: Any, name: str) -> bool:
    """MySQL looks for a stored function where it has none of its own, and that one stands in a database."""
    try:
        _one_value(connection, f"SELECT {name}('')")
    except DMError as exc:
        if errno_of(exc) not in _NO_FUNCTION:
            raise
        return False
    return True


def fetch_location(connection: Any) -> Location:
    """``Server.fetch_location`` for a connection whose server was not probed before."""
    return Server.probe(connection).fetch_location(connection)


def _mariadb_location(connection: Any, status_sql: str) -> Location:
    """The GTID state is a variable of its own: it belongs to a position only if it did not move meanwhile."""
    for _ in range(_TRIES_FOR_A_QUIET_MOMENT):
        before = _one_value(connection, "SELECT @@GLOBAL.gtid_binlog_pos")
        position, _ = _binlog_status(connection, status_sql)
        if before == _one_value(connection, "SELECT @@GLOBAL.gtid_binlog_pos"):
            return Location(position, _mariadb_set(str(before)))
    # A server that never rests: this reads the file up to the position, so it is the second choice.
    found = _one_value(connection, "SELECT BINLOG_GTID_POS(%s, %s)", (position.name, position.offset))
    return Location(position, _mariadb_set(str(found or "")))


def _mariadb_set(text: str) -> GtidSet:
    return parse_gtid_set(text, "mariadb")


def _binlog_status(connection: Any, status_sql: str) -> tuple[Position, str]:
    rows = _rows(connection, status_sql)
    if not rows or not rows[0][0]:
        raise NO_BINLOG.error(address=connection.options.address)
    row = rows[0]
    return Position(str(row[0]), int(row[1])), str(row[4] or "") if len(row) > 4 else ""


def _rows(connection: Any, sql: str, arguments: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return list(cursor.fetchall())


def _one_value(connection: Any, sql: str, arguments: tuple[Any, ...] | None = None) -> Any:
    rows = _rows(connection, sql, arguments)
    return rows[0][0] if rows else None
