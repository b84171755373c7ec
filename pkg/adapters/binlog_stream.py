"""The binlog of a server as a stream of bytes, as a replica reads it.

A thread reads the socket in big pieces into a bounded queue, so that network and decoding overlap.
What the server refuses is met while opening: it answers a dump either with an error or with the first
event.  Protocol: MySQL internals "Replication Protocol" (COM_REGISTER_SLAVE, COM_BINLOG_DUMP,
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
from dataclasses import replace
from typing import Any, Literal

from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.errors import LOST_CONNECTION, MISSING_PRIVILEGE
from pkg.binlog.errors import PURGED, SERVER_ERROR, server_error
from pkg.binlog.gtid import MySQLGtidSet
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
_THROUGH_GTID = 0x04
_SEND_ANNOTATE = 0x02  # MariaDB leaves these events out for whoever does not ask for them
_PIECE_BYTES = 1 << 18
_QUEUED_PIECES = 32
_HEARTBEAT_SECONDS = 1
_SILENCE_SECONDS = 60
_FIRST_SERVER_ID = 429_496_729
_PRIVILEGE_ERRORS = frozenset({1045, 1227})


class BinlogStream:
    """Bytes of the binlog from `start` on, as protocol packets; one reader.

    `server_id` 0 chooses one at random, and so does one that another stream of ours has.  Opening raises
    DMError; so does `read` once the connection ends.  `is_copy`: every event as the server's file has it,
    also those that say nothing to a replica.
    """

    framing: Literal["packets", "file"] = "packets"
    binlog_type: Literal["remote", "local"] = "remote"
    checksum: bool | None = None  # whether events have one: the decoder sees it in the first

    def __init__(
        self,
        options: ConnectionOptions,
        *,
        server_id: int,
        flavor: str,
        start: Location,
        use_gtid: bool,
        heartbeat_seconds: float = _HEARTBEAT_SECONDS,
        is_copy: bool = False,
    ) -> None:
        self._flavor = flavor
        self._flags = _SEND_ANNOTATE if is_copy and flavor == "mariadb" else 0
        self._start = start
        self._gtid_set = start.gtid_set if use_gtid else None
        self._server_id = server_id or _random_server_id()
        self._is_copy = is_copy
        self._options = options
        self._pieces: queue.Queue[bytes | DMError] = queue.Queue(_QUEUED_PIECES)
        self._closed = threading.Event()
        self._connection: Connection = connect(replace(options, read_timeout=_SILENCE_SECONDS), side="upstream")
        try:
            self._prepare(heartbeat_seconds)
            self._reserve_server_id()
            self._register()
            self._request()
            self._pieces.put(self._first_bytes())
        except BaseException:
            self._connection._force_close()
            raise
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
            with contextlib.suppress(queue.Empty):
                self._pieces.get_nowait()  # room for a reader that waits for it
            self._reader.join(0.005)
        self._connection._force_close()

    def _prepare(self, heartbeat_seconds: float) -> None:
        """What a replica sets before it asks; servers of either flavour keep names that they do not know."""
        heartbeat = int(heartbeat_seconds * 1_000_000_000)
        # A replica that knows checksums gets events as they are; another one gets them without.
        checksum = "'CRC32'" if self._is_copy else "@@GLOBAL.binlog_checksum"
        with self._connection.cursor() as cursor:
            cursor.execute(f"SET @master_binlog_checksum = {checksum}")
            cursor.execute(f"SET @master_heartbeat_period = {heartbeat}")
            if self._flavor == "mariadb":
                cursor.execute("SET @mariadb_slave_capability = 4")
                if self._gtid_set is not None:
                    cursor.execute("SET @slave_connect_state = %s", (str(self._gtid_set),))
                    cursor.execute("SET @slave_gtid_strict_mode = 0")
            else:
                cursor.execute(f"SET @source_binlog_checksum = {checksum}")
                cursor.execute(f"SET @source_heartbeat_period = {heartbeat}")
                # The server ends an earlier stream of the same UUID: ours is not to meet another's.
                cursor.execute("SET @replica_uuid = UUID(), @slave_uuid = @replica_uuid")

    def _reserve_server_id(self) -> None:
        """Tasks of one source share its server id, and MariaDB ends the stream that had an id before: the first
        stream holds the id by a lock of its session, the others choose one at random."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("SELECT GET_LOCK(%s, 0)", (f"spark-dm server-id {self._server_id}",))
                is_ours = cursor.fetchone() == (1,)
        except DMError as exc:
            if exc.resumable:
                raise
            is_ours = False  # a server that has no such locks
        if not is_ours:
            self._server_id = _random_server_id()

    def _register(self) -> None:
        packet = struct.pack("<BI", _COM_REGISTER_SLAVE, self._server_id) + b"\0\0\0" + struct.pack("<HII", 0, 0, 0)
        self._send(packet)
        try:
            self._connection._read_packet()
        except DMError as exc:
            raise self._explained(exc, int(exc.fields.get("errno") or 0)) from exc

    def _request(self) -> None:
        position = self._start.position
        if isinstance(self._gtid_set, MySQLGtidSet):
            known = encode_gtid_set(self._gtid_set)
            head = struct.pack("<BHI", _COM_BINLOG_DUMP_GTID, _THROUGH_GTID, self._server_id)
            self._send(head + struct.pack("<IQI", 0, 4, len(known)) + known)
            return
        by_gtid = self._gtid_set is not None
        name = b"" if by_gtid else position.name.encode()
        offset = 4 if by_gtid else max(4, position.offset)
        if offset >= 1 << 32:
            raise TOO_FAR.error(position=position)
        self._send(struct.pack("<BIHI", _COM_BINLOG_DUMP, offset, self._flags, self._server_id) + name)

    def _send(self, packet: bytes) -> None:
        """Send a command packet as it is; what PyMySQL counts of the sequence starts anew."""
        driver: Any = self._connection
        driver._write_bytes(struct.pack("<I", len(packet))[:3] + b"\0" + packet)
        driver._next_seq_id = 1

    def _first_bytes(self) -> bytes:
        """The start of the server's answer.  Raises what it refuses."""
        raw: Any = self._connection._sock
        raw.settimeout(_SILENCE_SECONDS)
        received = b""
        try:
            while len(received) < 5 or (received[4] and len(received) < 4 + int.from_bytes(received[:3], "little")):
                piece = raw.recv(_PIECE_BYTES)
                if not piece:
                    raise ConnectionResetError("the server closed the connection instead of sending its binlog")
                received += piece
        except OSError as exc:
            raise self._lost(exc) from exc
        if received[4]:
            position = self._start.position
            refusal = server_error(received[4:], position.name, position.offset)
            raise self._explained(refusal, int(refusal.fields["errno"]))
        return received

    def _explained(self, exc: DMError, errno: int) -> DMError:
        """A refusal with what the user needs to act on it."""
        if errno in _PRIVILEGE_ERRORS:
            fields = {"address": self._options.address, "user": f"'{self._options.user}'", "errno": errno}
            grant = {"privilege": "REPLICATION SLAVE", "object": "*.*", "account": f"'{self._options.user}'@'%'"}
            return MISSING_PRIVILEGE.of("upstream").error(cause=exc, **fields, **grant)
        if exc.is_a(PURGED) or exc.is_a(SERVER_ERROR):
            asked = f"GTID set {str(self._gtid_set)!r}" if self._gtid_set is not None else str(self._start.position)
            text = f"{exc.fields['text']}; asked for: {asked}; the server's first binlog file: {self._first_file()}"
            return exc.kind.error(**{**exc.fields, "text": text})
        return exc

    def _first_file(self) -> str:
        try:
            with connect(self._options, side="upstream") as connection, connection.cursor() as cursor:
                cursor.execute("SHOW BINARY LOGS")
                row = cursor.fetchone()
        except DMError:
            return "unknown"
        return str(row[0]) if row else "none"

    def _lost(self, exc: OSError) -> DMError:
        return LOST_CONNECTION.of("upstream").error(address=self._options.address, errno=2013, text=str(exc), cause=exc)

    def _receive(self) -> None:
        raw: Any = self._connection._sock
        try:
            while not self._closed.is_set():
                piece = raw.recv(_PIECE_BYTES)
                if not piece:
                    raise ConnectionResetError("the server closed the binlog stream")
                self._pieces.put(piece)
        except OSError as exc:
            if not self._closed.is_set():
                self._pieces.put(self._lost(exc))
        except Exception as exc:
            self._pieces.put(as_dm_error(exc))


def _random_server_id() -> int:
    return random.randrange(_FIRST_SERVER_ID, 2**32 - 1)


def encode_gtid_set(gtid_set: MySQLGtidSet) -> bytes:
    """The set as COM_BINLOG_DUMP_GTID carries it: by UUID, and tag if any has one, half-open intervals."""
    tagged = any(":" in source for source in gtid_set.sources)
    count = len(gtid_set.sources)
    encoded = [struct.pack("<Q", 1 << 56 | count << 8 | 1 if tagged else count)]
    for source, intervals in sorted(gtid_set.sources.items()):
        uuid, _, tag = source.partition(":")
        encoded.append(bytes.fromhex(uuid.replace("-", "")))
        if tagged:
            encoded.append(bytes((len(tag) << 1,)) + tag.encode())
        encoded.append(struct.pack("<Q", len(intervals)))
        encoded += [struct.pack("<QQ", first, last + 1) for first, last in intervals]
    return b"".join(encoded)
