"""Views are made behind the rows, under their routes, with their definers; those that cannot be are told of."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pkg.task.connection import ConnectionConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.load import loading
from tests.cases.sync.test_crashpoints import points_of
from tests.servers import RunningServer

POINTS = points_of("tests/cases/full/test_views.py")
TABLES = (
    "CREATE TABLE a (id INT PRIMARY KEY, v INT, t VARCHAR(20))",
    "CREATE TABLE b (id INT PRIMARY KEY, v INT)",
    "INSERT INTO a VALUES (1, 10, 'eins'), (2, 20, 'zwei'), (3, 30, 'ä''\\\\')",
    "INSERT INTO b VALUES (1, 100), (3, 300)",
)
# By name, so that the order of the names is not the order in which they can be made.
VIEWS = {
    "v_1": "SELECT x.id, z.v FROM v_2 x JOIN b z ON x.id = z.id",
    "v_2": "SELECT a.id, a.v + 1 AS v, t FROM a WHERE t <> 'it''s' OR EXISTS (SELECT 1 FROM b WHERE b.id = a.id)",
    "v_3": "WITH b AS (SELECT id, v FROM a UNION ALL SELECT id, v FROM v_1) SELECT id, SUM(v) AS v FROM b GROUP BY id",
    "v_4": "SELECT COUNT(*) AS n, 'ä\\'x' AS `sä``y` FROM (SELECT v FROM a) d",
}


@pytest.fixture(autouse=True)
def tidy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Other tests that share the servers see no views of these."""
    names = [name for name in ("mariadb", "mariadb2", "mysql", "tidb") if name in request.fixturenames]
    servers = [request.getfixturevalue(name) for name in names]
    yield
    for server in servers:
        for (schema,) in query(server, "SHOW DATABASES LIKE 'view\\_%'"):
            execute(server, f"DROP DATABASE `{schema}`")


@contextmanager
def account(server: RunningServer, name: str, *grants: str) -> Iterator[None]:
    execute(server, f"DROP USER IF EXISTS {name}@'%'", f"CREATE USER {name}@'%'")
    try:
        execute(server, *(f"GRANT {one} TO {name}@'%'" for one in grants))
        yield
    finally:
        execute(server, f"DROP USER {name}@'%'")


def made(server: RunningServer, schema: str) -> set[str]:
    sql = f"SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = '{schema}'"
    return {str(name) for (name,) in query(server, sql)}


def rows(server: RunningServer, schema: str, view: str) -> list[Any]:
    found = query(server, f"SELECT * FROM `{schema}`.`{view}`")
    return sorted(tuple(int(value) if not isinstance(value, str) else value for value in row) for row in found)


def assert_views(source: RunningServer, target: RunningServer, schema: str, there: str | None = None) -> None:
    assert made(target, there or schema) == set(VIEWS)
    for view in VIEWS:
        assert rows(source, schema, view) == rows(target, there or schema, view)


def creating(definer: str = "") -> list[str]:
    """Those that are named come first."""
    return [f"CREATE {definer} VIEW {name} AS {VIEWS[name]}" for name in ("v_2", "v_1", "v_3", "v_4")]


def full(source: RunningServer, target: RunningServer, schema: str, **settings: Any) -> SubtaskConfig:
    config = subtask(source, target, schema, **settings)
    return config.model_copy(update={"task_mode": TaskMode.FULL})


def left_out(ended: dict[str, Any]) -> list[str]:
    lines = [line for line in ended["log"].splitlines() if "full migration summary: " in line]
    return list(json.loads(lines[-1].split("summary: ", 1)[1])["leftOut"])


def test_views_follow_the_routes(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema, there = "view_routed", "view_there"
    whole = {"schema-pattern": schema, "target-schema": there}
    routes = [whole, whole | {"table-pattern": "a", "target-table": "A2"}]
    with account(mariadb, "view_app", f"SELECT ON {schema}.*"):
        fresh(mariadb, tidb, schema, *TABLES, *creating("DEFINER = view_app@'%'"))
        execute(tidb, f"DROP DATABASE IF EXISTS {there}")
        ended = migrate(subtask(mariadb, tidb, schema, routes=routes))
        assert_views(mariadb, tidb, schema, there)
    assert left_out(ended) == []
    assert (
        "view view_there.v_4 has the task's own user as its definer: the target has no account `view_app`@`%`, "
        "its definer" in ended["log"]
    )


def test_mysql_to_tidb(mysql: RunningServer, tidb: RunningServer) -> None:
    schema = "view_plain"
    fresh(mysql, tidb, schema, *TABLES, *creating())
    ended = migrate(full(mysql, tidb, schema))
    assert_views(mysql, tidb, schema)
    assert left_out(ended) == []


def test_definers_options_and_collations_are_kept(mysql: RunningServer, mariadb2: RunningServer) -> None:
    schema = "view_kept"
    rights = f"SELECT ON {schema}.*"
    with account(mysql, "view_app", rights), account(mariadb2, "view_app", rights):
        fresh(
            mysql, mariadb2, schema, *TABLES, *creating("ALGORITHM = TEMPTABLE DEFINER = view_app@'%'"),
            "CREATE SQL SECURITY INVOKER VIEW checked AS SELECT id FROM a WHERE v > 0 WITH LOCAL CHECK OPTION",
            "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
            "CREATE VIEW of_case AS SELECT 'a' = 'A' AS same",
        )  # fmt: skip
        ended = migrate(full(mysql, mariadb2, schema))
    shown = {view: query(mariadb2, f"SHOW CREATE VIEW {view}", schema)[0][1] for view in ("v_2", "checked")}
    assert "ALGORITHM=TEMPTABLE DEFINER=`view_app`@`%` SQL SECURITY DEFINER" in shown["v_2"]
    assert "SQL SECURITY INVOKER" in shown["checked"]
    assert shown["checked"].endswith("WITH LOCAL CHECK OPTION")
    assert rows(mariadb2, schema, "of_case") == [(0,)]
    assert "creating views" in ended["log"]
    assert made(mariadb2, schema) == {*VIEWS, "checked", "of_case"}


def test_what_cannot_be_made_is_left_out_and_told(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema, elsewhere = "view_left", "view_elsewhere"
    fresh(
        mariadb, tidb, schema, *TABLES,
        f"CREATE OR REPLACE DATABASE {elsewhere}", f"CREATE TABLE {elsewhere}.t (id INT)",
        "CREATE TABLE t_1 (id INT PRIMARY KEY)", "CREATE TABLE t_2 (id INT PRIMARY KEY)",
        f"CREATE VIEW far AS SELECT id FROM {elsewhere}.t",
        "CREATE VIEW merged AS SELECT id FROM t_1",
        "CREATE VIEW refused AS SELECT j.x FROM JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) j, a",
        "CREATE VIEW on_refused AS SELECT x FROM refused",
        "CREATE VIEW fine AS SELECT id FROM a",
        "CREATE TABLE dropped (id INT)", "CREATE VIEW broken AS SELECT id FROM dropped", "DROP TABLE dropped",
        "CREATE VIEW kept AS SELECT 1 AS x", "CREATE VIEW hidden AS SELECT 1 AS x",
        "CREATE VIEW on_kept AS SELECT x FROM kept",
    )  # fmt: skip
    execute(tidb, f"CREATE DATABASE {schema}")
    execute(tidb, "CREATE VIEW kept AS SELECT 2 AS x", "CREATE TABLE hidden (x INT)", database=schema)
    route = {"schema-pattern": schema, "table-pattern": "t_*", "target-schema": schema, "target-table": "t"}
    ended = migrate(full(mariadb, tidb, schema, routes=[route]))
    told = dict(one.removeprefix(f"{schema}.").split(" is a ", 1) for one in left_out(ended))
    assert told.pop("refused").startswith("VIEW: the target refuses it: You have an error in your SQL syntax")
    assert told == {
        "far": "VIEW: it names view_elsewhere.t, which the block-allow-list leaves out",
        "merged": "VIEW: it names view_left.t_1, which is merged with others into view_left.t",
        "on_refused": "VIEW: it names view_left.refused, which is left out",
        "broken": "VIEW: it names view_left.dropped, which is not migrated",
        "hidden": "VIEW: there is a table view_left.hidden in the target",
    }
    assert made(tidb, schema) == {"fine", "kept", "on_kept"}
    assert rows(tidb, schema, "on_kept") == [(2,)]
    assert "view view_left.kept is kept as it is: it was in the target already" in ended["log"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_in_between_it_goes_on(mariadb: RunningServer, tidb: RunningServer, point: str) -> None:
    schema = "view_killed"
    fresh(mariadb, tidb, schema, *TABLES, *creating())
    config = full(mariadb, tidb, schema)
    assert outcome(start(config, crashpoints=f"{point}@2=kill"))["exit"] == -signal.SIGKILL
    ended = migrate(config)
    assert_views(mariadb, tidb, schema)
    assert (left_out(ended), "already" in ended["log"]) == ([], False)


def test_rights_that_are_missing_on_both_ends(mariadb: RunningServer, mariadb2: RunningServer) -> None:
    schema = "view_rights"
    config = full(mariadb, mariadb2, schema, user="view_reader")
    target = ConnectionConfig(host=mariadb2.host, port=mariadb2.port, user="view_writer")
    config = config.model_copy(update={"target": target})
    everything = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, CREATE VIEW, SHOW VIEW ON *.*"
    reads = "SELECT, RELOAD, REPLICATION SLAVE, BINLOG MONITOR ON *.*"
    with (
        account(mariadb, "view_app", f"SELECT ON {schema}.*"),
        account(mariadb2, "view_app"),
        account(mariadb, "view_reader", reads),
        account(mariadb2, "view_writer", everything),
    ):
        fresh(mariadb, mariadb2, schema, *TABLES, *creating("DEFINER = view_app@'%'"))
        ended = migrate(config)
        told = left_out(ended)
        assert len(told) == len(VIEWS)
        assert all("the upstream does not show it" in one and "lacks the privilege SHOW VIEW" in one for one in told)
        assert made(mariadb2, schema) == set()
        execute(mariadb, "GRANT SHOW VIEW ON *.* TO view_reader@'%'")
        execute(mariadb2, f"DROP DATABASE {schema}", f"DROP DATABASE {schema}_meta")
        ended = migrate(config)
        assert "the target refuses the definer `view_app`@`%`" in ended["log"]
        assert_views(mariadb, mariadb2, schema)


@pytest.mark.parametrize("is_renamed", [False, True])
def test_views_of_a_dump(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, is_renamed: bool) -> None:
    schema, there = "view_dumped", "view_loaded" if is_renamed else "view_dumped"
    fresh(mariadb, tidb, schema, *TABLES, *creating())
    execute(tidb, f"DROP DATABASE IF EXISTS {there}")
    loading.mydumper(mariadb, schema, tmp_path)
    assert "CREATE TABLE" in (tmp_path / f"{schema}.v_4-schema.sql").read_text()
    (tmp_path / f"{schema}.odd-schema-view.sql").write_text("SELECT 1;\n")
    whole = {"schema-pattern": schema, "target-schema": there}
    routes = [whole, whole | {"table-pattern": "a", "target-table": "A2"}] if is_renamed else []
    ended = migrate(loading.load_task(tidb, schema, tmp_path, routes=routes))
    assert_views(mariadb, tidb, schema, there)
    assert left_out(ended) == ["view_dumped.odd is a VIEW: its file has no CREATE VIEW in UTF-8"]
    tables = query(tidb, f"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{there}' AND "
                         "TABLE_TYPE = 'BASE TABLE'")  # fmt: skip
    assert {name.lower() for (name,) in tables} == ({"a2", "b"} if is_renamed else {"a", "b"})
