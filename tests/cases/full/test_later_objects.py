"""Foreign keys and late indexes come when the rows are there, once, whatever dies in between."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from dm_worker.loader.later import ORPHANS
from pkg.task.blocks import LoadConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import (
    assert_same,
    connection,
    contents,
    execute,
    migrate,
    outcome,
    query,
    start,
    subtask,
)
from tests.cases.full.test_interruptions import _await as await_that
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import points_of
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

FAMILY = (
    "CREATE TABLE parent (id INT PRIMARY KEY, code VARCHAR(20) NOT NULL UNIQUE, v INT, KEY v (v))",
    "CREATE TABLE child (id INT PRIMARY KEY, parent INT, code VARCHAR(20), KEY code (code), "
    "CONSTRAINT by_id FOREIGN KEY (parent) REFERENCES parent (id) ON DELETE CASCADE, "
    "CONSTRAINT by_code FOREIGN KEY (code) REFERENCES parent (code) ON UPDATE SET NULL)",
    "CREATE TABLE tree (id INT PRIMARY KEY, above INT, CONSTRAINT up FOREIGN KEY (above) REFERENCES tree (id))",
    # Over its primary key, which serves it; TiDB makes a key for it. The first in order, so that a kill comes behind it.
    "CREATE TABLE asset (id INT PRIMARY KEY, CONSTRAINT whole FOREIGN KEY (id) REFERENCES parent (id))",
    "CREATE TABLE kept (id INT PRIMARY KEY, KEY beside (id), CONSTRAINT beside FOREIGN KEY (id) REFERENCES parent (id))",
    # Two that refer to each other: no order of CREATE TABLE would do.
    "ALTER TABLE parent ADD CONSTRAINT eldest FOREIGN KEY (v) REFERENCES child (id)",
    f"INSERT INTO parent SELECT n, CONCAT('code ', n), NULL FROM ({THOUSAND}) t",
    f"INSERT INTO child SELECT n, n % 100, IF(n % 7, CONCAT('code ', n), NULL) FROM ({THOUSAND}) t",
    f"INSERT INTO tree SELECT n, IF(n, n - 1, NULL) FROM ({THOUSAND}) t ORDER BY n",
    "UPDATE parent SET v = 999 - id",
    "INSERT INTO asset SELECT id FROM parent WHERE id < 10",
    "INSERT INTO kept SELECT id FROM parent WHERE id < 10",
)
TABLES = ["parent", "child", "tree", "asset", "kept"]


POINTS = points_of("tests/cases/full/test_later_objects.py")


@pytest.fixture(autouse=True)
def tidy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Other tests that share the servers see no foreign keys of these."""
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    names = {*request.fixturenames, parameters.get("target")}
    servers = [request.getfixturevalue(name) for name in ("mariadb", "mariadb2", "mysql", "tidb") if name in names]
    yield
    for server in servers:
        for (schema,) in query(server, "SHOW DATABASES LIKE 'later\\_%'"):
            execute(server, f"DROP DATABASE `{schema}`")


@pytest.fixture
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


def keys(server: RunningServer, schema: str) -> set[tuple[Any, ...]]:
    """Foreign keys with their columns and rules."""
    columns = query(
        server,
        "SELECT TABLE_NAME, CONSTRAINT_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION), "
        "CONCAT(REFERENCED_TABLE_SCHEMA, '.', REFERENCED_TABLE_NAME), "
        "GROUP_CONCAT(REFERENCED_COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM information_schema.KEY_COLUMN_USAGE "
        f"WHERE TABLE_SCHEMA = '{schema}' AND REFERENCED_TABLE_NAME IS NOT NULL "
        "GROUP BY TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME",
    )
    return set(columns)


def indexes(server: RunningServer, schema: str) -> set[tuple[Any, ...]]:
    rows = query(
        server,
        "SELECT TABLE_NAME, INDEX_NAME, CAST(MAX(NON_UNIQUE) AS SIGNED), GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX) "
        f"FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '{schema}' GROUP BY TABLE_NAME, INDEX_NAME",
    )
    return set(rows)


def full(source: RunningServer, target: RunningServer, schema: str, **settings: Any) -> SubtaskConfig:
    config = subtask(source, target, schema, **settings)  # of few chunks, so without Spark
    return config.model_copy(update={"task_mode": TaskMode.FULL})


@pytest.mark.parametrize("target", ["mariadb2", "mysql", "tidb"], indirect=True)
def test_keys_and_indexes_are_those_of_the_upstream(mariadb: RunningServer, target: RunningServer) -> None:
    schema = "later_all"
    fresh(mariadb, target, schema, *FAMILY)
    ended = migrate(full(mariadb, target, schema, load=LoadConfig(indexes="after")))
    assert_same(mariadb, target, schema, TABLES)
    assert keys(target, schema) == keys(mariadb, schema)
    assert len(keys(target, schema)) == 6
    assert indexes(target, schema) == indexes(mariadb, schema)
    assert ("not checked" in ended["log"], "left out" in ended["log"]) == (False, False)


@pytest.mark.parametrize("target", ["mysql2", "tidb"], indirect=True)
def test_functional_keys_over_rows_that_they_cut_are_made(mysql: RunningServer, target: RunningServer) -> None:
    schema = "later_functional"
    create = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), KEY n ((CAST(v AS SIGNED))), KEY v (v))"
    fresh(mysql, target, schema, create, "INSERT INTO t VALUES (1, 'abc'), (2, '5x'), (3, '7')")
    migrate(subtask(mysql, target, schema, load=LoadConfig(indexes="after")))
    assert_same(mysql, target, schema, ["t"])
    assert {one[1] for one in indexes(target, schema)} == {"PRIMARY", "n", "v"}


def test_a_lock_free_copy_adds_keys_unchecked(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "later_free"
    fresh(mariadb, tidb, schema, *FAMILY)
    execute(mariadb, "SET foreign_key_checks = 0", "INSERT INTO tree VALUES (5000, 7777)", database=schema)
    ended = migrate(subtask(mariadb, tidb, schema))
    assert keys(tidb, schema) == keys(mariadb, schema)
    assert "foreign keys of later_free.tree are not checked" in ended["log"]


@pytest.mark.parametrize("target", ["mariadb2", "tidb"], indirect=True)
def test_rows_without_a_parent_are_named_and_it_goes_on_when_they_are_gone(
    mariadb: RunningServer, target: RunningServer
) -> None:
    schema = "later_orphans"
    fresh(mariadb, target, schema, *FAMILY)
    execute(mariadb, "SET foreign_key_checks = 0", "INSERT INTO tree VALUES (5000, 7777)", database=schema)
    config = full(mariadb, target, schema)
    ended = outcome(start(config))
    assert (ended["exit"], ended["code"]) == (1, ORPHANS.code), ended["log"]
    assert "later_orphans.tree has rows without a parent in later_orphans.tree" in ended["text"]
    assert "up (above)" in ended["text"]
    assert "(7777)" in ended["text"]
    execute(target, "DELETE FROM tree WHERE id = 5000", database=schema)
    migrate(config)
    assert keys(target, schema) == keys(mariadb, schema)


@pytest.mark.parametrize("point", POINTS)
def test_killed_in_between_it_goes_on(mariadb: RunningServer, tidb: RunningServer, point: str) -> None:
    schema = "later_killed"
    fresh(mariadb, tidb, schema, *FAMILY)
    config = full(mariadb, tidb, schema, load=LoadConfig(indexes="after"))
    assert outcome(start(config, crashpoints=f"{point}=kill"))["exit"] == -signal.SIGKILL
    migrate(config)
    assert_same(mariadb, tidb, schema, TABLES)
    assert keys(tidb, schema) == keys(mariadb, schema)
    assert indexes(tidb, schema) == indexes(mariadb, schema)


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_ended_while_the_target_makes_an_index(mariadb: RunningServer, mariadb2: RunningServer, how: str) -> None:
    """Somebody reads the table, so the server waits with the index."""
    schema = f"later_{how}"
    fresh(mariadb, mariadb2, schema, *FAMILY)
    config = full(mariadb, mariadb2, schema, load=LoadConfig(indexes="after"))
    assert outcome(start(config, crashpoints="loader.all_copied=kill"))["exit"] == -signal.SIGKILL
    with connection(mariadb2, schema) as reader, reader.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT COUNT(*) FROM child")
        process = start(config)
        await_that(lambda: _waiting(mariadb2, schema), 120)
        first = _waiting(mariadb2, schema)
        if how == "stopped":
            assert process.stdin is not None
            process.stdin.write("stop\n")
            process.stdin.flush()
            ended = outcome(process)
            assert (ended["exit"], ended["stopped"], ended["phase"]) == (0, True, "creating indexes")
        else:
            process.kill()
            process.communicate()
        going_on = start(config)
        await_that(lambda: _waiting(mariadb2, schema) - first, 120)
    ended = outcome(going_on)
    assert ended["exit"] == 0, ended["log"]
    assert keys(mariadb2, schema) == keys(mariadb, schema)
    assert indexes(mariadb2, schema) == indexes(mariadb, schema)


def _waiting(server: RunningServer, schema: str) -> set[int]:
    """Connections whose ALTER waits for a table of the schema."""
    sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata lock%'"
    return {int(row[0]) for row in query(server, f"{sql} AND INFO LIKE 'ALTER TABLE `{schema}`%'")}


def test_keys_follow_the_routes(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema, there = "later_routed", "later_there"
    fresh(
        mariadb, tidb, schema,
        "CREATE TABLE p (id INT PRIMARY KEY)",
        "CREATE TABLE shard_1 (id INT PRIMARY KEY)",
        "CREATE TABLE shard_2 (id INT PRIMARY KEY)",
        *(f"CREATE TABLE c_{n} (id INT PRIMARY KEY, p INT, s INT, CONSTRAINT k{n} FOREIGN KEY (p) REFERENCES p (id), "
          f"CONSTRAINT s{n} FOREIGN KEY (s) REFERENCES shard_{n} (id))" for n in (1, 2)),
        "INSERT INTO p VALUES (1)", "INSERT INTO c_1 VALUES (1, 1, NULL)", "INSERT INTO c_2 VALUES (2, 1, NULL)",
    )  # fmt: skip
    execute(tidb, f"DROP DATABASE IF EXISTS {there}")
    whole = {"schema-pattern": schema, "target-schema": there}
    routes = [whole | {"table-pattern": f"{name}_*", "target-table": name} for name in ("shard", "c")] + [
        whole | {"table-pattern": "p", "target-table": "parent"}
    ]
    ended = migrate(full(mariadb, tidb, schema, routes=routes))
    assert keys(tidb, there) == {("c", "k1", "p", f"{there}.parent", "id")}
    assert (
        "foreign key s1 of later_routed.c_1 is left out: later_routed.shard_1, to which it refers, is merged"
        in (ended["log"])
    )
    assert contents(tidb, there, "c").total() == 2


def test_tables_that_two_sources_feed_have_no_keys(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "later_two"
    fresh(mariadb, tidb, schema, *FAMILY[:2])
    first, second = (full(mariadb, tidb, schema, source_id=name) for name in ("one", "two"))
    assert outcome(start(first, crashpoints="loader.plan_stored=kill"))["exit"] == -signal.SIGKILL
    migrate(second)
    ended = migrate(first)
    assert keys(tidb, schema) == set()
    assert "foreign key by_id of later_two.child is left out: source two feeds later_two.child, too" in ended["log"]


def test_a_table_that_was_there_gets_nothing(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "later_there_before"
    fresh(mariadb, tidb, schema, *FAMILY)
    execute(tidb, f"CREATE DATABASE {schema}")
    execute(tidb, "CREATE TABLE tree (id INT PRIMARY KEY, above INT)", database=schema)
    migrate(full(mariadb, tidb, schema, load=LoadConfig(indexes="after")))
    assert {key[0] for key in keys(tidb, schema)} == set(TABLES) - {"tree"}
    assert [name for table, name, *_ in indexes(tidb, schema) if table == "tree"] == ["PRIMARY"]
