"""Going on where DM stopped: DM's checkpoint rows in the target are taken over, and every change arrives once."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pymysql
import pytest

from dm_worker.syncer.unit import Syncer
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.sync.dm_left import NOWHERE, DmLeft, Place
from tests.servers import RunningServer

TABLES = (
    "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL, code VARCHAR(20) UNIQUE)",
    "CREATE TABLE log (a INT, b VARCHAR(20))",
)
FIRST = (
    "INSERT INTO counter VALUES (1, 0, 'a'), (2, 0, 'b'), (3, 0, 'c')",
    "INSERT INTO log VALUES (1, 'x'), (1, 'x')",
)
CHANGE = ("UPDATE counter SET n = n + 1", "INSERT INTO counter VALUES (4, 0, 'd')", "DELETE FROM counter WHERE id = 3")
LATER = ("UPDATE counter SET n = n + 10", "INSERT INTO log VALUES (1, 'x'), (7, 'later')")
SECONDS = 60


@contextlib.contextmanager
def cursor_on(server: RunningServer, database: str | None = None) -> Iterator[Any]:
    connection = pymysql.connect(host=server.host, port=server.port, user="root", database=database, autocommit=True)
    with connection, connection.cursor() as cursor:
        yield cursor


@dataclass
class Handover:
    """An upstream and a target that DM has kept equal until now."""

    name: str
    upstream: RunningServer
    target: RunningServer

    def on(self, statements: tuple[str, ...], *servers: RunningServer) -> None:
        for server in servers:
            with cursor_on(server, self.name) as cursor:
                for statement in statements:
                    cursor.execute(statement)

    def both(self, *statements: str) -> None:
        """What DM has applied."""
        self.on(statements, self.upstream, self.target)

    def here(self) -> Place:
        """The end of the upstream's binlog, as DM would note it."""
        mysql = self.upstream.kind == "mysql"
        with cursor_on(self.upstream) as cursor:
            cursor.execute("SHOW BINARY LOG STATUS" if mysql else "SHOW MASTER STATUS")
            name, offset, *more = cursor.fetchone()
            if mysql:
                return str(name), int(offset), str(more[-1])
            cursor.execute("SELECT @@GLOBAL.gtid_binlog_pos")
            return str(name), int(offset), str(cursor.fetchone()[0])

    def config(self, **more: Any) -> SubtaskConfig:
        return SubtaskConfig(
            **{"task_mode": "incremental", **more},
            task_name=self.name,
            source_id="one",
            meta_schema=f"{self.name}_meta",
            upstream=ConnectionConfig(host=self.upstream.host, port=self.upstream.port, user="root"),
            target=ConnectionConfig(host=self.target.host, port=self.target.port, user="root"),
            block_allow_list={"do-dbs": [self.name]},
            sync={"worker-count": 3, "checkpoint-flush-interval": 1},
        )

    @contextlib.contextmanager
    def left(self) -> Iterator[DmLeft]:
        with cursor_on(self.target) as cursor:
            yield DmLeft(cursor, f"{self.name}_meta", self.name)

    def rows(self, server: RunningServer) -> list[Any]:
        with cursor_on(server, self.name) as cursor:
            found = []
            for table in ("counter", "log"):
                cursor.execute(f"SELECT * FROM {table}")
                found.append(sorted(cursor.fetchall()))
            return found

    def is_equal(self) -> bool:
        return self.rows(self.target) == self.rows(self.upstream)


class Replication:
    """The sync unit in a thread; what it raises is raised by `end`."""

    def __init__(self, config: SubtaskConfig) -> None:
        self.unit = Syncer(config, 1)
        self._stop = threading.Event()
        self._failures: list[DMError] = []
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            self.unit.run(self._stop)
        except DMError as exc:
            self._failures.append(exc)

    def end(self, wait: float = 0) -> None:
        """Stop it, if it has not ended by itself within `wait` seconds."""
        self._thread.join(wait)
        self._stop.set()
        self._thread.join(SECONDS)
        if self._failures:
            raise self._failures[0]


@contextlib.contextmanager
def running(config: SubtaskConfig) -> Iterator[Syncer]:
    replication = Replication(config)
    try:
        yield replication.unit
    finally:
        replication.end()


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def made(name: str, upstream: RunningServer, target: RunningServer) -> Handover:
    for server in (upstream, target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"DROP DATABASE IF EXISTS {name}_meta")
            cursor.execute(f"CREATE DATABASE {name} DEFAULT CHARACTER SET utf8mb4")
    job = Handover(name, upstream, target)
    job.both(*TABLES, *FIRST)
    return job


@pytest.fixture(params=["mariadb", "mysql"])
def job(request: pytest.FixtureRequest, tidb: RunningServer) -> Handover:
    upstream = request.getfixturevalue(request.param)
    return made(f"dm_left_{request.param}_{abs(hash(request.node.name)) % 10**6}", upstream, tidb)


@pytest.mark.parametrize("enable_gtid", [True, False], ids=["gtid", "position"])
def test_an_exact_checkpoint_needs_no_safe_mode(job: Handover, enable_gtid: bool) -> None:
    place = job.here()
    relay = (place[0].replace(".", "|000001."), place[1], place[2])
    with job.left() as left:
        left.checkpoint("one", relay, exit_point=relay)
        left.table("one", job.name, "log", relay)
    job.on(CHANGE + LATER, job.upstream)
    with running(job.config(enable_gtid=enable_gtid)) as syncer:
        until(job.is_equal, "all arrives")
        assert syncer.status()["safeMode"] is False
    job.on(LATER, job.upstream)
    with running(job.config(enable_gtid=enable_gtid)):
        until(job.is_equal, "all arrives after a restart, which finds the task's own checkpoint")


@pytest.mark.parametrize("enable_gtid", [True, False], ids=["gtid", "position"])
def test_what_a_killed_dm_applied_beyond_its_checkpoint_is_repeated_safely(
    job: Handover, enable_gtid: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with job.left() as left:
        left.checkpoint("one", job.here())
    job.both(*CHANGE)
    end = job.here()
    job_config = job.config(enable_gtid=enable_gtid)
    with caplog.at_level(logging.INFO), cursor_on(job.upstream, job.name) as writing, running(job_config) as syncer:
        until(lambda: "replication starts" in caplog.text, "it runs")
        assert f"taken over from DM, safe mode until ({end[0]}, {end[1]})" in caplog.text
        for statement in LATER:
            writing.execute(statement)
        until(job.is_equal, "all arrives; rows of the keyless table came after safe mode, and arrive once")
        assert syncer.status()["safeMode"] is False


def test_safe_mode_ends_behind_dms_exit_point(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_exit", mariadb, tidb)
    begin = job.here()
    job.both(*CHANGE)
    name, offset, gtid = job.here()
    with job.left() as left:
        left.checkpoint("one", begin, exit_point=(name, offset + 1, gtid))
    with cursor_on(job.upstream, job.name) as writing, running(job.config()) as syncer:
        until(lambda: syncer.status().get("syncerBinlog") == f"({name}, {offset})", "it stands before the exit point")
        assert syncer.status()["safeModeReason"] == (
            f"DM ran this task and may have applied more than its checkpoint; until ({name}, {offset + 1})"
        )
        writing.execute(LATER[0])
        until(lambda: not syncer.status()["safeMode"], "safe mode ends")
        writing.execute(LATER[1])
        until(job.is_equal, "all arrives")


def test_a_table_ahead_of_the_global_checkpoint_gets_its_later_rows_only(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    job = made("dm_left_ahead", mariadb, tidb)
    begin = job.here()
    job.both("INSERT INTO log VALUES (5, 'ahead')")
    with job.left() as left:
        left.checkpoint("one", begin, exit_point=begin)
        left.table("one", job.name, "log", job.here())
    job.on(CHANGE + LATER, job.upstream)
    with running(job.config()):
        until(job.is_equal, "the keyless table has its rows once")


def test_a_shard_group_in_the_middle_of_a_ddl_is_refused(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_group", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", job.here())
        left.shard_group("one", f"`{job.name}`.`log`", "ALTER TABLE log ADD COLUMN c INT")
        left.shard_group("other", "`x`.`y`", "of another source")
    with pytest.raises(DMError, match=r"in the middle of a sharded DDL: .*log.* \(ALTER TABLE log") as caught:
        Replication(job.config()).end(SECONDS)
    assert caught.value.kind.code == 24101
    assert "of another source" not in caught.value.message


def test_a_checkpoint_that_cannot_be_read_is_an_error(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_broken", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", ("mysql-bin.000001", 4, "nonsense"))
    with pytest.raises(DMError, match="cannot be read: 'nonsense' is no mariadb GTID set") as caught:
        Replication(job.config(enable_gtid=True)).end(SECONDS)
    assert caught.value.kind.code == 24102


def test_a_start_time_comes_over_dms_checkpoint(mariadb: RunningServer, tidb: RunningServer) -> None:
    job = made("dm_left_time", mariadb, tidb)
    with job.left() as left:
        left.checkpoint("one", ("mysql-bin.000099", 4, ""), NOWHERE)  # would fail
    with cursor_on(job.upstream) as cursor:
        cursor.execute("SELECT UNIX_TIMESTAMP()")
        begun = int(cursor.fetchone()[0])
        until(lambda: bool(cursor.execute("SELECT 1 FROM DUAL WHERE UNIX_TIMESTAMP() > %s", (begun,))), "a second")
    job.on(CHANGE, job.upstream)
    moment = time.strftime("%Y-%m-%d %H:%M:%S+00:00", time.gmtime(begun + 1))
    with running(job.config(start_time=moment)):
        until(job.is_equal, "all since then arrives")
