"""Rows that do nothing, between others: rolled back, in whole or in part, or void (a re-sync of shards).

Whatever the channels and their timing, the target ends as if only the others had come, one by one.
"""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from dm_worker.syncer.queues import Queues
from dm_worker.syncer.replicator import Replicator
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.position import Location, Position
from tests.property.test_apply_order import Rows, database, execute, random_changes, stored_rows
from tests.unit.rows.tables import as_event, keyed

TABLE_MAP = TableMap("s", "t", b"\x03\x0f\x0f", (0, 0, 0))


class Reader:
    """Reads changes and queues their jobs."""

    def __init__(self, rng: random.Random, replicator: Replicator, channels: int) -> None:
        self.rng = rng
        self.replicator = replicator
        self.queues = Queues(channels, batch=100, queue_rows=10_000, budget_bytes=1 << 30)
        self.end = 100

    def _next(self) -> int:
        self.end += 20
        return self.end

    def flush(self) -> None:
        skipped = self.replicator.take_skipped()
        self.queues.put(self.replicator.take(), self.replicator.last_seq)
        for channel, seq in skipped:
            self.queues.skip(channel, seq)


class Stream(Reader):
    """What is read, and what the upstream holds after it."""

    def __init__(self, rng: random.Random, channels: int) -> None:
        super().__init__(rng, Replicator(Location(Position("f", 4), None), channels), channels)
        self.rows: Rows = {}

    def transaction(self) -> None:
        before, kind = dict(self.rows), self.rng.choice(["kept", "rolled back", "in part", "void"])
        if kind == "in part":
            self._changes()
            self.replicator.savepoint("a")
            before = dict(self.rows)
        if kind == "void":
            self.replicator.counts = lambda jobs: []
        self._changes()
        self.replicator.counts = None
        if kind != "kept":
            self.rows = before
        if kind in ("rolled back", "in part"):
            assert self.replicator.roll_back("a" if kind == "in part" else None, self._next())
        if kind == "in part":
            self._changes()
        self.replicator.commit(self._next(), 1)
        if self.rng.random() < 0.3:
            self.flush()

    def _changes(self) -> None:
        changes, self.rows = random_changes(self.rng, self.rng.randrange(1, 6), self.rows)
        for before, after in changes:
            kind, images = as_event(before, after)
            end = self._next()
            self.replicator.rows(keyed(), RowsEvent(TABLE_MAP, kind, images, end - 10, end, 1))


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5))
def test_the_target_ends_as_if_only_the_others_had_come(seed: int, channels: int) -> None:
    rng = random.Random(seed)
    stream, connection = Stream(rng, channels), database()
    for _ in range(15):
        stream.transaction()
    stream.flush()
    while not stream.queues.is_drained:
        is_moved = False
        for channel in rng.sample(range(channels), channels):
            if rng.random() < 0.5 or not (batch := stream.queues.take(channel)):
                continue
            execute(connection, batch)
            stream.queues.applied(channel, batch)
            is_moved = True
        assert is_moved or rng.random() < 0.999, "every channel waits: a deadlock"
    stored = stored_rows(connection)
    connection.close()
    assert stored == set(stream.rows.values())
