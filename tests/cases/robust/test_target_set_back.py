"""The target comes back with an older state: a snapshot of its disk, or a replica that lacked the last transactions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pkg.adapters.meta_tables import SET_BACK
from tests.cases.robust.supervised import COUNT, LOG, Supervised, config_of, write
from tests.cases.sync.pair import Pair, made, until
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")


@pytest.fixture(params=["mariadb", "tidb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer) -> Iterator[Pair]:
    with start_or_report(request.param) as target:
        yield made(f"set_back_{target.kind}", mariadb, target)


def in_step(task: Supervised, pair: Pair) -> None:
    task.in_step(pair)
    until(task.has_confirmed, "it knows what is applied")


@pytest.mark.parametrize("since", ["rows", "rows of some channels", "a DDL", "a resumed run"])
def test_what_was_lost_there_is_applied_again(pair: Pair, tmp_path: Path, since: str) -> None:
    with Supervised(config_of(pair, sync={"checkpoint-flush-interval": 100})) as task:
        write(pair)
        in_step(task, pair)
        data = pair.target.snapshot(tmp_path)
        if since == "a DDL":
            pair.on(("ALTER TABLE counter ADD c INT DEFAULT 7",), pair.upstream)
        elif since == "a resumed run":
            task.__exit__()
            pair.on((COUNT, LOG), pair.upstream)
            task = Supervised(task._config, binding=2)
        pair.on((LOG,) if since == "rows of some channels" else (COUNT, LOG), pair.upstream)
        in_step(task, pair)
        pair.target.put_back(data)
        write(pair)
        in_step(task, pair)
        assert any(error.is_a(SET_BACK) for error in task.errors), task.errors
        assert all(error.resumable for error in task.errors), task.errors
        task.__exit__()
