"""Tables that are merged, or lead elsewhere, where no DDL is coordinated: a statement about one takes no other's rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
ELSEWHERE = {"routes": [_route("A", "a", "T", "x")]}
ONE_TABLE = {"allow": {"do-dbs": ["A"], "do-tables": [{"db-name": "A", "tbl-name": "a"}]}}
SHARDS = (
    "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);CREATE TABLE A.a2 (id INT PRIMARY KEY, v INT);"
    "INSERT INTO A.a1 VALUES (1, 1);INSERT INTO A.a2 VALUES (2, 2);"
)
ONE_SHARD = "CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT);INSERT INTO A.a1 VALUES (1, 1);"
SCHEMAS = (
    "CREATE TABLE A.a (id INT PRIMARY KEY);CREATE TABLE B.b (id INT PRIMARY KEY);"
    "INSERT INTO A.a VALUES (1);INSERT INTO B.b VALUES (2);"
)
BOTH = {(1, 1), (2, 2)}
PAUSES = "code=36105"
PAIRS = ["mariadb-tidb", "mariadb-mariadb", "mysql-mariadb"]
Rows = set[tuple[Any, ...]]
# title, task, statements, words of the pause ("": none), {table of the target: its rows; None: it is not there}
CASES: list[tuple[str, dict[str, Any], str, str, dict[str, Rows | None]]] = [
    ("one of two shards is dropped", MERGED, SHARDS + "DROP TABLE A.a1", PAUSES, {"T.m": BOTH}),
    (
        "two of three shards are dropped",
        MERGED,
        SHARDS + "CREATE TABLE A.a3 LIKE A.a1;DROP TABLE A.a1, A.a2",
        PAUSES,
        {"T.m": BOTH},
    ),
    (
        "one of two shards is dropped that were there before",
        {
            **MERGED,
            "before": SHARDS,
            "target": "CREATE DATABASE T;CREATE TABLE T.m (id INT PRIMARY KEY, v INT);INSERT INTO T.m VALUES (1, 1), (2, 2)",
        },
        "DROP TABLE A.a1",
        PAUSES,
        {"T.m": BOTH},
    ),
    ("all shards are dropped", MERGED, SHARDS + "DROP TABLE A.a2, A.a1", "", {"T.m": None}),
    (
        "the last shard is dropped behind one that never was",
        MERGED,
        ONE_SHARD + "DROP TABLE IF EXISTS A.a9, A.a1",
        "",
        {"T.m": None},
    ),
    (
        "shards are dropped and replaced that never were",
        MERGED,
        ONE_SHARD + "DROP TABLE IF EXISTS A.a9, A.a8;CREATE OR REPLACE TABLE A.a7 (id INT PRIMARY KEY, v INT);"
        "INSERT INTO A.a7 VALUES (2, 2)",
        "",
        {"T.m": BOTH},
    ),
    ("one of two shards gets another name", MERGED, SHARDS + "RENAME TABLE A.a1 TO A.b", PAUSES, {"T.m": BOTH}),
    (
        "shards get other names and stay shards",
        MERGED,
        SHARDS + "RENAME TABLE A.a1 TO A.a4;ALTER TABLE A.a4 RENAME TO A.a5;INSERT INTO A.a5 VALUES (3, 3)",
        "",
        {"T.m": {*BOTH, (3, 3)}},
    ),
    (
        "one of two shards gets another name and a column",
        MERGED,
        SHARDS + "ALTER TABLE A.a1 ADD x INT, RENAME TO A.b",
        PAUSES,
        {"T.m": BOTH},
    ),
    (
        "a table becomes a shard",
        MERGED,
        ONE_SHARD + "CREATE TABLE A.b (id INT PRIMARY KEY, v INT);INSERT INTO A.b VALUES (2, 2);"
        "RENAME TABLE A.b TO A.a2",
        PAUSES,
        {"T.m": {(1, 1)}, "A.b": {(2, 2)}},
    ),
    (
        "the shard with the target's name is dropped",
        BY_ITS_OWN_NAME,
        SHARDS + "DROP TABLE A.a1",
        PAUSES,
        {"A.a1": BOTH},
    ),
    ("the shard with the target's name is emptied", BY_ITS_OWN_NAME, SHARDS + "TRUNCATE A.a1", PAUSES, {"A.a1": BOTH}),
    (
        "the shard with the target's name loses a column",
        BY_ITS_OWN_NAME,
        SHARDS + "ALTER TABLE A.a1 DROP COLUMN v, ADD z INT",
        PAUSES,
        {"A.a1": BOTH},
    ),
    (
        "the shard with the target's name gets a narrower column",
        BY_ITS_OWN_NAME,
        SHARDS + "SET sql_mode = '';ALTER TABLE A.a1 MODIFY v TINYINT",
        PAUSES,
        {"A.a1": BOTH},
    ),
    (
        "the shard with the target's name gets another",
        BY_ITS_OWN_NAME,
        SHARDS + "RENAME TABLE A.a1 TO A.b",
        PAUSES,
        {"A.a1": BOTH},
    ),
    (
        "one of two shards gets a foreign key",
        MERGED,
        "CREATE TABLE A.p (id INT PRIMARY KEY);CREATE TABLE A.a1 (id INT PRIMARY KEY, v INT, KEY k (v));"
        "CREATE TABLE A.a2 LIKE A.a1;ALTER TABLE A.a1 ADD FOREIGN KEY (v) REFERENCES A.p (id)",
        PAUSES,
        {"T.m": set()},
    ),
    (
        "a table is created whose name another one has in the target",
        INTO_B,
        "CREATE TABLE A.a (id INT PRIMARY KEY);INSERT INTO A.a VALUES (1);CREATE TABLE B.a (id INT PRIMARY KEY);"
        "INSERT INTO B.a VALUES (2)",
        "",
        {"B.a": {(1,), (2,)}},
    ),
    (
        "one of two schemas that go into one is dropped",
        TWO_SCHEMAS,
        SCHEMAS + "DROP DATABASE A",
        "",
        {"T.a": None, "T.b": {(2,)}},
    ),
    (
        "one of two schemas with a merged table is dropped",
        TWO_SCHEMAS,
        SCHEMAS + "CREATE TABLE B.a (id INT PRIMARY KEY);DROP DATABASE A",
        PAUSES,
        {"T.a": {(1,)}, "T.b": {(2,)}},
    ),
    (
        "a schema that goes into another is dropped",
        INTO_B,
        SCHEMAS + "DROP DATABASE A",
        "",
        {"B.a": None, "B.b": {(2,)}},
    ),
    (
        "a schema that goes into another is replaced",
        INTO_B,
        SCHEMAS + "CREATE OR REPLACE DATABASE A",
        "",
        {"B.a": None, "B.b": {(2,)}},
    ),
    (
        "a schema is dropped whose name holds a table of another in the target",
        {"routes": [_route("B", "b", "A", "x")]},
        SCHEMAS + "DROP DATABASE A",
        "",
        {"A.a": None, "A.x": {(2,)}},
    ),
    (
        "a schema is dropped of which the task takes one table",
        {
            **ONE_TABLE,
            "target": "CREATE DATABASE A;CREATE TABLE A.own (id INT PRIMARY KEY);INSERT INTO A.own VALUES (5)",
        },
        "CREATE TABLE A.a (id INT PRIMARY KEY);CREATE TABLE A.own (id INT PRIMARY KEY);DROP DATABASE A",
        "",
        {"A.a": None, "A.own": {(5,)}},
    ),
    (
        "a schema is dropped whose table goes elsewhere",
        ELSEWHERE,
        SCHEMAS + "CREATE TABLE A.c (id INT PRIMARY KEY);DROP DATABASE A",
        "",
        {"T.x": None, "A.c": None, "B.b": {(2,)}},
    ),
    (
        "a schema without tables is dropped",
        {"routes": []},
        SCHEMAS + "DROP TABLE A.a;DROP DATABASE A;DROP DATABASE IF EXISTS A",
        "",
        {"B.b": {(2,)}},
    ),
    (
        "a table gets a name in a schema that the target lacks",
        {"routes": [_route("A", "c", "T", "c")]},
        SCHEMAS + "RENAME TABLE A.a TO A.c;INSERT INTO A.c VALUES (3)",
        "",
        {"T.c": {(1,), (3,)}, "A.a": None},
    ),
    (
        "a shard without a key has a row twice",
        MERGED,
        ONE_SHARD + "CREATE TABLE A.a3 (id INT, v INT);INSERT INTO A.a3 VALUES (5, 5), (5, 5)",
        "code=36120",
        {"T.m": {(1, 1)}},
    ),
    (
        "two shards have one key",
        MERGED,
        SHARDS + "BEGIN;INSERT INTO A.a1 VALUES (5, 5);INSERT INTO A.a2 VALUES (5, 6);COMMIT",
        "code=36120",
        {"T.m": BOTH},
    ),
    (
        "a new shard has another type",
        MERGED,
        ONE_SHARD + "CREATE TABLE A.a3 (id INT PRIMARY KEY, v VARCHAR(10));INSERT INTO A.a3 VALUES (6, '1.5e0')",
        "code=36190",
        {"T.m": {(1, 1)}},
    ),
    (
        "a new shard has another type where DDL is coordinated",
        {**MERGED, "mode": "pessimistic"},
        ONE_SHARD + "CREATE TABLE A.a3 (id INT PRIMARY KEY, v DECIMAL(10, 2));INSERT INTO A.a3 VALUES (6, 1.55)",
        "v is decimal(10,2), and int",
        {"T.m": {(1, 1)}},
    ),
    (
        "a new shard has values where the first one calculates them",
        {**MERGED, "mode": "pessimistic"},
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, g INT AS (id + 1) STORED);INSERT INTO A.a1 (id) VALUES (1);"
        "CREATE TABLE A.a2 (id INT PRIMARY KEY, g INT);INSERT INTO A.a2 VALUES (11, 99)",
        "g is int, and generated there",
        {"T.m": {(1, 2)}},
    ),
    (
        "a new shard calculates a column otherwise",
        {**MERGED, "mode": "pessimistic"},
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, g INT AS (id + 1) STORED);INSERT INTO A.a1 (id) VALUES (1);"
        "CREATE TABLE A.a2 (id INT PRIMARY KEY, g INT AS (id + 2) STORED);INSERT INTO A.a2 (id) VALUES (11)",
        "code=36215",
        {"T.m": {(1, 2)}},
    ),
    (
        "a new shard writes an expression in other words",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, g INT AS (id + 1) STORED);INSERT INTO A.a1 (id) VALUES (1);"
        "CREATE TABLE A.a2 (id INT PRIMARY KEY, g INT AS (1+a2.`id`) STORED);INSERT INTO A.a2 (id) VALUES (11)",
        "",
        {"T.m": {(1, 2), (11, 12)}},
    ),
    (
        "a new shard has labels in other letters",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, e ENUM('new','old'));INSERT INTO A.a1 VALUES (1, 'new');"
        "CREATE TABLE A.a2 (id INT PRIMARY KEY, e ENUM('New','Old'));INSERT INTO A.a2 VALUES (11, 'New')",
        "code=36190",
        {"T.m": {(1, "new")}},
    ),
    (
        "a new shard has numbers where the first one has labels",
        MERGED,
        "CREATE TABLE A.a1 (id INT PRIMARY KEY, e ENUM('5','1'));INSERT INTO A.a1 VALUES (1, '1');"
        "CREATE TABLE A.a2 (id INT PRIMARY KEY, e INT);INSERT INTO A.a2 VALUES (11, 1)",
        "code=36190",
        {"T.m": {(1, "1")}},
    ),
    (
        "the target has fewer digits of seconds",
        {"target": "CREATE DATABASE A;CREATE TABLE A.t (id INT PRIMARY KEY, d DATETIME(2))"},
        "CREATE TABLE IF NOT EXISTS A.t (id INT PRIMARY KEY, d DATETIME(3));INSERT INTO A.t VALUES (1, NOW(3))",
        "code=36190",
        {"A.t": set()},
    ),
    (
        "expressions name the table that has another name in the target",
        ELSEWHERE,
        "CREATE TABLE A.a (id INT PRIMARY KEY, CHECK (a.id > 0), g INT AS (A.a.id + a.id) STORED);"
        "INSERT INTO A.a (id) VALUES (1)",
        "",
        {"T.x": {(1, 2)}},
    ),
    (
        "a table that another source may have, too, is emptied",
        {
            "sources": 2,
            "before": "CREATE TABLE A.t (id INT PRIMARY KEY)",
            "target": "CREATE DATABASE A;CREATE TABLE A.t (id INT PRIMARY KEY);INSERT INTO A.t VALUES (100)",
        },
        "TRUNCATE A.t",
        PAUSES,
        {"A.t": {(100,)}},
    ),
    (
        "two tables of one name whose foreign keys have no names get other names in one schema",
        {"routes": [_route(one, name, "T", name + one.lower()) for one in "AB" for name in "cp"]},
        "".join(
            f"CREATE TABLE {one}.p (id INT PRIMARY KEY);INSERT INTO {one}.p VALUES (1);"
            f"CREATE TABLE {one}.c (a INT PRIMARY KEY, b INT, FOREIGN KEY f{one}1 (b) REFERENCES {one}.p (id),"
            f" FOREIGN KEY (a) REFERENCES {one}.p (id));ALTER TABLE {one}.c ADD d INT, ADD FOREIGN KEY f{one}2 (d)"
            f" REFERENCES {one}.p (id), ADD e INT, ADD FOREIGN KEY (e) REFERENCES {one}.p (id);"
            f"INSERT INTO {one}.c VALUES (1, 1, 1, NULL);"
            for one in "AB"
        ),
        "",
        {"T.ca": {(1, 1, 1, None)}, "T.cb": {(1, 1, 1, None)}},
    ),
]


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replication]:
    started = Replication(tmp_path_factory.mktemp("merged") / "log")
    yield started
    started.close()


def _named(value: Any, prefix: str) -> Any:
    """With schemas of the case's own for A, B and T."""
    if isinstance(value, str):
        return re.sub(r"(?<![\w'.])([ABT])(?=\.|;|$)", lambda match: prefix + match[1].lower(), value)
    if isinstance(value, dict):
        return {key: _named(one, prefix) for key, one in value.items()}
    return [_named(one, prefix) for one in value] if isinstance(value, list) else value


@pytest.mark.crossed("pair")
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("case", CASES, ids=[case[0].replace(" ", "_") for case in CASES])
def test_what_a_statement_about_one_table_leaves(
    case: tuple[str, dict[str, Any], str, str, dict[str, Rows | None]],
    pair: str,
    mariadb: RunningServer,
    mariadb2: RunningServer,
    mysql: RunningServer,
    tidb: RunningServer,
    replication: Replication,
) -> None:
    _, task, text, words, expected = case
    prefix = f"mwl{CASES.index(case)}{PAIRS.index(pair)}"
    there = tidb if pair.endswith("tidb") else mariadb2
    here = mysql if pair.startswith("mysql") and "OR REPLACE" not in text else mariadb  # which MySQL does not have

    def statements(sql: str) -> list[str]:
        return [one for one in _named(sql, prefix).split(";") if one.strip()]

    run_sql(here, [f"CREATE DATABASE {prefix}{one}" for one in "ab"] + statements(task.get("before", "")), "")
    run_sql(there, statements(task.get("target", "")), "")
    config = SubtaskConfig.model_validate(
        {
            "task_name": prefix,
            "source_id": "merged",
            "task_mode": TaskMode.INCREMENTAL,
            "upstream": ConnectionConfig(host=here.host, port=here.port, user="root"),
            "target": ConnectionConfig(host=there.host, port=there.port, user="root"),
            "meta_schema": f"{prefix}_meta",
            "routes": _named(task.get("routes", []), prefix),
            "block_allow_list": _named(task.get("allow", {"do-dbs": ["A", "B"]}), prefix),
            "shard_mode": task.get("mode", ""),
            "source_count": task.get("sources", 1),
        }
    )
    replication.start(config)
    run_sql(here, statements(text), f"{prefix}b")
    pause = replication.until(present_position(here))
    replication.stop()
    assert (pause is not None) == bool(words), pause
    assert words in (pause.text if pause is not None else "")
    with connected(there) as end:
        for table, rows in expected.items():
            schema, name = _named(table, prefix).split(".")
            found = end.query(
                f"SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{schema}' AND TABLE_NAME = '{name}'"
            )
            assert bool(found) == (rows is not None), table
            assert rows is None or set(end.query(f"SELECT * FROM {schema}.{name}")) == rows


@pytest.mark.parametrize(("theirs", "words"), [("A.t", "code=36105"), ("A.u", "")])
def test_another_source_counts_by_the_tables_that_it_has(
    theirs: str, words: str, mariadb: RunningServer, mariadb2: RunningServer, replication: Replication
) -> None:
    """Its rules alone would let it have any; before it has come to replication they count."""
    prefix = f"mwo{theirs[-1]}"
    a, b = f"{prefix}a", f"{prefix}b"
    table = _named(theirs, prefix).split(".")[1]
    run_sql(
        mariadb, [f"CREATE DATABASE {a}", f"CREATE DATABASE {b}", f"CREATE TABLE {b}.{table} (id INT PRIMARY KEY)"], ""
    )
    routes, lists = {"one": [], "two": [_route(b, "", a)]}, {"one": {"do-dbs": [a]}, "two": {"do-dbs": [b]}}
    pauses = []
    for source, other in (("one", "two"), ("two", "one"), ("one", "two")):
        config = SubtaskConfig.model_validate(
            {
                "task_name": prefix,
                "source_id": source,
                "task_mode": TaskMode.INCREMENTAL,
                "upstream": ConnectionConfig(host=mariadb.host, port=mariadb.port, user="root"),
                "target": ConnectionConfig(host=mariadb2.host, port=mariadb2.port, user="root"),
                "meta_schema": f"{prefix}_meta",
                "routes": routes[source],
                "block_allow_list": lists[source],
                "source_count": 2,
                "other_sources": [{"source-id": other, "routes": routes[other], "block-allow-list": lists[other]}],
            }
        )
        replication.start(config)
        if not pauses:
            run_sql(mariadb, ["CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)", "TRUNCATE t"], a)
        pause = replication.until(present_position(mariadb))
        replication.stop()
        pauses.append(pause.text if pause is not None else "")
    assert "code=36105" in pauses[0]
    assert not pauses[1]
    assert words in pauses[2]
    assert bool(words) == bool(pauses[2])
