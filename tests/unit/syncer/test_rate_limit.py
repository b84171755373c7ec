"""The token bucket of `max-rows-per-second`: never more than the rate and a tenth of a second's rows at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dm_worker.syncer.rate_limit import BURST_SECONDS, TokenBucket


def test_rows_within_the_rate_go_at_once() -> None:
    bucket = TokenBucket(1000, now=0.0)
    assert bucket.take(100, 0.0) == 0
    assert bucket.take(100, 0.1) == 0


def test_rows_above_the_rate_wait_for_what_was_promised() -> None:
    bucket = TokenBucket(1000, now=0.0)
    assert bucket.take(600, 0.0) == 0.5
    assert bucket.take(100, 0.5) == 0.1
    assert bucket.take(1, 100.0) == 0, "long ago"


def test_a_pause_saves_up_no_more_than_a_tenth_of_a_second() -> None:
    bucket = TokenBucket(1000, now=0.0)
    assert bucket.take(200, 3600.0) == 0.1


def test_a_low_rate_goes_row_by_row() -> None:
    assert [TokenBucket(rate, 0.0).portion for rate in (1, 10, 1000, 100_000)] == [1, 1, 100, 10_000]


@given(
    rate=st.integers(1, 10**6),
    steps=st.lists(st.tuples(st.integers(0, 5000), st.floats(0, 5)), min_size=1, max_size=50),
)
def test_no_span_of_time_has_more_than_the_rate_allows(rate: int, steps: list[tuple[int, float]]) -> None:
    """By the moment at which rows go, all rows that went are paid by the time that has passed, and the burst."""
    bucket, now, gone = TokenBucket(rate, now=0.0), 0.0, 0
    for rows, idle in steps:
        now += idle
        now += bucket.take(rows, now)
        gone += rows
        assert gone <= rate * now * (1 + 1e-9) + max(1, rate * BURST_SECONDS) + 1e-3
