"""What a relay log's damage means for the task that reads it: the upstream has the same bytes, and is read instead.

The relay log holds what its checksums proved when it was pulled, so a damage that a reader meets was done on the
worker's disk.  The checkpoint is before it; nothing of the damaged event was applied.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from dm_worker.relay.reader import CUT, DAMAGED, SWITCHED, VANISHED, RelayStream
from pkg.binlog.errors import CORRUPT, NO_TABLE_MAP, PURGED, UNKNOWN_EVENT
from pkg.binlog.position import Location
from pkg.binlog.stream import EventStream
from pkg.errors import DMError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RelayDamage:
    """A place of a relay log that cannot be read."""

    path: Path
    reason: str
    is_cut: bool = False  # the upstream was switched while a transaction came: the file is whole as far as it goes

    def __str__(self) -> str:
        if self.is_cut:
            return f"{self.path} of the relay log {self.reason}; the upstream is read instead"
        return (
            f"{self.path} of the relay log is damaged ({self.reason}); the upstream is read instead. Check the "
            "worker's disk, and have the relay log pulled again: stop-relay, delete its folder, start-relay"
        )


def damage_of(error: DMError, stream: EventStream, *, is_inside: bool) -> RelayDamage | None:
    """The damage that ``error`` tells of, where the stream is a relay log's; None of any other error.

    ``is_inside``: a transaction had begun, and its end did not come.
    """
    if not isinstance(stream, RelayStream):
        return None
    if error.is_a(SWITCHED) and is_inside:
        path = stream.path_of(error.fields["place"].name)
        return RelayDamage(path, "ends inside of a transaction, behind which another server's files begin", is_cut=True)
    if error.is_a(CUT) or error.is_a(VANISHED):
        return RelayDamage(Path(error.fields["path"]), error.message)
    if not any(map(error.is_a, (CORRUPT, NO_TABLE_MAP, UNKNOWN_EVENT))):
        return None
    return RelayDamage(stream.path_of(str(error.fields["file"])), error.message)


def refused_by_both(error: DMError, damage: RelayDamage | None, location: Location) -> DMError:
    """What to tell of an error behind a damage: the file is what is missing, where the upstream lacks it by now."""
    if damage is None or not error.is_a(PURGED):
        return error
    return DAMAGED.error(path=damage.path, reason=damage.reason, location=location.position, cause=error)
