"""Where a lock-free copy starts: a location at which all tables were as they are planned.

Structures are read one after the other.  A DDL between the location and the reading would be in them, and come
again in the stream.  So they are read again behind a newer location, until nothing has changed around it; where
nothing was written meanwhile, nothing is read twice.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from dm_worker.dumper.source_tables import SourceTable
from pkg.binlog.position import Location

_MOST: Final = 5  # an upstream that is altered all the time is followed as far as that goes
_COUNTER: Final = re.compile(r"\bAUTO_INCREMENT=\d+ ?", re.IGNORECASE)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartLocation:
    """Asks ``location`` and ``read`` of the upstream."""

    location: Callable[[], Location]
    read: Callable[[], list[SourceTable]]

    def settled(self, start: Location, found: list[SourceTable]) -> tuple[Location, list[SourceTable]]:
        """``found`` was read behind ``start``: these, or later ones that belong to each other."""
        for _ in range(_MOST):
            now = self.location()
            if now.position == start.position:
                break
            start, before, found = now, found, self.read()
            changed = sorted(_texts(before) ^ _texts(found))
            if not changed:
                break
            log.info("altered while its structure was read: %s.%s", *changed[0][:2])
        return start, found


def _texts(tables: Iterable[SourceTable]) -> set[tuple[str, str, str]]:
    return {(one.listed.schema, one.listed.name, _COUNTER.sub("", one.create_sql)) for one in tables}
