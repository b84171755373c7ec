"""A table's structure changes while it is copied without a lock, and every statement of the copy goes on to succeed.

What chunks have read of the old structure and of the new one does not belong together: bounds of a key whose order
has changed leave rows out, and columns that have exchanged their names have each other's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dm_worker.dumper.file_chunk import ALTERED_WHILE_DUMPED
from dm_worker.loader.snapshot_lane import ALTERED_IN_SNAPSHOT
from dm_worker.syncer.copied import DEPENDS_ON_ROWS, NAMES_EXCHANGED, TYPES_UNDONE
from dm_worker.syncer.copied_ddl import OF_LATER_ROWS
from pkg.task.blocks import DumpConfig
from pkg.task.stage import TaskMode
from tests.cases.dump.dumping import dump_task
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.full.test_altered import Copying, copying, has_copied, is_equal, planned
from tests.cases.full.test_tables import THOUSAND, fresh
from tests.cases.sync.test_crashpoints import Run, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")
NUMBERED = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(20))"
NUMBERS = f"INSERT INTO t SELECT n, n, -n, CONCAT('c', n) FROM ({THOUSAND}) t"
LETTERED = "CREATE TABLE t (id VARCHAR(20) CHARACTER SET {} COLLATE {} PRIMARY KEY, a INT, b INT, c VARCHAR(20))"
LETTERS = f"INSERT INTO t SELECT CONCAT(ELT(1 + n % 4, 'a', 'B', 'c', 'D'), n), n, -n, 'c' FROM ({THOUSAND}) t"
CHANGES = "UPDATE t SET a = a + 1000 WHERE c = 'c7'"

# What makes and fills the table, and what changes it.
CHANGED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "key_collation": (
        (LETTERED.format("utf8mb4", "utf8mb4_bin"), LETTERS),
        ("ALTER TABLE t MODIFY id VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL", CHANGES),
    ),
    "converted": (
        (LETTERED.format("latin1", "latin1_swedish_ci"), LETTERS),
        ("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", CHANGES),
    ),
    "key_type": (
        ("CREATE TABLE t (id VARCHAR(20) PRIMARY KEY, a INT, b INT, c VARCHAR(20))", NUMBERS),
        ("ALTER TABLE t MODIFY id INT NOT NULL", CHANGES),
    ),
    "key_rounded": (
        ("CREATE TABLE t (id DECIMAL(20,4) PRIMARY KEY, a INT, b INT, c VARCHAR(20))", NUMBERS.replace("n, n,", "n + 0.3, n,")),
        ("ALTER TABLE t MODIFY id DECIMAL(20,0) NOT NULL", CHANGES),
    ),
    "exchanged": ((NUMBERED, NUMBERS), ("ALTER TABLE t CHANGE a b INT, CHANGE b a INT", CHANGES)),
    "exchanged_in_steps": (
        (NUMBERED, NUMBERS),
        (
            "ALTER TABLE t CHANGE a tmp INT",
            "ALTER TABLE t CHANGE b a INT",
            CHANGES,
            "ALTER TABLE t CHANGE tmp b INT",
        ),
    ),
    "replaced": ((NUMBERED, NUMBERS), ("ALTER TABLE t DROP COLUMN b", "ALTER TABLE t CHANGE a b INT")),
    "local_times": (
        (
            "CREATE TABLE t (id INT PRIMARY KEY, a INT, b TIMESTAMP NULL, c VARCHAR(20))",
            NUMBERS.replace("-n", "'2026-01-01' + INTERVAL n HOUR"),
        ),
        ("SET time_zone = '+05:00'", "ALTER TABLE t MODIFY b DATETIME", CHANGES),
    ),
    "counter": (
        (NUMBERED, NUMBERS),
        ("ALTER TABLE t ADD n INT NOT NULL AUTO_INCREMENT, ADD UNIQUE KEY (n)", "DELETE FROM t WHERE id % 10 = 3", CHANGES),
    ),
    "begun_counter": (
        ("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c VARCHAR(20))", NUMBERS),
        ("ALTER TABLE t MODIFY id INT NOT NULL AUTO_INCREMENT", CHANGES),
    ),
}  # fmt: skip


@contextmanager
def held(
    source: RunningServer, target: RunningServer, schema: str, folder: Path, made: tuple[str, ...]
) -> Iterator[tuple[Copying, Path]]:
    """A copy that stands still with 19 of the 40 chunks of ``t`` done, until a file is gone."""
    gate = folder / "gate"
    gate.touch()
    armed = f"loader.before_commit@20=hold:{gate}"
    with copying(source, target, schema, folder, armed, (*made, "ANALYZE TABLE t")) as task:
        until(lambda: gate.read_text().count("\n") == 2, task.run)  # both threads have read their chunks
        try:
            yield task, gate
        finally:
            gate.unlink(missing_ok=True)


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
@pytest.mark.parametrize("what", CHANGED)
def test_the_table_starts_again(request: pytest.FixtureRequest, tmp_path: Path, what: str, pair: str) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    made, changes = CHANGED[what]
    with held(source, target, f"changing_{what}_{pair[:2]}", tmp_path, made) as (task, gate):
        task.ddl(*changes)
        gate.unlink()
        task.becomes_equal("t")
        assert query(target, f"SELECT COUNT(*) FROM {task.schema}_meta.{task.schema}_sparkdm_again") == [(1,)]


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_a_run_that_dies_meanwhile_leaves_it_to_the_next_one(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    made, changes = CHANGED["exchanged"]
    with held(source, target, f"changing_dying_{pair[:2]}", tmp_path, made) as (task, _):
        task.ddl(*changes)
        task.run.process.kill()
        task.run.end()
        task.run = Run(task.config, tmp_path, 2)
        task.becomes_equal("t")


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_a_small_table_loses_its_key_before_it_is_read(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema, gate = f"changing_keyless_{pair[:2]}", tmp_path / "gate"
    gate.touch()
    fresh(source, target, schema, "CREATE TABLE t (id INT PRIMARY KEY, a INT)", "INSERT INTO t VALUES (1, 1), (2, 2)")
    run = Run(subtask(source, target, schema), tmp_path, 1, f"loader.plan_stored=hold:{gate}")
    try:
        until(lambda: is_planned(target, schema), run)
        execute(source, "ALTER TABLE t DROP PRIMARY KEY", "INSERT INTO t VALUES (3, 3)", database=schema)
        gate.unlink()
        until(lambda: has_copied(target, schema), run)
        execute(source, "INSERT INTO t VALUES (4, 4)", database=schema)  # comes last
        until(lambda: query(target, f"SELECT 1 FROM {schema}.t WHERE id = 4"), run)
        assert is_equal(source, target, schema, ("t",))
    finally:
        gate.unlink(missing_ok=True)
        run.end()


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_tables_that_are_altered_or_dropped_before_they_are_cut_into_chunks(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema, gate = f"changing_uncut_{pair[:2]}", tmp_path / "gate"
    gate.touch()
    others = [text.replace(" t ", " u ") for text in (NUMBERED, NUMBERS)]
    fresh(source, target, schema, NUMBERED, NUMBERS, *others, "CREATE TABLE last (id INT PRIMARY KEY)")
    config = subtask(source, target, schema, dump=DumpConfig(rows=25, threads=2))
    run = Run(config, tmp_path, 1, f"loader.creating_table=hold:{gate}")
    try:
        until(lambda: "loader.creating_table" in gate.read_text(), run)
        execute(source, "ALTER TABLE t CHANGE id k INT NOT NULL", "DROP TABLE u", database=schema)
        gate.unlink()
        until(lambda: has_copied(target, schema), run)
        execute(source, "INSERT INTO last VALUES (1)", database=schema)
        until(lambda: query(target, f"SELECT 1 FROM {schema}.last"), run)
        assert is_equal(source, target, schema, ("t",))
    finally:
        gate.unlink(missing_ok=True)
        run.end()


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_what_changes_while_no_run_has_a_plan(request: pytest.FixtureRequest, tmp_path: Path, pair: str) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema = f"changing_unplanned_{pair[:2]}"
    others = "CREATE TABLE u (id INT PRIMARY KEY)", "CREATE TABLE v (id INT PRIMARY KEY, a INT)"
    fresh(source, target, schema, NUMBERED, NUMBERS, *others, "INSERT INTO v VALUES (1, 1)")
    config = subtask(source, target, schema)
    first = Run(config, tmp_path, 1, "loader.before_plan_stored=kill")
    try:
        first.dies()
    finally:
        first.end()
    altered = "ALTER TABLE t MODIFY c VARCHAR(200), DROP COLUMN b", "DROP TABLE u"
    execute(source, *altered, f"UPDATE t SET c = '{'long' * 20}' WHERE id < 9", database=schema)
    execute(target, "ALTER TABLE v COMMENT = 'ours'", database=schema)  # which is no creation of the task's any more
    run = Run(config, tmp_path, 2)
    try:
        until(lambda: has_copied(target, schema), run)
        assert is_equal(source, target, schema, ("t", "v"))
        columns = f"SELECT column_name FROM information_schema.columns WHERE table_schema = '{schema}'"
        assert sorted(query(target, columns)) == sorted(query(source, columns))
        comment = (
            f"SELECT table_comment FROM information_schema.tables WHERE table_schema = '{schema}' AND table_name = 'v'"
        )
        assert query(target, comment) == [("ours",)]
    finally:
        run.end()


def is_planned(target: RunningServer, schema: str) -> bool:
    sql = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}_meta'"
    return len(query(target, sql)) > 1 and bool(query(target, f"SELECT 1 FROM {schema}_meta.{schema}_sparkdm_chunk"))


EXCHANGE = "ALTER TABLE u CHANGE a b INT, CHANGE b a INT"


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_a_snapshot_whose_table_is_altered_before_it_is_read_begins_again(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    schema, gate = f"changing_snapshot_{pair[:2]}", tmp_path / "gate"
    gate.touch()
    small = NUMBERED.replace(" t ", " u "), "INSERT INTO u VALUES (1, 10, 20, 'x'), (2, 30, 40, 'y')"
    fresh(source, target, schema, NUMBERED, NUMBERS, *small, "ANALYZE TABLE t, u")
    config = subtask(source, target, schema, dump=DumpConfig(rows=25, threads=2))
    config = config.model_copy(update={"task_mode": TaskMode.FULL})
    process = start(config, crashpoints=f"loader.before_commit@3=hold:{gate}")
    try:
        until(lambda: is_planned(target, schema) and has_copied(target, schema))
        execute(source, EXCHANGE, database=schema)
    finally:
        gate.unlink()
        ended = outcome(process)
    assert (ended["exit"], ended["code"], ended["resumable"]) == (1, ALTERED_IN_SNAPSHOT.code, True), ended["log"]
    migrate(config)
    for table in ("t", "u"):
        rows = f"SELECT id, a, b, c FROM {schema}.{table} ORDER BY id"
        assert query(source, rows) == query(target, rows)


@pytest.mark.crossed("kind")
@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_a_dump_says_that_its_files_do_not_belong_together(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    source = request.getfixturevalue(kind)
    schema, gate, folder = f"changing_dump_{kind}", tmp_path / "gate", tmp_path / "dump"
    gate.touch()
    execute(source, f"DROP DATABASE IF EXISTS {schema}", f"CREATE DATABASE {schema}")
    execute(source, NUMBERED, NUMBERS, "ANALYZE TABLE t", database=schema)
    # Chunks are written on meanwhile: there are so many that some are left when the table has been altered.
    armed = f"dumper.chunk_done@4=hold:{gate},dumper.statement_written=delay:0.02"
    process = start(dump_task(source, schema, folder, rows=5), crashpoints=armed)
    try:
        until(lambda: len(list(folder.glob("*.0*.sql"))) > 2)
        execute(source, EXCHANGE.replace(" u ", " t "), database=schema)
    finally:
        gate.unlink()
        ended = outcome(process)
    assert (ended["exit"], ended["code"]) == (1, ALTERED_WHILE_DUMPED.code), ended["log"]
    assert "columns in another order" in ended["text"]
    execute(source, f"DROP DATABASE {schema}")


EXCHANGE_IN_PLACE = "ALTER TABLE t CHANGE a b INT, CHANGE b a INT AFTER id"  # the structure's text stays


@pytest.mark.crossed("kind")
@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_names_that_are_exchanged_where_no_structure_shows_it_are_told(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    source, target = request.getfixturevalue(kind), request.getfixturevalue("mariadb2")
    with held(source, target, f"changing_hidden_{kind}", tmp_path, (NUMBERED, NUMBERS)) as (task, gate):
        task.ddl(EXCHANGE_IN_PLACE)
        gate.unlink()
        assert "CHANGE" in task.fails_with(NAMES_EXCHANGED.code)


def test_names_are_followed_over_a_death_between_two_statements(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    """Each statement leaves the columns' places, so that the structure is as planned behind the last one."""
    steps = "CHANGE a other INT", "CHANGE b a INT AFTER id", "CHANGE other b INT AFTER a"
    with held(mysql, mariadb, "changing_death", tmp_path, (NUMBERED, NUMBERS)) as (task, gate):
        task.ddl(*(f"ALTER TABLE t {step}" for step in steps))
        gate.unlink()
        task.fails_with(NAMES_EXCHANGED.code)
        task.run.end()
        stored = query(mariadb, "SELECT document FROM changing_death_meta.changing_death_sparkdm_planned")
        assert '"other": "a"' in stored[0][0]
        again = Run(task.config, tmp_path, 2, "")
        try:
            assert f"code={NAMES_EXCHANGED.code}" in again.dies()
        finally:
            again.end()


@pytest.mark.parametrize(
    ("what", "words", "statements"),
    [
        ("ignoring", "deleted rows (IGNORE)", ("ALTER IGNORE TABLE t ADD UNIQUE KEY (a)", "UPDATE t SET a = a + 10000 WHERE id < 100")),
        (
            "numbered",
            "gave rows numbers",
            ("ALTER TABLE t ADD n INT AUTO_INCREMENT, ADD KEY (n)", "ALTER TABLE t MODIFY n INT", "DELETE FROM t WHERE id = 7"),
        ),
    ],
)  # fmt: skip
def test_what_rows_decide_together_is_told(
    mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path, what: str, words: str, statements: tuple[str, ...]
) -> None:
    """No chunk shows it: rows are deleted, or get numbers from what is a plain column when it is read."""
    made = (NUMBERED, NUMBERS, "UPDATE t SET a = a % 900")
    with held(mariadb, mariadb2, f"changing_{what}", tmp_path, made) as (task, gate):
        task.ddl(*statements)
        gate.unlink()
        assert words in task.fails_with(DEPENDS_ON_ROWS.code)


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_a_key_that_rows_of_later_moments_break_says_so(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    """A row that was read before the key gave its value to one that is read behind it."""
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    with held(source, target, f"changing_broken_{pair[:2]}", tmp_path, (NUMBERED, NUMBERS)) as (task, gate):
        task.ddl(
            "ALTER TABLE t ADD UNIQUE KEY (a)", "UPDATE t SET a = -1 WHERE id = 1", "UPDATE t SET a = 1 WHERE id = 600"
        )
        gate.unlink()
        told = task.fails_with(OF_LATER_ROWS.code)
        assert "as `changing_broken_" in told
        assert "Duplicate entry '1'" in told


def test_a_time_that_is_turned_there_and_back_by_two_zones_is_told(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    made, _ = CHANGED["local_times"]
    there = ("SET time_zone = '+05:00'", "ALTER TABLE t MODIFY b DATETIME", "SET time_zone = '+00:00'")
    with held(mysql, mariadb, "changing_zones", tmp_path, made) as (task, gate):
        task.ddl(*there, "ALTER TABLE t MODIFY b TIMESTAMP NULL")
        gate.unlink()
        assert "MODIFY b TIMESTAMP" in task.fails_with(TYPES_UNDONE.code)


def test_names_that_are_exchanged_behind_the_last_chunk_are_no_concern(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    schema, gate = "changing_behind", tmp_path / "gate"
    gate.touch()
    fresh(mysql, mariadb, schema, NUMBERED, NUMBERS, "ANALYZE TABLE t")
    config = subtask(mysql, mariadb, schema, dump=DumpConfig(rows=100, threads=2))
    run = Run(config, tmp_path, 1, f"loader.all_copied=hold:{gate}")
    try:
        ended = f"SELECT 1 FROM {schema}_meta.{schema}_sparkdm_copied"
        until(lambda: is_planned(mariadb, schema) and query(mariadb, ended), run)
        execute(mysql, EXCHANGE_IN_PLACE, CHANGES, database=schema)
        gate.unlink()
        execute(mysql, "INSERT INTO t (id) VALUES (99999)", database=schema)
        until(lambda: is_equal(mysql, mariadb, schema, ("t",)), run)
    finally:
        gate.unlink(missing_ok=True)
        run.end()


def test_a_merged_table_whose_column_was_replaced_is_told(
    mysql: RunningServer, mariadb: RunningServer, tmp_path: Path
) -> None:
    """It cannot start again, and goes on without the column that is gone, as it may where no name has moved."""
    schema, gate = "changing_merged", tmp_path / "gate"
    gate.touch()
    other = NUMBERED.replace(" t ", " t2 ")
    fresh(mysql, mariadb, schema, NUMBERED, NUMBERS, other, "INSERT INTO t2 (id) VALUES (7777)", "ANALYZE TABLE t")
    routes = [{"schema-pattern": schema, "table-pattern": "t*", "target-schema": schema, "target-table": "t"}]
    config = subtask(mysql, mariadb, schema, dump=DumpConfig(rows=25, threads=2), routes=routes)
    run = Run(config, tmp_path, 1, f"loader.before_commit@20=hold:{gate}")
    try:
        until(lambda: is_planned(mariadb, schema) and has_copied(mariadb, schema), run)
        execute(mysql, "ALTER TABLE t DROP COLUMN b, RENAME COLUMN a TO b", database=schema)
        gate.unlink()
        assert f"code={NAMES_EXCHANGED.code}" in run.dies()
    finally:
        gate.unlink(missing_ok=True)
        run.end()


@pytest.mark.parametrize("pair", ["mariadb-tidb", "mysql-mariadb"])
def test_a_column_that_was_made_anew_before_its_table_is_read_keeps_what_came_since(
    request: pytest.FixtureRequest, tmp_path: Path, pair: str
) -> None:
    source, target = (request.getfixturevalue(name) for name in pair.split("-"))
    with planned(source, target, f"changing_pin_{pair[:2]}", tmp_path) as (run, gate):
        schema = f"changing_pin_{pair[:2]}"
        anew = "ALTER TABLE k DROP COLUMN b", "ALTER TABLE k ADD COLUMN b VARCHAR(20)", "UPDATE k SET b = a"
        execute(source, *anew, database=schema)
        gate.unlink()
        until(lambda: has_copied(target, schema), run)
        execute(source, "INSERT INTO k VALUES (-1, 'last')", database=schema)
        until(lambda: query(target, f"SELECT 1 FROM {schema}.k WHERE a = -1"), run)
        assert is_equal(source, target, schema, ("k",))
