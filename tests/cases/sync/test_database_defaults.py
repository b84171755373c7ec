"""A table without a character set of its own takes its database's as that was at the statement, not as it is today."""

from __future__ import annotations

import pytest

from pkg.task.stage import TaskMode
from tests.cases.full.migration import migrate
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer

CREATED = (
    "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10), g INT AS (v = 'A') STORED)",
    "CREATE TABLE k (v VARCHAR(10) PRIMARY KEY)",
    "INSERT INTO t (id, v) VALUES (1, 'a'), (2, 'A')",
    "INSERT INTO k VALUES ('a'), ('A')",
)
ROWS = [(1, "a", 0), (2, "A", 1), (3, "a", 0)]


@pytest.fixture(params=["mariadb-mariadb2", "mysql-tidb"])
def pair(request: pytest.FixtureRequest) -> Pair:
    upstream, target = (request.getfixturevalue(name) for name in request.param.split("-"))
    return made(f"database_defaults_{upstream.kind}", upstream, target)


def wait_synced(pair: Pair, name: str, *, mode: TaskMode = TaskMode.INCREMENTAL, also: str = "") -> None:
    """Until the target has the last row of ``name``.t."""
    lists = {"do-dbs": [pair.name, *filter(None, [also])]}
    with running(pair.config(task_mode=mode, block_allow_list=lists)):
        until(lambda: bool(rows(pair.target, name)[2:]), "the last row")


def rows(server: RunningServer, name: str) -> list[tuple[object, ...]]:
    with cursor_on(server) as cursor:
        sql = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = %s AND table_name = 't'"
        cursor.execute(sql, (name,))
        if not cursor.fetchone()[0]:
            return []
        cursor.execute(f"SELECT * FROM {name}.t ORDER BY id")
        return list(cursor.fetchall())


def started(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")


def altered(pair: Pair, name: str) -> tuple[str, ...]:
    return (*CREATED, f"ALTER DATABASE {name} COLLATE utf8mb4_general_ci", "INSERT INTO t (id, v) VALUES (3, 'a')")


def check(pair: Pair, name: str) -> None:
    collation = "SELECT table_name, collation_name FROM information_schema.columns WHERE table_schema = %s AND column_name = 'v'"  # fmt: skip
    assert rows(pair.upstream, name) == rows(pair.target, name) == ROWS
    with cursor_on(pair.target) as cursor:
        cursor.execute(collation, (name,))
        assert dict(cursor.fetchall()) == {"t": "utf8mb4_bin", "k": "utf8mb4_bin"}


def test_of_a_database_that_is_altered_while_nothing_runs(pair: Pair) -> None:
    pair.on((f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin",), pair.upstream)
    started(pair)
    pair.on(altered(pair, pair.name), pair.upstream)
    wait_synced(pair, pair.name)
    check(pair, pair.name)


def test_of_a_database_that_was_altered_in_the_stream(pair: Pair) -> None:
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(
            (f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin", "INSERT INTO counter VALUES (9, 9, '9')"), pair.upstream
        )
        until(pair.is_equal, "the row")
    pair.on(altered(pair, pair.name), pair.upstream)
    wait_synced(pair, pair.name)
    check(pair, pair.name)


def test_of_a_database_that_is_made_while_nothing_runs(pair: Pair) -> None:
    other = f"{pair.name}_other"
    for server in (pair.upstream, pair.target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {other}")
    started(pair)
    made_now = f"CREATE DATABASE IF NOT EXISTS {other} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    pair.on((made_now, f"USE {other}", *altered(pair, other)), pair.upstream)
    wait_synced(pair, other, also=other)
    check(pair, other)


def test_of_a_database_that_is_altered_behind_a_copy(pair: Pair) -> None:
    pair.on((f"ALTER DATABASE {pair.name} COLLATE utf8mb4_bin",), pair.upstream)
    pair.on(("DROP TABLE counter", "DROP TABLE log"), pair.target)
    migrate(pair.config(task_mode=TaskMode.ALL))
    pair.on(altered(pair, pair.name), pair.upstream)
    wait_synced(pair, pair.name, mode=TaskMode.ALL)
    check(pair, pair.name)


def test_of_a_database_without_tables_that_the_target_does_not_have(pair: Pair) -> None:
    other = f"{pair.name}_empty"
    for server in (pair.upstream, pair.target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {other}")
    pair.on((f"CREATE DATABASE {other} CHARACTER SET latin1",), pair.upstream)
    with running(pair.config(block_allow_list={"do-dbs": [pair.name, other]})) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        set_now = f"ALTER DATABASE {other} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        pair.on((set_now, f"USE {other}", *altered(pair, other)), pair.upstream)
        until(lambda: bool(rows(pair.target, other)[2:]), "the last row")
    check(pair, other)
