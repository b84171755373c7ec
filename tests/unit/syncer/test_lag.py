"""Lag from the commits' own times: idle upstreams, clocks that differ, the first moments after a pause."""

from __future__ import annotations

from dm_worker.syncer.lag import LagMeter
from dm_worker.syncer.low_watermark import Commits
from pkg.binlog.position import Location, Position

NOW = 1_800_000_000.0


def at(offset: int, name: str = "bin.000001") -> Location:
    return Location(Position(name, offset))


def test_the_oldest_commit_that_is_not_applied_says_the_lag() -> None:
    meter = LagMeter(began=NOW - 500)
    assert meter.seconds(NOW, open_since=int(NOW) - 90, applied=int(NOW) - 100) == 90
    assert meter.seconds(NOW, open_since=0, applied=int(NOW) - 100) == 100


def test_the_upstreams_clock_counts() -> None:
    meter = LagMeter(offset=3600.0, began=NOW)
    assert meter.seconds(NOW, open_since=int(NOW) + 3590, applied=0) == 10
    meter.offset = -3600.0
    assert meter.seconds(NOW, open_since=int(NOW) - 3610, applied=0) == 10


def test_a_clock_that_was_set_back_makes_no_negative_lag() -> None:
    assert LagMeter(offset=-5.0, began=NOW).seconds(NOW, open_since=int(NOW), applied=0) == 0


def test_after_an_idle_hour_a_commit_is_not_an_hour_late() -> None:
    meter = LagMeter(began=NOW - 7200, in_step_at=NOW - 1)
    assert meter.seconds(NOW, open_since=0, applied=int(NOW) - 3600) == 1, "written and not yet read"
    assert meter.seconds(NOW, open_since=int(NOW), applied=int(NOW) - 3600) == 0, "read and not yet applied"


def test_right_after_a_pause_it_is_not_in_step() -> None:
    meter = LagMeter(began=NOW - 3)
    assert meter.seconds(NOW, open_since=0, applied=0) == 3, "nothing has been read: behind since then at least"
    assert meter.seconds(NOW, open_since=int(NOW) - 3600, applied=0) == 3600


def test_what_says_no_time_keeps_the_time_of_the_commit_before() -> None:
    commits = Commits(at(4))
    commits.add(at(100), 5, 1000)
    commits.add(at(4, "bin.000002"), 5, 0)  # a rotate
    assert commits.open_since == 1000
    commits.advance(5)
    assert (commits.safe_timestamp, commits.open_since) == (1000, 0)
    commits.add(at(200, "bin.000002"), 5, 0)  # a heartbeat
    commits.advance(5)
    assert commits.safe_timestamp == 1000
