"""Where replication starts: the first transaction at or after a time, and the GTIDs before a position.

For a time (`start-task --start-time`) files are searched by when each was begun; then one file is read up to it.
A place that has no GTID set gets one, so that the task can go on at another server later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from pkg.adapters.binlog_stream import BinlogStream
from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import CORRUPT
from pkg.binlog.events import (
    AnonymousGtidEvent,
    Event,
    FormatEvent,
    GtidEvent,
    HeartbeatEvent,
    PreviousGtidsEvent,
    QueryEvent,
    RotateEvent,
    RowsEvent,
    XidEvent,
)
from pkg.binlog.gtid import GtidSet, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task.start_time import BAD_START_TIME, parse_start_time

READ_TIMEOUT_SECONDS = 5.0  # a server that has nothing to say sends heartbeats more often


def file_before(files: Sequence[str], begun_at: Callable[[str], int], time_seconds: int) -> str:
    """The last file that was begun before the time, by binary search; the first file when all are younger."""
    low, high = 0, len(files) - 1  # invariant: files[low] is old enough or the first; those after high are younger
    while low < high:
        middle = (low + high + 1) // 2
        if begun_at(files[middle]) < time_seconds:
            low = middle
        else:
            high = middle - 1
    return files[low]


class BinlogSource(Protocol):
    """What of the upstream the search needs."""

    def binlog_files(self) -> list[str]: ...

    def remote_stream(self, location: Location) -> BinlogStream: ...

    def present_location(self) -> Location: ...

    def unlogged_gtids(self) -> GtidSet | None: ...


def find_start(source: BinlogSource, text: str, flavor: str) -> Position:
    """Where the first transaction at or after the time ``text`` begins.

    Raises BAD_START_TIME, also for a time behind the binlog's end.
    """
    time_seconds = parse_start_time(text)
    end = source.present_location().position
    files = source.binlog_files()
    name = file_before(files, lambda file: _begun_at(source, file, flavor), time_seconds)
    at = _first_at_or_after(source, Position(name, 4), end, time_seconds, flavor)
    if at is None:
        raise BAD_START_TIME.error(text=text, what=f"is behind the end of the upstream's binlog {end}")
    return at


def gtids_before(source: BinlogSource, position: Position, flavor: str) -> GtidSet | None:
    """The transactions before a position of the upstream's binlog, those before its first file included.

    None where the files do not tell: the position is in none of them or within a transaction, or there are
    transactions without GTIDs.
    """
    unlogged = source.unlogged_gtids()
    position = Position(position.name, max(4, position.offset))
    if unlogged is None or position.name not in source.binlog_files():
        return None
    head = _events(source, Position(position.name, 4), Position(position.name, 1 << 62), flavor)
    listed = next((event.gtid_set for _, event in head if isinstance(event, PreviousGtidsEvent)), "")
    before = parse_transactions(listed, flavor)
    for decoder, event in _events(source, Position(position.name, 4), position, flavor):
        if Position(decoder.file_name, decoder.end) > position:  # an event before it said nothing
            break
        if isinstance(event, AnonymousGtidEvent):
            return None
        if isinstance(event, GtidEvent):
            before = before.add(event.gtid)
    if not is_between_transactions(source, position, flavor):
        return None
    return before.place() if flavor == "mariadb" else before.place().union(unlogged)


def is_between_transactions(source: BinlogSource, position: Position, flavor: str) -> bool:
    """Whether no transaction of the upstream's binlog goes on behind the position."""
    end = source.present_location().position
    try:
        for decoder, event in _events(source, position, end, flavor):
            is_behind = Position(decoder.file_name, decoder.end) > position
            if is_behind and not isinstance(event, FormatEvent | HeartbeatEvent):
                return isinstance(event, GtidEvent | AnonymousGtidEvent | RotateEvent | PreviousGtidsEvent)
    except DMError as exc:
        if not exc.is_a(CORRUPT):  # rows whose table map is before the position
            raise
        return False
    return True


def _events(source: BinlogSource, start: Position, end: Position, flavor: str) -> Iterator[tuple[Decoder, Event]]:
    """Events from ``start`` on, without rows, until the stream stands at ``end``."""
    stream = source.remote_stream(Location(start))
    decoder = Decoder(
        flavor=flavor, framing="packets", resolve=lambda _: None, file_name=start.name, checksum=stream.checksum
    )
    try:
        while Position(decoder.file_name, decoder.end) < end:
            event = decoder.next()
            if event is not None:
                yield decoder, event
                continue
            if Position(decoder.file_name, decoder.end) >= end:  # by an event that says nothing
                return
            received = stream.read(READ_TIMEOUT_SECONDS)
            if received is None:
                return
            decoder.feed(received)
    finally:
        stream.close()


def _begun_at(source: BinlogSource, file: str, flavor: str) -> int:
    """The upstream's time when it began ``file``."""
    for _, event in _events(source, Position(file, 4), Position(file, 1 << 40), flavor):
        if isinstance(event, FormatEvent):
            return event.created
    return 0


def _first_at_or_after(
    source: BinlogSource, start: Position, end: Position, time_seconds: int, flavor: str
) -> Position | None:
    """The place before the first transaction that is not older than the time."""
    before = start
    for decoder, event in _events(source, start, end, flavor):
        match event:
            case GtidEvent() | QueryEvent() | XidEvent() if event.timestamp >= time_seconds:
                return before
            case XidEvent() | RotateEvent():
                before = Position(decoder.file_name, decoder.end)
            case QueryEvent() if event.sql != "BEGIN":
                before = Position(decoder.file_name, decoder.end)
            case GtidEvent() | QueryEvent() | RowsEvent() | FormatEvent() | HeartbeatEvent():
                continue
    return None
