"""Replicates the cases of this folder between real servers, all that go through in one task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.operators import store_operator
from pkg.binlog.position import Position
from pkg.task.operators import Op, Operator
from pkg.task.subtask import SubtaskConfig
from tests.cases.filters.cases import CASES, PAUSES, Case, Pause, Rows, Rule
from tests.cases.replicate.arena import SOURCE_ID, Pair, new_schema, run_sql, subtask
from tests.cases.replicate.replication import Replication, present_position
from tests.cases.replicated import Replicated
from tests.servers import RunningServer

UPSTREAMS = ("mariadb", "mysql")


def _rules(rules: Iterable[Rule], schema: str, prefix: str) -> dict[str, Rule]:
    return {f"{prefix}_{number}": {"schema-pattern": schema.upper(), **rule} for number, rule in enumerate(rules)}


def _with_filters(config: SubtaskConfig, rules: dict[str, Rule]) -> SubtaskConfig:
    given = config.model_dump() | {"filters": rules}
    return SubtaskConfig.model_validate(given | {"upstream": config.upstream, "target": config.target})


def _ask(server: RunningServer, sql: str) -> Rows:
    with server.connect(ssl_disabled=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return [tuple(row) for row in cursor.fetchall()]


def _check(target: RunningServer, schema: str, expect: Iterable[tuple[str, Rows]]) -> None:
    for sql, rows in expect:
        assert _ask(target, sql.replace("$DB", schema)) == rows, sql


def _schema(upstream: str, number: int) -> str:
    return f"f_{upstream[:2]}_{number:02d}"


class Together(Replicated):
    def _replicate(self, pair: Pair) -> None:
        name = f"filters_{pair.name}"
        rules: dict[str, Rule] = {}
        for number, case in enumerate(CASES):
            schema = _schema(pair.upstream.kind, number)
            rules |= _rules(case.rules, schema, schema)
        config = _with_filters(subtask(pair, name, [f"f_{pair.upstream.kind[:2]}_"]), rules)
        replication = Replication(self._folder / f"{name}.log")
        try:
            replication.start(config)
            for number, case in enumerate(CASES):
                self._write(case, pair.upstream, _schema(pair.upstream.kind, number))
            pause = replication.until(present_position(pair.upstream))
            assert pause is None, pause
            replication.stop()
        finally:
            replication.close()

    def _write(self, case: Case, upstream: RunningServer, schema: str) -> None:
        new_schema(upstream, schema)
        run_sql(upstream, case.upstream, schema)


@pytest.fixture(scope="module")
def replicated(
    mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> Together:
    return Together({"mariadb": mariadb, "mysql": mysql, "tidb": tidb}, tmp_path_factory.mktemp("filters"))


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    running = Replication(tmp_path_factory.mktemp("filters") / "pausing.log")
    yield running
    running.close()


def _id(value: Any) -> str:
    return re.sub(r"[^a-z]+", "_", value.title.lower()) if isinstance(value, (Case, Pause)) else str(value)


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=_id)
def test_what_passes_a_filter(number: int, case: Case, upstream: str, replicated: Replicated) -> None:
    _check(replicated.by(upstream), _schema(upstream, number), case.expect)


@pytest.mark.parametrize(("number", "case"), list(enumerate(PAUSES)), ids=_id)
def test_a_filter_that_pauses(
    number: int,
    case: Pause,
    mariadb: RunningServer,
    mysql: RunningServer,
    tidb: RunningServer,
    replication: Replication,
) -> None:
    upstream = (mariadb, mysql)[number % 2]
    pair, schema = Pair(upstream, tidb), f"fp_{upstream.kind[:2]}_{number}"
    rules = _rules(case.rules, schema, "rule")
    config = _with_filters(subtask(pair, f"t_{schema}", [schema]), rules)
    replication.start(config)
    new_schema(upstream, schema)
    run_sql(upstream, case.upstream, schema)
    paused = replication.until(present_position(upstream))
    replication.stop()
    assert paused is not None
    for words in case.words:
        assert words.replace("$DB", schema) in paused.text
    assert paused.place in paused.text
    if case.skipped:
        with tidb.connect(ssl_disabled=True) as connection:
            operator = Operator(Position.parse(paused.place), Op.SKIP, ())
            store_operator(connection, MetaTables(config.meta_schema, config.task_name), SOURCE_ID, operator)
    else:
        config = _with_filters(config, {name: rule | {"action": "Ignore"} for name, rule in rules.items()})
    replication.start(config)
    assert replication.until(present_position(upstream)) is None
    replication.stop()
    _check(tidb, schema, case.expect)
