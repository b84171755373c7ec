"""Which transaction of a binlog is the first one at or after a time, as far as the binlog tells it.

MySQL from 8.0.1 on notes when it writes a transaction into its binlog, and writes them in that order: that is exact.
Other servers date a transaction by the start of the statement that commits it, which a session may set (SET
timestamp), and a DDL also by its end, which none may set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pkg.binlog.events import AnonymousGtidEvent, Event, GtidEvent, QueryEvent, RotateEvent, XidEvent
from pkg.binlog.position import Position
from pkg.errors import ErrorKind, Level, Scope

AMBIGUOUS_START_TIME = ErrorKind(
    20070,
    "config",
    Scope.UPSTREAM,
    Level.HIGH,
    "start-time {text!r} is no single place of the upstream's binlog: {reason}",
    workaround="find the place between {first} and {last} (`dm-binlog` or mysqlbinlog shows the transactions), name it "
    "as `meta` of the source in the task file (binlog-name and binlog-pos, or binlog-gtid), and start the task without "
    "--start-time",
)

SECOND = 1_000_000  # microseconds, in which moments are counted
_LOOKED_AT = 10_000  # transactions behind the place


@dataclass(frozen=True, slots=True)
class Transaction:
    """Where a transaction begins, and when it was, in microseconds since 1970."""

    start: Position
    moment: int
    is_exact: bool  # the moment of its writing on this server; else the start of its last statement, or so it was SET


@dataclass(frozen=True, slots=True)
class FileHead:
    """A binlog file: when it was begun, as its header says, and its first transaction, if it has one."""

    name: str
    begun: int
    first: Transaction | None

    def is_behind(self, moment: int) -> bool:
        """Whether the file is from the moment or later, as far as it says."""
        if self.first is None:
            return False
        if self.first.is_exact:
            return self.first.moment >= moment
        return max(self.begun, self.first.moment) >= moment


class Disorder(Exception):
    """Moments are not in the binlog's order: the time is somewhere between two transactions."""

    def __init__(self, reason: str, first: Position, last: Position) -> None:
        super().__init__(reason)
        self.first = first
        self.last = last


def transactions(events: Iterable[tuple[Position, Position, Event]]) -> Iterator[Transaction]:
    """The transactions of a stream of events, each with where it begins and ends."""
    head: Transaction | None = None  # of one statement, which says when it ended
    has_heads = False
    before: Position | None = None  # for servers whose transactions have no heads
    for start, end, event in events:
        match event:
            case GtidEvent() | AnonymousGtidEvent():
                if head is not None:
                    yield head
                has_heads = True
                moment = event.committed or event.timestamp * SECOND
                head = Transaction(start, moment, is_exact=event.committed > 0)
                if not (isinstance(event, GtidEvent) and event.standalone):
                    yield head
                    head = None
            case QueryEvent() | XidEvent():
                seconds = event.seconds if isinstance(event, QueryEvent) else 0
                moment = (event.timestamp + seconds) * SECOND
                if head is not None:
                    yield Transaction(head.start, moment, is_exact=False)
                    head = None
                elif not has_heads and not (isinstance(event, QueryEvent) and event.in_transaction):
                    yield Transaction(before or start, moment, is_exact=False)
                if not (isinstance(event, QueryEvent) and event.in_transaction):
                    before = end
            case RotateEvent():
                before = end
            case _:
                continue
    if head is not None:
        yield head


def file_to_read(heads: Sequence[FileHead], moment: int) -> str:
    """The file from which on the transactions are looked at: the last one that begins before the moment.

    Raises Disorder.
    """
    behind = [one.is_behind(moment) for one in heads]
    at = behind.index(True) if any(behind) else len(heads)
    earlier = [number for number in range(at) if heads[number].first is not None]
    for later in heads[at:]:
        if later.first is not None and not later.is_behind(moment - (0 if later.first.is_exact else SECOND)):
            reason = f"{later.name} begins before it, and {heads[at].name}, an older file, at or after it"
            raise Disorder(reason, Position(heads[max(0, at - 1)].name, 4), later.first.start)
    if not earlier and at < len(heads) and not _is_first_of_all(heads[0].name):
        found = heads[at].first
        assert found is not None
        reason = (
            f"{heads[0].name} is the oldest file, its first transaction is at or after it, and so may be purged ones"
        )
        raise Disorder(reason, Position(heads[0].name, 4), found.start)
    return heads[earlier[-1] if earlier else 0].name


def first_at_or_after(found: Iterable[Transaction], moment: int, end: Position | None = None) -> Transaction | None:
    """The first transaction that is not before the moment; None where none is.  Raises Disorder.

    ``end``: where the one that comes next begins, which is at or after the moment.
    The transactions around it must be in order: to the second where moments are those of statements, which run at
    the same time.
    """
    latest: Transaction | None = None
    previous: Transaction | None = None
    place: Transaction | None = None
    looked = 0
    for one in found:
        if place is None and one.moment < moment:
            previous = one
            if latest is None or one.moment >= latest.moment:
                latest = one
        elif place is None:
            place = one
            _check_last_before(latest, previous, place.start)
        else:
            looked += 1
            is_before = one.moment < moment if one.is_exact and place.is_exact else _is_out_of_order(place, one)
            if is_before:
                reason = f"the transaction at {place.start} is dated at or after it, and a later one, at {one.start},"
                raise Disorder(f"{reason} before the first", place.start, one.start)
            if looked == _LOOKED_AT:
                break
    if place is None and end is not None:
        _check_last_before(latest, previous, end)
        return Transaction(end, moment, is_exact=previous is not None and previous.is_exact)
    return place


def _check_last_before(latest: Transaction | None, previous: Transaction | None, place: Position) -> None:
    """Raise Disorder where the last transaction before the place may be of any time since the latest one."""
    if previous is not None and latest is not None and _is_out_of_order(latest, previous):
        reason = f"the transaction before it, at {previous.start}, is dated before the one at {latest.start}"
        raise Disorder(f"{reason}, so it may be of any later time", previous.start, place)


def _is_out_of_order(earlier: Transaction, later: Transaction) -> bool:
    """Whether moments contradict the binlog's order by more than statements of a second do."""
    return not later.is_exact and later.moment < earlier.moment - SECOND


def _is_first_of_all(name: str) -> bool:
    """Whether no file was before it."""
    number = name.rpartition(".")[2]
    return number.isdigit() and int(number) == 1
