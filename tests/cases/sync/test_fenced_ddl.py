"""A run that was frozen, or held, before its next statement: once another one has taken over, it changes nothing.

The first one's source is taken over while it stands; it goes on afterwards.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import ALL_POINTS, Run
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")


@pytest.fixture(params=["mariadb", "tidb", "mysql"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer) -> Pair:
    name = "mariadb2" if request.param == "mariadb" else request.param
    target: RunningServer = request.getfixturevalue(name)
    return made(f"fenced_{request.param}_{abs(hash(request.node.name)) % 10**6}", mariadb, target)


@contextlib.contextmanager
def read_by_somebody(pair: Pair, table: str) -> Iterator[None]:
    """A transaction that has read the table: DDL waits for its end."""
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"SELECT * FROM {table}")
        cursor.fetchall()
        yield
        cursor.execute("COMMIT")


def executes(pair: Pair, word: str) -> list[Any]:
    with cursor_on(pair.target) as cursor:
        cursor.execute("SELECT id, info FROM information_schema.processlist WHERE info IS NOT NULL")
        return [
            row for row in cursor.fetchall() if word in row[1] and pair.name in row[1] and "processlist" not in row[1]
        ]


def in_step(pair: Pair, config: Any, folder: Path, armed: str = "") -> Run:
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it has a checkpoint")
    run = Run(config, folder, 1, armed)
    pair.on(("INSERT INTO log VALUES (5, 'mark')",), pair.upstream)
    until(pair.is_equal, "the mark arrives")
    return run


def test_frozen_between_the_tables_of_a_drop(pair: Pair, tmp_path: Path) -> None:
    """`DROP TABLE first, second` waits for a lock on the first; the second is made anew meanwhile."""
    pair.both("CREATE TABLE first (id INT PRIMARY KEY)", "CREATE TABLE second (id INT PRIMARY KEY)")
    config = pair.config()
    frozen = in_step(pair, config, tmp_path)
    with read_by_somebody(pair, "first"):
        pair.on(("DROP TABLE first, second",), pair.upstream)
        until(lambda: bool(executes(pair, "DROP TABLE")), "the drop waits")
        os.kill(frozen.process.pid, signal.SIGSTOP)
    later = Run(config, tmp_path, 2)
    pair.on(("CREATE TABLE second (id INT PRIMARY KEY, n INT)", "INSERT INTO second VALUES (1, 1)"), pair.upstream)
    until(lambda: rows(pair, "second") == [(1, 1)], "the new table arrives")
    os.kill(frozen.process.pid, signal.SIGCONT)
    until(lambda: frozen.process.poll() is not None, "the first one ends")
    pair.on(("INSERT INTO second VALUES (2, 2)",), pair.upstream)
    until(lambda: rows(pair, "second") == [(1, 1), (2, 2)], "the table is there")
    for run in (frozen, later):
        run.end()


def test_held_before_a_truncate(pair: Pair, tmp_path: Path) -> None:
    config, hold = pair.config(), tmp_path / "hold"
    hold.touch()
    held = in_step(pair, config, tmp_path, f"syncer.ddl_marked=hold:{hold}")
    pair.on(("TRUNCATE TABLE log",), pair.upstream)
    until(lambda: is_marked(pair), "the statement is marked")
    later = Run(config, tmp_path, 2)
    pair.on(("INSERT INTO log VALUES (7, 'new')",), pair.upstream)
    until(pair.is_equal, "the later one goes on")
    hold.unlink()
    until(lambda: held.process.poll() is not None, "the first one ends")
    time.sleep(0.5)  # whatever it has begun
    assert pair.is_equal()
    for run in (held, later):
        run.end()


@pytest.mark.parametrize("point", [one for one in ALL_POINTS if one.startswith("syncer.")])
def test_held_while_another_run_goes_on(pair: Pair, tmp_path: Path, point: str) -> None:
    """With its transaction open, in one case, so that the other one meets its locks."""
    config, hold = pair.config(), tmp_path / "hold"
    hold.touch()
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it has a checkpoint")
    held = Run(config, tmp_path, 1, f"{point}=hold:{hold}")
    pair.on(("INSERT INTO log VALUES (5, 'x'), (5, 'x')", "UPDATE counter SET n = n + 1"), pair.upstream)
    pair.on(("ALTER TABLE counter ADD COLUMN m INT", "UPDATE counter SET m = 1 WHERE id = 1"), pair.upstream)
    until(lambda: point in hold.read_text(), "it comes to the point")
    later = Run(config, tmp_path, 2)
    pair.on(("UPDATE counter SET n = n + 1", "INSERT INTO log VALUES (7, 'new')"), pair.upstream)
    until(pair.is_equal, "the later one goes on")
    pair.on(("ALTER TABLE counter DROP COLUMN m", "DELETE FROM log WHERE a = 5"), pair.upstream)
    until(lambda: pair.is_equal() and len(rows(pair, "counter")[0]) == 3, "it goes on")
    hold.unlink()
    until(lambda: held.process.poll() is not None, "the first one ends")
    assert pair.is_equal()
    for run in (held, later):
        run.end()


@pytest.mark.parametrize("point", [one for one in ALL_POINTS if one.startswith("shard.")])
def test_held_in_a_shard_ddl(pair: Pair, tmp_path: Path, point: str) -> None:
    hold = tmp_path / "hold"
    shards = tuple(f"CREATE TABLE t{number} (id INT PRIMARY KEY)" for number in (1, 2))
    pair.on(shards, pair.upstream)
    pair.on(("CREATE TABLE merged (id INT PRIMARY KEY)",), pair.target)
    route = {"schema-pattern": pair.name, "table-pattern": "t*", "target-schema": pair.name, "target-table": "merged"}
    config = pair.config(routes=[route], shard_mode="pessimistic")
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it has a checkpoint")
    hold.touch()
    held = Run(config, tmp_path, 1, f"{point}=hold:{hold}")
    for number in (1, 2):
        row = f"INSERT INTO t{number} VALUES ({number}, {number})"
        pair.on((f"ALTER TABLE t{number} ADD COLUMN n INT", row), pair.upstream)
    until(lambda: point in hold.read_text(), "it comes to the point")
    later = Run(config, tmp_path, 2)
    until(lambda: rows(pair, "merged") == [(1, 1), (2, 2)], "the later one goes on")
    pair.on(("ALTER TABLE t1 DROP COLUMN n", "ALTER TABLE t2 DROP COLUMN n", "DELETE FROM t2"), pair.upstream)
    until(lambda: rows(pair, "merged") == [(1,)], "it goes on")
    hold.unlink()
    until(lambda: held.process.poll() is not None, "the first one ends")
    assert rows(pair, "merged") == [(1,)]
    for run in (held, later):
        run.end()


def is_marked(pair: Pair) -> bool:
    with cursor_on(pair.target) as cursor:
        cursor.execute(f"SELECT ddl_location FROM {pair.name}_meta.{pair.name}_sparkdm_checkpoint")
        return bool(cursor.fetchone()[0].startswith("("))


def rows(pair: Pair, table: str) -> list[Any]:
    with cursor_on(pair.target, pair.name) as cursor:
        with contextlib.suppress(pymysql.err.ProgrammingError):  # it is dropped, and not made yet
            cursor.execute(f"SELECT * FROM {table}")
            return sorted(cursor.fetchall())
        return []
