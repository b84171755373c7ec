"""The connection to the target is lost at every packet of a batch, also of what is asked after that: each change once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

import pytest

from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import Pair, made, until
from tests.servers import RunningServer
from tests.servers.cutting import DOWN, UP, Cut, CuttingProxy, How

pytestmark = pytest.mark.crossed("line")

FIRST_TRY, LATER_TRY, ASKED = b"BEGIN /*T! OPTIMISTIC */", b"BEGIN /*T! PESSIMISTIC */", b"asked=asked+1"
HOWS = (How.BEFORE, How.INSIDE, How.AFTER)
TARGETS = ("tidb", "mariadb2")
ANSWER_SECONDS = 5.0  # long enough for a target that others keep busy


@dataclass
class Line:
    """A running task whose way to the target leads through the proxy."""

    pair: Pair
    proxy: CuttingProxy
    task: Supervised

    def cut(self, *cuts: Cut) -> None:
        self.proxy.cuts = list(cuts)

    def in_step(self) -> None:
        self.task.in_step(self.pair)


@pytest.fixture(scope="module", params=TARGETS)
def line(request: pytest.FixtureRequest, mariadb: RunningServer) -> Iterator[Line]:
    target: RunningServer = request.getfixturevalue(request.param)
    pair = made(f"cut_{request.param}", mariadb, target)
    with (
        CuttingProxy(target.port) as proxy,
        Supervised(config_of(pair, target_port=proxy.port), ANSWER_SECONDS) as task,
    ):
        pair.on((COUNT,), pair.upstream)
        task.in_step(pair)
        yield Line(pair, proxy, task)


def _is_over(struck: Event, task: Supervised) -> bool:
    return struck.is_set() or task.has_confirmed()


def cut_at_each(line: Line, write_one: str, at: Callable[[int], Cut], first: Cut | None = None) -> int:
    """Cut at the first packet, the second, …, `first` before that; how many were cut before there was none left."""
    number = 0
    while True:
        cut = at(number + 1)
        line.cut(cut) if first is None else line.cut(replace(first, struck=Event()), cut)
        line.pair.on((write_one,), line.pair.upstream)
        line.in_step()
        struck = cut.struck
        until(partial(_is_over, struck, line.task), "what was written is confirmed")
        if not struck.is_set():
            return number
        number += 1
        assert number < 60, "there is no end to it"


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("direction", [UP, DOWN])
@pytest.mark.parametrize("write_one", [COUNT, LOG], ids=["counter", "keyless"])
def test_cut_at_every_packet_of_a_batch(line: Line, direction: str, how: How, write_one: str) -> None:
    errors = len(line.task.errors)
    least = 2 if direction == UP else 4  # BEGIN and all that comes with it, COMMIT; the answers to each
    assert cut_at_each(line, write_one, lambda number: Cut(FIRST_TRY, direction, number, how)) >= least
    assert len(line.task.errors) == errors, "the channel goes on by itself"


@pytest.mark.parametrize("direction", [UP, DOWN])
@pytest.mark.parametrize("is_committed", [True, False], ids=["committed", "not committed"])
def test_cut_at_every_packet_of_the_question_after_a_lost_commit(
    line: Line, direction: str, is_committed: bool
) -> None:
    first = Cut(b"COMMIT", DOWN if is_committed else UP, 1, How.BEFORE, on=FIRST_TRY)
    # BEGIN, the touch, the place, COMMIT; and the batch once more where it is not there
    least = 4 if is_committed else 6
    assert cut_at_each(line, LOG, lambda number: Cut(LATER_TRY, direction, number), first) >= least


def late(line: Line, on: bytes, released_by: bytes, *also: Cut) -> Cut:
    """A COMMIT arrives when its sender has gone, and asks already."""
    commit = Cut(b"COMMIT", UP, 1, How.LATE, on=on)
    asked = line.proxy.on_seen[released_by] = Event()
    line.cut(*also, commit)
    line.pair.on((LOG, COUNT), line.pair.upstream)
    assert commit.struck.wait(60)
    assert asked.wait(60)
    return commit


@pytest.mark.parametrize("on", [FIRST_TRY, LATER_TRY], ids=["without locks", "with locks"])
def test_a_commit_that_arrives_while_it_is_asked_for(line: Line, on: bytes) -> None:
    for _ in range(5):
        failing = [] if on == FIRST_TRY else [Cut(FIRST_TRY, UP, 1)]
        commit = late(line, on, ASKED if on == FIRST_TRY else LATER_TRY, *failing)
        commit.release.set()
        assert commit.ended.wait(60)
        line.in_step()
        line.pair.on((COUNT,), line.pair.upstream)
        line.in_step()


@pytest.mark.parametrize("line", ["tidb"], indirect=True)
@pytest.mark.parametrize("write_one", [COUNT, LOG], ids=["counter", "keyless"])
def test_a_commit_without_locks_that_arrives_when_the_batch_is_there(line: Line, write_one: str) -> None:
    commit = Cut(b"COMMIT", UP, 1, How.LATE, on=FIRST_TRY)
    line.cut(commit)
    line.pair.on((write_one,), line.pair.upstream)
    line.in_step()
    assert commit.struck.is_set()
    commit.release.set()
    assert commit.ended.wait(60)
    assert line.pair.is_equal()


def test_a_target_that_answers_nothing_is_left_after_the_time_for_it(line: Line) -> None:
    for trigger, packet in ((FIRST_TRY, 1), (b"COMMIT", 1)):
        for direction in (UP, DOWN):
            line.cut(Cut(trigger, direction, packet, How.SILENT, on=FIRST_TRY))
            write(line.pair)
            line.in_step()
            assert line.proxy.cuts[0].struck.is_set()
