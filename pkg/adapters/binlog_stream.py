"""The binlog of a server as a stream of bytes, as a replica reads it.

A thread reads the socket in big pieces into a bounded queue, so that network and decoding overlap.
Protocol: MySQL internals "Replication Protocol" (COM_REGISTER_SLAVE, COM_BINLOG_DUMP,
COM_BINLOG_DUMP_GTID); MariaDB knowledge base "Replication Protocol", whose replicas ask by
`@slave_connect_state`.
"""

from __future__ import annotations

import contextlib
import queue
import random
import socket
import struct
import threading
from typing import Any

from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import LOST_CONNECTION
from pkg.binlog.gtid import GtidSet, MySQLGtidSet
from pkg.binlog.position import Location
from pkg.errors import DMError, ErrorKind, Level, Scope, as_dm_error

TOO_FAR = ErrorKind(
    11124,
    "functional",
    Scope.UPSTREAM,
    Level.HIGH,
    "a stream cannot start behind 4 GiB of a file by position: {position}",
    workaround="set enable-gtid: true in the source file, which has no such limit",
)

_COM_BINLOG_DUMP, _COM_REGISTER_SLAVE, _COM_BINLOG_DUMP_GTID = 0x12, 0x15, 0x1E
_PIECE_BYTES = 1 << 18
_QUEUED_PIECES = 32
_HEARTBEAT_SECONDS = 1
_FIRST_SERVER_ID = 429_496_729


class BinlogStream:
    """Bytes of the binlog from `start` on, as protocol packets; one reader.

    `server_id` 0 chooses one at random.  Opening raises DMError; so does `read` once the connection ends.
    """

    def __init__(
        self, options: ConnectionOptions, *, server_id: int, flavor: str, start: Location, use_gtid: bool
    ) -> None:
        self._flavor = flavor
        self._server_id = server_id or random.randrange(_FIRST_SERVER_ID, 2**32 - 1)
        self._connection: Connection = connect(options, side="upstream")
        self.checksum = False
        try:
            self._prepare(start.gtid_set if use_gtid else None)
            self._request(start, use_gtid)
        except BaseException:
            self._connection._force_close()
            raise
        self._pieces: queue.Queue[bytes | DMError] = queue.Queue(_QUEUED_PIECES)
        self._closed = threading.Event()
        self._reader = threading.Thread(target=self._receive, name="binlog-reader", daemon=True)
        self._reader.start()

    def read(self, timeout: float) -> bytes | None:
        """The next bytes; None when there are none within `timeout` seconds.  Raises DMError when it is over."""
        try:
            piece = self._pieces.get(timeout=timeout)
        except queue.Empty:
            return None
        if isinstance(piece, DMError):
            self._pieces.put(piece)  # whoever reads again is told again
            raise piece
        return piece

    def close(self) -> None:
        """End the stream at once; the reader thread is gone afterwards."""
        self._closed.set()
        raw: Any = self._connection._sock
        if raw is not None:
            with contextlib.suppress(OSError):  # the server may have been first
                raw.shutdown(socket.SHUT_RDWR)
        while self._reader.is_alive():
            try:
                self._pieces.get(timeout=0.05)  # room for a reader that waits for it
            except queue.Empty:
                continue
        self._connection._force_close()

    def _prepare(self, gtid_set: GtidSet | None) -> None:
        connection = self._connection
        with connection.cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.binlog_checksum")
            row = cursor.fetchone()
            self.checksum = row is not None and str(row[0]).upper() != "NONE"
            heartbeat = _HEARTBEAT_SECONDS * 1_000_000_000
            cursor.execute("SET @master_binlog_checksum = @@GLOBAL.binlog_checksum")
            cursor.execute(f"SET @master_heartbeat_period = {heartbeat}")
            if self._flavor == "mariadb":
                cursor.execute("SET @mariadb_slave_capability = 4")
                if gtid_set is not None:
                    cursor.execute("SET @slave_connect_state = %s", (str(gtid_set),))
                    cursor.execute("SET @slave_gtid_strict_mode = 0")
            else:
                cursor.execute("SET @source_binlog_checksum = @@GLOBAL.binlog_checksum")
                cursor.execute(f"SET @source_heartbeat_period = {heartbeat}")
                # The server ends an earlier stream of the same UUID: ours is not to meet another's.
                cursor.execute("SET @replica_uuid = UUID(), @slave_uuid = @replica_uuid")

    def _request(self, start: Location, use_gtid: bool) -> None:
        connection = self._connection
        register = struct.pack("<BI", _COM_REGISTER_SLAVE, self._server_id) + b"\0\0\0" + struct.pack("<HII", 0, 0, 0)
        _command(connection, register)
        connection._read_packet()
        if use_gtid and isinstance(start.gtid_set, MySQLGtidSet):
            known = encode_gtid_set(start.gtid_set)
            head = struct.pack("<BHI", _COM_BINLOG_DUMP_GTID, 0x04, self._server_id)
            _command(connection, head + struct.pack("<IQI", 0, 4, len(known)) + known)
            return
        by_gtid = use_gtid and start.gtid_set is not None
        position = start.position
        name = b"" if by_gtid else position.name.encode()
        offset = 4 if by_gtid else max(4, position.offset)
        if offset >= 1 << 32:
            raise TOO_FAR.error(position=position)
        _command(connection, struct.pack("<BIHI", _COM_BINLOG_DUMP, offset, 0, self._server_id) + name)

    def _receive(self) -> None:
        raw: Any = self._connection._sock
        raw.settimeout(_HEARTBEAT_SECONDS * 60)
        try:
            while not self._closed.is_set():
                piece = raw.recv(_PIECE_BYTES)
                if not piece:
                    raise ConnectionResetError("the server closed the binlog stream")
                self._pieces.put(piece)
        except OSError as exc:
            if not self._closed.is_set():
                options = self._connection.options
                kind = LOST_CONNECTION.of("upstream")
                self._pieces.put(kind.error(address=options.address, errno=2013, text=str(exc), cause=exc))
        except Exception as exc:
            self._pieces.put(as_dm_error(exc))


def _command(connection: Connection, packet: bytes) -> None:
    """Send a command packet as it is; what PyMySQL counts of the sequence starts anew."""
    driver: Any = connection
    driver._write_bytes(struct.pack("<I", len(packet))[:3] + b"\0" + packet)
    driver._next_seq_id = 1


def encode_gtid_set(gtid_set: MySQLGtidSet) -> bytes:
    """The set as COM_BINLOG_DUMP_GTID carries it: half-open intervals of 64-bit numbers by UUID."""
    encoded = struct.pack("<Q", len(gtid_set.sources))
    for source, intervals in sorted(gtid_set.sources.items()):
        encoded += bytes.fromhex(source.replace("-", ""))
        encoded += struct.pack("<Q", len(intervals.all()))
        for first, last in intervals.all():
            encoded += struct.pack("<QQ", first, last + 1)
    return encoded
