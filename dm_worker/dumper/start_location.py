"""Where a lock-free copy starts: a location at which all tables were as they are planned.

Structures are read one after the other.  A DDL between the location and the reading would be in them, and come
again in the stream.  So they are read again behind a newer location, until nothing has changed around it; where
nothing was written meanwhile, nothing is read twice.

Tables that come and go all the time do not keep it from ending: right before each location, those are read that have
come while the others were read; and one that goes while others are read was there at the location, as it was before.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dm_worker.dumper.source_tables import ListedTable, SourceTable
from pkg.binlog.position import Location
from pkg.crashpoints import crashpoint
from pkg.errors import ErrorKind, Level, Scope

_MOST: Final = 20
Name = tuple[str, str]
_COUNTER: Final = re.compile(r"\bAUTO_INCREMENT=\d+ ?", re.ASCII | re.IGNORECASE)
log = logging.getLogger(__name__)

ALTERED_ALL_THE_TIME = ErrorKind(
    36224,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "tables were altered upstream each time that their structures were read, {times} times, {table} at last: no "
    "location is known at which all of them were as they were read",
    workaround="nothing was copied, and it begins again by itself; keep DDL off for a moment, or leave the tables that "
    "are altered all the time out of the task",
    resumable=True,
)


@dataclass(frozen=True, slots=True)
class StartLocation:
    """Asks ``location``, the tables ``listed`` and their structures (``read``; without those gone) of the upstream."""

    location: Callable[[], Location]
    listed: Callable[[], Sequence[ListedTable]]
    read: Callable[[Sequence[ListedTable]], Iterable[SourceTable]]

    def settled(self, start: Location, found: list[SourceTable]) -> tuple[Location, list[SourceTable]]:
        """``found`` was read behind ``start``: these, or later ones that belong to each other.

        Raises ALTERED_ALL_THE_TIME.
        """
        for _ in range(_MOST):
            crashpoint("loader.structures_read")
            now = self.location()
            if now.position == start.position:
                return start, found
            start, before = now, found
            found, unread = self._behind(before)
            changed = sorted((_texts(before) ^ _texts(found)) | {(*name, "") for name in unread})
            if not changed:
                return start, found
            log.info("altered while its structure was read: %s.%s", *changed[0][:2])
            found = self._up_to_date(found)
        raise ALTERED_ALL_THE_TIME.error(times=_MOST, table=".".join(changed[0][:2]))

    def _behind(self, before: Sequence[SourceTable]) -> tuple[list[SourceTable], set[Name]]:
        """All as they are, and those that have come and gone since.

        One that goes meanwhile was there behind the location, and is as it was ``before``.
        """
        listed = self.listed()
        found = list(self.read(listed))
        gone = {(one.schema, one.name) for one in listed} - _names(found)
        kept = [one for one in before if (one.listed.schema, one.listed.name) in gone]
        return [*found, *kept], gone - _names(kept)

    def _up_to_date(self, found: Iterable[SourceTable]) -> list[SourceTable]:
        """``found`` without tables that are gone by now, and with those that have come."""
        listed, known = self.listed(), _names(found)
        there = {(one.schema, one.name) for one in listed}
        come = self.read([one for one in listed if (one.schema, one.name) not in known])
        return [*(one for one in found if (one.listed.schema, one.listed.name) in there), *come]


def _names(tables: Iterable[SourceTable]) -> set[Name]:
    return {(one.listed.schema, one.listed.name) for one in tables}


def _texts(tables: Iterable[SourceTable]) -> set[tuple[str, str, str]]:
    return {(one.listed.schema, one.listed.name, _COUNTER.sub("", one.create_sql)) for one in tables}
