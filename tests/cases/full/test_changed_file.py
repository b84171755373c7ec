"""A copy, or a load of files, was ended in the middle, and goes on with a task file that has changed.

dm-master's checks and the units say the same: what would lose rows is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dm_master.precheck.run import run_checks
from pkg.task.kept import CHANGED_RULES, NO_PLACE, NOT_A_LOAD, UNFINISHED_COPY
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.load.loading import load_task, write_dump
from tests.servers import RunningServer

SCHEMA = "changed"
ROWS = 4000


@pytest.fixture
def config(mariadb: RunningServer, tidb: RunningServer) -> SubtaskConfig:
    for server in (mariadb, tidb):
        execute(server, *(f"DROP DATABASE IF EXISTS {SCHEMA}{part}" for part in ("", "_meta", "_else")))
    execute(mariadb, f"CREATE DATABASE {SCHEMA}")
    execute(
        mariadb,
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))",
        f"INSERT INTO t SELECT seq, 'v' FROM seq_1_to_{ROWS}",
        database=SCHEMA,
    )
    return subtask(mariadb, tidb, SCHEMA, dump={"rows": 500, "threads": 1})


def changed(config: SubtaskConfig, **settings: Any) -> SubtaskConfig:
    return config.model_validate(
        config.model_dump() | {"upstream": config.upstream, "target": config.target} | settings
    )


def with_mode(config: SubtaskConfig, mode: TaskMode) -> SubtaskConfig:
    return config.model_copy(update={"task_mode": mode})


def broken_off(config: SubtaskConfig, point: str) -> None:
    assert outcome(start(config, crashpoints=f"{point}=kill"))["exit"] != 0


def refused(config: SubtaskConfig) -> int:
    """The code with which the unit and the checks, also where all of them are to be left out, refuse it."""
    said = outcome(start(config))
    assert said["exit"] == 1, said
    for ignored in ((), ("all",)):
        report = run_checks([config.model_copy(update={"ignore_checking_items": ignored})])
        assert any(one.text in said["text"] for one in report.failures), (said, report.failures)
    assert not [one for one in run_checks([config], forgets=True).failures if one.text in said["text"]]
    return int(said["code"])


def passes(config: SubtaskConfig) -> bool:
    return not run_checks([config]).failures


def whole(server: RunningServer, schema: str = SCHEMA) -> bool:
    return query(server, f"SELECT COUNT(*), MIN(v), MAX(v) FROM {schema}.t") == [(ROWS, "v", "v")]


def test_the_rest_of_a_copy_is_not_forgotten(config: SubtaskConfig, tidb: RunningServer) -> None:
    broken_off(config, "loader.plan_stored")
    assert refused(with_mode(config, TaskMode.INCREMENTAL)) == UNFINISHED_COPY.code
    assert refused(with_mode(config, TaskMode.LOAD)) == NOT_A_LOAD.code
    migrate(config)
    assert whole(tidb)
    assert passes(with_mode(config, TaskMode.INCREMENTAL)), "it goes on where the copy ended"
    assert passes(with_mode(config, TaskMode.FULL))
    assert refused(with_mode(config, TaskMode.LOAD)) == NOT_A_LOAD.code


@pytest.mark.parametrize(("before", "after"), [(TaskMode.ALL, TaskMode.FULL), (TaskMode.FULL, TaskMode.ALL)])
def test_one_kind_of_copy_goes_on_as_the_other(
    config: SubtaskConfig, tidb: RunningServer, before: TaskMode, after: TaskMode
) -> None:
    broken_off(with_mode(config, before), "loader.plan_stored")
    assert passes(with_mode(config, after))
    migrate(with_mode(config, after))
    assert whole(tidb)


@pytest.mark.parametrize("place", ["", "SHOW MASTER STATUS:\n\tLog: bin.000007\n\tPos: 154\n\tGTID:\n\n"])
def test_the_rest_of_a_load_is_not_forgotten(
    config: SubtaskConfig, tidb: RunningServer, tmp_path: Path, place: str
) -> None:
    values = ",".join(f"({number},'v')" for number in range(ROWS))
    write_dump(tmp_path / "dump", {
        f"{SCHEMA}-schema-create.sql": f"CREATE DATABASE `{SCHEMA}`;\n",
        f"{SCHEMA}.t-schema.sql": "CREATE TABLE `t` (`id` int PRIMARY KEY, `v` varchar(20));\n",
        f"{SCHEMA}.t.00000.sql": f"INSERT INTO `t` VALUES {values};\n",
    }, "Started dump at: 2026-01-02 03:04:05\n" + place)  # fmt: skip
    load = load_task(tidb, SCHEMA, tmp_path / "dump")
    broken_off(load, "files.plan_stored")
    for mode in (TaskMode.INCREMENTAL, TaskMode.ALL, TaskMode.FULL):
        assert refused(with_mode(config, mode)) == UNFINISHED_COPY.code
    assert refused(load.model_copy(update={"routes": changed(config, **TO_ELSE).routes})) == CHANGED_RULES.code
    migrate(load)
    assert whole(tidb)
    assert passes(with_mode(config, TaskMode.INCREMENTAL))
    for mode in (TaskMode.ALL, TaskMode.FULL):
        assert (refused(with_mode(config, mode)) == NO_PLACE.code) if not place else passes(with_mode(config, mode))


TO_ELSE = {"routes": ({"schema-pattern": SCHEMA, "target-schema": f"{SCHEMA}_else"},)}
PREFIX = {
    "schema-pattern": SCHEMA, "table-pattern": "t", "source-column": "v", "target-column": "v",
    "expression": "add prefix", "arguments": ["A"],
}  # fmt: skip


@pytest.mark.parametrize("rules", [TO_ELSE, {"column_mappings": {"mine": PREFIX}}])
def test_a_copy_goes_on_by_the_rules_with_which_it_began(
    config: SubtaskConfig, tidb: RunningServer, rules: dict[str, Any]
) -> None:
    broken_off(config, "loader.plan_stored")
    for _ in range(2):
        assert refused(changed(config, **rules)) == CHANGED_RULES.code
    migrate(config)
    assert whole(tidb)
    report = run_checks([changed(config, **rules)])
    assert not report.failures
    assert any("changed since the task ran" in one.text for one in report.warnings)


def test_a_copy_of_one_moment_begins_anew_by_other_rules(config: SubtaskConfig, tidb: RunningServer) -> None:
    full = with_mode(config, TaskMode.FULL)
    broken_off(full, "loader.plan_stored")
    migrate(changed(full, **TO_ELSE))
    assert whole(tidb, f"{SCHEMA}_else")
