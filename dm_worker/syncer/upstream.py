"""The upstream of a sync unit: what is asked of it, and its binlog."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pymysql.cursors import SSCursor

from dm_worker.relay.reader import CATCH_UP_SECONDS, RelayStream, comes_to_hold
from dm_worker.relay.upstream import head_of, open_stream
from dm_worker.syncer.relay_damage import RelayDamage, refused_by_both
from dm_worker.syncer.start_places import find_start, gtids_up_to
from dm_worker.syncer.unseen_cascades import UnseenCascades
from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.computing import OLD_MODE, computing_values
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server, folds_names
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.structures import (
    Cascade,
    cascades_of,
    kind_of,
    schema_collations,
    shown_merge,
    structure_of,
)
from pkg.binlog.gtid import GtidSet, Transactions, parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.binlog.stream import EventStream
from pkg.errors import DMError
from pkg.rows.foreign_keys import asks_for_key_checks
from pkg.schema.statement import TableName
from pkg.schema.table import Table
from pkg.schema.utf8_name import MODE
from pkg.task.subtask import SubtaskConfig
from pkg.unit import StopSignal

_ASKED_TOGETHER = 50  # names
_WATCHED_SECONDS = 5  # after which the watching thread logs in anew
_NO_SUCH_FUNCTION = 1305  # ER_SP_DOES_NOT_EXIST
_GRAMMAR = frozenset({
    "AGAINST", "ANY", "BIT", "CHARSET", "COLUMNS", "DATETIME", "ENUM", "GEOMETRY", "HASH", "INET4", "INET6",
    "JSON", "JSON_TABLE", "LIST", "NUMBER", "NVARCHAR", "RANGE", "ROLLUP", "SOME", "SYSTEM_TIME", "TEXT",
    "THAN", "UUID", "VALUE", "VECTOR",
})  # fmt: skip  # words before a parenthesis that are no reserved words and no functions
_YEAR_SECONDS = 31_556_952
log = logging.getLogger(__name__)


class Upstream:
    """The source: its identity, binlog location, structures and stream."""

    def __init__(self, config: SubtaskConfig, relay_folder: str = "") -> None:
        self._config = config
        self._relay_folder = Path(relay_folder) if relay_folder else None
        self._options = ConnectionOptions.from_config(config.upstream, side="upstream")
        self._connection: Connection | None = None
        self._watching: Connection | None = None
        self._watching_since = 0.0  # by the monotonic clock
        self.unseen_cascades: UnseenCascades | None = None  # where the target does not what no binlog tells
        self.relay_damage: RelayDamage | None = None  # met in the relay log, which is not read any more
        self.waits_for = ""  # what a stream needs before it is there

    @property
    def has_relay(self) -> bool:
        """Whether a relay log is read where it holds the place."""
        return self._relay_folder is not None

    @property
    def address(self) -> str:
        return self._options.address

    def open(self) -> None:
        """Log in and learn who the server is.  Raises DMError."""
        connection = connect(self._options.only(""), side="upstream")
        self.server = Server.probe(connection)
        self.identity = self.server.identity(connection)
        self._options = self._options.only(self.identity)
        self.folds_names = folds_names(connection)
        connection.close()
        self._connection = self._connect()
        self.logs_cascades = self.server.logs_cascades(self._connection)
        self.unseen_cascades = self._unseen_cascades()

    def check_cascades(self) -> None:
        """For when it is known where replication starts: DDL from there on tells its own.  Raises UNSEEN_CASCADES."""
        if self.unseen_cascades is not None:
            self.unseen_cascades.check(self.cascades())

    def cascades(self) -> list[Cascade]:
        """The foreign keys that cascade, as they are now."""
        return cascades_of(self._own())

    def _unseen_cascades(self) -> UnseenCascades | None:
        if asks_for_key_checks(self._config.target.session) or self.logs_cascades:
            return None
        return UnseenCascades(self._config.chooses_key_checks, self._config.allow_list().allows)

    def _connect(self) -> Connection:
        return connect(self._options, side="upstream", session=self.server.upstream_session())

    def connect_anew(self) -> None:
        """After a long time in which nothing was asked.  Raises ANOTHER_SERVER where the address leads elsewhere."""
        self._own()._force_close()
        self._connection = self._connect()

    def location(self) -> Location:
        """Where the binlog stands; for the watching thread.  Raises ANOTHER_SERVER."""
        try:
            return self.server.fetch_location(self._watched())
        except DMError:
            self._watching = None
            raise

    def _watched(self) -> Connection:
        """The watching thread's connection, which is a new one now and then: an old one may outlive a failover."""
        now = time.monotonic()
        if self._watching is not None and now - self._watching_since > _WATCHED_SECONDS:
            self._watching._force_close()
            self._watching = None
        if self._watching is None:
            self._watching, self._watching_since = self._connect(), now
        return self._watching

    def start_location(self) -> Location:
        """Where the task says that replication starts; the present location when it says nothing."""
        config, meta, flavor = self._config, self._config.meta, self.server.gtid_flavor
        if config.start_time:
            position = find_start(self, config.start_time, flavor)
        elif meta is None or not (meta.binlog_name or meta.binlog_gtid):
            return self.present_location()
        elif meta.binlog_gtid:
            named = Position("", 0) if config.enable_gtid else Position(meta.binlog_name, meta.binlog_pos)
            return Location(named, parse_gtid_set(meta.binlog_gtid, flavor))
        else:
            position = Position(meta.binlog_name, meta.binlog_pos)
        return Location(position, gtids_up_to(self, position, flavor) if config.enable_gtid else None)

    def present_location(self) -> Location:
        """Where the binlog stands now; for the thread that reads the stream."""
        return self.server.fetch_location(self._own())

    def moment(self) -> int:
        """What the server's clock says, in microseconds since 1970."""
        ((seconds,),) = self.rows("SELECT UNIX_TIMESTAMP(SYSDATE(6))")
        return int(seconds * 1_000_000)

    def known_transactions(self) -> Transactions | None:
        """Those that the server has, also those that it does not show yet; None without GTIDs."""
        if self.server.flavor == "mariadb":
            return self.held_transactions()
        # In this order: one that is committed between the two is in both, not in neither.
        owned = self.server.owned_gtids(self._own()) if self.server.flavor == "mysql" else frozenset()
        gtids = self.present_location().gtid_set
        if gtids is not None:
            for one in owned:
                gtids = gtids.add(one.partition("#")[0])
        return gtids.transactions() if gtids is not None else None

    def gtids_at(self, position: Position) -> GtidSet | None:
        """The last transaction of each domain of a MariaDB before a position of its binlog; None where it has none."""
        with self._own().cursor() as cursor:
            cursor.execute("SELECT BINLOG_GTID_POS(%s, %s)", (position.name, position.offset))
            row = cursor.fetchone()
        return parse_gtid_set(str(row[0]), "mariadb") if row and row[0] is not None else None

    def held_transactions(self) -> Transactions | None:
        """Those that the server has, or was set up with; None without GTIDs."""
        return self.server.held_transactions(self._own())

    def unlogged_gtids(self) -> GtidSet | None:
        """Those that the server has, and its binlog lacks; None without GTIDs."""
        return self.server.unlogged_gtids(self._own())

    def binlog_file(self, name: str) -> tuple[int, int] | None:
        """A file's size, and when it was begun, in seconds since 1970; None where it is not there (any more)."""
        with self._own().cursor() as cursor:
            cursor.execute(self.server.binlog_files_sql)
            sizes = {str(row[0]): int(row[1]) for row in cursor.fetchall()}
        if name not in sizes:
            return None
        flavor = self.server.gtid_flavor
        try:
            head = head_of(name, lambda start: open_stream(self._options, 0, flavor, start), flavor)
        except DMError as exc:
            if exc.resumable or name in self.binlog_files():
                raise
            return None  # it was purged just now
        return sizes[name], int.from_bytes(head[:4], "little")

    def clock_offset(self) -> float:
        """Seconds that the server's clock is ahead of our monotonic one; for the watching thread, on its connection."""
        with self._watched().cursor() as cursor:
            before = time.monotonic()
            cursor.execute("SELECT UNIX_TIMESTAMP(NOW(6))")
            row = cursor.fetchone()
            after = time.monotonic()
        assert row is not None
        return float(row[0]) - (before + after) / 2

    def table(self, schema: str, table: str) -> Table | None:
        """The structure of a table as it is now; None when there is none of that name, or a view has it by now."""
        try:
            return structure_of(self._own(), schema, table)
        except DMError:  # the statement of a view is none of a table
            if self.kind_of(schema, table) == "VIEW":
                return None
            raise

    def kind_of(self, schema: str, table: str) -> str:
        """BASE TABLE, VIEW, SEQUENCE …; "" when there is nothing of that name now."""
        return kind_of(self._own(), schema, table)

    def shown_merge(self, schema: str, table: str) -> str:
        """SHOW CREATE TABLE of a MERGE table; "" where there is none of that name now."""
        return shown_merge(self._own(), schema, table)

    def tables(self) -> list[tuple[str, str]]:
        """(schema, table) of every base table."""
        with self._own().cursor() as cursor:
            cursor.execute(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
                "AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
            )
            return [(str(schema), str(table)) for schema, table in cursor.fetchall()]

    def logs_temporary_tables(self) -> bool:
        """Whether its sessions now log temporary tables by default: in STATEMENT, with MariaDB also in MIXED."""
        with self._own().cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.binlog_format")
            row = cursor.fetchone()
        wanted = ("STATEMENT", "MIXED") if self.server.flavor == "mariadb" else ("STATEMENT",)
        return row is not None and str(row[0]).upper() in wanted

    def named(self, columns: str, source: str, names: Sequence[TableName]) -> list[Sequence[Any]]:
        """Columns of the rows of a table of information_schema that bear these names.

        MariaDB opens all tables of the server unless schema and name are equal to something each.
        """
        found: list[Sequence[Any]] = []
        one = f"SELECT {columns} FROM information_schema.{source}"
        for first in range(0, len(names), _ASKED_TOGETHER):
            part = names[first : first + _ASKED_TOGETHER]
            values = [word for name in part for word in (name.schema, name.table)]
            with self._own().cursor() as cursor:
                cursor.execute(" UNION ALL ".join([one] * len(part)), values)
                found += cursor.fetchall()
        return found

    def is_no_function(self, name: TableName) -> bool:
        """Whether there is no function of that name now, in the server or a database; words of its grammar are some."""
        if name.table.upper() in _GRAMMAR:
            return False
        call = f"{name.table}()" if name.table.isidentifier() else f"{name.quoted()}()"
        try:
            with self._own().cursor() as cursor:
                cursor.execute("PREPARE sparkdm_function FROM %s", (f"SELECT {call}",))
        except DMError as exc:
            return errno_of(exc) == _NO_SUCH_FUNCTION
        return False

    def binlog_files(self) -> list[str]:
        """Names of the server's binlog files, oldest first."""
        with self._own().cursor() as cursor:
            cursor.execute(self.server.binlog_files_sql)
            return [str(row[0]) for row in cursor.fetchall()]

    def default_collations(self) -> Mapping[str, str]:
        """The default collation of each database."""
        return schema_collations(self._own())

    def collation_names(self) -> Mapping[int, str]:
        """The collation of each number that events name."""
        sql = "SELECT id, collation_name FROM information_schema.collations WHERE id IS NOT NULL"
        if self.server.flavor == "mariadb" and self.server.version >= (10, 10):  # sets share collations from there on
            sql = "SELECT id, full_collation_name FROM information_schema.collation_character_set_applicability"
        with self._own().cursor() as cursor:
            cursor.execute(sql)
            return {int(number): str(name) for number, name in cursor.fetchall()}

    def expression_variables(self) -> tuple[tuple[str, str], ...]:
        """Global variables that expressions depend on and no event of the binlog names."""
        values = self.computing_values()
        return tuple((name, values[name]) for name in ("default_week_format", "div_precision_increment"))

    def computing_values(self) -> dict[str, str]:
        return computing_values(self._own())

    def utf8_is_utf8mb4(self) -> bool:
        """What `utf8` is in the server's DDL."""
        if self.server.flavor != "mariadb" or self.server.version < (10, 6, 1):
            return False
        with self._own().cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.old_mode")
            row = cursor.fetchone()
        return row is not None and MODE not in str(row[0]).upper().split(",")

    def times_have_no_day(self) -> bool:
        """Whether it is a MariaDB whose sessions begin so that a TIME becomes a moment without a day."""
        return bool(self.computing_values()[OLD_MODE])

    def zone_offset(self, zone: str, at_seconds: int) -> str:
        """The offset, as ``+08:00``, that a zone of this server (SYSTEM is one) has at a moment; UTC if it has none."""
        with self._own().cursor() as cursor:
            utc = "FROM_UNIXTIME(%s)"  # the session is in UTC
            cursor.execute(
                f"SELECT TIMESTAMPDIFF(MINUTE, {utc}, CONVERT_TZ({utc}, '+00:00', %s))", (at_seconds, at_seconds, zone)
            )
            row = cursor.fetchone()
        minutes = int((row and row[0]) or 0)
        return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"

    def rows(self, sql: str) -> list[Sequence[Any]]:
        """What a query gives."""
        with self._own().cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def first_row(self, sql: str, holds: Callable[[Sequence[Any]], bool]) -> Sequence[Any] | None:
        """The first row of what a query gives that is looked for; no more than one is in memory."""
        with self._own().cursor(SSCursor) as cursor:
            cursor.execute(sql)
            return next((row for row in cursor if holds(row)), None)

    def value_of(self, expression: str, zone: str) -> str:
        """The number that a constant expression gives; "" for none.  ``zone`` "": it depends on none."""
        with self._own().cursor() as cursor:
            if zone:
                cursor.execute("SET time_zone = %s", (zone,))
            try:
                cursor.execute(f"SELECT {expression}")
                row = cursor.fetchone()
            finally:
                if zone:
                    cursor.execute("SET time_zone = '+00:00'")
        return str(row[0]) if row is not None and row[0] is not None else ""

    def zone_moves(self, zone: str) -> bool:
        """Whether the offset of a zone of this server has changed since 1970, or will."""
        moments = [year * _YEAR_SECONDS + half * _YEAR_SECONDS // 2 for year in range(1, 67) for half in (0, 1)]
        listed = " UNION ALL ".join(f"SELECT {moment} AS moment" for moment in moments)
        utc = "FROM_UNIXTIME(moment)"  # the session is in UTC
        with self._own().cursor() as cursor:
            offset = f"TIMESTAMPDIFF(MINUTE, {utc}, CONVERT_TZ({utc}, '+00:00', %s))"
            cursor.execute(f"SELECT COUNT(DISTINCT {offset}) FROM ({listed}) AS moments", (zone,))
            row = cursor.fetchone()
        return bool(row and row[0] > 1)

    def stream(self, location: Location, stop: StopSignal, *, beside: bool = False) -> EventStream:
        """The binlog from ``location`` on: from the relay log where it holds that, else from the server."""
        if self._relay_folder is not None and self.relay_damage is None:
            use_gtid = self.reads_by_gtid(location)
            self.waits_for = f"the relay log to hold {location}, for up to {CATCH_UP_SECONDS:.0f} s"
            try:
                if comes_to_hold(self._relay_folder, self.identity, location, use_gtid, stop):
                    return RelayStream(self._relay_folder, self.identity, location, use_gtid)
            finally:
                self.waits_for = ""
            log.info("the relay log does not hold %s, which is read from the upstream", location)
        try:
            return self.remote_stream(location, beside=beside)
        except DMError as exc:
            told = refused_by_both(exc, self.relay_damage, location)
            if told is exc:
                raise
            raise told from exc

    def remote_stream(self, location: Location, *, beside: bool = False) -> BinlogStream:
        """The server's binlog from ``location`` on, by GTID where the source says so.

        ``beside``: it is not the one that is replicated, which alone has the source's server id.
        """
        return BinlogStream(
            self._options,
            server_id=0 if beside else self._config.server_id,
            flavor=self.server.gtid_flavor,
            start=location,
            use_gtid=self.reads_by_gtid(location),
        )

    def goes_by_gtid(self, location: Location) -> bool:
        """Whether the source says that GTIDs tell where replication stands, and the location has them."""
        return self._config.enable_gtid and location.gtid_set is not None

    def reads_by_gtid(self, location: Location) -> bool:
        """Whether GTIDs tell where a stream from ``location`` begins, and not its position.

        A stream of MariaDB's by GTID looks for a file by sequence numbers, which may go back in a domain unless
        ``gtid_strict_mode`` is on, and then passes over transactions: a position that has just the location's
        transactions before it is exact.  It has not where some come later in this binlog, as they may behind a switch.
        """
        name, offset = location.position.name, location.position.offset
        has_position = self.server.flavor == "mariadb" and bool(name) and not offset >> 32
        return self.goes_by_gtid(location) and not (
            has_position and self.gtids_at(location.position) == location.gtid_set
        )

    def _own(self) -> Connection:
        assert self._connection is not None, "open() comes first"
        return self._connection

    def close(self) -> None:
        for connection in (self._connection, self._watching):
            if connection is not None:
                connection._force_close()
        self._connection = self._watching = None
