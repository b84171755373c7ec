"""What the status says while replication runs: the rate limit, the bottleneck, lag, and the line in the log."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dm_worker.syncer import observer
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer


@pytest.fixture
def pair(mariadb: RunningServer, tidb: RunningServer, request: pytest.FixtureRequest) -> Pair:
    return made(f"observe_{abs(hash(request.node.name)) % 10**6}", mariadb, tidb)


@contextlib.contextmanager
def holding(pair: Pair, ids: str) -> Iterator[Any]:
    """Another session of the target keeps rows locked, so that their channel waits."""
    connection = pair.target.connect(pair.name, autocommit=False)
    with connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"SELECT * FROM counter WHERE id IN ({ids}) FOR UPDATE")
        yield cursor
        connection.rollback()


def test_the_rate_limit_holds_rows_back(pair: Pair) -> None:
    config = pair.config({"max-rows-per-second": 20})
    with cursor_on(pair.upstream, pair.name) as writing, running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        began = time.monotonic()
        writing.execute("BEGIN")  # so that they come faster than the limit, also from a slow machine
        for number in range(100):
            writing.execute("INSERT INTO log VALUES (%s, 'held back')", (number,))
        writing.execute("COMMIT")
        until(lambda: syncer.status().get("waitsFor") == "max-rows-per-second: 20", "the limit is the bottleneck")
        assert syncer.status()["maxRowsPerSecond"] == 20
        until(pair.is_equal, "all arrives")
        assert time.monotonic() - began >= (100 - 2) / 20


def test_a_task_that_is_held_back_stops_at_once_and_goes_on_where_it_was(pair: Pair) -> None:
    with cursor_on(pair.upstream, pair.name) as writing, running(pair.config({"max-rows-per-second": 1})) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        for number in range(500):
            writing.execute("INSERT INTO log VALUES (%s, 'held back')", (number,))
        until(lambda: syncer.status().get("bottleneck") == "limit", "the limit holds it back")
    assert not pair.is_equal(), "it stopped long before the limit would have let all through"
    with running(pair.config()) as syncer:
        until(pair.is_equal, "all arrives, each row once")
        assert syncer.status()["maxRowsPerSecond"] == 0


def test_an_idle_upstream_is_what_it_waits_for(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: syncer.status().get("bottleneck") == "upstream", "nothing comes")
        until(lambda: bool(syncer.status()["synced"]), "in step")
        assert syncer.status()["lagSeconds"] == 0
        assert syncer.status()["waitsFor"].startswith("the upstream")


def test_a_target_that_does_not_take_rows_is_the_bottleneck_and_the_lag_grows(pair: Pair) -> None:
    config = pair.config({"worker-count": 1, "batch": 1, "queue-size": 1})
    with cursor_on(pair.upstream, pair.name) as writing, running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        with holding(pair, "1"):
            for _ in range(20):
                writing.execute("UPDATE counter SET n = n + 1 WHERE id = 1")
            until(lambda: syncer.status()["bottleneck"] == "target", "the queues are full")
            until(lambda: syncer.status()["secondsBehindMaster"] >= 2, "what waits gets older")
            assert syncer.status()["synced"] is False
        until(pair.is_equal, "it goes on")
        until(lambda: syncer.status()["secondsBehindMaster"] == 0, "in step again")


def test_channels_that_wait_for_one_another_are_the_bottleneck(pair: Pair) -> None:
    """Each row takes the unique value that the row before has given up, and the first row is locked."""
    pair.both(*[f"INSERT INTO counter VALUES ({number}, 0, 'u{number}')" for number in range(10, 90)])
    config = pair.config({"worker-count": 4, "batch": 1, "queue-size": 1})
    with cursor_on(pair.upstream, pair.name) as writing, running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        with holding(pair, "10"):
            writing.execute("UPDATE counter SET code = NULL WHERE id = 10")
            for number in range(11, 90):
                writing.execute("UPDATE counter SET code = %s WHERE id = %s", (f"u{number - 1}", number))
            until(lambda: _waits_for_conflicts(syncer.status()), "channels wait for channels")
        until(pair.is_equal, "it goes on")


def _waits_for_conflicts(status: Mapping[str, Any]) -> bool:
    return bool(status["bottleneck"] == "dispatch" and status["workShares"]["conflicts"] >= 0.5)


def test_the_lag_is_there_right_after_a_pause(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    with cursor_on(pair.upstream, pair.name) as writing, contextlib.ExitStack() as locks:
        locks.enter_context(holding(pair, "1"))
        writing.execute("UPDATE counter SET n = n + 1")
        writing.execute("SELECT UNIX_TIMESTAMP()")
        written = int(writing.fetchone()[0])
        older = "SELECT 1 FROM DUAL WHERE UNIX_TIMESTAMP() >= %s"
        until(lambda: bool(writing.execute(older, (written + 3,))), "three seconds of pause")
        with running(pair.config()) as syncer:
            until(lambda: bool(syncer.status().get("syncerBinlog")), "it runs")
            until(lambda: syncer.status()["readBinlog"] == syncer.status()["masterBinlog"], "all is read")
            assert syncer.status()["secondsBehindMaster"] >= 2
            locks.close()
            until(pair.is_equal, "it goes on")


def test_a_line_in_the_log_says_how_it_goes(
    pair: Pair, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observer, "LINE_SECONDS", 1.0)
    with caplog.at_level(logging.INFO), running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        until(lambda: any(line.msg == "binlog replication status" for line in list(caplog.records)), "the line")
    line: Any = next(line for line in caplog.records if line.msg == "binlog replication status")
    assert set(line.fields) >= {"total_rows", "rps", "lag_seconds", "master_position", "master_gtid", "checkpoint"}
