"""Whatever the channels, batches and their timing: the target ends as if every change had come one by one.

The statements are run by a real SQL engine (SQLite takes these shapes), so a unique value that is
taken before it is free fails as it would on the target.
"""

from __future__ import annotations

import random
import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from pkg.rows.causality import Causality
from pkg.rows.change import RowImage, TargetTable
from pkg.rows.compact import segments
from pkg.rows.job import Job, Origin
from pkg.rows.statements import Limits, statements
from tests.unit.rows.tables import as_event, keyed, with_own_column

CODES = [b"'a'", b"'b'", b"'c'", b"'A'", b"NULL"]
Change = tuple[RowImage | None, RowImage | None]
Rows = dict[bytes, RowImage]


def _fold(code: bytes) -> bytes:
    return code.lower()


def _free(rows: Rows, code: bytes, but: bytes) -> bool:
    return code == b"NULL" or all(_fold(row[1]) != _fold(code) or row[0] == but for row in rows.values())


def random_changes(rng: random.Random, count: int, present: Rows | None = None) -> tuple[list[Change], Rows]:
    """Legal changes of a table of few rows (``present``) and unique values, and what the table holds after them."""
    rows: Rows = dict(present or {})
    changes: list[Change] = []
    while len(changes) < count:
        ident = b"%d" % rng.randrange(6)
        code, note = rng.choice(CODES), b"'%d'" % rng.randrange(100)
        old = rows.get(ident)
        if old is None and _free(rows, code, ident):
            rows[ident] = (ident, code, note)
            changes.append((None, rows[ident]))
        elif old is not None and rng.random() < 0.3:
            del rows[ident]
            changes.append((old, None))
        elif old is not None and _free(rows, code, ident):
            moved = ident if rng.random() < 0.8 else b"%d" % rng.randrange(6, 9)
            if moved in rows and moved != ident:
                continue
            del rows[ident]
            rows[moved] = (moved, code, note)
            changes.append((old, rows[moved]))
    return changes, rows


def dispatch(table: TargetTable, changes: list[Change], channels: int, *, safe: bool = False) -> list[list[Job]]:
    causality = Causality(channels)
    queues: list[list[Job]] = [[] for _ in range(channels)]
    for number, (before, after) in enumerate(changes):
        for job in causality.jobs(
            table,
            *as_event(before, after),
            safe=safe,
            origin=Origin("bin.000001", ""),
            event_end=number,
            row_index=0,
            size=1,
        ):
            queues[job.channel].append(job)
    return queues


def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("ATTACH ':memory:' AS s")
    connection.execute("CREATE TABLE s.t (id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE, note TEXT)")
    return connection


def stored_rows(connection: sqlite3.Connection) -> set[RowImage]:
    return {
        (str(ident).encode(), b"NULL" if code is None else f"'{code}'".encode(), f"'{note}'".encode())
        for ident, code, note in connection.execute("SELECT id, code, note FROM s.t")
    }


def execute(connection: sqlite3.Connection, batch: list[Job], *, compact: bool = True) -> None:
    for group in segments(batch, compact=compact):
        for segment in group:
            for statement in statements(segment, Limits()):
                connection.execute(statement.sql.decode())


def apply_in_some_order(
    rng: random.Random, queues: list[list[Job]], connection: sqlite3.Connection, compact: bool
) -> None:
    """Channels take turns at random; a batch ends before a job whose needs are not applied."""
    applied = [0] * len(queues)
    positions = [0] * len(queues)
    while any(position < len(queue) for position, queue in zip(positions, queues, strict=True)):
        moved = False
        for channel in rng.sample(range(len(queues)), len(queues)):
            batch: list[Job] = []
            limit = rng.randrange(1, 8)
            for job in queues[channel][positions[channel] :][:limit]:
                if any(applied[other] < seq for other, seq in job.needs):
                    break
                batch.append(job)
            if not batch:
                continue
            execute(connection, batch, compact=compact)
            positions[channel] += len(batch)
            applied[channel] = batch[-1].seq
            moved = True
        assert moved, "every channel waits: a deadlock"


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5), compact=st.booleans())
def test_any_interleaving_ends_as_serial_execution(seed: int, channels: int, compact: bool) -> None:
    rng = random.Random(seed)
    changes, rows = random_changes(rng, 60)
    connection = database()
    apply_in_some_order(rng, dispatch(keyed(), changes, channels), connection, compact)
    stored = stored_rows(connection)
    connection.close()
    assert stored == set(rows.values())


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5))
def test_replay_dispatches_the_same(seed: int, channels: int) -> None:
    changes, _ = random_changes(random.Random(seed), 40)
    table = keyed()

    def places(queues: list[list[Job]]) -> list[list[tuple[int, int, int]]]:
        return [[(job.seq, job.event_end, job.row_index) for job in queue] for queue in queues]

    assert places(dispatch(table, changes, channels)) == places(dispatch(table, changes, channels))


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5), compact=st.booleans())
def test_what_the_targets_own_columns_hold_stays_with_its_row(seed: int, channels: int, compact: bool) -> None:
    """Each row has a mark there, which only the row's deletion takes away; rows that are inserted have none."""
    rng = random.Random(seed)
    changes, rows = random_changes(rng, 60)
    at = rng.randrange(len(changes))
    connection = database()
    connection.execute("ALTER TABLE s.t ADD COLUMN mark INTEGER")
    apply_in_some_order(rng, dispatch(with_own_column(), changes[:at], channels), connection, compact)
    connection.execute("UPDATE s.t SET mark = id")
    marks = {str(ident).encode(): ident for (ident,) in connection.execute("SELECT id FROM s.t")}
    for before, after in changes[at:]:
        mark = marks.pop(before[0], None) if before is not None else None
        if after is not None:
            marks[after[0]] = mark
    apply_in_some_order(rng, dispatch(with_own_column(), changes[at:], channels), connection, compact)
    found = {str(ident).encode(): mark for ident, mark in connection.execute("SELECT id, mark FROM s.t")}
    assert found.keys() == rows.keys()
    assert found == marks


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32), channels=st.integers(1, 5), compact=st.booleans(), own=st.booleans())
def test_changes_that_come_again_in_safe_mode_change_nothing(
    seed: int, channels: int, compact: bool, own: bool
) -> None:
    rng = random.Random(seed)
    changes, rows = random_changes(rng, 60)
    table, connection = with_own_column() if own else keyed(), database()
    connection.execute("ALTER TABLE s.t ADD COLUMN mark INTEGER")
    apply_in_some_order(rng, dispatch(table, changes, channels), connection, compact)
    apply_in_some_order(rng, dispatch(table, changes[rng.randrange(60) :], channels, safe=True), connection, compact)
    found = stored_rows(connection)
    assert found == set(rows.values())
