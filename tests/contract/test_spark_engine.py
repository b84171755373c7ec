"""Spark's JVM from its start to its end, with the real JVM."""

from __future__ import annotations

import threading
import time

import pytest

from pkg.adapters.spark import SparkEngine, SparkSettings

HERE = "tests.contract.test_spark_engine"
SETTINGS = SparkSettings("local[*]", 2, "spark-dm engine test", {})


def doubled(payload: bytes, items: list[bytes]) -> list[bytes]:
    """What executors run here."""
    return [payload + item for item in items]


def started(engine: SparkEngine) -> SparkEngine:
    while engine.is_starting:
        time.sleep(0.02)
    return engine


def jvms() -> int:
    return sum(thread.name == "spark-output" for thread in threading.enumerate())


def all_gone() -> bool:
    deadline = time.monotonic() + 120
    while jvms() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not jvms()


@pytest.mark.parametrize("seconds", [0, 0.5, 2, 4])
def test_an_engine_that_nobody_needs_ends_while_it_starts(seconds: float) -> None:
    """A migration that is over before Spark is up does not wait for it, and leaves no JVM."""
    engine = SparkEngine(SETTINGS, HERE)
    threading.Event().wait(seconds)
    engine.close()
    assert all_gone(), "the JVM goes on"


def test_the_next_engine_works() -> None:
    engine = SparkEngine(SETTINGS, HERE)
    threading.Event().wait(1)
    engine.close()
    engine = started(SparkEngine(SETTINGS, HERE))
    try:
        outcomes = list(engine.run(f"{HERE}:doubled", b"a", [b"b", b"c", b"d"], threading.Event()))
        assert sorted(outcomes) == [b"ab", b"ac", b"ad"]
    finally:
        engine.close()
    assert all_gone(), "the JVM goes on"
