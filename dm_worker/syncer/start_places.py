"""Where replication starts: the first transaction at or after a time, and the GTIDs before a position.

For a time (`start-task --start-time`) the first transaction of each file is looked at; then files are read from the
last one that begins before it. See start_order.py for what is decided of them.
A place that has no GTID set gets one, so that the task can go on at another server later.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Protocol

from dm_worker.relay.places import FIRST_EVENT
from dm_worker.relay.upstream import gtids_before
from dm_worker.syncer.start_order import (
    AMBIGUOUS_START_TIME,
    SECOND,
    Disorder,
    FileHead,
    file_to_read,
    first_at_or_after,
    transactions,
)
from pkg.adapters.binlog_stream import BinlogStream
from pkg.binlog.decoder import Decoder
from pkg.binlog.errors import NO_TABLE_MAP
from pkg.binlog.events import (
    AnonymousGtidEvent,
    Event,
    FormatEvent,
    GtidEvent,
    HeartbeatEvent,
    PreviousGtidsEvent,
    RotateEvent,
)
from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.task.start_time import BAD_START_TIME, parse_start_time

READ_TIMEOUT_SECONDS = 5.0  # a server that has nothing to say sends heartbeats more often
INEXACT = (
    "This upstream's binlog does not say when a transaction was committed, only when the statement that committed it "
    "began: a statement that was under way at that time counts as before it, and its rows do not come. Where that "
    "matters, begin at a position or GTID (`meta`)"
)
log = logging.getLogger(__name__)


class BinlogSource(Protocol):
    """What of the upstream the search needs."""

    def binlog_files(self) -> list[str]: ...

    def remote_stream(self, location: Location) -> BinlogStream: ...

    def present_location(self) -> Location: ...

    def unlogged_gtids(self) -> GtidSet | None: ...

    def gtids_at(self, position: Position) -> GtidSet | None: ...

    def moment(self) -> int: ...


def find_start(source: BinlogSource, text: str, flavor: str) -> Position:
    """Where the first transaction at or after the time ``text`` begins.

    Where none is, and the time is not to come, that is the one which is written next.
    Raises BAD_START_TIME, also for a time that is to come, and AMBIGUOUS_START_TIME.
    """
    moment = parse_start_time(text)
    is_past = moment <= source.moment()
    end = source.present_location().position
    files = source.binlog_files()
    log.info("start-time %s: looking for its place in %d binlog files", text, len(files))
    heads = [_head_of(source, file, end, flavor) for file in files]
    try:
        name = file_to_read(heads, moment)
        around = transactions(_placed(source, Position(name, FIRST_EVENT), end, flavor))
        found = first_at_or_after(around, moment, end if is_past else None)
    except Disorder as exc:
        raise AMBIGUOUS_START_TIME.error(text=text, reason=str(exc), first=exc.first, last=exc.last) from exc
    if found is None:
        raise BAD_START_TIME.error(text=text, what=f"is behind the end of the upstream's binlog {end}")
    if found.is_exact:
        log.info("start-time %s is at %s by the moments when the upstream wrote its transactions", text, found.start)
        return found.start
    if moment % SECOND:
        raise BAD_START_TIME.error(text=text, what="has parts of a second, which the upstream's binlog does not have")
    log.warning("start-time %s is at %s. %s", text, found.start, INEXACT)
    return found.start


def gtids_up_to(source: BinlogSource, position: Position, flavor: str) -> GtidSet | None:
    """The transactions before a position of the upstream's binlog, those before its first file included.

    None where the files do not tell: the position is in none of them or within a transaction, or there are
    transactions without GTIDs.
    """
    unlogged = source.unlogged_gtids()
    position = Position(position.name, max(FIRST_EVENT, position.offset))
    if unlogged is None or position.name not in source.binlog_files():
        return None
    if not is_between_transactions(source, position, flavor):
        return None
    if flavor == "mariadb":
        return source.gtids_at(position)
    before = gtids_before(position.name, lambda start: source.remote_stream(Location(start)), flavor)
    for decoder, event in _events(source, Position(position.name, FIRST_EVENT), position, flavor):
        if Position(decoder.file_name, decoder.end) > position:  # an event before it said nothing
            break
        if isinstance(event, AnonymousGtidEvent):
            return None
        if isinstance(event, GtidEvent):
            before = before.add(event.gtid)
    return parse_gtid_set(str(before), flavor).union(unlogged)


def is_between_transactions(source: BinlogSource, position: Position, flavor: str) -> bool:
    """Whether no transaction of the upstream's binlog goes on behind the position."""
    end = source.present_location().position
    try:
        for decoder, event in _events(source, position, end, flavor):
            is_behind = Position(decoder.file_name, decoder.end) > position
            if is_behind and not isinstance(event, FormatEvent | HeartbeatEvent):
                return isinstance(event, GtidEvent | AnonymousGtidEvent | RotateEvent | PreviousGtidsEvent)
    except DMError as exc:
        if not exc.is_a(NO_TABLE_MAP):
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


def _placed(
    source: BinlogSource, start: Position, end: Position, flavor: str
) -> Iterator[tuple[Position, Position, Event]]:
    """Events with where each begins and ends."""
    for decoder, event in _events(source, start, end, flavor):
        yield Position(decoder.file_name, decoder.start), Position(decoder.file_name, decoder.end), event


def _head_of(source: BinlogSource, file: str, end: Position, flavor: str) -> FileHead:
    """When ``file`` was begun, and its first transaction."""
    begun = 0

    def within() -> Iterator[tuple[Position, Position, Event]]:
        nonlocal begun
        for before, behind, event in _placed(source, Position(file, FIRST_EVENT), end, flavor):
            if before.name != file:
                return
            if isinstance(event, FormatEvent):
                begun = begun or event.created * SECOND
            yield before, behind, event

    first = next(transactions(within()), None)
    return FileHead(file, begun, first)
