"""Replicates the cases of this folder between real servers, all that go through in one task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.arena import Pair, new_schema, run_sql, subtask
from tests.cases.replicate.replication import Replication, present_position
from tests.cases.replicated import Replicated
from tests.cases.row_filters.cases import CASES, PAUSES, Case, Filter, Pause, Rows
from tests.servers import RunningServer

UPSTREAMS = ("mariadb", "mysql")


def _filters(filters: Iterable[Filter], schema: str, prefix: str) -> dict[str, Filter]:
    return {f"{prefix}_{number}": {"schema": schema, "table": "t", **one} for number, one in enumerate(filters)}


def _with_filters(config: SubtaskConfig, filters: dict[str, Filter]) -> SubtaskConfig:
    given = config.model_dump() | {"expression_filters": filters}
    return SubtaskConfig.model_validate(given | {"upstream": config.upstream, "target": config.target})


def _rows(target: RunningServer, schema: str) -> Rows:
    with target.connect(ssl_disabled=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT id, a FROM {schema}.t ORDER BY id")
        return [tuple(row) for row in cursor.fetchall()]


def _schema(upstream: str, number: int) -> str:
    return f"x_{upstream[:2]}_{number:02d}"


class Together(Replicated):
    def _replicate(self, pair: Pair) -> None:
        kind = pair.upstream.kind
        name = f"row_filters_{pair.name}"
        filters: dict[str, Filter] = {}
        for number, case in enumerate(CASES):
            filters |= _filters(case.filters, _schema(kind, number), _schema(kind, number))
        replication = Replication(self._folder / f"{name}.log")
        try:
            replication.start(_with_filters(subtask(pair, name, [f"x_{kind[:2]}_"]), filters))
            for number, case in enumerate(CASES):
                new_schema(pair.upstream, _schema(kind, number))
                run_sql(pair.upstream, case.upstream, _schema(kind, number))
            pause = replication.until(present_position(pair.upstream))
            assert pause is None, pause
            replication.stop()
        finally:
            replication.close()


@pytest.fixture(scope="module")
def replicated(
    mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> Together:
    return Together({"mariadb": mariadb, "mysql": mysql, "tidb": tidb}, tmp_path_factory.mktemp("row_filters"))


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    running = Replication(tmp_path_factory.mktemp("row_filters") / "pausing.log")
    yield running
    running.close()


def _id(value: Any) -> str:
    return re.sub(r"[^a-z]+", "_", value.title.lower()) if isinstance(value, (Case, Pause)) else str(value)


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=_id)
def test_rows_that_stay_out(number: int, case: Case, upstream: str, replicated: Replicated) -> None:
    assert _rows(replicated.by(upstream), _schema(upstream, number)) == case.expect


@pytest.mark.parametrize(("number", "case"), list(enumerate(PAUSES)), ids=_id)
def test_an_expression_that_cannot_judge_pauses(
    number: int,
    case: Pause,
    mariadb: RunningServer,
    mysql: RunningServer,
    tidb: RunningServer,
    replication: Replication,
) -> None:
    upstream = (mysql, mariadb)[number % 2]
    pair, schema = Pair(upstream, tidb), f"xp_{upstream.kind[:2]}_{number}"
    config = subtask(pair, f"t_{schema}", [schema])
    replication.start(_with_filters(config, _filters(case.filters, schema, "filter")))
    new_schema(upstream, schema)
    run_sql(upstream, case.upstream, schema)
    paused = replication.until(present_position(upstream))
    replication.stop()
    assert paused is not None
    for words in case.words:
        assert words in paused.text
    assert paused.place, "it says where"
    replication.start(_with_filters(config, _filters(case.then, schema, "filter")))
    assert replication.until(present_position(upstream)) is None
    replication.stop()
    assert _rows(tidb, schema) == case.expect
