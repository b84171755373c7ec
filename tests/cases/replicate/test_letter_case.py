"""Names of databases and tables where a server's ``lower_case_table_names`` is not 0.

It is 1 here. A server refuses 2 on a file system that tells names by case: MySQL does not start, MariaDB takes 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases.replicate.arena import Pair, new_schema, run_sql, subtask
from tests.cases.replicate.comparing import connected, contents, indexes, structures
from tests.cases.replicate.replication import Pause, Replication, present_position
from tests.servers import RunningServer

SMALL = ["--lower-case-table-names=1"]
SCHEMA = "letters"
Factory = Callable[..., RunningServer]


def replicated(pair: Pair, log: Path, before: Sequence[str], written: Sequence[str]) -> Pause | None:
    """``before`` runs on both sides, ``written`` upstream while a task replicates; how it paused."""
    for server in (pair.upstream, pair.target):
        new_schema(server, SCHEMA, "utf8mb4_general_ci")
        run_sql(server, before, SCHEMA)
    replication = Replication(log)
    try:
        replication.start(subtask(pair, "case", [SCHEMA]))
        run_sql(pair.upstream, written, SCHEMA)
        pause = replication.until(present_position(pair.upstream))
        replication.stop()
    finally:
        replication.close()
    return pause


def assert_same(pair: Pair) -> None:
    with connected(pair.upstream) as here, connected(pair.target) as there:
        ours, theirs = structures(here, f"{SCHEMA}%"), structures(there, f"{SCHEMA}%")
        assert set(ours) == set(theirs)
        assert indexes(here, f"{SCHEMA}%") == indexes(there, f"{SCHEMA}%")
        for table, columns in ours.items():
            assert [one.name for one in columns] == [one.name for one in theirs[table]]
            assert contents(there, table, columns) == contents(here, table, columns)


@pytest.mark.crossed("target", "options")
@pytest.mark.parametrize(("target", "options"), [("mariadb", []), ("mariadb", SMALL), ("tidb", [])])
def test_an_upstream_that_takes_names_in_small_letters(
    target: str, options: list[str], server_factory: Factory, tmp_path: Path
) -> None:
    pair = Pair(server_factory("mariadb", options=SMALL), server_factory(target, options=options))
    before = [
        "CREATE TABLE tt (id INT PRIMARY KEY, a INT, b INT)",
        "CREATE TABLE äö (id INT PRIMARY KEY, a INT, b INT)",
        "INSERT INTO tt VALUES (1, 1, 2)",
    ]
    written = [
        "INSERT INTO TT VALUES (2, 1, 2)",
        "ALTER TABLE TT MODIFY b INT AFTER id",
        "INSERT INTO tt VALUES (3, 10, 20)",
        f"ALTER TABLE {SCHEMA.upper()}.äÖ MODIFY B INT AFTER ID, ADD KEY Kk (A)",
        "INSERT INTO äö VALUES (3, 10, 20)",
        "ALTER TABLE Äö DROP KEY kK, ADD COLUMN `Üx` INT, ADD COLUMN `ix` INT",
        "ALTER TABLE Äö DROP COLUMN `üX`, CHANGE IX `İy` INT",
        "UPDATE äö SET `İy` = 4",
        "CREATE TABLE P (id INT PRIMARY KEY)",
        "CREATE TABLE C (id INT PRIMARY KEY, p INT, KEY p (p), CONSTRAINT f FOREIGN KEY (p) REFERENCES P (id))",
        "RENAME TABLE P TO Q",
        "ALTER TABLE Q ADD v INT FIRST",
        "INSERT INTO q VALUES (7, 1)",
        "INSERT INTO c VALUES (1, 1)",
        f"CREATE DATABASE {SCHEMA}_X",
        f"RENAME TABLE Q TO {SCHEMA}_x.R",
        f"CREATE TABLE {SCHEMA}_X.İS LIKE Tt",
        f"INSERT INTO {SCHEMA}_x.İs SELECT * FROM tT",
        f"INSERT INTO {SCHEMA}_x.r VALUES (8, 2)",
        "DROP TABLE C",
    ]
    assert replicated(pair, tmp_path / "log", before, written) is None
    assert_same(pair)


@pytest.mark.parametrize(("upstream", "target", "options"), [("mysql", "tidb", []), ("mariadb", "mariadb", SMALL)])
def test_what_a_target_without_case_would_take_for_another_table(
    upstream: str, target: str, options: list[str], server_factory: Factory, tmp_path: Path
) -> None:
    pair = Pair(server_factory(upstream), server_factory(target, options=options))
    before = ["CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)"]
    written = [
        "INSERT INTO t VALUES (2)",
        "DROP TABLE IF EXISTS T",
        f"DROP DATABASE IF EXISTS {SCHEMA.upper()}",
        "RENAME TABLE t TO T",
        "INSERT INTO T VALUES (3)",
        "ALTER TABLE T ADD v INT",
        "RENAME TABLE T TO t",
        "UPDATE t SET v = 4",
        "CREATE TABLE T (id INT)",
    ]
    pause = replicated(pair, tmp_path / "log", before, written)
    assert pause is not None
    assert "code=36125" in pause.text
    assert f"`{SCHEMA}`.`t` and `{SCHEMA}`.`T` of the upstream lead to `{SCHEMA}`.`T`" in pause.text
    with connected(pair.target) as there:
        assert there.query(f"SELECT id, v FROM {SCHEMA}.t ORDER BY id") == [(1, 4), (2, 4), (3, 4)]


def test_a_task_does_not_start_where_two_tables_would_become_one(
    server_factory: Factory, tidb: RunningServer, tmp_path: Path
) -> None:
    pair = Pair(server_factory("mariadb"), tidb)
    new_schema(pair.upstream, "colliding")
    run_sql(pair.upstream, ["CREATE TABLE a (id INT PRIMARY KEY)", "CREATE TABLE A (id INT PRIMARY KEY)"], "colliding")
    replication = Replication(tmp_path / "log")
    try:
        replication.start(subtask(pair, "colliding_task", ["colliding"]))
        pause = replication.until(present_position(pair.upstream))
    finally:
        replication.close()
    assert pause is not None
    assert "code=36125" in pause.text
