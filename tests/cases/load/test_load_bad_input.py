"""What cannot be loaded is refused by an error that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dm_worker.dumper.folder import CANNOT_READ
from dm_worker.dumper.listing import MISSING_FILES, NO_DUMP, UNFINISHED_DUMP, UNKNOWN_FILES
from dm_worker.loader.dump_tables import BAD_FILE, NO_SQL
from dm_worker.loader.file_feed import BAD_DATA
from dm_worker.loader.files_unit import ROWS_BEFORE, LoadFromFiles
from dm_worker.loader.own_rows import ROWS_MADE_ONE
from dm_worker.loader.schema import MISSING_COLUMNS
from dm_worker.loader.writer import DUPLICATE_ROW
from pkg.adapters.mysql.errors import VALUE_REFUSED
from pkg.errors import DMError, ErrorKind
from pkg.task.blocks import BlockAllowListConfig
from tests.cases.dump.dumping import dump_task
from tests.cases.full.migration import execute, migrate, outcome, query, start
from tests.cases.load.loading import fresh, load_task, write_dump
from tests.servers import RunningServer

SCHEMA = "bad"
GOOD: dict[str, str | bytes] = {
    "bad-schema-create.sql": "CREATE DATABASE `bad` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;\n",
    "bad.t-schema.sql": "CREATE TABLE `t` (`id` int NOT NULL, `v` varchar(5), PRIMARY KEY (`id`)) CHARSET=utf8mb4;\n",
    "bad.t.00000.sql": "INSERT INTO `t` VALUES (1,'a'),(2,'b');\n",
}
_SECTIONS = "# Started dump at: 2026-01-02 03:04:05\n\n[`bad`.`t`]\nrows = 2\n"
_HEAD = "/*!40101 SET NAMES binary*/;\n"


def refused(target: RunningServer, folder: Path, **settings: Any) -> DMError:
    """The error that loading the folder ends in; the unit runs here."""
    unit = LoadFromFiles(load_task(target, SCHEMA, folder, **settings), 1)
    with pytest.raises(DMError) as caught:
        unit.run(_Never())
    return caught.value


class _Never:
    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float | None = None) -> bool:
        return False


@pytest.fixture
def target(mariadb2: RunningServer) -> RunningServer:
    fresh(mariadb2, SCHEMA)
    return mariadb2


@pytest.mark.parametrize(
    ("changes", "kind", "text"),
    [
        ({"bad.t-schema.sql": None}, MISSING_FILES, "bad.t-schema.sql"),
        ({"notes.odt": ""}, UNKNOWN_FILES, "notes.odt"),
        (dict.fromkeys((*GOOD, "metadata")), NO_DUMP, "it is empty"),
        ({"metadata": None, "metadata.partial": "Started dump at: 2026-01-02 03:04:05\n"}, UNFINISHED_DUMP, "partial"),
        ({"metadata": None}, UNFINISHED_DUMP, "there is no metadata"),
        ({"metadata": "nonsense"}, BAD_FILE, "metadata"),
        ({"metadata": _SECTIONS, "bad.t.00000.sql": None}, MISSING_FILES, "all of the 2 rows of bad.t"),
        ({"bad.t.00000.sql": None, "bad.t.00000.csv": "1,a\n"}, NO_SQL, "bad.t.00000.csv"),
        ({"bad.t-schema.sql": "SELECT 1;\n"}, BAD_FILE, "no CREATE TABLE"),
        ({"bad.t-schema.sql": "CREATE TABLE `t` (`id` int;\n"}, BAD_FILE, "bad.t-schema.sql"),
        ({"bad.t-schema.sql": "CREATE TABLE `u` (`id` int);\n"}, BAD_FILE, "creates the table u"),
        ({"bad.t.00000.sql": "INSERT INTO `t` VALUES (1,'a',3);\n"}, BAD_DATA, "more values than its 2 columns"),
        ({"bad.t.00000.sql": f"{_HEAD}INSERT INTO `t` VALUES (1);\n"}, BAD_DATA, "1 values"),
        ({"bad.t.00000.sql": "INSERT INTO `t` (`id`,`w`) VALUES (1,2);\n"}, BAD_DATA, "columns w"),
        ({"bad.t.00000.sql": "INSERT INTO `u` VALUES (1,'a');\n"}, BAD_DATA, "the table u"),
        ({"bad.t.00000.sql": "DROP TABLE `t`;\n"}, BAD_DATA, "DROP TABLE"),
        ({"bad.t.00000.sql": "SET SQL_MODE='ANSI_QUOTES';\n"}, BAD_DATA, "ANSI_QUOTES"),
        ({"bad.t.00000.sql": "SET TIME_ZONE='+08:00';\n"}, BAD_DATA, "+08:00"),
        ({"bad.t.00000.sql": "INSERT INTO `t` VALUES (1,SLEEP(9));\n"}, BAD_DATA, "sleep"),
    ],
)
def test_refused(
    changes: dict[str, str | None], kind: ErrorKind, text: str, target: RunningServer, tmp_path: Path
) -> None:
    write_dump(tmp_path, GOOD)
    for name, content in changes.items():
        if content is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_text(content)
    error = refused(target, tmp_path)
    assert error.is_a(kind), error
    assert text in error.message


def test_a_dump_of_ours_that_lacks_rows(mariadb: RunningServer, target: RunningServer, tmp_path: Path) -> None:
    """That was stopped in the middle, or of which a file was lost; of a table that is left out it may."""
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    tables = ("CREATE TABLE t (id INT PRIMARY KEY)", "CREATE TABLE u (id INT PRIMARY KEY)")
    execute(mariadb, *tables, "INSERT INTO t VALUES (1)", "INSERT INTO u VALUES (1)", database=SCHEMA)
    migrate(dump_task(mariadb, SCHEMA, tmp_path))
    (lost,) = tmp_path.glob(f"{SCHEMA}.t.0*")
    lost.unlink()
    error = refused(target, tmp_path)
    assert error.is_a(MISSING_FILES), error
    assert lost.name in error.message
    allowed = BlockAllowListConfig.model_validate({"do-dbs": [SCHEMA], "ignore-tables": [_named("t")]})
    migrate(load_task(target, SCHEMA, tmp_path).model_copy(update={"block_allow_list": allowed}))
    (tmp_path / "metadata").unlink()
    fresh(target, SCHEMA)
    assert refused(target, tmp_path).is_a(UNFINISHED_DUMP)


def _named(table: str) -> dict[str, str]:
    return {"db-name": SCHEMA, "tbl-name": table}


def test_no_folder_and_none_that_may_be_read(target: RunningServer, tmp_path: Path) -> None:
    error = refused(target, tmp_path / "none")
    assert error.is_a(CANNOT_READ), error
    assert "none" in error.message
    assert "dir" in error.workaround
    (tmp_path / "file").write_text("")
    assert refused(target, tmp_path / "file").is_a(CANNOT_READ)


def test_rows_that_are_there_already(target: RunningServer, tmp_path: Path) -> None:
    write_dump(tmp_path, GOOD)
    execute(target, "CREATE DATABASE bad", "CREATE TABLE bad.t (id INT PRIMARY KEY, v VARCHAR(5))",
            "INSERT INTO bad.t VALUES (2, 'old')")  # fmt: skip
    error = refused(target, tmp_path, load={"on-duplicate-logical": "error"})
    assert error.is_a(DUPLICATE_ROW), error
    assert "`id`=2" in error.message
    assert query(target, "SELECT * FROM t", SCHEMA) == [(2, "old")]
    migrate(load_task(target, SCHEMA, tmp_path), 2)
    assert query(target, "SELECT * FROM t ORDER BY id", SCHEMA) == [(1, "a"), (2, "b")]


def test_rows_of_a_dump_that_the_target_holds_equal(target: RunningServer, tmp_path: Path) -> None:
    write_dump(tmp_path, GOOD | {"bad.t.00000.sql": "INSERT INTO `t` VALUES (1,'a'),(2,'A'),(3,'b');\n"})
    equal = "v VARCHAR(5) COLLATE utf8mb4_general_ci UNIQUE"
    execute(target, "CREATE DATABASE bad", f"CREATE TABLE bad.t (id INT PRIMARY KEY, {equal})",
            "INSERT INTO bad.t VALUES (3, 'old')")  # fmt: skip
    error = refused(target, tmp_path)
    assert error.is_a(ROWS_MADE_ONE), error
    assert error.message.endswith("one row: `id`=2, `v`='A'; the other: `id`=1")
    migrate(load_task(target, SCHEMA, tmp_path, load={"on-duplicate-logical": "replace"}), 2)
    assert query(target, "SELECT * FROM t ORDER BY id", SCHEMA) == [(2, "A"), (3, "b")]


def test_a_value_that_does_not_fit_shows_its_row(target: RunningServer, tmp_path: Path) -> None:
    write_dump(tmp_path, GOOD | {"bad.t.00000.sql": "INSERT INTO `t` VALUES (1,'fits'),(2,'too long');\n"})
    error = refused(target, tmp_path)
    assert VALUE_REFUSED.matches(error), error
    assert "(`id`=2, `v`='too long')" in error.message
    assert query(target, "SELECT COUNT(*) FROM t", SCHEMA) == [(0,)]


def test_a_target_table_with_other_columns(target: RunningServer, tmp_path: Path) -> None:
    write_dump(tmp_path, GOOD)
    execute(target, "CREATE DATABASE bad", "CREATE TABLE bad.t (id INT PRIMARY KEY)")
    error = refused(target, tmp_path)
    assert error.is_a(MISSING_COLUMNS), error
    assert "v" in error.fields["columns"]


def test_what_is_wrong_shows_in_the_end_of_the_process(target: RunningServer, tmp_path: Path) -> None:
    write_dump(tmp_path, GOOD | {"bad.t.00000.sql": "INSERT INTO `t` VALUES (1,'a'),(2,'b"})
    ended = outcome(start(load_task(target, SCHEMA, tmp_path)))
    assert ended["exit"] == 1
    assert "cut short" in ended["text"]
    assert not ended["resumable"]


def test_rows_that_are_there_before_are_not_doubled(target: RunningServer, tmp_path: Path) -> None:
    keyless = "CREATE TABLE `n` (`id` int, `v` varchar(5)) CHARSET=utf8mb4;\n"
    write_dump(tmp_path, {**GOOD, "bad.n-schema.sql": keyless, "bad.n.00000.sql": "INSERT INTO `n` VALUES (1,'a');\n"})
    migrate(load_task(target, SCHEMA, tmp_path))
    migrate(load_task(target, SCHEMA, tmp_path, source_id="another"))  # of the same task: they merge
    assert query(target, "SELECT * FROM n", SCHEMA) == [(1, "a")] * 2
    execute(target, f"DROP DATABASE {SCHEMA}_meta")
    error = refused(target, tmp_path)
    assert error.is_a(ROWS_BEFORE)
    assert "bad.n; they have no key" in error.message
    execute(target, f"TRUNCATE {SCHEMA}.n", f"INSERT INTO {SCHEMA}.t VALUES (3, 'c')")
    error = refused(target, tmp_path, remove_meta=True)
    assert error.is_a(ROWS_BEFORE)
    assert "bad.t; those that the files have no longer" in error.message
    migrate(load_task(target, SCHEMA, tmp_path, remove_meta=True, ignore_checking_items=("downstream_table_empty",)))
    assert query(target, "SELECT id FROM t ORDER BY id", SCHEMA) == [(1,), (2,), (3,)]
