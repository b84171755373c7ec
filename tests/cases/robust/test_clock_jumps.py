"""The clock of the worker's machine jumps while a task is behind: its lag goes on as it was."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import pytest

from tests.cases.robust.supervised import COUNT, Supervised, config_of, write
from tests.cases.sync.pair import made, until
from tests.servers import RunningServer

HOUR = 3600.0


def lag(task: Supervised) -> float:
    status: Any = task.unit.status() if task.unit is not None else {}
    return float(status.get("lagSeconds", 0.0))


def test_the_lag_knows_no_jump(
    mariadb: RunningServer, mariadb2: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = made("clock_jumps", mariadb, mariadb2)
    real = time.time
    with Supervised(config_of(pair)) as task:
        write(pair)
        task.in_step(pair)
        with closing(pair.target.connect(pair.name, autocommit=False)) as foreign:
            foreign.query("UPDATE counter SET n = n")
            pair.on((COUNT,), pair.upstream)
            until(lambda: lag(task) > 1, "it falls behind")
            for jump in (HOUR, -HOUR):
                before = lag(task)
                monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
                until(lambda before=before: before + 2 < lag(task), "the lag grows on")  # type: ignore[misc]
                assert lag(task) < HOUR / 2
            foreign.rollback()
        task.in_step(pair)
        until(lambda: lag(task) == 0, "it is in step again")
        assert not task.errors
