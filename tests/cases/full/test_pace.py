"""What a migration says while it copies, and limits that hold and change under way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pymysql
import pytest

from dm_worker.dumper.chunks import Range
from dm_worker.loader.chunk_copy import ChunkTask, copy_chunk
from dm_worker.loader.ends import Ends
from dm_worker.loader.governor import Allowance, Governor, Report
from dm_worker.loader.pace import Pace
from dm_worker.loader.unit import FullMigration
from pkg.adapters.mysql.connection import connect
from pkg.task.blocks import DumpConfig, LoadConfig
from pkg.task.live import live_of
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import AT_ONCE, assert_same, connection, execute, subtask
from tests.cases.full.one_chunk import OneChunk, options
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.servers import RunningServer

ROWS = 20_000
ROW_BYTES = 600
TABLES = ["keyed", "keyless"]


def _filled(source: RunningServer, target: RunningServer, schema: str, **load: Any) -> SubtaskConfig:
    """About 24 MB: a table of some chunks, and a keyless one that is one chunk."""
    many = f"SELECT n * 20 + m, REPEAT('x', {ROW_BYTES}) FROM ({THOUSAND}) t, (SELECT 0 m"
    many += "".join(f" UNION ALL SELECT {m}" for m in range(1, ROWS // 1000)) + ") u"
    fresh(
        source,
        target,
        schema,
        f"CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR({ROW_BYTES}))",
        f"CREATE TABLE keyless (id INT, v VARCHAR({ROW_BYTES}))",
        f"INSERT INTO keyed {many}",
        "INSERT INTO keyless SELECT * FROM keyed",
        "ANALYZE TABLE keyed, keyless",
    )
    return subtask(source, target, schema, dump=DumpConfig(rows=5000, threads=2), load=LoadConfig.model_validate(load))


@contextmanager
def _running(config: SubtaskConfig) -> Iterator[FullMigration]:
    """The unit in a thread; its error, if it has one, is raised at the end."""
    unit, stop, errors = FullMigration(config, 1), threading.Event(), []

    def run() -> None:
        try:
            unit.run(stop)
        except Exception as exc:
            errors.append(exc)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield unit
        thread.join(300)
    finally:
        stop.set()
        thread.join(60)
    assert not errors


def _await(status: Callable[[], Any], condition: Callable[[Any], bool]) -> Any:
    deadline = time.monotonic() + 200
    while not condition(last := status()):
        assert time.monotonic() < deadline, last
        threading.Event().wait(0.05)
    return last


def _percent(status: Any) -> float:
    return float(status["progress"].rstrip(" %"))


@pytest.mark.parametrize("load", [{"max-bytes-per-second": 2_000_000}])
def test_a_limit_holds_and_is_lifted_under_way(mariadb: RunningServer, tidb: RunningServer, load: Any) -> None:
    config = _filled(mariadb, tidb, "full_pace", **load)
    began = time.monotonic()
    with _running(config) as unit:
        # Half of one large chunk, and of what Spark's executors copy, too: nothing waits for a chunk's end.
        status = _await(unit.status, lambda now: now["phase"] == "copying" and _percent(now) > 20)
        copying = time.monotonic() - began
        assert status["maxBytesPerSecond"] == 2_000_000
        assert status["finishedBytes"] <= 2_000_000 * (copying + 1) + 3_000_000
        assert status["etaSeconds"] is not None
        assert status["tables"][0]["bps"] > 0
        assert 0 < _percent(status) < 100
        assert {one["table"] for one in status["tables"]} <= set(TABLES)
        unit.steer(replace(live_of(config), max_bytes_per_second=0))
        _await(unit.status, lambda now: now["phase"] == "finished" or now["maxBytesPerSecond"] == 0)
    assert unit.status()["progress"] == "100.00 %"
    assert unit.status()["finishedRows"] == unit.status()["estimateTotalRows"] == 2 * ROWS
    assert_same(mariadb, tidb, "full_pace", TABLES)


def test_executors_tell_what_they_send_and_keep_the_limit(mariadb: RunningServer, tidb: RunningServer) -> None:
    """Of three lanes at work two are Spark's: this process has one when Spark is up, and two before."""
    config = _filled(mariadb, tidb, "full_lanes", **{"max-bytes-per-second": 100_000})
    config = config.model_copy(update={"spark": AT_ONCE})
    with _running(config) as unit:
        three = _await(unit.status, lambda now: now.get("activeLanes", 0) >= 3)
        done, sent = three["completedChunks"], three["finishedBytes"]
        # Each lane begins with a whole block, which is paid for afterwards: the rate has to come down to the limit.
        more = _await(unit.status, lambda now: now["finishedBytes"] > sent + 300_000 and 0 < now["bps"] < 600_000)
        assert more["completedChunks"] == done  # 3 MB each: it is not their ends that show
        unit.steer(replace(live_of(config), max_bytes_per_second=0))
    assert_same(mariadb, tidb, "full_lanes", TABLES)


def test_a_crowded_upstream_slows_the_copy_and_says_so(mariadb: RunningServer, tidb: RunningServer) -> None:
    config = _filled(mariadb, tidb, "full_crowd", **{"max-threads-running": 3, "max-bytes-per-second": 500_000})
    crowd = [connection(mariadb) for _ in range(6)]
    sleepers = [threading.Thread(target=_sleep, args=(link,)) for link in crowd]
    try:
        with _running(config) as unit:
            _await(unit.status, lambda now: now["phase"] == "copying" and _percent(now) > 1)
            for sleeper in sleepers:
                sleeper.start()
            held = _await(unit.status, lambda now: now.get("waitsFor"))
            assert "threads run on the upstream, more than max-threads-running 3" in held["waitsFor"]
            _end(mariadb, crowd, sleepers)
            _await(unit.status, lambda now: now["phase"] == "finished" or not now["waitsFor"])
            unit.steer(replace(live_of(config), max_threads_running=0, max_bytes_per_second=0))
    finally:
        for link in crowd:
            link.close()
    assert_same(mariadb, tidb, "full_crowd", TABLES)


def _sleep(link: Any) -> None:
    with link.cursor() as cursor, suppress(pymysql.err.OperationalError):  # it is interrupted
        cursor.execute("SELECT SLEEP(120)")


def _end(server: RunningServer, crowd: list[Any], sleepers: list[threading.Thread]) -> None:
    with connection(server) as link, link.cursor() as cursor:
        for one in crowd:
            cursor.execute(f"KILL QUERY {one.thread_id()}")
    for sleeper in sleepers:
        sleeper.join()


def test_a_target_that_refuses_work_is_given_rest(mariadb: RunningServer) -> None:
    """A user that may open one connection, and somebody has it until the lane says that the server is busy."""
    one = OneChunk(mariadb, mariadb, "full_busy")
    one.fill("id INT PRIMARY KEY, v VARCHAR(10)", "(1, 'a'), (2, 'b')")
    execute(
        mariadb,
        "CREATE OR REPLACE USER few@'%' WITH MAX_USER_CONNECTIONS 1",
        "GRANT ALL ON *.* TO few@'%'",
    )
    few = replace(options(mariadb), user="few")
    taken = connect(few, side="downstream")
    governor, reports = Governor(live_of(subtask(mariadb, mariadb, "full_busy")), 1), []

    def ask(report: Report) -> Allowance:
        reports.append(report)
        if report.busy and taken.open:
            taken.close()
        return governor.heard(report, time.monotonic())

    try:
        pace = Pace(ask, governor.first_allowance())
        done = copy_chunk(replace(one.job, downstream=few), ChunkTask(0, 0, Range()), pace=pace)
    finally:
        Ends.forget()
        execute(mariadb, "DROP USER few@'%'")
    assert (done.error, done.rows) == (None, 2)
    assert any("max_user_connections" in report.busy for report in reports)
    assert len([report for report in reports if not report.busy]) >= 3  # it asked until it might go on
