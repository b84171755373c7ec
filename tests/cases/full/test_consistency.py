"""One consistent snapshot for all connections: the sum of all accounts is right, and it is the state at the location."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from pkg.task.blocks import SparkConfig
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, migrate, outcome, query, start
from tests.cases.full.test_interruptions import _await
from tests.cases.full.transfers import (
    ACCOUNTS,
    TOTAL,
    accounts,
    assert_state_at_location,
    committed,
    full,
    locations,
    moving,
    total,
    turns,
)
from tests.cases.sync.test_crashpoints import Run, points_of, until
from tests.cluster import EXECUTORS, generations
from tests.servers import RunningServer

SECONDS = 300  # Spark starts slowly where others work
POINTS = points_of("tests/cases/full/test_consistency.py")


@pytest.fixture(params=["mariadb", "mysql"])
def source(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


@pytest.mark.parametrize(("kind", "consistency", "way"), [
    ("mariadb", "", "BACKUP STAGE BLOCK_COMMIT"),
    ("mariadb", "flush", "FLUSH TABLES WITH READ LOCK"),
    ("mariadb", "snapshot", "START TRANSACTION WITH CONSISTENT SNAPSHOT"),
    ("mysql", "", "FLUSH TABLES WITH READ LOCK"),
    ("mysql", "lock", "LOCK TABLES ... READ"),
])  # fmt: skip
def test_a_small_copy_is_the_state_at_its_location(
    request: pytest.FixtureRequest, tidb: RunningServer, kind: str, consistency: str, way: str
) -> None:
    source, schema = request.getfixturevalue(kind), f"full_one_{kind}_{consistency or 'auto'}"
    accounts(source, tidb, schema)
    before = committed(source)
    with moving(source, schema):
        _await(lambda: turns(source, schema) > 20)
        ended = outcome(start(full(source, tidb, schema, consistency, rows=2 * ACCOUNTS)))
    assert_state_at_location(ended, before, tidb, schema)
    assert (ended["snapshot"]["by"], ended["snapshot"]["connections"]) == (way, 2)


@pytest.mark.parametrize(
    ("kind", "consistency", "spark"),
    [
        ("mariadb", "auto", "at-once"),
        pytest.param("mysql", "flush", "at-once", marks=pytest.mark.thorough),
        ("mysql", "lock", "auto"),
        ("mariadb", "flush", "auto"),
    ],
)
def test_lanes_share_one_snapshot(
    request: pytest.FixtureRequest, tidb: RunningServer, kind: str, consistency: str, spark: str
) -> None:
    source, schema = request.getfixturevalue(kind), f"full_lanes_{kind}_{consistency}"
    accounts(
        source, tidb, schema, "CREATE TABLE keyless (a INT, b INT)", "INSERT INTO keyless SELECT 1, 1 FROM left_side"
    )
    before = committed(source)
    with moving(source, schema):
        ended = outcome(start(full(source, tidb, schema, consistency, spark=SparkConfig(start=spark))), SECONDS)
    assert_state_at_location(ended, before, tidb, schema)
    assert ended["snapshot"]["connections"] > 1
    assert ("Spark is up" in ended["log"]) == (spark == "at-once")
    assert query(tidb, f"SELECT COUNT(*) FROM {schema}.keyless") == [(ACCOUNTS,)]


def test_replication_goes_on_exactly_where_the_snapshot_is(
    source: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """A keyless table, whose snapshot is not pinned on its own, would show an event too many or too few."""
    schema = f"full_goes_on_{source.kind}"
    accounts(source, tidb, schema)
    config = full(source, tidb, schema, "auto", rows=2 * ACCOUNTS).model_copy(update={"task_mode": TaskMode.ALL})
    with moving(source, schema):
        _await(lambda: turns(source, schema) > 20)
        run = Run(config, tmp_path, 1)
        until(lambda: _is_finished(tidb, schema), run)
    until(lambda: _rows(tidb, schema) == _rows(source, schema), run)
    run.end()
    pinned, start_and_end = f"SELECT COUNT(*) FROM {schema}_meta.{schema}_sparkdm_pinned", locations(tidb, schema)
    assert query(tidb, pinned) == [(0,)]
    assert start_and_end[:3] == start_and_end[3:6]


def _is_finished(target: RunningServer, schema: str) -> bool:
    tables = query(target, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}_meta'")
    return len(tables) > 1 and any(row[-1] == "finished" for row in [locations(target, schema)])


def _rows(server: RunningServer, schema: str) -> list[Any]:
    return [
        sorted(query(server, f"SELECT * FROM {schema}.{table}"))
        for table in ("left_side", "right_side", "turns", "log")
    ]


def test_mysql_proves_no_snapshot_without_a_lock(mysql: RunningServer, tidb: RunningServer) -> None:
    schema = "full_unproven"
    accounts(mysql, tidb, schema)
    refused = outcome(start(full(mysql, tidb, schema, "snapshot")))
    assert (refused["exit"], refused["code"], refused["resumable"]) == (1, 32010, False)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(point: str, mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = f"full_{point.replace('.', '_')}"
    accounts(mariadb, tidb, schema)
    config = full(mariadb, tidb, schema, rows=2 * ACCOUNTS)
    if point.startswith("snapshot.empt"):  # which is passed where an earlier run has copied something
        assert outcome(start(config, crashpoints="loader.after_commit@2=kill"))["exit"] == -signal.SIGKILL
    assert outcome(start(config, crashpoints=f"{point}=kill"))["exit"] == -signal.SIGKILL
    # Its locks went with it, or this would wait for longer than a connection reads.
    execute(mariadb, "SET SESSION lock_wait_timeout = 10", "DELETE FROM left_side WHERE id < 10", database=schema)
    execute(mariadb, "UPDATE right_side SET amount = amount + 100 WHERE id < 10", database=schema)
    migrate(config)
    assert total(tidb, schema) == TOTAL
    assert query(tidb, f"SELECT COUNT(*) FROM {schema}.left_side") == [(ACCOUNTS - 10,)]


def _lane(target: RunningServer, schema: str) -> list[tuple[Any, ...]]:
    sql = f"SELECT connection_id FROM {schema}_meta.{schema}_sparkdm_lane WHERE is_member = 1 AND attempt > 0"
    return query(target, sql)


@pytest.mark.parametrize("death", ["process", pytest.param("connection", marks=pytest.mark.thorough), "stop"])
def test_a_lane_that_dies_takes_the_snapshot_with_it_and_it_begins_again(
    death: str, mysql: RunningServer, tidb: RunningServer
) -> None:
    schema = f"full_lane_{death}"
    accounts(mysql, tidb, schema)
    config = full(mysql, tidb, schema)
    process = start(config, crashpoints="loader.before_commit=delay:2,loader.statement_written=delay:0.1")
    assert process.stderr is not None
    assert any("one snapshot for" in line for line in process.stderr), "it ended before"
    if death == "stop":
        assert process.stdin is not None
        process.stdin.write("stop\n")
        process.stdin.flush()
    elif death == "process":
        os.kill(generations(process.pid)[EXECUTORS][0], signal.SIGKILL)
    else:
        execute(mysql, f"KILL {_lane(tidb, schema)[0][0]}")
    ended = outcome(process, SECONDS)
    if death == "stop":
        assert (ended["exit"], ended["stopped"], ended["jvms"]) == (0, True, [])
        assert ended["completedChunks"] < ended["totalChunks"]
    else:
        assert (ended["exit"], ended.get("code"), ended.get("resumable")) == (1, 32014, True), ended["log"]
    execute(mysql, "DELETE FROM left_side WHERE id < 500", "DELETE FROM right_side WHERE id < 500", database=schema)
    migrate(config.model_copy(update={"dump": config.dump.model_copy(update={"rows": 2 * ACCOUNTS})}))
    assert total(tidb, schema) == TOTAL // 2


def test_a_target_that_two_sources_share_is_not_emptied(
    mariadb: RunningServer, mysql: RunningServer, tidb: RunningServer
) -> None:
    schema = "full_shared"
    accounts(mariadb, tidb, schema)
    first = full(mariadb, tidb, schema, rows=2 * ACCOUNTS)
    accounts(mysql, tidb, schema)
    second = full(mysql, tidb, schema, rows=2 * ACCOUNTS).model_copy(update={"source_id": "second"})
    assert outcome(start(second, crashpoints="loader.after_commit@2=kill"))["exit"] == -signal.SIGKILL
    migrate(first.model_copy(update={"source_id": "first"}))
    refused = outcome(start(second))
    assert (refused["exit"], refused["code"], refused["resumable"]) == (1, 34120, False)
    assert "source first feeds it too" in refused["text"]
    assert total(tidb, schema) == TOTAL
    again = outcome(start(first.model_copy(update={"source_id": "third"}), crashpoints="loader.after_commit@2=kill"))
    assert again["exit"] == -signal.SIGKILL
    refused = outcome(start(first.model_copy(update={"source_id": "third"})))
    assert "it had rows before this task" in refused["text"]


def test_rows_that_were_there_before_are_not_thrown_away(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "full_there_before"
    accounts(mariadb, tidb, schema)
    execute(
        tidb, f"CREATE DATABASE {schema}", f"CREATE TABLE {schema}.left_side (id INT PRIMARY KEY, amount INT, turn INT)"
    )
    execute(tidb, f"INSERT INTO {schema}.left_side VALUES (-1, 7, 0)")
    config = full(mariadb, tidb, schema, rows=2 * ACCOUNTS)
    assert outcome(start(config, crashpoints="loader.all_copied=kill"))["exit"] == -signal.SIGKILL
    migrate(config)  # all was copied: nothing has to be thrown away
    assert total(tidb, schema) == TOTAL + 7


ALTERED = (
    "ALTER TABLE turns ADD COLUMN more INT DEFAULT 3, ALTER COLUMN turn SET DEFAULT 5",
    "ALTER TABLE left_side ADD UNIQUE KEY by_amount (id, amount)",
    "ALTER TABLE right_side ADD KEY referring (turn), ADD CONSTRAINT refers FOREIGN KEY (id) REFERENCES left_side (id)",
    "CREATE TABLE later (id INT PRIMARY KEY)",
)


def _altered_before_the_snapshot(
    config: SubtaskConfig, source: RunningServer, target: RunningServer, gate: Path
) -> None:
    """A run whose plan is stored, and that meets tables which are others by then."""
    schema = config.task_name
    gate.touch()
    process = start(config, crashpoints=f"loader.plan_stored=hold:{gate}")
    _await(lambda: _is_planned(target, schema))
    execute(source, *ALTERED, database=schema)
    gate.unlink()
    ended = outcome(process)
    assert (ended["exit"], ended["code"], ended["resumable"]) == (1, 32017, True), ended["log"]
    assert f"{schema}.left_side" in ended["text"]


def _shape(server: RunningServer, schema: str) -> list[Any]:
    """Columns with their defaults, keys, and what refers to what."""
    columns = "table_name, column_name, column_default, data_type"
    keys = "table_name, index_name, column_name, seq_in_index, non_unique"
    references = "table_name, constraint_name, referenced_table_name"
    return [
        sorted(query(server, f"SELECT {what} FROM information_schema.{of} WHERE {where} = '{schema}'"), key=str)
        for what, of, where in (
            (columns, "columns", "table_schema"),
            (keys, "statistics", "table_schema"),
            (references, "referential_constraints", "constraint_schema"),
        )
    ]


@pytest.mark.parametrize("deaths", ["", "loader.plan_stored=kill", "snapshot.begun=kill"])
def test_a_table_that_is_altered_before_the_snapshot_begins_is_planned_again(
    deaths: str, mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    schema = "full_altered"
    accounts(mariadb, mariadb2, schema)
    config = full(mariadb, mariadb2, schema, rows=2 * ACCOUNTS)
    _altered_before_the_snapshot(config, mariadb, mariadb2, tmp_path / "gate")
    if deaths:
        assert outcome(start(config, crashpoints=deaths))["exit"] == -signal.SIGKILL
        execute(mariadb, "ALTER TABLE turns ADD COLUMN again INT DEFAULT 4, ADD KEY (more)", database=schema)
    migrate(config)
    assert _shape(mariadb2, schema) == _shape(mariadb, schema)
    assert total(mariadb2, schema) == TOTAL


def test_a_merged_table_that_is_altered_before_the_snapshot_begins_is_not_taken_as_it_is(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    """Another source may have taken it for its own: somebody has to alter it."""
    schema = "full_altered_merged"
    accounts(mariadb, mariadb2, schema)
    config = full(mariadb, mariadb2, schema, rows=2 * ACCOUNTS).model_copy(update={"shard_mode": ShardMode.PESSIMISTIC})
    _altered_before_the_snapshot(config, mariadb, mariadb2, tmp_path / "gate")
    for table, statement in zip(("turns", "left_side", "right_side"), ALTERED, strict=False):
        refused = outcome(start(config))
        assert (refused["exit"], refused["code"], refused["resumable"]) == (1, 34142, False), refused["log"]
        assert schema in refused["text"]
        execute(mariadb2, statement, database=schema)
        assert table in statement
    migrate(config)
    assert _shape(mariadb2, schema) == _shape(mariadb, schema)


def _is_planned(target: RunningServer, schema: str) -> bool:
    tables = query(target, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}_meta'")
    return len(tables) > 1 and bool(query(target, f"SELECT 1 FROM {schema}_meta.{schema}_sparkdm_chunk LIMIT 1"))
