"""A sample of `./dev soak statements`: random sessions of DDL and DML, replicated between two servers of one kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import RunningServer
from tests.soak.statements import replicated, sessions_of


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_a_sample_of_random_statements_holds(
    kind: str, server_factory: Callable[..., RunningServer], tmp_path: Path
) -> None:
    upstream, target = server_factory(kind), server_factory(kind)
    sessions = sessions_of(10, upstream, target, "sample", seed="sample")
    outcome = replicated(sessions, target, tmp_path / "log")
    assert not outcome.differs, [(how, sessions.said[number]) for number, how in outcome.differs.items()]
    assert not outcome.unlike
    assert len(outcome.paused) < len(sessions.cases) // 3, outcome.paused
    assert sum(map(len, sessions.said.values())) > 60, "statements that have an effect"
