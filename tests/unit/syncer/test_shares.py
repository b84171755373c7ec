"""Shares of the reader's time, and which part they call the bottleneck."""

from __future__ import annotations

import pytest

from dm_worker.syncer.shares import WINDOW_SECONDS, ShareMeter, Shares, Stage, Stopwatch, waits_for


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def passed(clock: Clock, watch: Stopwatch, stage: Stage | None, seconds: float) -> None:
    if stage is not None:
        watch.begin(stage)
    clock.now += seconds
    if stage is not None:
        watch.end()


def test_shares_are_of_the_time_that_passed() -> None:
    clock = Clock()
    watch, meter = Stopwatch(clock), ShareMeter(clock)
    meter.sample(watch, 4, lambda _: 0.0)
    for stage, seconds in ((Stage.UPSTREAM, 1.0), (None, 4.0), (Stage.TARGET, 3.0), (Stage.LIMIT, 2.0)):
        passed(clock, watch, stage, seconds)
    meter.sample(watch, 4, lambda _: 20.0)
    expected = Shares(upstream=0.1, translate=0.4, target=0.3, limit=0.2, conflicts=0.5)
    assert meter.shares().as_dict() == expected.as_dict()


def test_a_wait_that_goes_on_counts() -> None:
    clock = Clock()
    watch, meter = Stopwatch(clock), ShareMeter(clock)
    watch.begin(Stage.TARGET)
    clock.now += 5
    meter.sample(watch, 1, lambda _: 0.0)
    assert meter.shares().target == 1
    assert meter.shares().bottleneck is Stage.TARGET


def test_only_the_last_seconds_count() -> None:
    clock = Clock()
    watch, meter = Stopwatch(clock), ShareMeter(clock)
    for _ in range(30):
        passed(clock, watch, Stage.TARGET, 1.0)
        meter.sample(watch, 1, lambda _: 0.0)
    for _ in range(int(WINDOW_SECONDS) + 2):
        passed(clock, watch, Stage.UPSTREAM, 1.0)
        meter.sample(watch, 1, lambda _: 0.0)
    assert meter.shares() == Shares(upstream=1.0)


def test_another_run_begins_anew() -> None:
    clock = Clock()
    first, meter = Stopwatch(clock), ShareMeter(clock)
    passed(clock, first, Stage.TARGET, 5.0)
    meter.sample(first, 2, lambda _: 3.0)
    second = Stopwatch(clock)
    passed(clock, second, Stage.LIMIT, 1.0)
    meter.sample(second, 1, lambda _: 0.5)
    assert meter.shares() == Shares(limit=1.0, conflicts=0.5)


def test_nothing_measured_is_no_bottleneck() -> None:
    assert ShareMeter().shares().bottleneck is None


@pytest.mark.parametrize(
    ("shares", "bottleneck"),
    [
        (Shares(upstream=0.9, translate=0.1), Stage.UPSTREAM),
        (Shares(upstream=0.3, translate=0.6, target=0.1), Stage.TRANSLATE),
        (Shares(translate=0.3, target=0.7), Stage.TARGET),
        (Shares(translate=0.3, target=0.7, conflicts=0.8), Stage.DISPATCH),
        (Shares(translate=0.7, target=0.3, conflicts=0.8), Stage.TRANSLATE),
        (Shares(translate=0.1, limit=0.9), Stage.LIMIT),
    ],
)
def test_the_bottleneck_is_what_takes_most(shares: Shares, bottleneck: Stage) -> None:
    assert shares.bottleneck is bottleneck


def test_words_for_what_it_waits_for() -> None:
    texts = [waits_for(stage, ddl="", limit=7) for stage in Stage if stage is not Stage.TRANSLATE]
    assert len({text.split(":")[0] for text in texts}) == len(texts)
    assert waits_for(Stage.UPSTREAM, ddl="", limit=0, relay_lacks=True).startswith("the relay log")
    assert waits_for(Stage.LIMIT, ddl="", limit=7) == "max-rows-per-second: 7"
    assert waits_for(Stage.TRANSLATE, ddl="", limit=0) == waits_for(None, ddl="", limit=0) == ""
    assert "ALTER" in waits_for(Stage.TARGET, ddl="ALTER TABLE t", limit=0)
