"""What a relay log's damage means for the task that reads it: the upstream has the same bytes, and is read instead.

The relay log holds what its checksums proved when it was pulled, so a damage that a reader meets was done on the
worker's disk.  The checkpoint is before it; nothing of the damaged event was applied.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from dm_worker.relay.reader import DAMAGED, RelayStream
from pkg.binlog.errors import CORRUPT, PURGED, UNKNOWN_EVENT
from pkg.binlog.position import Location
from pkg.binlog.stream import EventStream
from pkg.errors import DMError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RelayDamage:
    """A place of a relay log that cannot be read."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.path} of the relay log is damaged ({self.reason}); the upstream is read instead. Check the "
            "worker's disk, and have the relay log pulled again: stop-relay, delete its folder, start-relay"
        )


def damage_of(error: DMError, stream: EventStream) -> RelayDamage | None:
    """The damage that ``error`` tells of, where the stream is a relay log's; None of any other error."""
    if not isinstance(stream, RelayStream) or not (error.is_a(CORRUPT) or error.is_a(UNKNOWN_EVENT)):
        return None
    return RelayDamage(stream.path_of(str(error.fields["file"])), error.message)


def refused_by_both(error: DMError, damage: RelayDamage | None, location: Location) -> DMError:
    """What to tell of an error behind a damage: the file is what is missing, where the upstream lacks it by now."""
    if damage is None or not error.is_a(PURGED):
        return error
    return DAMAGED.error(path=damage.path, reason=damage.reason, location=location.position, cause=error)
