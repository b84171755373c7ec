"""An upstream server: transactions as a stream of events at positions of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce

from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.gtid import GtidSet, Transactions, parse_gtid_set, parse_transactions
from pkg.binlog.position import Location, Position
from pkg.rows.change import RowImage
from tests.simulation.workload import Change, Transaction


@dataclass(frozen=True, slots=True)
class Rotate:
    file_name: str
    end: int


@dataclass(frozen=True, slots=True)
class Begin:
    gtid: str


@dataclass(frozen=True, slots=True)
class Rows:
    table: int
    event: RowsEvent


@dataclass(frozen=True, slots=True)
class Commit:
    end: int


@dataclass(frozen=True, slots=True)
class Alter:
    table: int
    end: int
    number: int  # of its transaction


_MAP = TableMap("s", "t", b"", ())
Event = Rotate | Begin | Rows | Commit | Alter


@dataclass(slots=True)
class Server:
    """Its binlog, and where each of its locations is in it."""

    name: str
    flavor: str
    events: list[Event] = field(default_factory=list)
    index_of: dict[Position, int] = field(default_factory=dict)  # location -> the event behind it
    done_at: dict[Position, int] = field(default_factory=dict)  # location -> transactions before it
    order: list[Transaction] = field(default_factory=list)
    ends: list[Position] = field(default_factory=list)  # after each transaction, in order
    sets: dict[str, GtidSet] = field(default_factory=dict)  # of each transaction, by its GTID
    start: Position = field(default_factory=lambda: Position("", 0))

    def read(self, location: Location, *, by_gtid: bool) -> list[Event]:
        """The events from ``location`` on."""
        if not by_gtid:
            return self.events[self.index_of[location.position] :]
        assert location.gtid_set is not None
        return list(self._unknown(location.gtid_set))

    def _unknown(self, known: GtidSet) -> Iterator[Event]:
        """From the file that has the first transaction beyond ``known``, without those that it has."""
        file: Event = self.events[0]
        behind: list[Event] = []
        skips, begun = False, False
        for event in self.events:
            if isinstance(event, Begin):
                skips = known.contains(self.sets[event.gtid])
                if not skips and not begun:
                    begun = True
                    yield from (file, *behind)
            if isinstance(event, Rotate) and not begun:
                file, behind = event, []
            elif not begun:
                behind += [event] if isinstance(event, Commit) and not skips else []
            elif not skips or isinstance(event, Rotate):
                yield event
            if isinstance(event, Commit | Alter):
                skips = False
        if not begun:
            yield from (file, *behind)

    def transactions(self) -> Transactions:
        return reduce(lambda known, gtid: known.add(gtid), self.sets, parse_transactions("", self.flavor))


def written(rng: random.Random, name: str, flavor: str, order: list[Transaction], *, with_gtids: bool) -> Server:
    """The binlog in which a server commits ``order``."""
    server = Server(name, flavor, order=order)
    if with_gtids:
        server.sets = {one.gtid: parse_gtid_set(one.gtid, flavor) for one in order}
    number = rng.choice((1, 9, 99, 999999))
    file_name, end = f"{name}.{number:06}", 4 + int(rng.random() * 300)
    server.start = Position(file_name, end)
    server.events.append(Rotate(file_name, end))
    _mark(server, server.start, 0)
    rotates = rng.choice((0.0, 0.05, 0.3))
    for done, transaction in enumerate(order):
        if rng.random() < rotates:
            number += 1
            file_name, end = f"{name}.{number:06}", 4
            server.events.append(Rotate(file_name, end))
            _mark(server, Position(file_name, end), done)
        if rng.random() < 0.05:  # a heartbeat, or a transaction without rows of ours
            end += 10
            server.events.append(Commit(end))
            _mark(server, Position(file_name, end), done)
        if with_gtids:
            end += 10
            server.events.append(Begin(transaction.gtid))
        for event in _rows(rng, transaction.changes, end):
            server.events.append(event)
            end = event.event.end
        end += 10
        if transaction.altered is None:
            server.events.append(Commit(end))
        else:
            server.events.append(Alter(transaction.altered, end, transaction.number))
        _mark(server, Position(file_name, end), done + 1)
        server.ends.append(Position(file_name, end))
    return server


def _mark(server: Server, position: Position, done: int) -> None:
    server.index_of[position] = len(server.events)
    server.done_at[position] = done


def _rows(rng: random.Random, changes: list[Change], end: int) -> Iterator[Rows]:
    """Changes of one table and kind that follow each other share an event, up to this server's limit."""
    limit = rng.choice((1, 3, 100))
    run: list[RowImage] = []
    table, kind, count = -1, "", 0
    for change in changes:
        its = "insert" if change.before is None else "delete" if change.after is None else "update"
        if run and (change.table != table or its != kind or count >= limit):
            end += 20
            yield Rows(table, RowsEvent(_MAP, kind, run, end - 20, end, 0))
            run, count = [], 0
        table, kind, count = change.table, its, count + 1
        run += [image for image in (change.before, change.after) if image is not None]
    if run:
        yield Rows(table, RowsEvent(_MAP, kind, run, end, end + 20, 0))


def name_transactions(rng: random.Random, transactions: list[Transaction], flavor: str, domains: int) -> None:
    """GTIDs in commit order; with several domains (or origins) each has an order of its own."""
    counts = [int(rng.random() * 20) for _ in range(domains)]
    for transaction in transactions:
        domain = int(rng.random() * domains)
        counts[domain] += 1
        if flavor == "mariadb":
            transaction.gtid = f"{domain}-1-{counts[domain]}"
        else:
            transaction.gtid = f"3e11fa47-71ca-11e1-9e33-c80aa942956{domain}:{counts[domain]}"


def reordered(
    rng: random.Random, transactions: list[Transaction], swaps: float, *, one_order: bool
) -> list[Transaction]:
    """As another server may commit them: neighbours that share no table, the one before the other.

    ``one_order``: those of one domain keep their order.
    """
    order = list(transactions)
    for at in range(1, len(order)):
        one, other = order[at - 1], order[at]
        if rng.random() >= swaps or one.tables & other.tables or one.altered is not None or other.altered is not None:
            continue
        if one_order and _domain(one.gtid) == _domain(other.gtid):
            continue
        order[at - 1], order[at] = other, one
    return order


def _domain(gtid: str) -> str:
    """MariaDB's, or the UUID of the server of origin."""
    return gtid.partition(":" if ":" in gtid else "-")[0]
