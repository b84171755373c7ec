"""Where in a relay log a location lies, if it does: by position, else by GTID set.

A GTID set is a place only where no transaction of it comes later, for the stream does not leave any out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dm_worker.relay.folder import binlog_files, is_refused, server_of, sub_dirs, unreadable
from dm_worker.relay.made_up import HEADER_BYTES, is_event_at
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import AnonymousGtidEvent, Event, FormatEvent, GtidEvent, PreviousGtidsEvent
from pkg.binlog.gtid import GtidSet, Transactions, parse_transactions
from pkg.binlog.position import Location
from pkg.errors import DMError

FIRST_EVENT = 4
_PIECE_BYTES = 1 << 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    sub_dir: str
    file: str
    offset: int
    at_end: bool = False  # of what has come so far


def find_place(folder: Path, server: str, location: Location, use_gtid: bool) -> Place | None:
    """Where to read on from ``location``; None when the relay log does not hold it.  Raises DMError."""
    if is_refused(folder):
        return None
    known = sub_dirs(folder)
    place = _by_position(folder, known, server, location)
    by_gtid = use_gtid and location.gtid_set is not None
    is_named = not by_gtid or location.position.offset > FIRST_EVENT  # a stream by GTID begins at any file's head
    if place is not None and is_named and not (place.at_end and place.sub_dir != known[-1]):
        return place
    if not use_gtid or location.gtid_set is None or not known or server_of(known[-1]) != server:
        return None
    return _by_gtid(folder, known[-1], location.gtid_set)


def _by_position(folder: Path, known: list[str], server: str, location: Location) -> Place | None:
    name, offset = location.position.name, max(FIRST_EVENT, location.position.offset)
    for sub_dir in reversed(known):
        if not name or server_of(sub_dir) != server:
            continue
        files = binlog_files(folder, sub_dir)
        if name in files:
            path = folder / sub_dir / name
            size = path.stat().st_size
            if not _is_between_events(path, offset, size):
                return None
            return Place(sub_dir, name, offset, at_end=offset == size and name == files[-1])
    return None


def _is_between_events(path: Path, offset: int, size: int) -> bool:
    if offset == FIRST_EVENT:
        return True
    if offset + HEADER_BYTES > size:
        return offset <= size
    with path.open("rb") as file:
        file.seek(offset)
        return is_event_at(file.read(HEADER_BYTES), offset)


def _by_gtid(folder: Path, sub_dir: str, gtid_set: GtidSet) -> Place | None:
    """In the last file that begins with nothing but transactions of the set."""
    files = binlog_files(folder, sub_dir)
    for name in reversed(files):
        before = gtids_before(folder / sub_dir / name, gtid_set.flavor)
        if before is None:
            return None
        if gtid_set.may_begin(before):
            offset = _behind(folder / sub_dir / name, before, gtid_set)
            return None if offset is None else Place(sub_dir, name, offset)
    return None


def gtids_before(path: Path, flavor: str) -> Transactions | None:
    """What the files before this one hold; None where it does not say."""
    for _, event in _events(path, flavor):
        if isinstance(event, PreviousGtidsEvent):
            return parse_transactions(event.gtid_set, flavor)
        if not isinstance(event, FormatEvent):
            break
    return None


def _behind(path: Path, before: Transactions, gtid_set: GtidSet) -> int | None:
    """The place behind the transactions of the set; None where one of them comes later, or never."""
    met, offset = before, FIRST_EVENT
    for end, event in _events(path, gtid_set.flavor):
        if isinstance(event, AnonymousGtidEvent):
            break  # nothing tells whether it is one of them, unless all of these came before
        if not isinstance(event, GtidEvent):
            offset = end
        elif gtid_set.is_before(event.gtid, met):
            met = met.add(event.gtid)
        else:
            break
    return offset if gtid_set.is_reached(met) else None


def _events(path: Path, flavor: str) -> Iterator[tuple[int, Event]]:
    """(end, event) of a file without rows, as far as it is there."""
    decoder = Decoder(flavor=flavor, framing="file", resolve=lambda _: None, file_name=path.name)
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                decoder.feed(piece)
                while (event := decoder.next()) is not None:
                    yield decoder.end, event
    except OSError as exc:
        raise unreadable(path, exc) from exc


def holds(folder: Path, server: str, location: Location, use_gtid: bool) -> Place | None:
    """``find_place``; a relay log that cannot be read holds nothing, and the log says why."""
    try:
        return find_place(folder, server, location, use_gtid)
    except (DMError, OSError) as exc:
        log.warning("the relay log is not used: %s", exc)
        return None
