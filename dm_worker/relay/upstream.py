"""What the upstream says of itself: which server it is, which binlog files it has, and how they begin."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass

from dm_worker.relay.errors import PURGED_UPSTREAM, UNLOGGED_UPSTREAM
from dm_worker.relay.made_up import HEADER_BYTES, event_size
from pkg.adapters.binlog_stream import BinlogStream
from pkg.adapters.mysql.connection import Connection, ConnectionOptions, connect
from pkg.adapters.mysql.dialect import NO_BINLOG, Server
from pkg.binlog.gtid import GtidSet, Transactions, parse_gtid_set, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.binlog.raw_events import Beat, RawEvents, Run
from pkg.binlog.relay_layout import in_order

_READ_SECONDS = 10.0
_CREATED = slice(HEADER_BYTES + 2 + 50, HEADER_BYTES + 2 + 50 + 4)
Open = Callable[[Position], BinlogStream]


@dataclass(frozen=True, slots=True)
class Upstream:
    """The server that answers at the source's address now."""

    identity: str
    server: Server
    sizes: dict[str, int]  # of its binlog files, oldest first
    address: str
    held: Transactions | None = None  # None: it has no GTIDs
    unlogged: GtidSet | None = None  # those that it has, and its binlog lacks

    @property
    def flavor(self) -> str:
        return self.server.gtid_flavor

    @property
    def files(self) -> list[str]:
        return list(self.sizes)

    @classmethod
    def probe(cls, connection: Connection, address: str) -> Upstream:
        """Raises NO_BINLOG, and what the server says."""
        server = Server.probe(connection)
        with connection.cursor() as cursor:
            cursor.execute(server.binlog_files_sql)
            listed = {str(row[0]): int(row[1]) for row in cursor.fetchall()}
        if not listed:
            raise NO_BINLOG.error(address=address)
        sizes = {name: listed[name] for name in in_order(listed)}
        held, unlogged = server.held_transactions(connection), server.unlogged_gtids(connection)
        return cls(server.identity(connection), server, sizes, address, held, unlogged)

    def file_for(self, gtid_set: GtidSet, open_at: Open) -> str:
        """The file with the first transaction that is not in the set: the last one that begins with none.

        Of the set counts what the server has: one that lacks the rest may have written others of the same numbers.
        Raises PURGED_UPSTREAM, UNLOGGED_UPSTREAM.
        """
        files = self.files
        if self.unlogged is not None and not (missing := self.unlogged.missed_from(gtid_set)).is_empty:
            raise UNLOGGED_UPSTREAM.error(address=self.address, missing=missing, folder="the relay log's folder")
        gtid_set = gtid_set if self.held is None else gtid_set.held_by(self.held)
        # What comes before a file only grows from file to file.
        behind = bisect.bisect_left(
            files, True, key=lambda name: not gtid_set.may_begin(gtids_before(name, open_at, self.flavor))
        )
        if not behind:
            needed = f"the transactions after {str(gtid_set)!r}"
            raise PURGED_UPSTREAM.error(
                needed=needed, first=files[0] if files else "none", folder="the relay log's folder"
            )
        return files[behind - 1]


def head_of(name: str, open_at: Open, flavor: str) -> bytes:
    """The format description with which a file begins."""
    stream = open_at(Position(name, 4))
    reading = RawEvents(framing="packets", flavor=flavor, file_name=name)
    try:
        while (data := stream.read(_READ_SECONDS)) is not None:
            reading.feed(data)
            while (found := reading.next()) is not None:
                if isinstance(found, Run):
                    return bytes(found.data[: event_size(bytes(found.data[:HEADER_BYTES]))])
                if isinstance(found, Beat):
                    return b""
    finally:
        stream.close()
    return b""


def is_same_head(one: bytes, other: bytes) -> bool:
    """But for what depends on where a stream begins, and on whether the file is in use."""
    return _lasting(one) == _lasting(other)


def _lasting(head: bytes) -> bytes:
    lasting = bytearray(head[:-4])
    lasting[13:18] = bytes(5)  # where it ends, and flags
    lasting[_CREATED] = bytes(4)
    return bytes(lasting)


def gtids_before(name: str, open_at: Open, flavor: str) -> Transactions:
    """The transactions in the files before this one, which its second event lists; none where it does not."""
    stream = open_at(Position(name, 4))
    reading = RawEvents(framing="packets", flavor=flavor, file_name=name)
    try:
        while (data := stream.read(_READ_SECONDS)) is not None:
            reading.feed(data)
            while (found := reading.next()) is not None:
                gtids = reading.take_gtids()
                if gtids.before is not None:
                    return parse_transactions(gtids.before, flavor)
                if gtids.ranges or isinstance(found, Beat):
                    return parse_transactions("", flavor)
    finally:
        stream.close()
    return parse_transactions("", flavor)


def open_stream(options: ConnectionOptions, server_id: int, flavor: str, start: Position) -> BinlogStream:
    return BinlogStream(
        options, server_id=server_id, flavor=flavor, start=Location(start), use_gtid=False, is_copy=True
    )


def present_location(options: ConnectionOptions, server: Server) -> Location:
    """Where the upstream stands, for people: position and GTIDs need not be of the same moment."""
    with connect(options, side="upstream") as connection:
        if server.flavor != "mariadb":
            return server.fetch_location(connection)
        with connection.cursor() as cursor:  # the exact way would read its file
            cursor.execute(server.binlog_status_sql)
            row = cursor.fetchone() or ("", 0)
            cursor.execute("SELECT @@GLOBAL.gtid_binlog_pos")
            (gtids,) = cursor.fetchone() or ("",)
    return Location(Position(str(row[0]), int(row[1])), parse_gtid_set(str(gtids), "mariadb"))
