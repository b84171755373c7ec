"""A dump that is killed, stopped or hindered at any point goes on, and its files are whole."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dm_worker.dumper.dump_state import DONE_FILE, DUMP_OF_ANOTHER, FOLDER_NOT_EMPTY, FOLDER_TAKEN, OTHER_SETTINGS
from dm_worker.dumper.folder import CANNOT_WRITE, FOLDER_IN_USE, NO_SPACE
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.metadata import parse_metadata
from pkg.adapters.mysql.connection import ANOTHER_SERVER
from pkg.task.subtask import SubtaskConfig
from tests.cases.dump.dumping import dump_task, listed, load_by_client, text_of
from tests.cases.full.migration import assert_same, execute, migrate, outcome, start
from tests.cases.full.test_tables import THOUSAND
from tests.cases.sync.test_crashpoints import points_of, until
from tests.programs import program
from tests.servers import RunningServer
from tests.servers.forwarder import Forwarder

POINTS = points_of("tests/cases/dump/test_dump_interruptions.py")
TABLES = ("keyed", "keyless", "empty")
CHUNKS = 9 + 1 + 1
SCHEMA = "interrupted"


@pytest.fixture(scope="module")
def source(mariadb: RunningServer) -> RunningServer:
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(
        mariadb,
        "CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR(100))",
        "CREATE TABLE keyless (id INT, v VARCHAR(100))",
        "CREATE TABLE empty (id INT PRIMARY KEY)",
        f"INSERT INTO keyed SELECT n, CONCAT(REPEAT('text ', 10), n) FROM ({THOUSAND}) t",
        "INSERT INTO keyless SELECT id % 7, v FROM keyed",
        "ANALYZE TABLE keyed",
        database=SCHEMA,
    )
    return mariadb


def _task(source: RunningServer, folder: Path, **settings: Any) -> SubtaskConfig:
    return dump_task(source, SCHEMA, folder, **{"rows": 100, "statement-size": 1000} | settings)


def _done(folder: Path) -> int:
    return len((folder / DONE_FILE).read_bytes().splitlines()) if (folder / DONE_FILE).exists() else 0


def _await_done(folder: Path, process: subprocess.Popen[str], chunks: int = 1) -> None:
    until(lambda: _done(folder) >= chunks or process.poll() is not None)
    assert process.poll() is None, outcome(process)


def _assert_whole(source: RunningServer, target: RunningServer, folder: Path) -> None:
    assert not list(folder.glob(".unfinished-*"))
    load_by_client(target, folder, SCHEMA)
    assert_same(source, target, SCHEMA, TABLES)


def _refused(config: SubtaskConfig) -> tuple[int, bool, str]:
    ended = outcome(start(config))
    assert ended["exit"] == 1, ended["log"]
    return ended["code"], ended["resumable"], ended["text"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_at(point: str, source: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    nth = "@30" if point == "dumper.statement_written" else "@3" if point == "dumper.chunk_done" else ""
    asked = {"consistency": "flush"} if point == "dumper.snapshot_held" else {}
    config = _task(source, tmp_path / "d", **asked)
    assert outcome(start(config, crashpoints=f"{point}{nth}=kill"))["exit"] == -signal.SIGKILL
    assert METADATA not in os.listdir(tmp_path / "d")
    before = _done(tmp_path / "d")
    ended = migrate(config)
    assert ended["completedChunks"] == ended["totalChunks"] == CHUNKS
    assert _done(tmp_path / "d") == CHUNKS
    assert before >= 3 if point == "dumper.chunk_done" else before <= CHUNKS
    _assert_whole(source, mariadb2, tmp_path / "d")


def test_chunks_that_are_done_are_not_read_again(source: RunningServer, tmp_path: Path) -> None:
    config = _task(source, tmp_path / "d")
    process = start(config, crashpoints="dumper.chunk_done@4=delay:60")
    _await_done(tmp_path / "d", process, 4)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = [line.split()[0] for line in (tmp_path / "d" / DONE_FILE).read_text().splitlines()]
    files = {file.name: file.stat().st_ino for file in (tmp_path / "d").glob("*.sql")}
    ended = migrate(config)
    same = [name for name, inode in files.items() if (tmp_path / "d" / name).stat().st_ino == inode]
    assert len([name for name in same if re.search(r"\.\d{9}\.sql", name)]) >= len(done) >= 4
    assert ended["finishedRows"] == 2000


def test_stopped_it_ends_at_once_and_goes_on(source: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    config, gate = _task(source, tmp_path / "d", threads=1), tmp_path / "gate"
    gate.touch()
    process = start(config, crashpoints=f"dumper.statement_written=delay:0.05,dumper.chunk_done=hold:{gate}")
    _await_done(tmp_path / "d", process)
    process.stdin.write("stop\n")  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]
    gate.unlink()
    ended = outcome(process)
    assert (ended["exit"], ended["stopped"]) == (0, True)
    assert 0 < ended["completedChunks"] < CHUNKS
    migrate(config)
    _assert_whole(source, mariadb2, tmp_path / "d")


def test_rows_of_two_servers_are_not_mixed(source: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    """Another one answers at the address between two chunks, and when the dump is to go on."""
    gate = tmp_path / "gate"
    gate.touch()
    with Forwarder(source.port) as address:
        config = _task(source, tmp_path / "d", threads=1, connection={"port": address.port})
        process = start(config, crashpoints=f"dumper.chunk_done@3=hold:{gate}")
        _await_done(tmp_path / "d", process, 3)
        until(lambda: bool(gate.read_text()))
        address.point_at(mariadb2.port)
        gate.unlink()
        ended = outcome(process)
        assert (ended["code"], ended["resumable"]) == (ANOTHER_SERVER.code, True), ended["log"]
        assert _refused(config)[:2] == (DUMP_OF_ANOTHER.code, True)
        address.point_at(source.port)
        assert migrate(config)["completedChunks"] == CHUNKS
    _assert_whole(source, mariadb2, tmp_path / "d")


def test_a_dump_that_is_complete_is_left_alone(source: RunningServer, tmp_path: Path) -> None:
    config = _task(source, tmp_path / "d")
    migrate(config)
    before = {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in (tmp_path / "d").iterdir()}
    ended = migrate(config)
    assert ended["phase"] == "finished"
    assert {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in (tmp_path / "d").iterdir()} == before


def test_another_tasks_folder_and_other_settings_are_refused(source: RunningServer, tmp_path: Path) -> None:
    config = _task(source, tmp_path / "d")
    outcome(start(config, crashpoints="dumper.chunk_done=kill"))
    assert _refused(config.model_copy(update={"task_name": "another"}))[0] == FOLDER_TAKEN.code
    code, _, text = _refused(_task(source, tmp_path / "d", compress="zstd"))
    assert (code, "`compress`" in text) == (OTHER_SETTINGS.code, True)
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "letter.txt").touch()
    code, _, text = _refused(_task(source, tmp_path / "e"))
    assert (code, "letter.txt" in text) == (FOLDER_NOT_EMPTY.code, True)


def test_two_runs_do_not_write_one_folder(source: RunningServer, tmp_path: Path) -> None:
    config = _task(source, tmp_path / "d")
    first = start(config, crashpoints="dumper.chunk_done=delay:60")
    _await_done(tmp_path / "d", first)
    code, resumable, _ = _refused(config)
    assert (code, resumable) == (FOLDER_IN_USE.code, True)
    first.kill()
    first.communicate()


def test_a_folder_that_cannot_be_made_is_named(source: RunningServer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, _, text = _refused(_task(source, tmp_path / "file" / "d"))
    assert code == CANNOT_WRITE.code
    assert str(tmp_path / "file" / "d") in text
    assert "dir" in text


def test_without_room_it_stops_and_goes_on_when_there_is_some(
    source: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    """The room that a process has in one file stands for that of a disk."""
    config = _task(source, tmp_path / "d")
    process = start(config)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4000, 4000))
    ended = outcome(process)
    assert (ended["exit"], ended["code"]) == (1, NO_SPACE.code), ended["log"]
    assert "make room" in ended["text"]
    assert not list((tmp_path / "d").glob(".unfinished-*"))
    migrate(config)
    _assert_whole(source, mariadb2, tmp_path / "d")


def test_an_upstream_that_ends_connections_is_asked_again(
    server_factory: Any, mariadb2: RunningServer, tmp_path: Path
) -> None:
    upstream: RunningServer = server_factory("mariadb")
    execute(upstream, f"CREATE DATABASE {SCHEMA}")
    execute(
        upstream,
        *(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(100))" for table in TABLES),
        f"INSERT INTO keyed SELECT n, 'x' FROM ({THOUSAND}) t",
        database=SCHEMA,
    )
    gate = tmp_path / "gate"
    gate.touch()
    process = start(_task(upstream, tmp_path / "d"), crashpoints=f"dumper.statement_written@5=hold:{gate}")
    _await_done(tmp_path / "d", process)
    kill = (
        "SELECT CONCAT('KILL ', id) FROM information_schema.PROCESSLIST WHERE id <> CONNECTION_ID() AND user = 'root'"
    )
    command = [
        program("mariadb"),
        "--no-defaults",
        f"-h{upstream.host}",
        f"-P{upstream.port}",
        "-uroot",
        "--skip-ssl",
        "-N",
    ]
    found = subprocess.run([*command, "-e", kill], capture_output=True, text=True, check=True).stdout
    subprocess.run([*command, "-f", "-e", found.replace("\n", ";")], capture_output=True, check=False)
    gate.unlink()
    assert outcome(process)["exit"] == 0
    _assert_whole(upstream, mariadb2, tmp_path / "d")


def test_the_files_tell_where_the_dump_stands(source: RunningServer, tmp_path: Path) -> None:
    migrate(_task(source, tmp_path / "lockless"))
    migrate(_task(source, tmp_path / "locked", consistency="auto"))
    free = parse_metadata((tmp_path / "lockless" / METADATA).read_text())
    locked = parse_metadata((tmp_path / "locked" / METADATA).read_text())
    assert free.start is not None
    assert free.end is not None
    assert locked.start == free.end
    assert locked.end is None
    dump = listed(tmp_path / "locked")
    assert len(dump.tables[SCHEMA, "keyed"].rows) == 9
    assert text_of(tmp_path / "locked" / dump.tables[SCHEMA, "keyed"].rows[0].name).startswith(b"/*!40101 SET NAMES")
