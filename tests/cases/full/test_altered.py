"""DDL upstream while tables are copied without a lock, then replicated: nothing is lost, or the task says why it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pymysql
import pytest

from dm_worker.loader.altered import TABLE_ALTERED, Altered
from dm_worker.loader.meta import LoadMeta
from dm_worker.syncer.copied import MOVED_WHILE_COPIED
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import connect
from pkg.adapters.structures import structure_of
from pkg.errors import DMError
from pkg.task.blocks import DumpConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import contents, execute, query, subtask
from tests.cases.full.one_chunk import options
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import Run, until
from tests.servers import RunningServer

SLOWLY = "loader.before_commit=delay:0.2"
OLD = "CREATE TABLE {} (id INT PRIMARY KEY, a INT, b VARCHAR(20) NOT NULL DEFAULT 'x', c INT)"


def is_equal(source: RunningServer, target: RunningServer, schema: str, tables: tuple[str, ...]) -> bool:
    """Whether both have the same tables, and the same rows in some of them."""
    sql = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'"
    names = [sorted(name for (name,) in query(server, sql)) for server in (source, target)]
    if names[0] != names[1]:
        return False
    try:
        here, there = ([contents(server, schema, name) for name in tables] for server in (source, target))
    except pymysql.err.MySQLError:  # a table is just made anew
        return False
    return here == there


MADE = (
    *[OLD.format(table) for table in ("t", "u", "fresh_t")],
    f"INSERT INTO t SELECT n, n, n, n FROM ({THOUSAND}) t",
    *[f"INSERT INTO {table} SELECT id + 5000, a, b, c FROM t WHERE id < 200" for table in ("u", "fresh_t")],
    "ANALYZE TABLE t, u, fresh_t",
)


class Copying:
    """A task whose table ``t`` is half copied; ``u`` follows."""

    def __init__(
        self,
        source: RunningServer,
        target: RunningServer,
        schema: str,
        folder: Path,
        armed: str = SLOWLY,
        made: Sequence[str] = (),
    ) -> None:
        """``made`` are statements that make and fill the tables, among them ``t`` of 1000 rows."""
        self.source, self.target, self.schema = source, target, schema
        fresh(source, target, schema, *(made or MADE))
        self.config: SubtaskConfig = subtask(source, target, schema, dump=DumpConfig(rows=25, threads=2))
        self.folder = folder
        self.run = Run(self.config, folder, 1, armed)
        until(lambda: 2 <= self._done() < 30, self.run)  # of 40 chunks: a slow test has seconds to see it

    def _done(self) -> int:
        chunk = f"{self.schema}_meta.{self.schema}_sparkdm_chunk"
        try:
            return int(query(self.target, f"SELECT COUNT(*) FROM {chunk} WHERE done > 0 AND table_name = 't'")[0][0])
        except pymysql.err.MySQLError:  # it is not there yet
            return 0

    def ddl(self, *statements: str) -> None:
        execute(self.source, *statements, database=self.schema)

    def becomes_equal(self, *tables: str) -> None:
        self.ddl(f"INSERT INTO {tables[0]} (id) VALUES (99999)")  # comes last
        until(lambda: is_equal(self.source, self.target, self.schema, tables), self.run)

    def fails_with(self, code: int) -> str:
        log = self.run.dies()
        assert f"code={code}" in log, log[-3000:]
        return log


@contextmanager
def copying(
    source: RunningServer,
    target: RunningServer,
    schema: str,
    folder: Path,
    armed: str = SLOWLY,
    made: Sequence[str] = (),
) -> Iterator[Copying]:
    task = Copying(source, target, schema, folder, armed, made)
    try:
        yield task
    finally:
        task.run.end()


HARMLESS: dict[str, tuple[str, ...]] = {
    "dropped": ("DROP TABLE t",),
    "made_anew": ("DROP TABLE t", OLD.format("t"), "INSERT INTO t VALUES (1, 1, 'new', 1), (700, 7, 'new', 7)"),
    "emptied": ("TRUNCATE TABLE t", "INSERT INTO t VALUES (1, 1, 'new', 1), (700, 7, 'new', 7)"),
    "wider": ("ALTER TABLE t ADD COLUMN d INT DEFAULT 4 FIRST", "UPDATE t SET d = id WHERE id % 3 = 0"),
    "narrower": ("ALTER TABLE t DROP COLUMN a, DROP COLUMN c", "UPDATE t SET b = 'new' WHERE id % 3 = 0"),
    "other_key": ("ALTER TABLE t ADD INDEX (a), MODIFY b VARCHAR(30) NOT NULL DEFAULT 'y'",),
}


@pytest.mark.parametrize(
    ("what", "pair"),
    [
        ("dropped", "mysql-mariadb"),
        ("made_anew", "mariadb-tidb"),
        ("emptied", "mysql-tidb"),
        ("wider", "mariadb-tidb"),
        ("narrower", "mysql-tidb"),
        ("narrower", "mariadb-mysql"),
        ("other_key", "mariadb-tidb"),
    ],
)
def test_the_copy_goes_on(request: pytest.FixtureRequest, tmp_path: Path, what: str, pair: str) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    with copying(source, target, f"altered_{what}_{pair[:2]}", tmp_path) as task:
        task.ddl(*HARMLESS[what])
        tables = ("u", "fresh_t") if what == "dropped" else ("t", "u", "fresh_t")
        task.becomes_equal(*tables)


LEFT_OUT: dict[str, str] = {
    "no_default": "b DATE NOT NULL",
    "unique": "b INT NOT NULL DEFAULT 0 UNIQUE",
    "part_of_key": "b INT NOT NULL DEFAULT 0, c INT, UNIQUE KEY (c, b)",
}


@pytest.mark.parametrize("what", LEFT_OUT)
@pytest.mark.parametrize("pair", ["mysql-mariadb", "mariadb-tidb"])
def test_a_column_is_dropped_that_rows_cannot_be_without(
    request: pytest.FixtureRequest, tmp_path: Path, what: str, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    values = {"no_default": "'2026-01-01'", "unique": "n", "part_of_key": "n, 5"}[what]
    made = (
        f"CREATE TABLE t (id INT PRIMARY KEY, {LEFT_OUT[what]})",
        f"INSERT INTO t SELECT n, {values} FROM ({THOUSAND}) t",
        "ANALYZE TABLE t",
    )
    gate = tmp_path / "gate"
    gate.touch()
    armed = f"loader.before_commit@20=hold:{gate}"
    with copying(source, target, f"altered_out_{what}_{pair[:2]}", tmp_path, armed, made) as task:
        try:
            task.ddl("ALTER TABLE t " + ("DROP INDEX c, DROP COLUMN b" if what == "part_of_key" else "DROP COLUMN b"))
        finally:
            gate.unlink()
        task.becomes_equal("t")


ROTATION = "RENAME TABLE t TO old_t, fresh_t TO t"
MOVES: dict[str, Callable[[Copying], None]] = {
    "rotated": lambda task: task.ddl(ROTATION),
    "renamed": lambda task: task.ddl("RENAME TABLE t TO old_t"),
    "swapped": lambda task: task.ddl("RENAME TABLE t TO tmp, fresh_t TO t, tmp TO fresh_t"),
}


@pytest.mark.parametrize("what", MOVES)
def test_a_name_that_gets_another_table_is_told(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, what: str
) -> None:
    with copying(mariadb, tidb, f"altered_{what}", tmp_path) as task:
        MOVES[what](task)
        log = task.fails_with(MOVED_WHILE_COPIED.code)
        assert "RENAME TABLE" in log
        assert f"`altered_{what}`.`t`" in log


def test_a_partition_that_is_exchanged_is_told(mariadb: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    with copying(mariadb, tidb, "altered_exchanged", tmp_path) as task:
        parted = OLD.format("parted") + " PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN MAXVALUE)"
        task.ddl(parted, "ALTER TABLE parted EXCHANGE PARTITION p WITH TABLE u")
        assert "EXCHANGE PARTITION" in task.fails_with(MOVED_WHILE_COPIED.code)


def test_a_table_that_was_copied_before_its_name_changed_is_no_concern(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    with copying(mariadb, tidb, "altered_later", tmp_path) as task:
        chunk = f"{task.schema}_meta.{task.schema}_sparkdm_chunk"
        until(lambda: not query(tidb, f"SELECT 1 FROM {chunk} WHERE done = 0 AND table_name = 't'"), task.run)
        task.ddl("RENAME TABLE t TO old_t")
        task.becomes_equal("old_t", "u", "fresh_t")


@contextmanager
def planned(source: RunningServer, target: RunningServer, schema: str, folder: Path) -> Iterator[tuple[Run, Path]]:
    """A run that has its plan, and waits until a file is gone before it copies its one table, which has no key."""
    fresh(
        source,
        target,
        schema,
        "CREATE TABLE k (a INT, b VARCHAR(20))",
        f"INSERT INTO k SELECT n, n FROM ({THOUSAND}) t",
    )
    gate = folder / "gate"
    gate.touch()
    run = Run(subtask(source, target, schema), folder, 1, f"loader.plan_stored=hold:{gate}")
    meta = f"{schema}_meta"
    try:
        sql = f"SELECT 1 FROM information_schema.tables WHERE table_schema = '{meta}' AND table_name LIKE '%chunk'"
        until(lambda: query(target, sql) and query(target, f"SELECT 1 FROM {meta}.{schema}_sparkdm_chunk"), run)
        yield run, gate
    finally:
        gate.unlink(missing_ok=True)
        run.end()


def test_a_table_without_a_key_is_emptied_before_it_is_copied(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    schema = "altered_truncated"
    with planned(mariadb, tidb, schema, tmp_path) as (run, gate):
        execute(mariadb, "TRUNCATE TABLE k", "INSERT INTO k VALUES (1, 'x'), (1, 'x'), (2, 'y')", database=schema)
        gate.unlink()
        until(lambda: has_copied(tidb, schema), run)
        execute(mariadb, "INSERT INTO k VALUES (3, 'z'), (3, 'z')", "DELETE FROM k WHERE a = 2", database=schema)
        until(lambda: contents(mariadb, schema, "k") == contents(tidb, schema, "k"), run)
        execute(mariadb, "TRUNCATE TABLE k", "INSERT INTO k VALUES (4, 'last')", database=schema)
        until(lambda: contents(mariadb, schema, "k") == contents(tidb, schema, "k"), run)


def has_copied(target: RunningServer, schema: str) -> bool:
    return bool(query(target, f"SELECT 1 FROM {schema}_meta.{schema}_sparkdm_chunk WHERE done > 0"))


def test_a_table_without_a_key_gets_a_column_before_it_is_copied(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    schema = "altered_keyless"
    with planned(mysql, mariadb, schema, tmp_path) as (run, gate):
        execute(mysql, "ALTER TABLE k ADD COLUMN c INT", "UPDATE k SET c = 5", database=schema)
        gate.unlink()
        until(lambda: has_copied(mariadb, schema), run)
        execute(mysql, "INSERT INTO k VALUES (3, 'z', 1), (3, 'z', 1)", "DELETE FROM k WHERE a = 2", database=schema)
        until(lambda: is_equal(mysql, mariadb, schema, ("k",)), run)
        assert query(mariadb, f"SELECT table_name FROM {schema}_meta.{schema}_sparkdm_again") == [("k",)]
        execute(mysql, "ALTER TABLE k DROP COLUMN b, ADD COLUMN d INT", "UPDATE k SET d = 5", database=schema)
        until(lambda: is_equal(mysql, mariadb, schema, ("k",)), run)


def test_a_table_that_was_away_for_a_moment_is_copied_on(mariadb: RunningServer) -> None:
    execute(mariadb, "CREATE OR REPLACE DATABASE altered_away", "CREATE TABLE altered_away.t (id INT PRIMARY KEY)")
    with closing(connect(options(mariadb), side="upstream")) as upstream, upstream.cursor() as cursor:
        planned = structure_of(upstream, "altered_away", "t")
        assert planned is not None
        cursor.execute("DROP TABLE altered_away.t")
        with pytest.raises(DMError) as missed:
            cursor.execute("SELECT id FROM altered_away.t")
        cursor.execute("CREATE TABLE altered_away.t (id INT PRIMARY KEY)")  # before anybody has looked
        altered, meta = Altered(), LoadMeta(upstream, MetaTables("altered_away", "altered_away"), "src", 1)
        assert altered.settle(planned, missed.value, upstream, meta)
        with pytest.raises(DMError) as other:
            cursor.execute("SELECT 1 +")
        assert not altered.settle(planned, other.value, upstream, meta)
        was_wider = TABLE_ALTERED.error(table="t", differences="new columns: a", text="it has no key")
        assert altered.settle(planned, was_wider, upstream, meta)
        assert not all(altered.settle(planned, missed.value, upstream, meta) for _ in range(100))
    execute(mariadb, "DROP DATABASE altered_away")
