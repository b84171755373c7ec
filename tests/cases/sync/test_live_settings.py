"""Other settings while rows stream through: each change once, whatever the number of channels becomes."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dm_worker.syncer.unit import Syncer
from pkg.task.live import LiveSettings
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

UNLIMITED = LiveSettings(worker_count=3, batch=100, max_rows_per_second=0)


@pytest.fixture(params=["mariadb", "tidb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mariadb2: RunningServer) -> Pair:
    target = mariadb2 if request.param == "mariadb" else request.getfixturevalue("tidb")
    return made(f"live_{abs(hash(request.node.name)) % 10**6}", mariadb, target)


class Writer(threading.Thread):
    """Transactions of counters, unique values that move and equal rows without a key, until it is told to end."""

    def __init__(self, pair: Pair) -> None:
        super().__init__(name="writer")
        self._pair = pair
        self._over = threading.Event()
        self.transactions = 0

    def run(self) -> None:
        chance = random.Random(7)
        with cursor_on(self._pair.upstream, self._pair.name) as cursor:
            while not self._over.wait(0.003):
                cursor.execute("BEGIN")
                for _ in range(chance.randrange(1, 12)):
                    cursor.execute("UPDATE counter SET n = n + 1 WHERE id = %s", (chance.randrange(1, 60),))
                    cursor.execute("INSERT INTO log VALUES (%s, 'same')", (chance.randrange(3),))
                cursor.execute("UPDATE counter SET code = NULL WHERE id = 1")
                cursor.execute("UPDATE counter SET code = CONCAT('c', n) WHERE id = 1")
                if chance.random() < 0.1:
                    cursor.execute("DELETE FROM log WHERE a = 1 LIMIT 2")
                cursor.execute("COMMIT")
                self.transactions += 1

    def go_on(self) -> None:
        """Until some more is written."""
        seen = self.transactions
        until(lambda: self.transactions > seen + 5, "more is written")

    def end(self) -> None:
        self._over.set()
        self.join()


@contextmanager
def writing(pair: Pair) -> Iterator[Writer]:
    rows = ", ".join(f"({number}, 0, 'k{number}')" for number in range(10, 60))
    pair.both(f"INSERT INTO counter VALUES {rows}")
    writer = Writer(pair)
    with running(pair.config()) as syncer:  # the first start is now, before anything is written
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    writer.start()
    try:
        yield writer
    finally:
        writer.end()


def _until_channels(syncer: Syncer, number: int) -> None:
    until(lambda: len(syncer.status().get("channels", ())) == number, f"{number} channels")


def test_the_number_of_channels_changes_in_mid_stream(pair: Pair) -> None:
    with writing(pair) as writer, running(pair.config()) as syncer:
        for number in (8, 1, 5, 2, 7, 3):
            syncer.steer(LiveSettings(number, 100, 0))
            _until_channels(syncer, number)
            writer.go_on()
        writer.end()
        until(pair.is_equal, "each change once")
        assert syncer.status()["missingRows"] == 0


def test_the_number_of_channels_changes_between_stops(pair: Pair) -> None:
    with writing(pair) as writer:
        for number in (8, 2, 5):
            replication = Replication(pair.config())
            replication.unit.steer(LiveSettings(number, 10, 0))  # maybe before its first run
            _until_channels(replication.unit, number)
            replication.unit.steer(LiveSettings(number + 1, 10, 0))
            replication.end()  # maybe before, maybe after the change
        writer.end()
        with running(pair.config()) as syncer:
            until(pair.is_equal, "each change once")
            assert syncer.status()["missingRows"] == 0


def test_an_idle_task_takes_other_channels_at_once(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        syncer.steer(LiveSettings(6, 100, 0))
        _until_channels(syncer, 6)
        pair.on(("UPDATE counter SET n = n + 1", "INSERT INTO log SELECT * FROM log"), pair.upstream)
        until(pair.is_equal, "each change once")


def test_a_limit_holds_and_is_lifted_at_once(pair: Pair) -> None:
    with running(pair.config({"max-rows-per-second": 1})) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        rows = ", ".join(f"({number}, 0, NULL)" for number in range(1000, 2000))
        pair.on((f"INSERT INTO counter VALUES {rows}",) + ("UPDATE counter SET n = n + 1",) * 2, pair.upstream)
        until(lambda: syncer.status().get("bottleneck") == "limit", "the limit holds rows back")
        assert not pair.is_equal()
        syncer.steer(UNLIMITED)
        until(pair.is_equal, "they come, much sooner than the limit would have let them")
        assert syncer.status()["maxRowsPerSecond"] == 0
        syncer.steer(LiveSettings(3, 7, 4000))
        assert (syncer.status()["batch"], syncer.status()["maxRowsPerSecond"]) == (7, 4000)
