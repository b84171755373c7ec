"""Two shards of one source: statements that do the same, written or named in ways of their own, and that do nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from pkg.task.connection import ConnectionConfig
from pkg.task.stage import ShardMode, TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.replicate.arena import run_sql
from tests.cases.replicate.comparing import connected
from tests.cases.replicate.replication import Replication, present_position
from tests.servers import RunningServer

PAIRS = ("mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mariadb2")
TWO = (
    "CREATE TABLE t1 (id INT PRIMARY KEY, a INT, v VARCHAR(20))",
    "CREATE TABLE t2 (id INT PRIMARY KEY, a INT, v VARCHAR(20))",
    "INSERT INTO t1 VALUES (1, 1, 'a'), (2, 2, 'b')",
    "INSERT INTO t2 VALUES (11, 1, 'a'), (12, 2, 'b')",
)
WITH_PARENT = (
    "CREATE TABLE p (id INT PRIMARY KEY)",
    "INSERT INTO p VALUES (1), (2)",
    "CREATE TABLE t1 (id INT PRIMARY KEY, a INT)",
    "CREATE TABLE t2 (id INT PRIMARY KEY, a INT)",
    "INSERT INTO t1 VALUES (1, 1)",
    "INSERT INTO t2 VALUES (11, 1)",
)


@dataclass(frozen=True)
class Case:
    name: str
    statements: tuple[str, ...]
    upstream: str = "mariadb mysql"
    target: str = "tidb mariadb mariadb2"
    has: tuple[str, ...] = field(default=())  # stands in the target's SHOW CREATE TABLE
    lacks: tuple[str, ...] = field(default=())
    pauses: str = ""  # stands in the error; "": the target comes to have all rows


CASES = [
    Case("the engine that it has", (*TWO, "ALTER TABLE t1 ENGINE=InnoDB", "INSERT INTO t1 VALUES (3, 3, 'c')")),
    Case("a counter", (*TWO, "ALTER TABLE t1 AUTO_INCREMENT=100", "INSERT INTO t1 VALUES (3, 3, 'c')")),
    Case(
        "IF [NOT] EXISTS of what is there or not",
        (
            *TWO,
            "ALTER TABLE t1 ADD COLUMN IF NOT EXISTS a INT, DROP COLUMN IF EXISTS zz",
            "INSERT INTO t1 VALUES (3, 3, 'c')",
            "ALTER TABLE IF EXISTS t77 ADD q INT",
            "DROP INDEX IF EXISTS ix ON t1",
            "INSERT INTO t1 VALUES (4, 3, 'c')",
        ),
        upstream="mariadb",
    ),
    Case(
        "other words",
        (
            *TWO,
            "ALTER TABLE t1 ADD b INT DEFAULT 1, ADD KEY ka (a)",
            "INSERT INTO t1 VALUES (3, 3, 'c', 5)",
            "alter table `t2` add index `ka` (`a`), add column `b` integer null default '1'",
            "INSERT INTO t2 VALUES (13, 3, 'c', 5)",
        ),
        has=("KEY `ka` (`a`)",),
    ),
    Case(
        "foreign keys that the server has named",
        (
            *WITH_PARENT[:2],
            "CREATE TABLE t1 (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))",
            "CREATE TABLE t2 (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))",
            *WITH_PARENT[4:],
            "$DROP1",
            "$DROP2",
            "INSERT INTO t2 VALUES (13, 7)",
        ),
        lacks=("FOREIGN KEY",),
    ),
    Case(
        "foreign keys with names of their own",
        (
            *WITH_PARENT,
            "ALTER TABLE t1 ADD CONSTRAINT f1 FOREIGN KEY (a) REFERENCES p (id)",
            "ALTER TABLE t2 ADD CONSTRAINT f2 FOREIGN KEY (a) REFERENCES p (id)",
            "INSERT INTO t2 VALUES (13, 2)",
            "ALTER TABLE t2 DROP FOREIGN KEY f2, ADD COLUMN b INT",
            "ALTER TABLE t1 ADD COLUMN b INT, DROP FOREIGN KEY f1",
            "INSERT INTO t2 VALUES (14, 7, 7)",
        ),
        lacks=("FOREIGN KEY",),
    ),
    Case(
        "foreign keys that are there",
        (
            *WITH_PARENT,
            "ALTER TABLE t1 ADD CONSTRAINT fk_t1_a FOREIGN KEY (a) REFERENCES p (id)",
            "ALTER TABLE t2 ADD CONSTRAINT fk_t2_a FOREIGN KEY (a) REFERENCES p (id)",
            "INSERT INTO t2 VALUES (13, 2)",
        ),
        has=("FOREIGN KEY (`a`) REFERENCES",),
    ),
    Case(
        "CHECKs that MySQL has named",
        (
            "CREATE TABLE t1 (id INT PRIMARY KEY, a INT, CHECK (a > 0))",
            "CREATE TABLE t2 (id INT PRIMARY KEY, a INT, CHECK (a > 0))",
            *WITH_PARENT[4:],
            "ALTER TABLE t1 DROP CHECK t1_chk_1",
            "ALTER TABLE t2 DROP CHECK t2_chk_1",
            "INSERT INTO t2 VALUES (13, 0)",
        ),
        upstream="mysql",
        lacks=("CHECK",),
    ),
    Case(
        "CHECKs that are named after the shards",
        (
            *WITH_PARENT[2:],
            "ALTER TABLE t1 ADD CONSTRAINT ck_t1_a CHECK (a > 0)",
            "ALTER TABLE t2 ADD CONSTRAINT ck_t2_a CHECK (a > 0)",
            "INSERT INTO t2 VALUES (13, 1)",
            "ALTER TABLE t2 DROP CONSTRAINT ck_t2_a",
            "ALTER TABLE t1 DROP CONSTRAINT ck_t1_a",
            "INSERT INTO t2 VALUES (14, 0)",
        ),
        lacks=("CHECK",),
    ),
    Case(
        "keys that are named after the shards",
        (
            *TWO,
            "ALTER TABLE t1 ADD KEY ix_t1_a (a)",
            "CREATE INDEX ix_t2_a ON t2 (a)",
            "INSERT INTO t2 VALUES (13, 3, 'c')",
            "DROP INDEX ix_t2_a ON t2",
            "ALTER TABLE t1 DROP KEY ix_t1_a",
            "INSERT INTO t1 VALUES (3, 3, 'c')",
        ),
        lacks=("ix_",),
    ),
]


def is_about(case: Case, pair: str) -> bool:
    upstream, target = pair.split("-")
    return upstream in case.upstream.split() and target in case.target.split()


@pytest.mark.crossed("pair")
@pytest.mark.parametrize(
    ("pair", "case"),
    [pytest.param(pair, case, id=f"{pair}-{case.name}") for pair in PAIRS for case in CASES if is_about(case, pair)],
)
def test_two_shards(case: Case, pair: str, request: pytest.FixtureRequest, replication: Replication) -> None:
    play(case, f"mean{CASES.index(case)}", pair, request, replication)


def play(case: Case, name: str, pair: str, request: pytest.FixtureRequest, replication: Replication) -> None:
    upstream, target = pair.split("-")
    above: RunningServer = request.getfixturevalue(upstream)
    below: RunningServer = request.getfixturevalue(target)
    schema = f"{name}{upstream[1]}{target[1]}"
    into = f"{schema}to"
    run_sql(above, [f"CREATE DATABASE {schema}"], "")
    run_sql(below, [f"CREATE DATABASE {into}"], "")
    replication.start(_config(schema, into, above, below))
    try:
        run_sql(above, (_named(above, schema, one) for one in case.statements), schema)
        pause = _wait_alike(replication, above, below, schema, into)
    finally:
        status = replication.stop()
    if case.pauses:
        assert case.pauses in (pause or "it goes on")
        return
    assert pause is None
    assert not status.get("unresolvedGroups")
    assert _rows(below, into, "m") == sorted([*_rows(above, schema, "t1"), *_rows(above, schema, "t2")], key=str)
    with connected(below) as server:
        shown = server.query(f"SHOW CREATE TABLE {into}.m")[0][1]
    assert all(text in shown for text in case.has), shown
    assert not any(text in shown for text in case.lacks), shown


def _named(server: RunningServer, schema: str, statement: str) -> str:
    """``$DROP1``: the foreign key of t1 goes by the name that the server has given it."""
    if not statement.startswith("$DROP"):
        return statement
    table = f"t{statement[-1]}"
    with connected(server) as connection:
        ((name,),) = connection.query(
            "SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS "
            f"WHERE CONSTRAINT_SCHEMA = '{schema}' AND TABLE_NAME = '{table}'"
        )
    return f"ALTER TABLE {table} DROP FOREIGN KEY `{name}`"


def _config(schema: str, into: str, above: RunningServer, below: RunningServer) -> SubtaskConfig:
    return SubtaskConfig.model_validate(
        {
            "task_name": schema,
            "source_id": "src-1",
            "task_mode": TaskMode.INCREMENTAL,
            "upstream": ConnectionConfig(host=above.host, port=above.port, user="root"),
            "target": ConnectionConfig(host=below.host, port=below.port, user="root"),
            "meta_schema": f"{schema}_meta",
            "routes": [
                {"schema-pattern": schema, "table-pattern": "t*", "target-schema": into, "target-table": "m"},
                {"schema-pattern": schema, "target-schema": into},
            ],
            "block_allow_list": {"do-dbs": [schema]},
            "shard_mode": ShardMode.PESSIMISTIC,
            "source_count": 1,
            "sync": {"worker-count": 4, "checkpoint-flush-interval": 1},
        }
    )


def _wait_alike(
    replication: Replication, above: RunningServer, below: RunningServer, schema: str, into: str
) -> str | None:
    """Until the merged table has all rows (None), or for long enough; else why it is paused."""
    deadline = time.monotonic() + 30
    wanted = sorted([*_rows(above, schema, "t1"), *_rows(above, schema, "t2")], key=str)
    while time.monotonic() < deadline:
        pause = replication.until(present_position(above))
        if pause is not None:
            return pause.text
        try:
            if _rows(below, into, "m") == wanted:
                return None
        except Exception:  # not there yet
            pass
        time.sleep(0.1)
    return "the rows differ"


def _rows(server: RunningServer, schema: str, table: str) -> list[Any]:
    with connected(server) as connection:
        found: list[Any] = sorted(connection.query(f"SELECT * FROM {schema}.{table}"), key=str)
    return found
