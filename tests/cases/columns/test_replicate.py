"""Replicates the cases of this folder from MariaDB and MySQL to TiDB."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from pkg.task.stage import TaskMode
from tests.cases.columns.cases import CASES, Case
from tests.cases.columns.tasks import subtasks
from tests.cases.full.migration import execute, query
from tests.cases.replicate.replication import Replication, present_position
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("flavor")


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    running = Replication(tmp_path_factory.mktemp("columns") / "log")
    yield running
    running.close()


def case_id(case: Case) -> str:
    return re.sub(r"[^a-z0-9]+", "_", case.title.lower()).strip("_")


@pytest.mark.parametrize("flavor", ["mariadb", "mysql"])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_replicated(
    case: Case, flavor: str, replication: Replication, tidb: RunningServer, request: pytest.FixtureRequest
) -> None:
    upstream: RunningServer = request.getfixturevalue(flavor)
    schema = f"col{CASES.index(case)}{flavor[:2]}"
    for server in (upstream, tidb):
        execute(server, f"CREATE DATABASE {schema} CHARACTER SET utf8mb4")
    execute(tidb, *named(case.target, schema))
    statements = named(case.upstream, schema)
    made = [statement for statement in statements if statement.startswith("CREATE")]
    execute(upstream, *made)
    [config] = subtasks({"many-ways": upstream}, tidb, schema, case.rules, TaskMode.INCREMENTAL)
    replication.start(config)
    execute(upstream, *statements[len(made) :])
    paused = replication.until(present_position(upstream))
    status = replication.stop()
    if case.pauses:
        assert paused is not None, "replication goes on"
        for words in case.pauses.replace("$DB", schema).split(" … "):
            assert words in paused.text
        if not case.repair:
            return
        execute(tidb, *named(case.repair, schema))
        replication.start(config)
        paused = replication.until(present_position(upstream))
        status = replication.stop()
    assert paused is None, paused
    assert tuple(query(tidb, case.query.replace("$DB", schema))) == case.rows
    assert status["missingRows"] == 0


def named(statements: tuple[str, ...], schema: str) -> list[str]:
    return [statement.replace("$DB", schema) for statement in statements]
