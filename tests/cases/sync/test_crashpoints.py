"""The process dies at every named point of the code; the next run ends with each change applied exactly once.

A keyless table and a counter (`n = n + 1` per change) show a change that was applied twice or lost.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from pkg.crashpoints import VARIABLE
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.forks import Forked
from tests.servers import RunningServer

ROOT = Path(__file__).parents[3]
ALL_POINTS = sorted(
    {
        name
        for package in ("pkg", "dm_worker", "dm_master")
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"\bcrashpoint\(\"([a-z_.]+)\"\)", path.read_text())
        if path.name != "crashpoints.py"
    }
)
TESTERS = {  # who kills a process at the points of these names
    "loader": "tests/cases/sync/test_crashpoints.py",
    "syncer": "tests/cases/sync/test_crashpoints.py",
    "ddl": "tests/cases/sync/test_ddl_once.py",
    "keys": "tests/cases/sync/test_later_keys.py",
    "relay": "tests/cases/relay/test_crashes.py",
    "shard": "tests/cases/shardddl/test_crashpoints.py",
    "snapshot": "tests/cases/full/test_consistency.py",
    "later": "tests/cases/full/test_later_objects.py",
    "again": "tests/cases/full/test_altered_again.py",
    "views": "tests/cases/full/test_views.py",
    "split": "tests/cases/full/test_split.py",
    "dumper": "tests/cases/dump/test_dump_interruptions.py",
    "files": "tests/cases/load/test_load_interruptions.py",
}


def points_of(tester: str) -> list[str]:
    """The points that a test file has to run, each."""
    return [point for point in ALL_POINTS if TESTERS.get(point.split(".")[0]) == tester]


POINTS = points_of("tests/cases/sync/test_crashpoints.py")
TABLES = {
    "counter": "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)",
    "log": "CREATE TABLE log (a INT, b VARCHAR(20))",
    "swap": "CREATE TABLE swap (id INT PRIMARY KEY, code VARCHAR(20) UNIQUE)",
    "grows": "CREATE TABLE grows (id INT PRIMARY KEY)",
}


@contextlib.contextmanager
def cursor_on(server: RunningServer, database: str | None = None) -> Iterator[Any]:
    with server.connect(database) as connection, connection.cursor() as cursor:
        yield cursor


class Run:
    """The units in a process; `armed` crash points make it die."""

    def __init__(self, config: SubtaskConfig, folder: Path, epoch: int, armed: str = "") -> None:
        wire = folder / "subtask.json"
        wire.write_bytes(config.to_wire())
        self.log = (folder / f"run-{epoch}.log").open("w+")
        environment = {**os.environ, VARIABLE: armed}
        self.process = Forked(
            "tests.cases.sync.crash_run",
            str(wire),
            str(epoch),
            environment=environment,
            stdout=self.log,
            stderr=self.log,
        )

    def dies(self, seconds: float = 180) -> str:
        """Wait until the process has ended by itself; its log."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the run goes on\n{self.shown()}")
        return Path(self.log.name).read_text()

    def shown(self) -> str:
        """The end of its log, and what each of its threads does while it runs."""
        log = Path(self.log.name)
        if self.process.poll() is None:
            size = log.stat().st_size
            self.process.send_signal(signal.SIGUSR1)
            until(lambda: log.stat().st_size > size)
        return log.read_text()[-9000:]

    def end(self) -> None:
        """Stop in order."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(timeout=120)
        finally:
            self.process.kill()
            self.log.close()


def until(condition: Any, run: Run | None = None, seconds: float = 180) -> None:
    """Wait until `condition()` holds; a run that ended first fails the test with its log."""
    deadline = time.monotonic() + seconds
    while not condition():
        ended = run is not None and run.process.poll() is not None
        if ended or time.monotonic() > deadline:
            text = Path(run.log.name).read_text()[-3000:] if run is not None else ""
            pytest.fail(f"{'the run ended' if ended else 'waited too long'}\n{text}")
        time.sleep(0.05)


@pytest.fixture
def workload(mariadb: RunningServer, tidb: RunningServer, request: pytest.FixtureRequest) -> Iterator[SubtaskConfig]:
    name = "crash_" + re.sub(r"\W", "_", request.node.callspec.id)[:40]
    with cursor_on(mariadb) as cursor:
        cursor.execute(f"CREATE DATABASE {name} DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(f"USE {name}")
        for create in TABLES.values():
            cursor.execute(create)
        cursor.execute("INSERT INTO counter VALUES (1, 0), (2, 0), (3, 0)")
        cursor.execute("INSERT INTO swap VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        cursor.execute("INSERT INTO log VALUES (1, 'x'), (1, 'x'), (2, 'y')")
    yield SubtaskConfig(
        task_name=name,
        source_id="one",
        task_mode="all",
        meta_schema=f"{name}_meta",
        upstream=ConnectionConfig(host=mariadb.host, port=mariadb.port, user="root"),
        target=ConnectionConfig(host=tidb.host, port=tidb.port, user="root"),
        block_allow_list={"do-dbs": [name]},
        sync={"worker-count": 4, "checkpoint-flush-interval": 1},
    )
    with cursor_on(mariadb) as cursor:
        cursor.execute(f"DROP DATABASE {name}")


def write_some(server: RunningServer, name: str, rounds: int) -> None:
    """Counters, keyless rows, a unique value that moves between rows, and a DDL."""
    with cursor_on(server, name) as cursor:
        for number in range(rounds):
            cursor.execute("BEGIN")
            cursor.execute("UPDATE counter SET n = n + 1")
            cursor.execute("INSERT INTO log VALUES (%s, 'dup'), (%s, 'dup')", (number % 3, number % 3))
            cursor.execute("UPDATE swap SET code = 'tmp' WHERE id = 1")
            cursor.execute("UPDATE swap SET code = CONCAT('c', %s) WHERE id = 2", (number,))
            cursor.execute("UPDATE swap SET code = 'b' WHERE id = 1")
            cursor.execute("COMMIT")
            if number == rounds // 2:
                cursor.execute("ALTER TABLE grows ADD COLUMN extra INT DEFAULT 7")
                cursor.execute("INSERT INTO grows (id) VALUES (1), (2)")


def contents(server: RunningServer, name: str) -> dict[str, list[Any]]:
    try:
        with cursor_on(server, name) as cursor:
            found = {}
            for table in TABLES:
                cursor.execute(f"SELECT * FROM {table}")
                found[table] = sorted(cursor.fetchall())
            return found
    except pymysql.err.MySQLError:
        return {}


def test_every_point_has_a_tester() -> None:
    assert {point.split(".")[0] for point in ALL_POINTS} == TESTERS.keys()
    for name, tester in TESTERS.items():
        text = (ROOT / tester).read_text()
        assert "POINTS)" in text, f"{tester} does not run the points of {name}"


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(
    point: str, workload: SubtaskConfig, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    name = workload.task_name
    nth = "@2" if point == "loader.statement_written" else ""
    dying = Run(workload, tmp_path, 1, f"{point}{nth}=kill")
    if point.startswith("syncer."):
        until(lambda: contents(tidb, name) == contents(mariadb, name) or dying.process.poll() is not None)
    write_some(mariadb, name, 30)
    until(lambda: dying.process.poll() is not None or point in ("loader.in_executor",))
    assert dying.process.returncode == -9, Path(dying.log.name).read_text()[-3000:]
    dying.end()
    going_on = Run(workload, tmp_path, 2)
    write_some_more(mariadb, name)
    until(lambda: contents(tidb, name) == contents(mariadb, name), going_on)
    going_on.end()
    assert contents(tidb, name) == contents(mariadb, name)


def write_some_more(server: RunningServer, name: str) -> None:
    with cursor_on(server, name) as cursor:
        cursor.execute("UPDATE counter SET n = n + 1")
        cursor.execute("INSERT INTO log VALUES (9, 'last')")
        cursor.execute("INSERT INTO grows (id) VALUES (9)")
