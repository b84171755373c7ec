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
BY_ITS_OWN_NAME = {"routes": [_route("A", "a*", "A", "a1")]}
TWO_SCHEMAS = {"routes": [_route("A", "", "T"), _route("B", "", "T")]}
INTO_B = {"routes": [_route("A", "", "B")]}
ONE_TABLE = {"allow": {"do-dbs": ["A"], "do-tables": [{"db-name": "A", "tbl-name": "a"}]}}
SHARDS = (
    "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);CREATE TABLE A.a2 (id INT PRIMARY KEY, v INT);"
    "INSERT INTO A.a1 VALUES (1, 1);INSERT INTO A.a2 VALUES (2, 2);"
)
SCHEMAS = (
    "CREATE TABLE A.a (id INT PRIMARY KEY);CREATE TABLE B.b (id INT PRIMARY KEY);"
    "INSERT INTO A.a VALUES (1);INSERT INTO B.b VALUES (2);"
)
# title, task, statements, {table of the target: rows that must be there, unless the task pauses}
CASES: list[tuple[str, dict[str, Any], str, dict[str, set[tuple[Any, ...]]]]] = [
    ("one of two shards is dropped", MERGED, SHARDS + "DROP TABLE A.a1", {"T.m": {(2, 2)}}),
    (
        "two of three shards are dropped",
        MERGED,
        SHARDS + "CREATE TABLE A.a3 LIKE A.a1;INSERT INTO A.a3 VALUES (3, 3);DROP TABLE A.a1, A.a2",
        {"T.m": {(3, 3)}},
    ),
    (
        "a shard is dropped that never was",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);INSERT INTO A.a1 VALUES (1, 1);DROP TABLE IF EXISTS A.a9",
        {"T.m": {(1, 1)}},
    ),
    (
        "one of two shards gets another name",
        MERGED,
        SHARDS + "CREATE TABLE A.z (id INT PRIMARY KEY);RENAME TABLE A.a1 TO A.b",
        {"T.m": {(2, 2)}},
    ),
    (
        "one of two shards gets another name and a column",
        MERGED,
        SHARDS + "CREATE TABLE A.z (id INT PRIMARY KEY);ALTER TABLE A.a1 ADD x INT, RENAME TO A.b",
        {"T.m": {(2, 2)}},
    ),
    ("the shard with the target's name is dropped", BY_ITS_OWN_NAME, SHARDS + "DROP TABLE A.a1", {"A.a1": {(2, 2)}}),
    (
        "the shard with the target's name is emptied",
        BY_ITS_OWN_NAME,
        SHARDS + "TRUNCATE TABLE A.a1",
        {"A.a1": {(2, 2)}},
    ),
    (
        "the shard with the target's name loses a column",
        BY_ITS_OWN_NAME,
        SHARDS + "ALTER TABLE A.a1 DROP COLUMN v, ADD z INT",
        {"A.a1": {(1, None), (2, 2)}},
    ),
    (
        "the shard with the target's name gets a narrower column",
        BY_ITS_OWN_NAME,
        SHARDS + "INSERT INTO A.a2 VALUES (300, 300);SET sql_mode = '';ALTER TABLE A.a1 MODIFY v TINYINT",
        {"A.a1": {(1, 1), (2, 2), (300, 300)}},
    ),
    (
        "the shard with the target's name gets another",
        BY_ITS_OWN_NAME,
        SHARDS + "RENAME TABLE A.a1 TO A.b",
        {"A.a1": {(2, 2)}},
    ),
    (
        "one of two schemas that go into one is dropped",
        TWO_SCHEMAS,
        SCHEMAS + "DROP DATABASE A",
        {"T.b": {(2,)}},
    ),
    ("a schema that goes into another is dropped", INTO_B, SCHEMAS + "DROP DATABASE A", {"B.b": {(2,)}}),
    (
        "a schema is dropped whose name holds a table of another in the target",
        {"routes": [_route("B", "b", "A", "x")]},
        SCHEMAS + "DROP DATABASE A",
        {"A.x": {(2,)}},
    ),
    (
        "a schema is dropped of which the task takes one table",
        {**ONE_TABLE, "target": "CREATE DATABASE A;CREATE TABLE A.own (id INT PRIMARY KEY);INSERT INTO A.own VALUES (5)"},
        "CREATE TABLE A.a (id INT PRIMARY KEY);CREATE TABLE A.own (id INT PRIMARY KEY);DROP DATABASE A",
        {"A.own": {(5,)}},
    ),
    (
        "a schema is dropped whose table goes elsewhere",
        {"routes": [_route("A", "a", "T", "x")]},
        "CREATE TABLE A.a (id INT PRIMARY KEY);CREATE TABLE A.c (id INT PRIMARY KEY);INSERT INTO A.a VALUES (1);DROP DATABASE A",
        {"T.x": set()},  # the upstream has dropped it
    ),
    (
        "a table that another source has, too, is emptied",
        {
            "sources": 2,
            "before": "CREATE TABLE A.t (id INT PRIMARY KEY)",
            "target": "CREATE DATABASE A;CREATE TABLE A.t (id INT PRIMARY KEY);INSERT INTO A.t VALUES (100)",
        },
        "TRUNCATE A.t",
        {"A.t": {(100,)}},
    ),
    (
        "a new shard has another type",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);CREATE TABLE A.a3 (id INT PRIMARY KEY, v VARCHAR(10));"
        "INSERT INTO A.a3 VALUES (5, '06'), (6, '1.5e0')",
        {"T.m": {(5, "06"), (6, "1.5e0")}},
    ),
    (
        "shards get a column of the moment at other times",
        {**MERGED, "mode": "pessimistic"},
        SHARDS + "SET timestamp = 1000000000;ALTER TABLE A.a1 ADD w BIGINT DEFAULT (UNIX_TIMESTAMP());"
        "SET timestamp = 1100000000;ALTER TABLE A.a2 ADD w BIGINT DEFAULT (UNIX_TIMESTAMP())",
        {"T.m": {(1, 1, 1000000000), (2, 2, 1100000000)}},
    ),
    (
        "a shard has rows twice, without a key",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);INSERT INTO A.a1 VALUES (1,1);CREATE TABLE A.a3 (id INT, v INT);INSERT INTO A.a3 VALUES (5, 5), (5, 5)",
        {"T.m": {("two rows",)}},
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
            there_is = end.query(f"SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{name}'")
            assert there_is or not rows, f"{title}: {table} is gone"
            found = end.query(f"SELECT * FROM {schema}.{name}") if there_is else []
            assert set(found) >= rows if rows else not found, f"{title}: {found}"
