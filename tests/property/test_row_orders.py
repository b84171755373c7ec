"""Whatever dies when, and whatever keys the target gets in between: no row is lost, and none is there twice.

A table with a key is given to other channels in each run, one without a key always to the same; a run dies with any
channels ahead of the others.  The statements are run by SQLite, places are moved as the applier does.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from dm_worker.syncer.ahead import AheadByPosition
from dm_worker.syncer.applier import last_place
from dm_worker.syncer.replicator import Replicator
from dm_worker.syncer.row_orders import RowOrders
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.position import Location, Position
from pkg.rows.change import RowImage, TargetTable
from pkg.rows.compact import segments
from pkg.rows.job import Job, Place
from pkg.rows.statements import Limits, statements
from tests.property.test_apply_order import Change, database, random_changes, stored_rows
from tests.unit.rows.tables import as_event, keyed, keyless

CHANNELS = 3
FILE = "bin.000001"
KEYLESS = keyless()


@dataclass
class Target:
    """What a run leaves behind: rows, places, the checkpoint, and the orders."""

    places: dict[int, Place] = field(default_factory=dict)
    checkpoint: int = 0  # changes before it are all applied
    orders: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.connection = database()
        self.connection.execute("CREATE TABLE s.log (a INTEGER, b TEXT, c REAL)")

    def apply(self, batch: list[Job]) -> None:
        for group in segments(batch, compact=True):
            for segment in group:
                for statement in statements(segment, Limits()):
                    self.connection.execute(statement.sql.decode())

    def rows(self) -> tuple[set[RowImage], list[int]]:
        return stored_rows(self.connection), [
            number for (number,) in self.connection.execute("SELECT a FROM s.log ORDER BY a")
        ]


def run(rng: random.Random, target: Target, table: TargetTable, changes: list[Change], *, dies: bool) -> None:
    """Read all changes from the checkpoint on, and apply them, or some of them."""
    ahead = AheadByPosition(target.places)
    begin = Position(FILE, 10 * target.checkpoint)
    until = ahead.until if ahead.until is not None and ahead.until > begin else None
    orders = RowOrders(dict(target.orders), until, lambda: ahead.is_over, target.orders.__setitem__)
    replicator = Replicator(Location(begin, None), CHANNELS, ahead=ahead)
    seqs = [0]
    for number in range(target.checkpoint, len(changes)):
        end = 10 * number + 9
        kind, images = as_event(*changes[number])
        replicator.rows(
            orders.taken(("s", "t"), table), RowsEvent(TableMap("s", "t", b"", ()), kind, images, 0, end, 0)
        )
        row = (b"%d" % number, b"'x'", b"1")
        log = orders.taken(("s", "log"), KEYLESS)
        replicator.rows(log, RowsEvent(TableMap("s", "log", b"", ()), "insert", [row], 0, end, 0))
        replicator.commit(10 * (number + 1), 0)
        seqs.append(replicator.last_seq)
    applied = work(rng, target, replicator, dies=dies)
    safe = sum(seq <= applied for seq in seqs) - 1
    target.checkpoint += rng.randrange(safe + 1) if dies else safe
    for name, order in orders.due(Position(FILE, 10 * target.checkpoint)).items():
        target.orders[name] = order


def work(rng: random.Random, target: Target, replicator: Replicator, *, dies: bool) -> int:
    """Channels take turns at random, until the run dies; up to which seq all is applied."""
    skipped = dict(replicator.take_skipped())
    queues = replicator.take()
    done = [skipped.get(channel, 0) if not queue else 0 for channel, queue in enumerate(queues)]
    done = [max(one, min((job.seq for job in queue), default=1) - 1) for one, queue in zip(done, queues, strict=True)]
    left = rng.randrange(40) if dies else -1
    while any(queues) and left:
        left -= 1
        moved = False
        for channel in rng.sample(range(CHANNELS), CHANNELS):
            if rng.random() < 0.5 and dies:
                moved = True
                continue
            batch: list[Job] = []
            for job in queues[channel][: rng.randrange(1, 8)]:
                if any(done[other] < seq and _is_queued(queues[other], seq) for other, seq in job.needs):
                    break
                batch.append(job)
            if not batch:
                continue
            target.apply(batch)
            place = last_place(batch)
            if place is not None:
                target.places[channel] = place
            done[channel] = batch[-1].seq
            del queues[channel][: len(batch)]
            moved = True
        assert moved, "every channel waits: a deadlock"
    return min((queue[0].seq - 1 for queue in queues if queue), default=replicator.last_seq)


def _is_queued(queue: list[Job], seq: int) -> bool:
    return bool(queue) and queue[0].seq <= seq


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), runs=st.integers(1, 5))
def test_no_row_is_lost_or_there_twice(seed: int, runs: int) -> None:
    rng = random.Random(seed)
    changes, rows = random_changes(rng, 60)
    target, plain = Target(), keyed()
    for number in range(runs + 1):
        table = replace(plain, qualified=rng.choice([b"`s`.`t`", b"s.`t`", b"`s`.t"]))  # a part of the hash
        run(rng, target, table, changes, dies=number < runs)
    found, log = target.rows()
    target.connection.close()
    assert found == set(rows.values())
    assert log == list(range(len(changes)))
