"""How lanes of one snapshot share the chunks, and what happens to an answer that an error leaves half read."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from dm_worker.dumper.chunks import WHOLE
from dm_worker.dumper.held_snapshot import SNAPSHOT_LOST, HeldSnapshot
from dm_worker.loader.chunk_copy import ChunkTask
from dm_worker.loader.snapshot_lane import LaneJob, shared_tasks, told_as_loss
from dm_worker.loader.snapshot_lanes import tasks_in_order
from pkg.adapters.mysql.errors import LOST_CONNECTION
from pkg.errors import DMError


def _job(tasks: int, lanes: int) -> LaneJob:
    numbered = tuple(ChunkTask(number, number % 3, WHOLE) for number in range(tasks))
    copy: Any = None
    return LaneJob(copy, numbered, lanes, {}, {})


class _Counter:
    """The row that lanes take tasks from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0
        self.handfuls: list[int] = []

    def take(self, most: int) -> int:
        with self._lock:
            first, self._next = self._next, self._next + most
            self.handfuls.append(most)
        return first


@pytest.mark.parametrize(("tasks", "lanes"), [(0, 4), (1, 4), (7, 1), (1000, 4), (333, 16)])
def test_lanes_take_each_task_once(tasks: int, lanes: int) -> None:
    job, counter = _job(tasks, lanes), _Counter()
    taken: list[list[ChunkTask]] = [[] for _ in range(lanes)]
    sharing = [threading.Thread(target=lambda own=own: own.extend(shared_tasks(job, counter.take))) for own in taken]
    for thread in sharing:
        thread.start()
    for thread in sharing:
        thread.join()
    assert Counter(task.chunk_id for own in taken for task in own) == Counter(range(tasks))


def test_handfuls_get_smaller_so_that_lanes_end_together() -> None:
    counter = _Counter()
    assert len(list(shared_tasks(_job(200, 4), counter.take))) == 200
    assert counter.handfuls == sorted(counter.handfuls, reverse=True)
    assert (counter.handfuls[0], counter.handfuls[-1]) == (12, 1)


def test_a_lane_ends_when_the_snapshot_has_ended() -> None:
    assert list(shared_tasks(_job(5, 1), lambda most: None)) == []


def test_tables_that_keep_a_lock_come_first_in_their_order() -> None:
    tasks = _job(6, 1).tasks
    assert [task.chunk_id for task in tasks_in_order(tasks, {2})] == [2, 5, 0, 1, 3, 4]
    assert tasks_in_order(tasks, set()) == tasks


class _Connection:
    def __init__(self) -> None:
        self.pings = 0

    def ping(self, reconnect: bool) -> None:
        self.pings += 1


def _held(connection: Any) -> HeldSnapshot:
    server: Any = None
    return HeldSnapshot(connection, server)


def test_after_an_error_the_answer_is_read_to_its_end() -> None:
    connection = _Connection()
    held = _held(connection)
    rows = iter(range(5))
    for row in held.reading(rows):
        if row == 2:
            break
    held.read_out()
    assert list(rows) == []
    assert held.usable() is connection
    assert connection.pings == 1


def test_a_snapshot_whose_connection_fails_is_lost() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ConnectionError("gone")

    held = _held(_Connection())
    assert next(held.reading(broken())) == 1
    held.read_out()
    with pytest.raises(DMError, match="gone") as failed:
        held.usable()
    assert failed.value.is_a(SNAPSHOT_LOST)


def test_only_the_upstreams_lost_connection_is_a_lost_snapshot() -> None:
    fields = {"address": "db:3306", "errno": 2013}
    upstream = LOST_CONNECTION.upstream.error(**fields, side="upstream")
    downstream = LOST_CONNECTION.downstream.error(**fields, side="downstream")
    assert told_as_loss(upstream).is_a(SNAPSHOT_LOST)
    assert told_as_loss(downstream) is downstream
