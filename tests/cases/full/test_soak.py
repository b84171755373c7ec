"""A sample of the campaign of full copies (tests/soak/copy.py): two rounds of seeds that are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import RunningServer
from tests.soak.copy import TASKS, campaign
from tests.soak.stage import Stage

SECONDS = 2.0
SEED = 8  # a lock-free copy, and one by files


@pytest.mark.timeout(900)  # servers, workers and Spark start slowly where much else runs
def test_rounds_of_the_soak(server_factory: Callable[[str], RunningServer], tmp_path: Path) -> None:
    servers = {f"s_{kind}": server_factory(kind) for kind in ("mariadb", "mysql")}
    targets = {kind: server_factory(kind) for kind in ("tidb", "mariadb")}
    with Stage(servers, tmp_path, TASKS) as stage:
        failed = campaign(stage, targets, 2, SECONDS, SEED)
    assert not failed, failed
