"""Which statements of the binlog, from a location up to another one, have changed the columns of which tables.

Rows are passed over unread, so this goes as fast as the stream comes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from dm_worker.syncer.former import Change, ChangeAhead, Name, changes
from pkg.binlog.decoder import Decoder
from pkg.binlog.events import QueryEvent
from pkg.binlog.position import Position
from pkg.binlog.stream import EventStream
from pkg.errors import DMError
from pkg.schema.errors import shortened
from pkg.schema.statement import Ddl
from pkg.unit import StopSignal

_READ_SECONDS: Final = 1.0
_MAY_CHANGE: Final = re.compile(r"\b(?:ALTER|CREATE|DROP|RENAME)\b", re.ASCII | re.IGNORECASE)
_OF_DATABASE: Final = re.compile(r"\b(?:DATABASE|SCHEMA)\b", re.ASCII | re.IGNORECASE)
_TEMPORARY: Final = re.compile(r"\s*(?:CREATE(?:\s+OR\s+REPLACE)?|DROP)\s+TEMPORARY\b", re.ASCII | re.IGNORECASE)
Read = Callable[[QueryEvent], Ddl]


def changes_ahead(
    stream: EventStream, start: Position, until: Position, flavor: str, read: Read, tables: Iterable[Name],
    stop: StopSignal, found: dict[Name, list[ChangeAhead]], *, waits: bool = True,
) -> Position:  # fmt: skip
    """Add to ``found``, by table, of those named, in the stream's order.  Where it ended: before ``until`` where it was
    stopped, or, unless it ``waits``, where nothing more came.  ``read`` raises DMError.

    A statement that cannot be read may have changed each table whose name stands in it.
    """
    decoder = Decoder(
        flavor=flavor, framing=stream.framing, resolve=lambda _: None, file_name=start.name, checksum=stream.checksum,
        statements_only=True,
    )  # fmt: skip
    wanted = list(tables)
    while Position(decoder.file_name, decoder.end) < until:
        event = decoder.next()
        if isinstance(event, QueryEvent) and Position(decoder.file_name, event.end) <= until:
            for name, change in _of(event, read, wanted).items():
                place = Position(decoder.file_name, event.end)
                found.setdefault(name, []).append(ChangeAhead(place, change, shortened(event.sql)))
        elif event is not None:
            continue
        elif stop.is_set() or Position(decoder.file_name, decoder.end) >= until:
            break  # before it waits for bytes that nobody needs
        elif received := stream.read(_READ_SECONDS):
            decoder.feed(received)
        elif not waits:
            break
    return Position(decoder.file_name, decoder.end)


def _of(event: QueryEvent, read: Read, wanted: list[Name]) -> dict[Name, Change]:
    if not _MAY_CHANGE.search(event.sql) or _TEMPORARY.match(event.sql):
        return {}
    try:
        changed = changes(read(event))
    except DMError:
        return {name: Change.NAMES for name in wanted if _stands_in(name, event.sql)}
    found = {name: changed.get(name, Change.NONE) | changed.get((name[0], ""), Change.NONE) for name in wanted}
    of_tables = {name: change & ~Change.DEFAULT if name[1] else change for name, change in found.items()}
    return {name: change for name, change in of_tables.items() if change}


def _stands_in(name: Name, sql: str) -> bool:
    return name[1].lower() in sql.lower() if name[1] else _OF_DATABASE.search(sql) is not None
