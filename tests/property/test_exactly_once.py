"""A run that dies anywhere and starts again from its checkpoint applies every change exactly once.

The real replicator, channels' order and statements run against SQLite; each channel's place is stored
in the transaction that applies its batch, as the appliers do.  A keyless table and a counter show
any change that is applied twice.
"""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dm_worker.syncer.ahead import AheadByGtid, AheadByPosition
from dm_worker.syncer.applier import last_place
from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.replicator import Replicator
from dm_worker.syncer.switch import BETWEEN_SERVERS, channels_ahead
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.gtid import GtidSet, MariaDBGtidSet, parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.rows.compact import segments
from pkg.rows.job import Job, Place
from pkg.rows.statements import Limits, statements
from tests.property.test_apply_order import random_changes
from tests.unit.rows.tables import column, keyed, table, with_own_column

FILE = "bin.000001"


def log_table() -> TargetTable:
    structure = table([column("a"), column("b")], name="log")
    return plan_target(structure, structure)


def rows_event(kind: str, images: list[RowImage], end: int) -> RowsEvent:
    return RowsEvent(TableMap("s", "t", b"", ()), kind, images, end - 10, end, 0)


@dataclass(frozen=True)
class Transaction:
    events: list[tuple[TargetTable, RowsEvent]]
    end: int
    gtid: str
    is_rolled_back: bool = False

    def on_another_server(self, shift: int) -> Transaction:
        """The same transaction where other things were written before it."""
        events = [(where, rows_event(event.kind, event.rows, event.end + shift)) for where, event in self.events]
        return Transaction(events, self.end + shift, self.gtid, self.is_rolled_back)


@dataclass
class Target:
    """What survives a crash."""

    database: sqlite3.Connection
    server: str = "one"  # whose places these are
    places: dict[int, Place] = field(default_factory=dict)
    checkpoint: Location = field(default_factory=lambda: Location(Position(FILE, 4), MariaDBGtidSet({})))


def stream(rng: random.Random, keyed_table: TargetTable, log: TargetTable) -> tuple[list[Transaction], set[RowImage]]:
    changes, rows = random_changes(rng, 40)
    transactions: list[Transaction] = []
    offset = 4
    while changes:
        events, begun = [], offset
        for _ in range(rng.randrange(1, 4)):
            if not changes:
                break
            before, after = changes.pop(0)
            offset += 10
            images = [image for image in (before, after) if image is not None]
            kind = "update" if len(images) == 2 else "insert" if before is None else "delete"
            events.append((keyed_table, rows_event(kind, images, offset)))
            offset += 10
            events.append((log, rows_event("insert", [(b"1", b"%d" % rng.randrange(3))] * rng.randrange(1, 4), offset)))
        offset += 10
        transactions.append(Transaction(events, offset, f"0-1-{len(transactions) + 1}"))
        if rng.random() < 0.2:  # the same rows once more, but they do not count
            size = offset - begun
            again = [(where, rows_event(event.kind, event.rows, event.end + size)) for where, event in events]
            offset += size
            transactions.append(Transaction(again, offset, f"0-1-{len(transactions) + 1}", is_rolled_back=True))
    return transactions, set(rows.values())


def run_until_crash(
    rng: random.Random,
    target: Target,
    transactions: list[Transaction],
    channels: int,
    steps: int,
    *,
    switched: bool = False,
) -> bool:
    """One run that dies after `steps` batches; True when it came to the end instead.

    The first run on another server comes to its end where no channel is ahead any more.
    """
    known = target.checkpoint.gtid_set
    assert known is not None
    ahead = switched_ahead(target, known, channels) if switched else AheadByPosition(target.places)
    replicator = Replicator(target.checkpoint, channels, ahead=ahead, switched=switched)
    queues: list[list[Job]] = [[] for _ in range(channels)]
    applied, skipped = [0] * channels, [[0] for _ in range(channels)]
    todo = [t for t in transactions if not known.contains(parse_gtid_set(t.gtid, "mariadb"))]
    while True:
        if switched and not replicator.is_ahead:
            todo = []
        if todo and rng.random() < 0.6:
            replicator.gtid(todo[0].gtid)
            for where, event in todo[0].events:
                replicator.rows(where, event)
            if todo[0].is_rolled_back:
                assert replicator.roll_back(None, todo[0].end)
            replicator.commit(todo.pop(0).end, 0)
            for channel, jobs in enumerate(replicator.take()):
                queues[channel].extend(jobs)
            for channel, seq in replicator.take_skipped():
                skipped[channel].append(seq)
        else:
            channel = rng.randrange(channels)
            batch = ready(queues[channel], applied, rng.randrange(1, 6))
            if batch:
                if steps == 0:
                    return False
                steps -= 1
                apply(target, channel, batch)
                del queues[channel][: len(batch)]
                applied[channel] = batch[-1].seq
        for channel, queue in enumerate(queues):
            applied[channel] = max(
                [applied[channel], *(seq for seq in skipped[channel] if not queue or queue[0].seq > seq)]
            )
        heads = [queue[0].seq for queue in queues if queue]
        safe = replicator.advance(min(heads) - 1 if heads else replicator.last_seq)
        if not todo and not heads:
            if switched:
                target.checkpoint, target.places, target.server = safe, {}, "one"
            return True
        if not switched and rng.random() < 0.2:
            target.checkpoint = safe


def switched_ahead(target: Target, known: GtidSet, channels: int) -> AheadByGtid:
    target.places = channels_ahead(target.places, Checkpoint(target.checkpoint, channels, target.server))
    target.server = BETWEEN_SERVERS
    return AheadByGtid(target.places, known)


def ready(queue: list[Job], applied: list[int], limit: int) -> list[Job]:
    batch = []
    for job in queue[:limit]:
        if any(applied[channel] < seq for channel, seq in job.needs):
            break
        batch.append(job)
    return batch


def apply(target: Target, channel: int, batch: list[Job]) -> None:
    for group in segments(batch):
        for segment in group:
            for statement in statements(segment, Limits()):
                target.database.execute(statement.sql.decode())
    place = last_place(batch)
    if place is not None:
        target.places[channel] = place


def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("ATTACH ':memory:' AS s")
    columns = "id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE, note TEXT, mark INTEGER"
    connection.execute(f"CREATE TABLE s.t ({columns})")
    connection.execute("CREATE TABLE s.log (a INTEGER, b INTEGER)")
    return connection


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 4), own=st.booleans())
def test_every_change_is_applied_once_whatever_dies(seed: int, channels: int, own: bool) -> None:
    rng = random.Random(seed)
    keyed_table, log = with_own_column() if own else keyed(), log_table()
    transactions, expected = stream(rng, keyed_table, log)
    logged = rows_of(transactions, log)
    target = Target(database())
    while not run_until_crash(rng, target, transactions, channels, rng.randrange(1, 15)):
        pass
    assert_equal(target, expected, logged)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 4), own=st.booleans())
def test_every_change_is_applied_once_on_whichever_server(seed: int, channels: int, own: bool) -> None:
    rng = random.Random(seed)
    keyed_table, log = with_own_column() if own else keyed(), log_table()
    transactions, expected = stream(rng, keyed_table, log)
    logged = rows_of(transactions, log)
    target = Target(database())
    done = False
    while not done:
        done = run_until_crash(rng, target, transactions, channels, rng.randrange(1, 15))
        if not done and rng.random() < 0.5:
            shift = rng.randrange(-3, 1000)
            transactions = [one.on_another_server(shift) for one in transactions]
            while not run_until_crash(rng, target, transactions, channels, rng.randrange(1, 15), switched=True):
                pass
    assert_equal(target, expected, logged)


def rows_of(transactions: list[Transaction], log: TargetTable) -> list[RowImage]:
    counted = [event for t in transactions if not t.is_rolled_back for where, event in t.events if where is log]
    return sorted(row for event in counted for row in event.rows)


def assert_equal(target: Target, expected: set[RowImage], logged: list[RowImage]) -> None:
    stored = {
        (str(ident).encode(), b"NULL" if code is None else f"'{code}'".encode(), f"'{note}'".encode())
        for ident, code, note in target.database.execute("SELECT id, code, note FROM s.t")
    }
    in_log = sorted((b"%d" % a, b"%d" % b) for a, b in target.database.execute("SELECT a, b FROM s.log"))
    target.database.close()
    assert stored == expected
    assert in_log == logged
