"""A run of a copy that stands still, at any of its points, while another one does all: afterwards it changes nothing.

What the first one would do once it goes on shows in a target that has been changed since, as replication would.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pkg.adapters.meta_tables import RUN_BITS
from pkg.task.blocks import DumpConfig, LoadConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import connection, execute, outcome, query, start, subtask
from tests.cases.full.test_tables import fresh
from tests.cases.load import loading
from tests.cases.sync.pair import until
from tests.cases.sync.test_crashpoints import ALL_POINTS
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

POINTS = [one for one in ALL_POINTS if one.startswith(("loader.", "later.", "views."))]
UPSTREAM = (
    "CREATE TABLE parent (id INT PRIMARY KEY, v INT, KEY v (v))",
    "CREATE TABLE child (id INT PRIMARY KEY, parent INT, CONSTRAINT up FOREIGN KEY (parent) REFERENCES parent (id))",
    "CREATE TABLE tree (id INT PRIMARY KEY, above INT, CONSTRAINT top FOREIGN KEY (above) REFERENCES tree (id))",
    "CREATE TABLE log (a INT)",
    "CREATE VIEW w AS SELECT v FROM parent",
    "CREATE VIEW x AS SELECT id FROM child",
    "INSERT INTO parent VALUES (1, 1), (2, 2)",
    "INSERT INTO child VALUES (1, 1), (2, 2)",
    "INSERT INTO tree VALUES (1, 1)",
    "INSERT INTO log VALUES (1), (1)",
)
SINCE = (
    "DROP VIEW w",
    "DROP VIEW x",
    "DROP TABLE log",
    "ALTER TABLE tree DROP FOREIGN KEY top",
    "ALTER TABLE child DROP FOREIGN KEY up",
    "ALTER TABLE parent DROP INDEX v",
    "DELETE FROM tree",
)


@pytest.fixture(params=["mariadb2", "mysql", "tidb"])
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """While it is there, whoever has come to it stands still."""
    file = tmp_path / "gate"
    file.touch()
    yield file
    file.unlink(missing_ok=True)


def held(config: SubtaskConfig, point: str, gate: Path, also: str = "") -> Any:
    """A run that stands still there."""
    process = start(config, 1, f"{point}=hold:{gate}{also}")
    comes_to(process, gate, point)
    return process


def comes_to(process: Any, gate: Path, point: str) -> None:
    name = point.partition("@")[0]
    until(lambda: process.poll() is not None or name in gate.read_text(), f"it comes to {point}", seconds=60)
    assert process.poll() is None, outcome(process)["log"]


def goes_on_in_vain(process: Any, gate: Path, target: RunningServer, schema: str) -> None:
    """Nothing in the target changes by it."""
    left = objects(target, schema)
    gate.unlink()
    ended = outcome(process, seconds=60)
    assert objects(target, schema) == left, ended["log"]
    assert ended["exit"] == 1, ended["log"]


def does_all(config: SubtaskConfig) -> None:
    """The run of a later binding."""
    ended = outcome(start(config, 2), seconds=60)
    assert ended["exit"] == 0, ended["log"]


def objects(server: RunningServer, schema: str) -> list[tuple[Any, ...]]:
    """Tables and views with their keys and numbers of rows."""
    with connection(server, schema) as link, link.cursor() as cursor:
        cursor.execute("SHOW TABLES")
        names = [row[0] for row in cursor.fetchall()]
        found = []
        for name in names:
            cursor.execute(f"SELECT COUNT(*) FROM {name}")
            rows = cursor.fetchone()[0]
            cursor.execute(f"SHOW CREATE TABLE {name}")
            found.append((name, rows, str(cursor.fetchone()[1]).count("KEY")))
        return found


def full(source: RunningServer, target: RunningServer, schema: str, **settings: Any) -> SubtaskConfig:
    config = subtask(source, target, schema, **settings).model_copy(update={"task_mode": TaskMode.FULL})
    return of_short_transactions(config, target)


def of_short_transactions(config: SubtaskConfig, target: RunningServer) -> SubtaskConfig:
    """TiDB itself ends those that are idle, else after minutes; in other servers their connections are killed."""
    session = {"tidb_idle_transaction_timeout": "1"} if target.kind == "tidb" else {}
    return config.model_copy(update={"target": config.target.model_copy(update={"session": session})})


@pytest.mark.parametrize("point", POINTS)
def test_held_while_another_run_does_all(mariadb: RunningServer, target: RunningServer, gate: Path, point: str) -> None:
    schema = "takeover_" + point.replace(".", "_")
    fresh(mariadb, target, schema, *UPSTREAM)
    config = full(mariadb, target, schema, dump=DumpConfig(consistency="none"), load=LoadConfig(indexes="after"))
    first = held(config, point, gate)
    does_all(config)
    assert len(objects(target, schema)) == 6
    execute(target, *SINCE, database=schema)
    goes_on_in_vain(first, gate, target, schema)
    execute(mariadb, f"DROP DATABASE {schema}")
    execute(target, f"DROP DATABASE {schema}")


def test_frozen_while_an_index_waits_for_a_lock(mariadb: RunningServer, target: RunningServer, gate: Path) -> None:
    """The server goes on with what it has been sent: the other run waits for that, and makes the rest."""
    schema = "takeover_frozen"
    fresh(mariadb, target, schema, *UPSTREAM)
    config = full(mariadb, target, schema, dump=DumpConfig(consistency="none"), load=LoadConfig(indexes="after"))
    first = held(config, "loader.all_copied", gate)
    with connection(target, schema) as reader, reader.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT * FROM parent")
        gate.unlink()
        waits = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'ALTER TABLE%parent%'"
        until(lambda: query(target, waits) == [(1,)], "the index waits")
        os.kill(first.pid, signal.SIGSTOP)
        later = start(config, 2)
        epoch = f"SELECT epoch >> {RUN_BITS} FROM {schema}_meta.{schema}_sparkdm_source"
        until(lambda: query(target, epoch) == [(2,)], "the other one has claimed the source")
        cursor.execute("COMMIT")
    ended = outcome(later, seconds=60)
    assert ended["exit"] == 0, ended["log"]
    execute(target, *SINCE, database=schema)
    left = objects(target, schema)
    os.kill(first.pid, signal.SIGCONT)
    ended = outcome(first, seconds=60)
    assert objects(target, schema) == left, ended["log"]
    execute(mariadb, f"DROP DATABASE {schema}")
    execute(target, f"DROP DATABASE {schema}")


@pytest.mark.parametrize("point", ["snapshot.emptying", "snapshot.emptied"])
def test_held_while_it_empties_tables(mariadb: RunningServer, target: RunningServer, gate: Path, point: str) -> None:
    """Its snapshot was lost, so what was copied goes; meanwhile another run has copied all anew."""
    schema = "takeover_" + point.replace(".", "_")
    fresh(mariadb, target, schema, *UPSTREAM)
    config = full(mariadb, target, schema, dump=DumpConfig(consistency="flush"))
    assert outcome(start(config, crashpoints="loader.all_copied=kill"))["exit"] == -signal.SIGKILL
    execute(target, f"UPDATE {schema}_meta.{schema}_sparkdm_chunk SET done = 0 WHERE table_name = 'tree'")
    first = held(config, point, gate)
    does_all(config)
    assert [rows for _, rows, _ in objects(target, schema)] == [2, 2, 2, 1, 2, 2]
    goes_on_in_vain(first, gate, target, schema)


@pytest.mark.parametrize("point", [one for one in ALL_POINTS if one.startswith("again.")])
def test_held_while_a_table_starts_again(
    mariadb: RunningServer, target: RunningServer, gate: Path, tmp_path: Path, point: str
) -> None:
    schema, second = "takeover_" + point.replace(".", "_"), tmp_path / "second"
    rows = "INSERT INTO t SELECT seq, seq FROM seq_1_to_500"
    fresh(mariadb, target, schema, "CREATE TABLE t (id INT PRIMARY KEY, a INT)", rows)
    config = full(mariadb, target, schema, dump=DumpConfig(consistency="none", rows=100, threads=1))
    second.touch()
    first = held(config, "loader.before_commit@2", second, f",{point}=hold:{gate}")
    execute(mariadb, "ALTER TABLE t RENAME COLUMN a TO z", database=schema)
    second.unlink()
    comes_to(first, gate, point)
    does_all(config)
    assert objects(target, schema) == [("t", 500, 1)]
    execute(target, "ALTER TABLE t ADD KEY z (z)", "DELETE FROM t WHERE id < 10", database=schema)
    goes_on_in_vain(first, gate, target, schema)


@pytest.mark.parametrize("point", [one for one in ALL_POINTS if one.startswith("files.")])
def test_held_while_files_are_loaded(target: RunningServer, gate: Path, tmp_path: Path, point: str) -> None:
    schema = "takeover_" + point.replace(".", "_")
    loading.fresh(target, schema)
    create = "CREATE TABLE `{}` (`a` int, KEY `k` (`a`));\n"
    files = {f"{schema}-schema-create.sql": f"CREATE DATABASE `{schema}`;\n"}
    for table in ("t", "u"):
        files[f"{schema}.{table}-schema.sql"] = create.format(table)
        files[f"{schema}.{table}.00000.sql"] = f"INSERT INTO `{table}` VALUES\n(1),(1),(2);\n"
    loading.write_dump(tmp_path / "dump", files)
    config = loading.load_task(target, schema, tmp_path / "dump", load={"indexes": "after"})
    config = of_short_transactions(config, target)
    first = held(config, point, gate)
    does_all(config)
    assert objects(target, schema) == [("t", 3, 1), ("u", 3, 1)]
    execute(target, "ALTER TABLE t DROP INDEX k", "DROP TABLE u", "TRUNCATE TABLE t", database=schema)
    goes_on_in_vain(first, gate, target, schema)
