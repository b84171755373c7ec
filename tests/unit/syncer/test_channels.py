"""Queues between the reader and the channels."""

from __future__ import annotations

import threading

import pytest

from dm_worker.syncer.channels import Channels, Stopped
from pkg.errors import UNEXPECTED
from pkg.rows.job import Job
from tests.unit.rows.tables import keyed
from tests.unit.rows.test_statements import ONE, jobs


def channels(count: int = 2, *, batch: int = 10, rows: int = 100) -> Channels:
    return Channels(count, batch=batch, queue_rows=rows, budget_bytes=1 << 20)


def some_jobs(count: int) -> list[Job]:
    return jobs(keyed(), *[(None, (b"%d" % number, b"NULL", b"'x'")) for number in range(count)])


def test_a_batch_has_at_most_batch_jobs() -> None:
    queues = channels(batch=3)
    queues.put([some_jobs(5), []], 5)
    assert [len(queues.take(0)), len(queues.take(0))] == [3, 2]


def test_the_low_watermark_is_below_the_oldest_job_that_is_not_applied() -> None:
    queues = channels()
    first, second, third = some_jobs(3)
    queues.put([[first, third], [second]], 3)
    batch = queues.take(0)
    assert queues.low_watermark() == 0
    queues.applied(0, batch)
    assert queues.low_watermark() == 1
    queues.applied(1, queues.take(1))
    assert queues.low_watermark() == 3


def test_a_job_waits_for_the_channel_that_it_needs() -> None:
    queues = channels()
    first, second = some_jobs(2)
    second.needs = ((0, first.seq),)
    queues.put([[first], [second]], 2)
    taken: list[list[Job]] = []
    waiter = threading.Thread(target=lambda: taken.append(queues.take(1)))
    waiter.start()
    queues.applied(0, queues.take(0))
    waiter.join(timeout=60)
    assert taken == [[second]]


def test_a_job_needs_nothing_that_an_earlier_run_applied() -> None:
    queues = channels()
    first, second = some_jobs(2)
    second.needs = ((0, first.seq),)
    queues.skip(0, first.seq)
    queues.put([[], [second]], 2)
    assert queues.take(1) == [second]


def test_a_job_that_waits_is_let_go_when_an_earlier_run_turns_out_to_have_applied_what_it_needs() -> None:
    queues = channels()
    first, second = some_jobs(2)
    second.needs = ((0, first.seq),)
    queues.put([[], [second]], 2)
    taken: list[list[Job]] = []
    waiter = threading.Thread(target=lambda: taken.append(queues.take(1)))
    waiter.start()
    while not queues._waiting:
        pass
    queues.skip(0, first.seq)
    waiter.join(timeout=60)
    assert taken == [[second]]


def test_a_failed_channel_stops_everybody() -> None:
    queues = channels()
    queues.put([jobs(keyed(), (None, ONE)), []], 1)
    queues.fail(UNEXPECTED.error(what="test", text="no"))
    with pytest.raises(Stopped):
        queues.take(1)
    with pytest.raises(Exception, match="unexpected test: no"):
        queues.wait_drained()


def test_a_full_queue_blocks_until_there_is_room() -> None:
    queues = channels(1, rows=2)
    queues.put([some_jobs(2)], 2)
    putter = threading.Thread(target=lambda: queues.put([some_jobs(1)], 3))
    putter.start()
    queues.applied(0, queues.take(0))
    putter.join(timeout=60)
    assert not putter.is_alive()


def test_stop_lets_go_of_a_pausing_channel() -> None:
    queues = channels()
    queues.stop()
    with pytest.raises(Stopped):
        queues.pause(60)
