"""Tables of a merge that hold the same row for a while, in safe mode and behind it.

Whatever the channels and their timing, the target ends with the row of the table that wrote it last and still holds it.
"""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from dm_worker.syncer.replicator import Replicator
from pkg.binlog.events import RowsEvent
from pkg.binlog.position import Location, Position
from pkg.rows.change import RowImage
from pkg.schema.statement import TableName
from tests.property.test_apply_order import database, execute, stored_rows
from tests.property.test_dropped_rows import TABLE_MAP, Reader
from tests.unit.rows.tables import as_event, keyed, with_own_column

Held = dict[bytes, list[tuple[str, RowImage]]]  # by key the tables that hold it, the last writer last


class Stream(Reader):
    """What is read of three tables, and what of it the target is to have."""

    def __init__(self, rng: random.Random, channels: int, own: bool) -> None:
        self.held: Held = {}
        self.plan = with_own_column() if own else keyed()
        until = Position("f", rng.choice([0, 400, 1_000_000]))
        self.safe_until = until.offset
        super().__init__(rng, Replicator(Location(Position("f", 4), None), channels, safe_until=until), channels)

    def transaction(self) -> None:
        before, kind = self._copy(), self.rng.choice(["kept", "kept", "rolled back", "in part"])
        if kind == "in part":
            self._changes()
            self.replicator.savepoint("a")
            before = self._copy()
        self._changes()
        if kind != "kept":
            self.held = before
            assert self.replicator.roll_back("a" if kind == "in part" else None, self._next())
        if kind == "in part":
            self._changes()
        self.replicator.commit(self._next(), 1)
        if self.rng.random() < 0.3:
            self.flush()

    def _copy(self) -> Held:
        return {key: list(held) for key, held in self.held.items()}

    def _changes(self) -> None:
        for _ in range(self.rng.randrange(1, 8)):
            self._change(self.rng.choice("abc"), b"%d" % self.rng.randrange(4))

    def _change(self, source: str, key: bytes) -> None:
        rows = dict(self.held.get(key, []))
        new = key, b"NULL", b"'%s%d'" % (source.encode(), self.rng.randrange(100))
        if source not in rows:
            if rows and self.end + 20 > self.safe_until:
                return  # it is refused outside of safe mode
            self._write(source, None, new)
        elif self.rng.random() < 0.4:
            self._write(source, rows[source], None)
        elif self.rng.random() < 0.7:
            self._write(source, rows[source], new)
        else:
            moved = b"%d" % self.rng.randrange(4, 6)
            if not self.held.get(moved) or (self.end + 20 <= self.safe_until and source not in self._of(moved)):
                self._write(source, rows[source], (moved, *new[1:]))

    def _of(self, key: bytes) -> set[str]:
        return {name for name, _ in self.held.get(key, [])}

    def _write(self, source: str, before: RowImage | None, after: RowImage | None) -> None:
        for row in (before, after):
            if row is not None:
                self.held[row[0]] = [one for one in self.held.get(row[0], []) if one[0] != source]
        if after is not None:
            self.held[after[0]].append((source, after))
        kind, images = as_event(before, after)
        end = self._next()
        event = RowsEvent(TABLE_MAP, kind, images, end - 10, end, 1)
        self.replicator.rows(self.plan, event, TableName("s", source))


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5), own=st.booleans())
def test_the_target_has_the_row_of_the_last_table_that_holds_it(seed: int, channels: int, own: bool) -> None:
    rng = random.Random(seed)
    stream, connection = Stream(rng, channels, own), database()
    for _ in range(12):
        stream.transaction()
    stream.flush()
    while not stream.queues.is_drained:
        for channel in rng.sample(range(channels), channels):
            if batch := stream.queues.take(channel):
                execute(connection, batch)
                stream.queues.applied(channel, batch)
    stored = stored_rows(connection)
    connection.close()
    assert stored == {held[-1][1] for held in stream.held.values() if held}
