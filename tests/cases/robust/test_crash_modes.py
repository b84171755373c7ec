"""Every named point of the code on two pairs of servers: the process dies there, fails there, or is late there.

A run that is late has a successor meanwhile: what it does when it wakes up must change nothing any more.
(`kill` from MariaDB: tests/cases/sync/test_crashpoints.py.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.sync.test_crashpoints import POINTS, TABLES, Run, contents, cursor_on, until, write_some
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

FENCED = re.compile("code=42502|code=10205")  # refused, or its connection was ended before that (takeover.md)
MODES = (("mariadb", "raise"), ("mariadb", "delay"), ("mysql", "kill"), ("mysql", "raise"), ("mysql", "delay"))
CASES = [
    pytest.param(pair, mode, point, id=f"{pair}-{mode}-{point}", marks=[pytest.mark.thorough] if mode == "kill" else [])
    for pair, mode in MODES
    for point in POINTS
]


@dataclass
class Job:
    config: SubtaskConfig
    upstream: RunningServer
    target: RunningServer
    folder: Path

    @property
    def name(self) -> str:
        return self.config.task_name

    def is_equal(self) -> bool:
        return bool(found := contents(self.target, self.name)) and found == contents(self.upstream, self.name)

    def run(self, epoch: int, armed: str = "") -> Run:
        return Run(self.config, self.folder, epoch, armed)


@pytest.fixture
def job(request: pytest.FixtureRequest, tidb: RunningServer, tmp_path: Path) -> Iterator[Job]:
    pair, mode, point = request.node.callspec.id.split("-", 2)
    upstream: RunningServer = request.getfixturevalue(pair)
    name = re.sub(r"\W", "_", f"{pair}_{mode}_{point}")[:40]
    with cursor_on(upstream) as cursor:
        cursor.execute(f"CREATE DATABASE {name} DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(f"USE {name}")
        for create in TABLES.values():
            cursor.execute(create)
        cursor.execute("INSERT INTO counter VALUES (1, 0), (2, 0), (3, 0)")
        cursor.execute("INSERT INTO swap VALUES (1, 'a'), (2, 'b'), (3, 'c')")
        cursor.execute("INSERT INTO log VALUES (1, 'x'), (1, 'x'), (2, 'y')")
    config = SubtaskConfig(
        task_name=name,
        source_id="one",
        task_mode="all",
        enable_gtid=pair == "mysql",
        meta_schema=f"{name}_meta",
        upstream=ConnectionConfig(host=upstream.host, port=upstream.port, user="root"),
        target=ConnectionConfig(host=tidb.host, port=tidb.port, user="root"),
        block_allow_list={"do-dbs": [name]},
        sync={"worker-count": 4, "checkpoint-flush-interval": 1},
    )
    yield Job(config, upstream, tidb, tmp_path)
    with cursor_on(upstream) as cursor:
        cursor.execute(f"DROP DATABASE {name}")


def write_last(job: Job) -> None:
    with cursor_on(job.upstream, job.name) as cursor:
        cursor.execute("UPDATE counter SET n = n + 1")
        cursor.execute("INSERT INTO log VALUES (9, 'last')")
        cursor.execute("INSERT INTO grows (id) SELECT MAX(id) + 1 FROM grows")


def state(job: Job, *runs: Run) -> str:
    """What a failure shows."""
    lines = [f"upstream {contents(job.upstream, job.name)}", f"target {contents(job.target, job.name)}"]
    return "\n".join([*lines, *(f"{run.process.poll()} {run.shown()}" for run in runs)])


def until_or_state(condition: Callable[[], bool], job: Job, *runs: Run) -> None:
    try:
        until(condition, runs[-1], seconds=200)
    except pytest.fail.Exception:
        pytest.fail(state(job, *runs))


def has_ended(run: Run, job: Job) -> bool:
    """A run that was replaced learns of it when it has something to write."""
    if run.process.poll() is None:
        write_last(job)
    return run.process.poll() is not None


def assert_goes_on(job: Job, epoch: int, before: Run) -> None:
    """The next run brings each change once, and the former one does nothing more."""
    going_on = job.run(epoch)
    write_last(job)
    try:
        until_or_state(job.is_equal, job, before, going_on)
        until_or_state(lambda: has_ended(before, job), job, before, going_on)
        until_or_state(job.is_equal, job, before, going_on)
    finally:
        going_on.end()
        before.end()
    assert job.is_equal()


def begun(job: Job, point: str, run: Run) -> None:
    """Something to do at the point: for the syncer's, the copy comes first."""
    if point.startswith("syncer."):
        until(lambda: job.is_equal() or run.process.poll() is not None)
    write_some(job.upstream, job.name, 20)


def nth(point: str) -> str:
    return "@2" if point == "loader.statement_written" else ""


@pytest.mark.parametrize(("pair", "mode", "point"), CASES)
def test_each_change_is_applied_once(job: Job, pair: str, mode: str, point: str) -> None:
    action = "delay:0.3" if mode == "delay" else mode
    first = job.run(1, f"{point}{nth(point)}={action}")
    begun(job, point, first)
    if mode != "delay":
        first.dies()
        assert first.process.returncode == (-9 if mode == "kill" else 1)
    assert_goes_on(job, 2, first)
    log = Path(first.log.name).read_text()
    if mode == "raise":
        assert f"CrashpointRaised: {point}" in log
    if mode == "delay":
        assert first.process.returncode == 1, log
        assert FENCED.search(log)
