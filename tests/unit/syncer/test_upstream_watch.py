"""What is known of the upstream's end, by when it was asked and what it said."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dm_worker.syncer import upstream_watch
from dm_worker.syncer.upstream_watch import UpstreamWatch
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope

GONE = ErrorKind(1, "test", Scope.UPSTREAM, Level.LOW, "it is gone", workaround="")


class Asked:
    """An upstream whose answers are given one by one."""

    def __init__(self) -> None:
        self.answers: queue.SimpleQueue[Location | DMError] = queue.SimpleQueue()
        self.is_asked = threading.Semaphore(0)

    def location(self) -> Location:
        self.is_asked.release()
        answer = self.answers.get()
        if isinstance(answer, DMError):
            raise answer
        return answer


def at(offset: int) -> Location:
    return Location(Position("b.000001", offset))


@contextmanager
def watching(asked: Asked, **more: Any) -> Iterator[tuple[UpstreamWatch, threading.Semaphore]]:
    told = threading.Semaphore(0)
    watch = UpstreamWatch(asked.location, lambda: 0.0, lambda: None, tell=told.release, **more)
    watch.look(1)
    watch.start()
    try:
        yield watch, told
    finally:
        for _ in range(3):
            asked.answers.put(at(1))
        watch.stop()


def test_a_question_is_answered_by_what_the_upstream_said_after_it() -> None:
    asked = Asked()
    with watching(asked) as (watch, told):
        assert (watch.seen.location, watch.seen.looked) == (None, 0)
        assert watch.seen.problem
        assert asked.is_asked.acquire(timeout=10)
        watch.look(2)  # while the upstream is being asked: it may have answered before
        asked.answers.put(at(10))
        assert told.acquire(timeout=10)
        assert (watch.seen.location, watch.seen.looked, watch.seen.problem) == (at(10), 1, "")
        asked.answers.put(at(20))
        assert told.acquire(timeout=10)
        assert (watch.seen.location, watch.seen.looked) == (at(20), 2)


def test_an_answer_waits_for_what_is_about_to_be_applied() -> None:
    asked, checks = Asked(), iter([False, False, True])
    with watching(asked, has_all_of=lambda location: next(checks)) as (watch, told):
        asked.answers.put(at(10))
        assert told.acquire(timeout=10)
        assert next(checks, None) is None, "it was looked until all was there"
        assert watch.seen.looked == 1


def test_an_upstream_that_is_gone_is_not_known() -> None:
    asked = Asked()
    with watching(asked) as (watch, told):
        asked.answers.put(at(10))
        assert told.acquire(timeout=10)
        watch.look(2)
        asked.answers.put(GONE.error())
        assert told.acquire(timeout=10)
        assert (watch.seen.location, watch.seen.problem) == (at(10), "it is gone")


def test_an_upstream_that_does_not_answer_is_not_known(monkeypatch: Any) -> None:
    monkeypatch.setattr(upstream_watch, "PATIENCE_SECONDS", 0.0)
    asked = Asked()
    with watching(asked) as (watch, told):
        asked.answers.put(at(10))
        assert told.acquire(timeout=10)
        assert asked.is_asked.acquire(timeout=10)
        watch.look(2)
        assert asked.is_asked.acquire(timeout=10)
        assert "has not answered" in watch.seen.problem


def test_an_end_before_what_was_read_is_that_of_another_binlog() -> None:
    asked = Asked()
    with watching(asked, read_to=lambda: Position("b.000001", 11)) as (watch, told):
        asked.answers.put(at(10))
        assert told.acquire(timeout=10)
        assert "reset" in watch.seen.problem
