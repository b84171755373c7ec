"""A migration that is killed or stopped anywhere goes on, and no row is lost or doubled."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dm_worker.loader.unit import LEFT_OUT
from pkg.task.blocks import BlockAllowListConfig, DumpConfig, SparkConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import AT_ONCE, assert_same, execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.servers import RunningServer

TABLES = ["keyed", "keyless"]
ROWS = 20_000
SMALL = 100  # rows of a chunk: so many chunks that a process is met before it is through
SLOWLY = "loader.statement_written=delay:0.05"


def _filled(source: RunningServer, target: RunningServer, schema: str, rows: int = 500) -> SubtaskConfig:
    """A table of many chunks and a keyless one whose rows would show any doubling."""
    text = "REPEAT('text ', 10)"
    many = f"SELECT n * 20 + m, CONCAT({text}, n) FROM ({THOUSAND}) t, (SELECT 0 m"
    many += "".join(f" UNION ALL SELECT {m}" for m in range(1, ROWS // 1000)) + ") u"
    fresh(
        source,
        target,
        schema,
        "CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR(100))",
        "CREATE TABLE keyless (id INT, v VARCHAR(100))",
        f"INSERT INTO keyed {many}",
        "INSERT INTO keyless SELECT id % 100, v FROM keyed WHERE id < 3000",
        "ANALYZE TABLE keyed",
    )
    return subtask(source, target, schema, dump=DumpConfig(rows=rows), spark=AT_ONCE)


def _with_threads(config: SubtaskConfig) -> SubtaskConfig:
    """For a run that goes on: a JVM costs seconds of CPU, and how it goes on is the same."""
    return config.model_copy(update={"spark": SparkConfig()})


def _chunks_done(target: RunningServer, schema: str) -> int:
    return int(query(target, f"SELECT COALESCE(SUM(done > 0), 0) FROM {schema}_meta.{schema}_sparkdm_chunk")[0][0])


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file that holds those who come to `hold:FILE` until it is removed."""
    file = tmp_path / "gate"
    file.touch()
    return file


def _held(config: SubtaskConfig, gate: Path) -> Any:
    """A migration whose first chunks are not committed while the gate is there; Spark is up."""
    process = start(config, crashpoints=f"loader.before_commit=hold:{gate},{SLOWLY}")
    assert process.stderr is not None
    assert any("Spark is up" in line for line in process.stderr), "it ended before"
    return process


def _await(condition: Any, seconds: float = 180) -> None:
    """A condition of another process; it cannot call us."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        threading.Event().wait(0.05)


@pytest.mark.parametrize(
    "point",
    [
        # Spark comes after these three, which robust/test_crash_modes.py has with threads.
        *(
            pytest.param(f"loader.{point}=kill", marks=pytest.mark.thorough)
            for point in ("before_plan_stored", "plan_stored", "snapshot_pinned")
        ),
        "loader.statement_written@3=kill",
        "loader.before_commit@2=kill",
        "loader.after_commit@3=kill",
        "loader.all_copied=kill",
    ],
)
def test_killed_at_any_point_it_goes_on(mariadb: RunningServer, tidb: RunningServer, point: str) -> None:
    schema = "full_" + point.split("=")[0].replace(".", "_").replace("@", "_")
    config = _filled(mariadb, tidb, schema)
    # The keyless table comes last and is copied first, by the unit's own thread: its points are met for sure.
    assert outcome(start(config, crashpoints=point))["exit"] == -signal.SIGKILL
    before = _chunks_done(tidb, schema)
    ended = migrate(_with_threads(config))
    assert_same(mariadb, tidb, schema, TABLES)
    assert _chunks_done(tidb, schema) == ended["totalChunks"] >= before


def test_killed_while_spark_copies_it_goes_on(mysql: RunningServer, tidb: RunningServer, gate: Path) -> None:
    schema = "full_killed"
    config = _filled(mysql, tidb, schema, SMALL)
    process = _held(config, gate)
    done = _chunks_done(tidb, schema)
    gate.unlink()
    _await(lambda: _chunks_done(tidb, schema) > done)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    migrate(config)
    assert_same(mysql, tidb, schema, TABLES)


def test_a_stop_ends_it_at_once_with_its_jvm_and_it_goes_on(
    mariadb: RunningServer, tidb: RunningServer, gate: Path
) -> None:
    schema = "full_stopped"
    config = _filled(mariadb, tidb, schema, SMALL)
    process = _held(config, gate)
    assert process.stdin is not None
    process.stdin.write("stop\n")
    process.stdin.flush()
    gate.unlink()
    ended = outcome(process)
    assert (ended["exit"], ended["stopped"], ended["jvms"]) == (0, True, [])
    assert ended["completedChunks"] < ended["totalChunks"]
    migrate(_with_threads(config))
    assert_same(mariadb, tidb, schema, TABLES)


def test_a_later_binding_takes_over_and_the_former_run_writes_nothing_more(
    mariadb: RunningServer, tidb: RunningServer, gate: Path
) -> None:
    schema = "full_fenced"
    config = _with_threads(_filled(mariadb, tidb, schema))
    slow = start(config, bind_epoch=1, crashpoints=f"loader.before_commit@2=hold:{gate}")
    _await(lambda: _has_plan(tidb, schema))
    migrate(config, bind_epoch=2)
    gate.unlink()
    former = outcome(slow)
    assert (former["exit"], former["code"]) == (1, 42502)
    assert_same(mariadb, tidb, schema, TABLES)
    refused = outcome(start(config, bind_epoch=1))
    assert (refused["exit"], refused["code"]) == (1, 42502)


def _has_plan(target: RunningServer, schema: str) -> bool:
    tables = query(target, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}_meta'")
    return len(tables) > 1 and _chunks_done(target, schema) > 0


def test_a_target_that_restarts_in_the_middle_is_waited_for(
    mariadb: RunningServer, server_factory: Any, gate: Path
) -> None:
    target = server_factory("mariadb")
    schema = "full_restart"
    config = _filled(mariadb, target, schema)
    process = start(config, crashpoints=f"loader.before_commit@5=hold:{gate}")
    _await(lambda: _has_plan(target, schema))
    target.restart()
    gate.unlink()
    ended = outcome(process)
    if ended["exit"]:  # the restart took longer than a chunk is tried for: the subtask resumes it
        assert ended["resumable"]
        migrate(config)
    assert_same(mariadb, target, schema, TABLES)


def test_rows_written_meanwhile_leave_a_state_that_replication_completes(
    mariadb: RunningServer, tidb: RunningServer
) -> None:
    schema = "full_writes"
    config = _filled(mariadb, tidb, schema)
    stop = threading.Event()
    writer = threading.Thread(target=_write, args=(mariadb, schema, stop))
    writer.start()
    try:
        migrate(config)
    finally:
        stop.set()
        writer.join()
    # Keys that no write touched are there, exactly once.
    untouched = f"SELECT COUNT(*), COUNT(DISTINCT id) FROM {schema}.keyed WHERE id % 10 > 2 AND id < {ROWS}"
    assert query(tidb, untouched) == query(mariadb, untouched)


def _write(server: RunningServer, schema: str, stop: threading.Event) -> None:
    step = 0
    while not stop.wait(0.01):
        key = step * 10 % ROWS
        execute(
            server,
            f"UPDATE keyed SET v = 'changed {step}' WHERE id = {key}",
            f"DELETE FROM keyed WHERE id = {key + 1}",
            f"UPDATE keyed SET id = {ROWS + step} WHERE id = {key + 2}",
            f"INSERT INTO keyless VALUES ({step}, 'late')",
            database=schema,
        )
        step += 1


def test_a_table_that_stopped_the_copy_can_be_left_out(mariadb: RunningServer, mariadb2: RunningServer) -> None:
    schema = "left_out"
    tables = [f"CREATE TABLE {name} (id INT PRIMARY KEY, v INT)" for name in ("bad", "good", "later")]
    rows = [f"INSERT INTO {name} VALUES (1, 1), (2, 1)" for name in ("bad", "good", "later")]
    fresh(mariadb, mariadb2, schema, *tables, *rows)
    execute(mariadb2, f"CREATE DATABASE {schema}")
    execute(mariadb2, f"CREATE TABLE {schema}.bad (id INT PRIMARY KEY, v INT, UNIQUE (v))")
    config = subtask(mariadb, mariadb2, schema)
    assert outcome(start(config))["exit"] == 1
    ignored = {"do-dbs": [schema], "ignore-tables": [{"db-name": schema, "tbl-name": "bad"}]}
    ended = migrate(config.model_copy(update={"block_allow_list": BlockAllowListConfig.model_validate(ignored)}), 2)
    assert f"the block-allow-list leaves them out: {schema}.bad" in ended["log"]
    assert [query(mariadb2, f"SELECT COUNT(*) FROM {schema}.{name}") for name in ("bad", "good", "later")] == [
        [(0,)],
        [(2,)],
        [(2,)],
    ]
    ended = outcome(start(config, 3))
    assert (ended["exit"], ended.get("code")) == (1, LEFT_OUT.code), ended["log"]
    assert f"{schema}.bad" in ended["text"]


@pytest.mark.parametrize("point", ["loader.creating_table@3=kill", "loader.before_plan_stored=kill"])
def test_tables_of_a_run_without_a_plan_are_made_as_they_are_now(
    mariadb: RunningServer, tidb: RunningServer, point: str
) -> None:
    """It dies among its CREATEs, or behind the last; until the next run the upstream's tables are altered."""
    schema = "full_made_again"
    fresh(mariadb, tidb, schema, *(f"CREATE TABLE t{number} (id INT PRIMARY KEY, v INT)" for number in range(4)))
    config = subtask(mariadb, tidb, schema)
    assert outcome(start(config, crashpoints=point))["exit"] == -signal.SIGKILL
    there = query(tidb, f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'")
    assert len(there) == (2 if "creating" in point else 4)
    for number in range(4):
        query(mariadb, f"ALTER TABLE {schema}.t{number} DROP COLUMN v, ADD COLUMN w VARCHAR(9) NOT NULL")
        query(mariadb, f"INSERT INTO {schema}.t{number} VALUES (1, 'one')")
    migrate(config)
    assert_same(mariadb, tidb, schema, [f"t{number}" for number in range(4)])


def test_tables_that_somebody_made_after_a_refusal_stay(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "full_by_hand"
    fresh(mariadb, tidb, schema, "CREATE TABLE a (id INT PRIMARY KEY)", "CREATE TABLE b (id INT PRIMARY KEY, c POINT)")
    config = subtask(mariadb, tidb, schema)
    assert outcome(start(config))["exit"] == 1
    query(tidb, f"CREATE TABLE {schema}.b (id INT PRIMARY KEY, c LONGBLOB, KEY by_hand (id))")
    query(tidb, f"DROP TABLE IF EXISTS {schema}.a")
    query(tidb, f"CREATE TABLE {schema}.a (id INT PRIMARY KEY, KEY by_hand (id))")
    migrate(config)
    for table in ("a", "b"):
        assert query(tidb, f"SHOW INDEX FROM {schema}.{table} WHERE key_name = 'by_hand'")
