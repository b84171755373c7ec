"""A task is stopped while the dm-worker that runs it is frozen: when that thaws it writes nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cases.steering.steered import SCHEMA, TARGET, TASK, Steered, query, steered_task
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target_kind")


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            os.kill(pid, number)


def freeze(task: Steered) -> tuple[list[int], list[int]]:
    """The dm-worker and its subtask, until its lease has run out."""
    daemon, subtasks = [task.cluster.pid("worker")], task.cluster.subtask_pids("worker")
    send(daemon + subtasks, signal.SIGSTOP)
    task.cluster.wait(lambda: '"offline"' in task.cluster.ask("list-member", "--worker").out, "its lease has run out")
    return daemon, subtasks


@pytest.mark.parametrize("target_kind", ["mariadb2", "mysql", "tidb"])
@pytest.mark.parametrize("is_idle", [True, False], ids=["idle", "in a statement"])
def test_a_frozen_run_of_a_stopped_task_writes_nothing(
    target_kind: str, is_idle: bool, mariadb: RunningServer, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    target = request.getfixturevalue(target_kind)
    with steered_task(tmp_path / "stopped", mariadb, target, tables=1) as task:
        task.run("CREATE TABLE log (a INT, b VARCHAR(20))", "INSERT INTO log VALUES (1, 'x'), (1, 'x')")
        task.wait_in_step()
        if not is_idle:
            task.run("INSERT INTO log VALUES (2, 'before')", "ALTER TABLE log ADD COLUMN c INT DEFAULT 3")
        daemon, subtasks = freeze(task)
        log = task.cluster.folder / f"worker.{TASK}.log"
        try:
            before = task.rows("log")
            task.run("INSERT INTO log (a, b) VALUES (3, 'meanwhile'), (3, 'meanwhile')", "CREATE TABLE later (a INT)")
            answer = task.cluster.expect("stop-task", TASK, "--wait")
            assert [one["result"] for one in answer["sources"]] == [True], answer
            send(subtasks, signal.SIGCONT)
            task.cluster.wait(lambda: "the subtask has failed" in log.read_text(), "the run ends by itself")
        finally:
            send(subtasks + daemon, signal.SIGCONT)
        if is_idle:
            assert task.rows("log") == before
        tables = query(target, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{TARGET}'")
        assert "later" not in [name for (name,) in tables]
        assert not [row for row in task.rows("log") if row[0] == 3]
        task.cluster.wait(lambda: '"bound"' in task.cluster.ask("list-member", "--worker").out, "it is back")
        task.cluster.expect("start-task", str(task.cluster.folder / "task.yaml"))
        task.wait_in_step()
        assert task.rows("log") == query(mariadb, f"SELECT * FROM {SCHEMA}.log ORDER BY 1")


def test_where_nobody_can_be_asked_the_answer_says_so(
    mariadb: RunningServer, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    target = server_factory("mariadb")
    with steered_task(tmp_path / "stopped", mariadb, target, tables=1) as task:
        daemon, subtasks = freeze(task)
        target.kill()
        try:
            assert "no dm-worker that ran source one could be asked, nor the target" in task.refused("stop-task", TASK)
        finally:
            target.restart()
            send(subtasks + daemon, signal.SIGCONT)


def test_a_running_task_stops_while_its_target_is_away(
    mariadb: RunningServer, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    """Its dm-worker says that nothing runs any more."""
    target = server_factory("mariadb")
    with steered_task(tmp_path / "stopped", mariadb, target, tables=1) as task:
        target.kill()
        try:
            answer = task.cluster.expect("stop-task", TASK, "--wait")
            assert [(one["result"], one["msg"]) for one in answer["sources"]] == [(True, "")], answer
        finally:
            target.restart()
