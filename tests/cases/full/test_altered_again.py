"""A table that is altered while it is copied without a lock starts again alone; the rest of the copy stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from dm_worker.dumper.source_tables import ListedTable, SourceTable, list_tables, read_structures
from dm_worker.dumper.start_location import StartLocation
from dm_worker.loader.altered import TABLE_ALTERED
from pkg.adapters.mysql.connection import connect
from pkg.adapters.mysql.dialect import Server
from pkg.task.blocks import DumpConfig, LoadConfig
from tests.cases.full.migration import contents, execute, outcome, query, start, subtask
from tests.cases.full.one_chunk import options
from tests.cases.full.test_altered import Copying, copying, has_copied, is_equal
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import Run, points_of, until
from tests.servers import RunningServer

POINTS = points_of("tests/cases/full/test_altered_again.py")


@contextmanager
def held(
    source: RunningServer, target: RunningServer, schema: str, folder: Path, also: str = ""
) -> Iterator[tuple[Copying, Path]]:
    """A copy that stands still with 19 of its 56 chunks done, 3 of ``t``'s 40 among them, until a file is gone."""
    gate = folder / "gate"
    gate.touch()
    with copying(source, target, schema, folder, f"loader.before_commit@20=hold:{gate},{also}") as task:
        try:
            yield task, gate
        finally:
            gate.unlink(missing_ok=True)


ALTERED: dict[str, tuple[str, ...]] = {
    "renamed": (
        "UPDATE t SET a = 7 WHERE id < 100",
        "ALTER TABLE t RENAME COLUMN a TO z",
        "UPDATE t SET z = -id WHERE id % 3 = 0",
        "DELETE FROM t WHERE id % 50 = 1",
    ),
    "larger": (
        "ALTER TABLE t MODIFY a BIGINT",
        "UPDATE t SET a = 5000000000 + id WHERE id % 2 = 0",
        "INSERT INTO t (id, a) VALUES (7777, -6000000000)",
    ),
    "other_key": (
        "UPDATE t SET c = -id",
        "ALTER TABLE t MODIFY c INT NOT NULL, DROP PRIMARY KEY, ADD UNIQUE KEY (c)",
        "UPDATE t SET c = 100000 + id WHERE id % 7 = 0",
        "DELETE FROM t WHERE id % 50 = 1",
        "INSERT INTO t (id, c) VALUES (1, 5), (1, 6)",
    ),
    "no_key": (
        "ALTER TABLE t DROP PRIMARY KEY",
        "INSERT INTO t (id, a) SELECT id, a FROM t WHERE id < 20",
        "DELETE FROM t WHERE id % 50 = 1",
    ),
    "online": (
        "CREATE TABLE _t_gho LIKE t",
        "ALTER TABLE _t_gho RENAME COLUMN a TO z, ADD COLUMN d INT",
        "UPDATE t SET a = 7 WHERE id < 100",
        "INSERT INTO _t_gho (id, z, b, c) SELECT id, a, b, c FROM t",
        "RENAME TABLE t TO _t_del, _t_gho TO t",
        "UPDATE t SET d = id WHERE id % 3 = 0",
        "DROP TABLE _t_del",
        "DELETE FROM t WHERE id % 50 = 1",
    ),
    "twice": (
        "ALTER TABLE t RENAME COLUMN a TO z",
        "TRUNCATE TABLE t",
        "INSERT INTO t (id, z) VALUES (1, 1), (2, 2)",
        "ALTER TABLE t RENAME COLUMN z TO y, ADD INDEX (y)",
        "INSERT INTO t (id, y) SELECT id + 10, a FROM u",
    ),
}


@pytest.mark.parametrize(
    ("what", "pair"),
    [
        ("renamed", "mariadb-tidb"),
        ("renamed", "mysql-mariadb"),
        ("larger", "mysql-mariadb"),
        ("larger", "mariadb-tidb"),
        ("other_key", "mariadb-tidb"),
        ("no_key", "mysql-mariadb"),
        ("online", "mysql-mariadb"),
        ("twice", "mysql-mariadb"),
    ],
)
def test_the_table_starts_again(request: pytest.FixtureRequest, tmp_path: Path, what: str, pair: str) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    with held(source, target, f"again_{what}_{pair[:2]}", tmp_path) as (task, gate):
        task.ddl(*ALTERED[what])
        gate.unlink()
        task.becomes_equal("t", "u", "fresh_t")
        task.ddl("ALTER TABLE t ADD COLUMN last INT DEFAULT 3", "UPDATE t SET last = id")
        task.becomes_equal("u", "t", "fresh_t")
        assert query(target, f"SELECT COUNT(*) FROM {task.schema}_meta.{task.schema}_sparkdm_again") == [(1,)]


def test_it_dies_on_every_line(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    points = ["again.planned", "again.begun", "again.dropped", "again.created", "again.made"]
    assert sorted(points) == sorted(POINTS)
    with held(mariadb, tidb, "again_dying", tmp_path, f"{points[0]}=kill") as (task, gate):
        task.ddl("ALTER TABLE t RENAME COLUMN a TO z, ADD INDEX (z)", "UPDATE t SET z = -id WHERE id % 3 = 0")
        gate.unlink()
        for number, point in enumerate(points, start=1):
            task.run.dies()
            assert task.run.process.returncode == -9, (point, Path(task.run.log.name).read_text()[-3000:])
            task.run.end()
            task.ddl(f"DELETE FROM t WHERE id % 20 = {number}", f"UPDATE t SET c = {number} WHERE id % 11 = {number}")
            following = points[number] if number < len(points) else "nothing"
            task.run = Run(task.config, tmp_path, number + 1, f"{following}=kill")
        task.becomes_equal("t", "u", "fresh_t")


SPOILT: dict[str, tuple[str, str]] = {
    "by_hand": ("ALTER TABLE {}.t ADD INDEX (c)", "was changed since this task created it"),
    "merged": (
        "INSERT INTO {0}_meta.{0}_sparkdm_chunk (source_id, chunk_id, schema_name, table_name, target_schema, "
        "target_table, epoch, done) VALUES ('other', 0, 's', 't2', '{0}', 't', 1, 1)",
        "s.t2 of source other goes to its target",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_table_that_is_not_its_own_is_told_and_can_be_as_it_was(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, how: str
) -> None:
    with held(mariadb, tidb, f"again_{how}", tmp_path) as (task, gate):
        sql, reason = SPOILT[how]
        execute(tidb, sql.format(task.schema))
        task.ddl("ALTER TABLE t RENAME COLUMN a TO z")
        gate.unlink()
        log = task.fails_with(TABLE_ALTERED.code)
        assert "columns that are gone: a; new columns: z" in log
        assert reason in log
        task.ddl("ALTER TABLE t RENAME COLUMN z TO a")
        task.run.end()
        task.run = Run(task.config, tmp_path, 2)
        task.becomes_equal("t", "u", "fresh_t")


def test_what_comes_behind_its_rows_comes_as_it_is_now(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    schema, gate = "again_later", tmp_path / "gate"
    gate.touch()
    fresh(
        mysql, mariadb, schema, "CREATE TABLE p (id INT PRIMARY KEY)", "INSERT INTO p VALUES (1), (2)",
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT, p INT, KEY by_a (a), KEY by_p (p), "
        "CONSTRAINT parent FOREIGN KEY (p) REFERENCES p (id))",
        f"INSERT INTO t SELECT n, n, 1 FROM ({THOUSAND}) t", "ALTER TABLE t AUTO_INCREMENT = 5000", "ANALYZE TABLE t",
    )  # fmt: skip
    config = subtask(mysql, mariadb, schema, dump=DumpConfig(rows=50, threads=2), load=LoadConfig(indexes="after"))
    process = start(config, crashpoints=f"loader.before_commit@3=hold:{gate}")
    try:
        meta = (
            f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{schema}_meta' AND table_name LIKE '%chunk'"
        )
        until(lambda: query(mariadb, meta) and has_copied(mariadb, schema))
        execute(
            mysql,
            "ALTER TABLE t RENAME COLUMN a TO z, RENAME COLUMN p TO q, RENAME INDEX by_p TO by_q",
            database=schema,
        )
    finally:
        gate.unlink()
        ended = outcome(process)
    assert ended["exit"] == 0, ended["log"]
    assert ended["finishedRows"] == 1002
    assert contents(mysql, schema, "t") == contents(mariadb, schema, "t")
    made = query(mariadb, f"SHOW CREATE TABLE {schema}.t")[0][1]
    for wanted in (
        "KEY `by_a` (`z`)",
        "KEY `by_q` (`q`)",
        "FOREIGN KEY (`q`) REFERENCES `p` (`id`)",
        "AUTO_INCREMENT=5000",
    ):
        assert wanted in made


def test_a_table_that_is_altered_while_structures_are_read_is_read_again(mariadb: RunningServer) -> None:
    schema = "again_planning"
    execute(mariadb, f"CREATE OR REPLACE DATABASE {schema}", f"CREATE TABLE {schema}.t (id INT PRIMARY KEY, a INT)")
    allowed = subtask(mariadb, mariadb, schema).allow_list()
    with closing(connect(options(mariadb), side="upstream")) as upstream:
        server = Server.probe(upstream)

        def listed() -> list[ListedTable]:
            return list_tables(upstream, allowed)[0]

        def read() -> list[SourceTable]:
            return list(read_structures(upstream, listed()))

        again = StartLocation(lambda: server.fetch_location(upstream), listed, partial(read_structures, upstream))
        start, found = server.fetch_location(upstream), read()
        assert again.settled(start, found) == (start, found)
        execute(mariadb, "ALTER TABLE t RENAME COLUMN a TO z", "CREATE TABLE u (id INT PRIMARY KEY)", database=schema)
        location, now = again.settled(start, found)
        assert location == server.fetch_location(upstream) != start
        assert sorted(one.structure.name for one in now) == ["t", "u"]
        assert now == read()
    execute(mariadb, f"DROP DATABASE {schema}")


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_tables_that_are_altered_each_time_that_structures_are_read(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    """The names of two columns are exchanged again and again: behind the location they would be once too often."""
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema, gate, armed = f"again_often_{pair[:2]}", tmp_path / "gate", tmp_path / "armed"
    columns = "id INT PRIMARY KEY, a INT, b INT"
    fresh(source, target, schema, f"CREATE TABLE t ({columns})", f"INSERT INTO t SELECT n, n, -n FROM ({THOUSAND}) t")
    gate.touch()
    armed.write_text(f"loader.structures_read=hold:{gate}")
    run = Run(subtask(source, target, schema), tmp_path, 1, f"@{armed}")
    try:
        for number in range(7):
            until(partial(is_held, gate), run)
            exchange = "ALTER TABLE t CHANGE a b INT, CHANGE b a INT"
            execute(source, exchange, f"CREATE TABLE u{number} ({columns})", database=schema)
            other = tmp_path / f"gate{number}"
            other.touch()
            armed.write_text(f"loader.structures_read=hold:{other}")
            gate.unlink()
            gate = other
        execute(source, "CREATE TABLE v (id INT PRIMARY KEY)", database=schema)
        gate.unlink()
        until(lambda: has_planned(target, schema) and has_copied(target, schema), run)
        execute(source, "INSERT INTO t VALUES (-1, -1, 1)", database=schema)
        until(lambda: is_equal(source, target, schema, ("t",)), run)
    finally:
        gate.unlink(missing_ok=True)
        run.end()


def is_held(gate: Path) -> bool:
    return "loader.structures_read" in gate.read_text()


def has_planned(target: RunningServer, schema: str) -> bool:
    sql = f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{schema}_meta' AND table_name LIKE '%chunk'"
    return bool(query(target, sql))
