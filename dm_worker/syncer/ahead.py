"""What an earlier run applied beyond the checkpoint, channel by channel: it is not applied again.

On the same server the stream is the same bytes, so places compare exactly.  After an upstream switch
positions are another server's, and GTIDs remain: a transaction is the same one on both servers, but
other transactions may have been committed around it in another order.  So each channel's row says which
transactions came before its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pkg.binlog.gtid import GtidSet, Transactions, parse_transactions
from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.job import Job, Origin, Place

NOT_TOLD = ErrorKind(
    36214,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the upstream was switched, and what is applied beyond the checkpoint is not known: an earlier build has applied "
    "up to {gtid}, and did not note what came before",
    workaround="point the source at the former server, start the task there with this build, then switch; if that "
    "server is lost, start the task with --remove-meta",
)


class Ahead(Protocol):
    """Owned by the replicator; asked in stream order."""

    @property
    def is_over(self) -> bool:
        """Whether every channel has caught up with what it had applied."""
        ...

    @property
    def until(self) -> Position | None:
        """How far the channel has come that is ahead of all others, on its server; None where none is ahead."""
        ...

    def has(self, channel: int, job: Job) -> bool:
        """Whether the earlier run applied this job."""
        ...

    def is_replay(self, channel: int, job: Job) -> bool:
        """Whether a job that is done anew leaves the channel where it was."""
        ...

    def origin(self, channel: int, job: Job) -> Origin:
        """That of a job which moves the channel."""
        ...

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        """Whether the earlier run applied something behind ``position``, in the transaction ``gtid`` or later."""
        ...

    def commit(self, position: Position, gtid: str) -> None:
        """A transaction ends."""
        ...


class AheadByPosition:
    """The same server: all up to the channel's place was applied, and nothing behind it.

    Rows of tables that go to other channels than before are all applied anew, as safe jobs.
    """

    def __init__(self, applied: Mapping[int, Place]) -> None:
        self._places = {
            channel: (Position(place.file_name, place.end), place.row_index)
            for channel, place in applied.items()
            if place.file_name
        }

    @property
    def is_over(self) -> bool:
        return not self._places

    @property
    def until(self) -> Position | None:
        return max((position for position, _ in self._places.values()), default=None)

    def has(self, channel: int, job: Job) -> bool:
        if channel not in self._places or job.table.is_reassigned:
            return False
        if self._is_within(channel, job):
            return True
        del self._places[channel]
        return False

    def is_replay(self, channel: int, job: Job) -> bool:
        return job.table.is_reassigned and channel in self._places and self._is_within(channel, job)

    def _is_within(self, channel: int, job: Job) -> bool:
        return (Position(job.origin.file_name, job.event_end), job.row_index) <= self._places[channel]

    def origin(self, channel: int, job: Job) -> Origin:
        return job.origin

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        return channel in self._places and self._places[channel][0] > position

    def commit(self, position: Position, gtid: str) -> None:
        for channel in [channel for channel, (applied, _) in self._places.items() if applied <= position]:
            del self._places[channel]


@dataclass(frozen=True, slots=True)
class Beyond:
    """What a channel has applied behind the checkpoint, whatever order the next server has it in.

    Its row says it as the transactions that came before its place since its run's start, and, each on a line of its
    own, others that were begun, with the row that they stand at.
    """

    whole: Transactions
    begun: Mapping[str, int]

    def __str__(self) -> str:
        return "\n".join([str(self.whole), *(f"{gtid} {row}" for gtid, row in self.begun.items())])

    @classmethod
    def of(cls, place: Place, flavor: str) -> Beyond | None:
        """None where an earlier build has stored the place, which did not say what came before."""
        if place.before is None:
            return None
        text, *lines = str(place.before).split("\n")
        begun = {gtid: int(row) for gtid, _, row in (line.partition(" ") for line in lines)}
        return cls(parse_transactions(text, flavor), {**begun, place.gtid: place.row_index})

    def has_row(self, gtid: str, row_index: int) -> bool:
        return bool(gtid) and (row_index <= self.begun.get(gtid, -1) or self.whole.has(gtid))


class AheadByGtid:
    """Another server: what the channels have applied is met again, by GTID, perhaps in another order.

    Until all of it has been met, rows with a key are all applied anew as safe jobs: a safe job may delete another row
    that has its unique value, and that one comes again, too.  Rows of keyless tables are applied where they were not.
    """

    def __init__(self, applied: Mapping[int, Place], known: GtidSet) -> None:
        """``applied``: of the channels that are ahead (``channels_ahead``); ``known``: what all of them have.

        Raises NOT_TOLD.
        """
        flavor = known.flavor
        self._nothing = parse_transactions("", flavor)
        self._beyond: dict[int, Beyond] = {}
        places = (Position(place.file_name, place.end) for place in applied.values())
        self.until = max(places, default=None)
        self._met, self._awaited, self.news = (self._nothing,) * 3
        for channel, place in applied.items():
            beyond = Beyond.of(place, flavor)
            if beyond is None:
                raise NOT_TOLD.error(gtid=place.gtid)
            self._beyond[channel], whole = beyond, beyond.whole
            for gtid in beyond.begun:
                one = self._nothing.add(gtid)
                whole, self._awaited = whole.union(one), self._awaited.union(one)
            self._awaited = self._awaited.union(whole.awaited(known))
            self.news = self.news.union(whole.news(known))
        self._origins: dict[int, tuple[Origin, Origin]] = {}  # by channel: the newest one, and what it is there

    @property
    def is_over(self) -> bool:
        return self._met.contains(self._awaited)

    def has(self, channel: int, job: Job) -> bool:
        return job.table.keyless and self.is_replay(channel, job)

    def is_replay(self, channel: int, job: Job) -> bool:
        beyond = self._beyond.get(channel)
        return beyond is not None and beyond.has_row(job.origin.gtid, job.row_index)

    def origin(self, channel: int, job: Job) -> Origin:
        origin, newest = job.origin, self._origins.get(channel)
        if newest is None or newest[0] is not origin:
            newest = origin, origin._replace(before=self._behind(channel, origin))
            self._origins[channel] = newest
        return newest[1]

    def _behind(self, channel: int, origin: Origin) -> object:
        """What the channel has before the transaction ``origin``: of the former server, and of this one."""
        beyond = self._beyond.get(channel)
        if beyond is None or origin.before is None:
            return origin.before
        whole = beyond.whole.union(origin.before)
        open_yet = {gtid: row for gtid, row in beyond.begun.items() if gtid != origin.gtid and not whole.has(gtid)}
        return Beyond(whole, open_yet)

    def is_beyond(self, channel: int, position: Position, gtid: str) -> bool:
        beyond = self._beyond.get(channel)
        return beyond is not None and bool(gtid) and beyond.whole.has(gtid)

    def commit(self, position: Position, gtid: str) -> None:
        if gtid:
            self._met = self._met.add(gtid)
