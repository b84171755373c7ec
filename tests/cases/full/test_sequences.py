"""Sequences of MariaDB are made before the tables, and go on behind every value that was given."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from dm_worker.loader.sequences import SEQUENCE
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.full.test_views import full, left_out
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("kind")

SEQUENCES = (
    "CREATE SEQUENCE plain",
    "CREATE SEQUENCE up START 10 INCREMENT 5 MAXVALUE 100 NOCACHE",
    "CREATE SEQUENCE down START 5 INCREMENT -3 MINVALUE -9223372036854775807 MAXVALUE 10 CACHE 7",
    "CREATE SEQUENCE unused START 42",
    "CREATE SEQUENCE used_up MAXVALUE 2 NOCACHE",
    *(f"DO NEXTVAL({name})" for name in ("plain", "up", "up", "down", "used_up", "used_up")),
)
TABLE = ("CREATE TABLE t (id BIGINT PRIMARY KEY DEFAULT NEXTVAL(plain), v INT)", "INSERT INTO t (v) VALUES (1), (2)")


@pytest.fixture(autouse=True)
def tidy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Other tests that share the servers see nothing of these."""
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    names = {*request.fixturenames, parameters.get("kind")}
    servers = [request.getfixturevalue(name) for name in ("mariadb", "mariadb2", "mysql", "tidb") if name in names]
    yield
    for server in servers:
        for (schema,) in query(server, "SHOW DATABASES LIKE 'sequences%'"):
            execute(server, f"DROP DATABASE `{schema}`")


def following(server: RunningServer, schema: str, name: str) -> int:
    return int(query(server, f"SELECT NEXTVAL(`{schema}`.`{name}`)")[0][0])


@pytest.mark.parametrize("kind", ["mariadb2", "tidb"])
def test_no_value_comes_twice(mariadb: RunningServer, request: pytest.FixtureRequest, kind: str) -> None:
    target: RunningServer = request.getfixturevalue(kind)
    schema, there = "sequences", "sequences_there"
    fresh(mariadb, target, schema, *SEQUENCES, *TABLE, "CREATE SEQUENCE there_before", "DO NEXTVAL(there_before)")
    execute(target, f"DROP DATABASE IF EXISTS {there}", f"CREATE DATABASE {there}")
    execute(target, "CREATE SEQUENCE there_before START 5000000", database=there)
    config = full(mariadb, target, schema, routes=[{"schema-pattern": schema, "target-schema": there}])
    killed = outcome(start(config, crashpoints="loader.all_copied=kill"))
    assert killed["exit"] == -signal.SIGKILL
    ended = migrate(config)
    assert left_out(ended) == []
    found = {name: following(target, there, name) for name in ("plain", "up", "down", "unused", "there_before")}
    assert found == {"plain": 1001, "up": 20, "down": -16, "unused": 42, "there_before": 5000000}
    with pytest.raises(Exception, match="run out"):
        following(target, there, "used_up")
    if kind == "mariadb2":
        execute(target, "INSERT INTO t (v) VALUES (3)", database=there)
        assert query(target, f"SELECT id FROM {there}.t WHERE v = 3") == [(1002,)]
    else:
        assert "column id has no default in the target" in killed["log"]


def test_a_sequence_under_the_route_of_shards_is_left_out(mariadb: RunningServer, tidb: RunningServer) -> None:
    schema = "sequences_shards"
    fresh(
        mariadb,
        tidb,
        schema,
        "CREATE SEQUENCE t_ids",
        "CREATE TABLE t_1 (id INT PRIMARY KEY)",
        "CREATE SEQUENCE zero INCREMENT 0",
    )
    route = {"schema-pattern": schema, "table-pattern": "t_*", "target-schema": schema, "target-table": "t"}
    ended = migrate(subtask(mariadb, tidb, schema, routes=[route]))
    told = dict(one.removeprefix(f"{schema}.").split(f" is a {SEQUENCE}: ", 1) for one in left_out(ended))
    assert told.pop("zero").endswith("values are conflicting")
    assert told == {"t_ids": f"its route leads to {schema}.t, another name"}


def test_a_target_without_sequences(mariadb: RunningServer, mysql: RunningServer) -> None:
    schema = "sequences_none"
    fresh(mariadb, mysql, schema, *SEQUENCES[:1], *TABLE)
    ended = migrate(subtask(mariadb, mysql, schema))
    assert left_out(ended) == [f"{schema}.plain is a {SEQUENCE}: the target has no sequences"]
    assert "column id has no default in the target" in ended["log"]
