"""An idle task whose target goes away and comes back, with real processes: nobody has to do anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.steering.steered import TASK, steered_task
from tests.servers import RunningServer


@pytest.mark.parametrize("kind", [pytest.param("mariadb", marks=pytest.mark.thorough), "tidb"])
def test_an_idle_task_pauses_while_its_target_is_gone(
    kind: str, mariadb: RunningServer, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    with steered_task(tmp_path, mariadb, server_factory(kind), tables=1) as task:
        task.target.kill()
        task.cluster.wait(lambda: task.status().get("stage") == "Paused", "the task notices")
        [error] = task.errors()
        assert (error["ErrCode"], error["ErrScope"]) == (10202, "downstream")
        task.cluster.wait(lambda: bool(task.status().get("nextTry")), "it will be tried again")
        task.target.restart()
        task.cluster.wait(lambda: task.cluster.stages(TASK) == {"Running"}, "the task goes on by itself")
        assert task.errors() == []
        task.run("INSERT INTO t0 VALUES (3, 'three')")
        task.wait_in_step()
        assert task.rows("t0")[2] == (3, "three")
