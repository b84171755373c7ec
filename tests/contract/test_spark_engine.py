"""Spark's JVM from its start to its end, with the real JVM."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time

import pytest

from pkg.adapters.spark import SparkEngine, SparkSettings
from pkg.errors import DMError
from tests.cluster import generations

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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PySpark forgets the pipe to it
def test_a_jvm_that_is_killed_while_it_starts_is_worth_another_try() -> None:
    error = error_of_killed_jvm()
    gc.collect()
    assert error == (32111, True)
    assert all_gone(), "the JVM goes on"


def error_of_killed_jvm() -> tuple[int, bool]:
    before = children()
    engine = SparkEngine(SETTINGS, HERE)
    try:
        while not (new := children() - before):
            time.sleep(0.005)
        os.kill(new.pop(), signal.SIGKILL)
        with pytest.raises(DMError) as raised:
            list(engine.run(f"{HERE}:doubled", b"a", [b"b"], threading.Event()))
        return raised.value.code, raised.value.resumable
    finally:
        engine.close()


def children() -> set[int]:
    return {pid for family in generations(os.getpid())[1:2] for pid in family}
