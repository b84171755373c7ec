"""Rows of a transaction that was rolled back, as the replicator drops them."""

from __future__ import annotations

import pytest

from dm_worker.syncer.ahead import AheadByPosition
from dm_worker.syncer.queues import Queues
from dm_worker.syncer.replicator import Replicator
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.position import Location, Position
from pkg.rows.causality import Causality
from pkg.rows.change import plan_target
from pkg.rows.job import Job, Place
from tests.unit.rows.tables import as_event, column, keyed, primary, table

STRUCTURE = table([column("id", nullable=False), column("a")], primary("id"))
PLAN = plan_target(STRUCTURE, STRUCTURE)
START = Location(Position("f", 4), None)


def insert(replicator: Replicator, *ids: int, end: int) -> None:
    images = [(b"%d" % number, b"1") for number in ids]
    replicator.rows(PLAN, RowsEvent(TableMap("s", "t", b"\x03\x03", (0, 0)), "insert", images, end - 10, end, 1))


def keys(runs: list[list[Job]]) -> list[int]:
    return sorted(int(job.key[0]) for jobs in runs for job in jobs)


def test_the_rows_of_a_transaction_go_nowhere_and_count_as_done() -> None:
    replicator = Replicator(START, 2)
    insert(replicator, 1, 2, end=100)
    replicator.commit(110, 1)
    insert(replicator, 3, 4, end=200)
    assert replicator.roll_back(None, 210)
    replicator.commit(210, 1)
    insert(replicator, 5, 3, end=300)  # needs the one that was dropped
    replicator.commit(310, 1)
    queues, runs = Queues(2, batch=100, queue_rows=100, budget_bytes=1 << 20), replicator.take()
    assert keys(runs) == [1, 2, 3, 5]
    queues.put(runs, replicator.last_seq)
    for channel, seq in replicator.take_skipped():
        queues.skip(channel, seq)
    for channel in (0, 1, 0, 1):
        if batch := queues.take(channel):
            queues.applied(channel, batch)
    assert queues.is_drained
    assert replicator.advance(queues.low_watermark()).position == Position("f", 310)


def change(replicator: Replicator, before: tuple[bytes, ...] | None, after: tuple[bytes, ...] | None, end: int) -> None:
    """Of rows (id, code, note), where codes are unique."""
    kind, images = as_event(before, after)
    table_map = TableMap("s", "t", b"\x03\x0f\x0f", (0, 0, 0))
    replicator.rows(keyed(), RowsEvent(table_map, kind, images, end - 10, end, 1))


def in_other_channels(count: int) -> tuple[int, ...]:
    """Ids of rows that go to as many channels of eight."""
    causality, table = Causality(8), keyed()
    ids = {causality.channel_of(table, (b"%d" % number,)): number for number in range(1, 50)}
    return tuple(ids.values())[:count]


def give_up(replicator: Replicator, holder: int) -> None:
    """The code x, which the row had."""
    change(replicator, (b"%d" % holder, b"'x'", b"''"), (b"%d" % holder, b"'y'", b"''"), end=100)


def waits_for_holder(replicator: Replicator) -> bool:
    """Whether the newer of the two jobs waits for the older one."""
    given, taken = sorted((job for jobs in replicator.take() for job in jobs), key=lambda job: job.seq)
    return (given.channel, given.seq) in taken.needs


@pytest.mark.parametrize("is_counted", [False, True])
def test_who_takes_a_value_behind_dropped_rows_waits_for_the_one_before_them(is_counted: bool) -> None:
    holder, *others, taker = in_other_channels(4)
    replicator = Replicator(START, 8)
    give_up(replicator, holder)
    replicator.commit(110, 1)
    replicator.counts = (lambda jobs: []) if is_counted else None
    for number, other in enumerate(others):
        change(replicator, None, (b"%d" % other, b"'x'", b"''"), end=200 + number)
        change(replicator, (b"%d" % other, b"'x'", b"''"), None, end=210 + number)
    replicator.counts = None
    if not is_counted:
        assert replicator.roll_back(None, 220)
    replicator.commit(220, 1)
    change(replicator, None, (b"%d" % taker, b"'x'", b"''"), end=300)
    assert waits_for_holder(replicator)


def test_who_takes_a_value_behind_rows_that_an_earlier_run_dropped_waits_for_the_one_before_them() -> None:
    holder, other, taker = in_other_channels(3)
    channel = Causality(8).channel_of(keyed(), (b"%d" % other,))
    replicator = Replicator(START, 8, ahead=AheadByPosition({channel: Place("f", 400, 0, "")}))
    give_up(replicator, holder)
    replicator.commit(110, 1)
    change(replicator, None, (b"%d" % other, b"'x'", b"''"), end=200)
    assert replicator.roll_back(None, 220)
    replicator.commit(220, 1)
    change(replicator, None, (b"%d" % taker, b"'x'", b"''"), end=300)
    assert waits_for_holder(replicator)


def test_who_takes_a_value_behind_a_dropped_row_of_its_own_event_waits_for_the_one_before_it() -> None:
    holder, other, taker = in_other_channels(3)
    replicator = Replicator(START, 8)
    give_up(replicator, holder)
    replicator.counts = lambda jobs: [job for job in jobs if job.key != (b"%d" % other,)]
    images = [(b"%d" % number, b"'x'", b"''") for number in (other, taker)]
    table_map = TableMap("s", "t", b"\x03\x0f\x0f", (0, 0, 0))
    replicator.rows(keyed(), RowsEvent(table_map, "insert", images, 190, 200, 1))
    assert waits_for_holder(replicator)


def test_a_savepoint_keeps_what_was_before_it() -> None:
    replicator = Replicator(START, 1)
    insert(replicator, 1, end=100)
    replicator.savepoint("a")
    insert(replicator, 2, end=200)
    assert replicator.roll_back("a", 210)
    insert(replicator, 3, end=300)
    replicator.commit(310, 1)
    assert keys(replicator.take()) == [1, 3]


def test_what_went_out_cannot_be_dropped() -> None:
    replicator = Replicator(START, 1)
    insert(replicator, 1, end=100)
    replicator.savepoint("a")
    replicator.take()
    insert(replicator, 2, end=200)
    assert replicator.roll_back("a", 210)  # of which nothing went out
    assert not replicator.roll_back(None, 220)
    assert not replicator.roll_back("unknown", 230)


@pytest.mark.parametrize(("place", "dropped"), [(100, False), (300, True)])
def test_after_a_restart_it_counts_whether_the_earlier_run_was_behind_the_rollback(place: int, dropped: bool) -> None:
    replicator = Replicator(START, 1, ahead=AheadByPosition({0: Place("f", place, 0, "")}))
    insert(replicator, 1, end=100)
    assert replicator.roll_back(None, 210) is dropped


def test_later_jobs_between_two_that_are_done_do_not_hold_up_those_that_need_them() -> None:
    queues = Queues(2, batch=100, queue_rows=100, budget_bytes=1 << 20)
    replicator = Replicator(START, 1)
    insert(replicator, *range(1, 5), end=100)
    [[first, other, middle, _]] = replicator.take()  # seqs 1 to 4; 2 and 4 are done
    other.needs, middle.needs = ((0, 2),), ((1, other.seq),)
    queues.put([[first, middle], [other]], 4)
    queues.skip(0, 2)
    queues.skip(0, 4)
    queues.applied(0, queues.take(0))
    assert queues.take(1) == [other]
