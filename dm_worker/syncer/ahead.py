"""What an earlier run applied beyond the checkpoint, channel by channel: it is not applied again.

On the same server the stream is the same bytes, so places compare exactly.  After an upstream switch
positions are another server's, and GTIDs remain: a transaction is the same one on both servers, but
other transactions may have been committed around it in another order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pkg.binlog.gtid import GtidSet, parse_gtid_set
from pkg.binlog.position import Position
from pkg.rows.job import Job, Place


class Ahead(Protocol):
    """Owned by the replicator; asked in stream order."""

    @property
    def is_over(self) -> bool:
        """Whether every channel has caught up with what it had applied."""
        ...

    def has(self, channel: int, job: Job) -> bool:
        """Whether the earlier run applied this job."""
        ...

    def is_replay(self, channel: int, job: Job) -> bool:
        """Whether a job that is done anew leaves the channel where it was."""
        ...

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        """Whether the earlier run applied something behind ``position``, in the transaction ``gtid`` or later."""
        ...

    def commit(self, position: Position, gtid: str) -> None:
        """A transaction ends."""
        ...


class AheadByPosition:
    """The same server: all up to the channel's place was applied, and nothing behind it."""

    def __init__(self, applied: Mapping[int, Place]) -> None:
        self._places = {
            channel: (Position(place.file_name, place.end), place.row_index)
            for channel, place in applied.items()
            if place.file_name
        }

    @property
    def is_over(self) -> bool:
        return not self._places

    def has(self, channel: int, job: Job) -> bool:
        applied = self._places.get(channel)
        if applied is None:
            return False
        if (Position(job.origin.file_name, job.event_end), job.row_index) <= applied:
            return True
        del self._places[channel]
        return False

    def is_replay(self, channel: int, job: Job) -> bool:
        return False

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        return channel in self._places and self._places[channel][0] > position

    def commit(self, position: Position, gtid: str) -> None:
        for channel in [channel for channel, (applied, _) in self._places.items() if applied <= position]:
            del self._places[channel]


class AheadByGtid:
    """Another server: the transaction that the channel stopped in is met again under its GTID.

    Until every channel has met its own, rows with a key are all applied anew as safe jobs: a safe job may
    delete another row that has its unique value, and that one comes again, too.  Rows of keyless tables are
    taken for applied up to the channel's place, and when their transaction precedes that one in the order of
    its GTIDs, which is the order in which their server of origin committed them.
    """

    def __init__(self, applied: Mapping[int, Place], known: GtidSet) -> None:
        self._flavor = known.flavor
        self._places = {
            channel: place
            for channel, place in applied.items()
            if place.gtid and not known.contains(parse_gtid_set(place.gtid, known.flavor))
        }

    @property
    def is_over(self) -> bool:
        return not self._places

    @property
    def gtids(self) -> GtidSet:
        """The transactions that the channels stopped in; the new server must have them."""
        found = parse_gtid_set("", self._flavor)
        for place in self._places.values():
            found = found.add(place.gtid)
        return found

    def has(self, channel: int, job: Job) -> bool:
        applied = self._places.get(channel)
        if applied is None or not job.table.keyless:
            return False
        if job.origin.gtid == applied.gtid:
            return job.row_index <= applied.row_index
        return _precedes(job.origin.gtid, applied.gtid)

    def is_replay(self, channel: int, job: Job) -> bool:
        applied = self._places.get(channel)
        if applied is None:
            return False
        return job.origin.gtid != applied.gtid or job.row_index <= applied.row_index

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        applied = self._places.get(channel)
        return applied is not None and applied.gtid != gtid and _precedes(gtid, applied.gtid)

    def commit(self, position: Position, gtid: str) -> None:
        for channel in [channel for channel, place in self._places.items() if place.gtid == gtid]:
            del self._places[channel]


def _precedes(gtid: str, other: str) -> bool:
    """Whether one source (UUID or domain) made both, ``gtid`` before ``other``."""
    separator = ":" if ":" in gtid else "-"
    source, _, number = gtid.rpartition(separator)
    other_source, _, other_number = other.rpartition(separator)
    if separator == "-":  # domain-server-sequence: the domain has the order
        source, other_source = source.partition("-")[0], other_source.partition("-")[0]
    return source == other_source and int(number) <= int(other_number)
