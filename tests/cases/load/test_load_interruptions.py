"""A load that is killed, stopped, moved or hindered anywhere goes on, and no row is lost or doubled."""

from __future__ import annotations

import gzip
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from dm_worker.loader.dump_stream import CANNOT_OPEN, DAMAGED, DUMP_CHANGED
from pkg.adapters.meta_tables import FENCED
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, migrate, outcome, query, start
from tests.cases.load.loading import fresh, load_task, write_dump
from tests.cases.sync.test_crashpoints import points_of
from tests.servers import RunningServer

SCHEMA = "going"
ROWS = 120_000  # of one file: three batches
LITTLE = 1_000
POINTS = points_of("tests/cases/load/test_load_interruptions.py")
_TABLE = "CREATE TABLE `{0}` (`id` int, `v` varchar(20)) DEFAULT CHARSET=utf8mb4;\n"


def _rows(count: int) -> bytes:
    """One long statement and some short ones; the table has no key, so a doubled row shows."""
    head = "/*!40101 SET NAMES binary*/;\n"
    values = [f"({number},'row {number % 97}')" for number in range(count)]
    short = [f"INSERT INTO `keyless` VALUES {','.join(values[at : at + 10])};\n" for at in range(0, 500, 10)]
    long = ",\n".join(values[500:])
    return f"{head}INSERT INTO `keyless` VALUES\n{long};\n{''.join(short)}".encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("dump")
    write_dump(path, {
        f"{SCHEMA}-schema-create.sql": f"CREATE DATABASE `{SCHEMA}`;\n",
        f"{SCHEMA}.keyless-schema.sql": _TABLE.format("keyless"),
        f"{SCHEMA}.keyless.00000.sql": _rows(ROWS),
        f"{SCHEMA}.keyless.00001.sql.gz": gzip.compress(_rows(LITTLE)),
        f"{SCHEMA}.keyless.00002.sql.zst": zstandard.compress(_rows(ROWS // 2)),
    }, "Started dump at: 2026-01-02 03:04:05\nSHOW MASTER STATUS:\n\tLog: bin.000007\n\tPos: 154\n\tGTID:\n\n")  # fmt: skip
    return path


def _assert_whole(target: RunningServer) -> None:
    count = ROWS + LITTLE + ROWS // 2
    total = sum(number * (number - 1) // 2 for number in (ROWS, LITTLE, ROWS // 2))
    assert query(target, "SELECT COUNT(*), SUM(id) FROM keyless", SCHEMA) == [(count, total)]
    twice = "SELECT COUNT(*) FROM (SELECT id FROM keyless GROUP BY id HAVING COUNT(*) = 1) t"
    assert query(target, twice, SCHEMA) == [(ROWS // 2,)]


def _await_rows(target: RunningServer, process: Any) -> None:
    """Some of the first file's rows are there."""
    sql = f"SELECT COALESCE(MAX(row_count), 0) FROM {SCHEMA}_meta.{SCHEMA}_sparkdm_chunk WHERE done = 0"
    while process.poll() is None:
        if query(target, f"SHOW TABLES FROM {SCHEMA}_meta LIKE '%chunk'") and query(target, sql)[0][0]:
            return
        threading.Event().wait(0.05)
    raise AssertionError(outcome(process)["log"])


def _task(target: RunningServer, folder: Path) -> SubtaskConfig:
    fresh(target, SCHEMA)
    execute(target, f"CREATE DATABASE {SCHEMA}_meta")
    return load_task(target, SCHEMA, folder)


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(point: str, mariadb2: RunningServer, folder: Path) -> None:
    config = _task(mariadb2, folder)
    nth = "@2" if "commit" in point or "part" in point else ""
    ended = outcome(start(config, 1, f"{point}{nth}=kill"))
    assert ended["exit"] == -9, ended["log"]
    status = migrate(config, 2)
    _assert_whole(mariadb2)
    assert status["finishedRows"] == ROWS + LITTLE + ROWS // 2
    assert migrate(config, 2)["progress"] == "100.00 %"  # what is finished is not begun again
    _assert_whole(mariadb2)


def test_killed_in_the_middle_on_tidb(tidb: RunningServer, folder: Path) -> None:
    config = _task(tidb, folder)
    assert outcome(start(config, 1, "files.before_commit@3=kill"))["exit"] == -9
    migrate(config, 2)
    _assert_whole(tidb)


def test_stopped_and_resumed(mariadb2: RunningServer, folder: Path) -> None:
    config = _task(mariadb2, folder)
    process = start(config, 1, "files.after_commit=delay:2")
    _await_rows(mariadb2, process)
    assert process.stdin is not None
    process.stdin.write("stop\n")
    process.stdin.flush()
    assert outcome(process)["stopped"]
    migrate(config, 1)
    _assert_whole(mariadb2)


def test_a_run_that_was_replaced_changes_nothing(mariadb2: RunningServer, folder: Path, tmp_path: Path) -> None:
    config, gate = _task(mariadb2, folder), tmp_path / "gate"
    gate.touch()
    alone = config.model_copy(update={"load": config.load.model_copy(update={"pool_size": 1})})
    first = start(alone, 1, f"files.after_commit=hold:{gate}")
    _await_rows(mariadb2, first)  # no transaction is open now
    migrate(config, 2)
    gate.unlink()
    ended = outcome(first)
    assert (ended["exit"], ended["code"]) == (1, FENCED.code), ended["log"]
    _assert_whole(mariadb2)


def test_on_a_worker_without_the_folder_it_says_so_and_goes_on_where_it_is(
    mariadb2: RunningServer, folder: Path, tmp_path: Path
) -> None:
    config = _task(mariadb2, folder)
    assert outcome(start(config, 1, "files.after_commit=kill"))["exit"] == -9
    moved = config.model_copy(update={"load": config.load.model_copy(update={"dir": str(tmp_path / "none")})})
    ended = outcome(start(moved, 2))
    assert (ended["exit"], ended["code"]) == (1, CANNOT_OPEN.code), ended["log"]
    assert "host of dm-worker" in ended["text"]
    shutil.copytree(folder, tmp_path / "copied")
    there = config.model_copy(update={"load": config.load.model_copy(update={"dir": str(tmp_path / "copied")})})
    migrate(there, 3)
    _assert_whole(mariadb2)


@pytest.mark.parametrize("name", ["keyless.00000.sql", "keyless.00001.sql.gz", "keyless.00002.sql.zst"])
def test_a_file_cut_short_is_named_and_can_be_put_right(
    name: str, mariadb2: RunningServer, folder: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "d"
    shutil.copytree(folder, copied)
    damaged = copied / f"{SCHEMA}.{name}"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: len(whole) - 20])
    config = _task(mariadb2, copied)
    ended = outcome(start(config, 1))
    assert (ended["exit"], ended["code"]) == (1, DAMAGED.code), ended["log"]
    assert damaged.name in ended["text"]
    damaged.write_bytes(whole)
    migrate(config, 1)
    _assert_whole(mariadb2)


@pytest.mark.parametrize("name", [f"{SCHEMA}.keyless.00000.sql", "metadata"])
def test_another_dump_in_the_folder_is_refused(
    name: str, mariadb2: RunningServer, folder: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "d"
    shutil.copytree(folder, copied)
    config = _task(mariadb2, copied)
    assert outcome(start(config, 1, "files.after_commit=kill"))["exit"] == -9
    text = (copied / name).read_text()
    changed = text.replace("154", "155") if name == "metadata" else text[: len(text) // 2] + ";\n"
    (copied / name).write_text(changed)
    ended = outcome(start(config, 1))
    assert (ended["exit"], ended["code"]) == (1, DUMP_CHANGED.code), ended["log"]
    assert name in ended["text"]
