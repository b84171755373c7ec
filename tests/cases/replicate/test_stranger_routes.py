"""Defects that a stranger found in routes and block-allow lists: a statement about one table takes others with it.

Each case fails: the task neither pauses nor leaves the target with what the upstream's tables still hold.  Run:
``pytest tests/cases/replicate/test_stranger_routes.py -n0 -q --all``
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.arena import run_sql
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.replication import Replication, present_position
from tests.servers import RunningServer


def _route(schema: str, table: str, target_schema: str, target_table: str = "") -> dict[str, str]:
    return {
        "schema-pattern": schema,
        "table-pattern": table,
        "target-schema": target_schema,
        "target-table": target_table,
    }


MERGED = {"routes": [_route("A", "a*", "T", "m")]}
SHARDS = (
    "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);CREATE TABLE A.a2 (id INT PRIMARY KEY, v INT);"
    "INSERT INTO A.a1 VALUES (1, 1);INSERT INTO A.a2 VALUES (2, 2);"
)
# title, task, statements, {table of the target: rows that must be there, unless the task pauses}
CASES: list[tuple[str, dict[str, Any], str, dict[str, set[tuple[Any, ...]]]]] = [
    (
        "shards get a column of the moment at other times",
        {**MERGED, "mode": "pessimistic"},
        SHARDS + "SET timestamp = 1000000000;ALTER TABLE A.a1 ADD w BIGINT DEFAULT (UNIX_TIMESTAMP());"
        "SET timestamp = 1100000000;ALTER TABLE A.a2 ADD w BIGINT DEFAULT (UNIX_TIMESTAMP())",
        {"T.m": {(1, 1, 1000000000), (2, 2, 1100000000)}},
    ),
]


@pytest.mark.parametrize("target", ["tidb", "mariadb"])
@pytest.mark.parametrize("case", CASES, ids=[case[0].replace(" ", "_") for case in CASES])
def test_other_tables_stay(
    case: tuple[str, dict[str, Any], str, dict[str, set[tuple[Any, ...]]]],
    target: str,
    mariadb: RunningServer,
    mariadb2: RunningServer,
    tidb: RunningServer,
    tmp_path: Path,
) -> None:
    title, task, text, expected = case
    prefix = f"s{CASES.index(case)}{target[0]}"
    there = tidb if target == "tidb" else mariadb2

    def named(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"(?<![\w'])(A|B|T)(?=\.|;|$)", lambda match: prefix + match[1].lower(), value)
        if isinstance(value, dict):
            return {key: named(one) for key, one in value.items()}
        return [named(one) for one in value] if isinstance(value, list) else value

    def statements(sql: str) -> list[str]:
        return [one for one in named(sql).split(";") if one.strip()]

    run_sql(mariadb, [f"CREATE DATABASE {named(one)}" for one in "AB"] + statements(task.get("before", "")), "")
    run_sql(there, statements(task.get("target", "")), "")
    config = SubtaskConfig.model_validate(
        {
            "task_name": prefix,
            "source_id": "stranger",
            "task_mode": TaskMode.INCREMENTAL,
            "upstream": ConnectionConfig(host=mariadb.host, port=mariadb.port, user="root"),
            "target": ConnectionConfig(host=there.host, port=there.port, user="root"),
            "meta_schema": f"{prefix}_meta",
            "routes": named(task.get("routes", [])),
            "block_allow_list": named(task.get("allow", {"do-dbs": ["A", "B"]})),
            "shard_mode": task.get("mode", ""),
            "source_count": task.get("sources", 1),
        }
    )
    replication = Replication(tmp_path / "log")
    try:
        replication.start(config)
        run_sql(mariadb, statements(text), named("A"))
        pause = replication.until(present_position(mariadb))
        time.sleep(2)  # shards are read again
        pause = pause or replication._ask({"status": True})["error"]
        replication.stop()
    finally:
        replication.close()
    if pause is not None:
        return
    with connected(there) as end:
        for table, rows in expected.items():
            schema, name = named(table).split(".")
            there_is = end.query(
                f"SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{name}'"
            )
            assert there_is or not rows, f"{title}: {table} is gone"
            found = end.query(f"SELECT * FROM {schema}.{name}") if there_is else []
            assert set(found) >= rows if rows else not found, f"{title}: {found}"
