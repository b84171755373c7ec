"""A run of a dump is frozen, another one takes over and completes the dump, the frozen one thaws: nothing changes."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import threading
from contextlib import closing, nullcontext
from itertools import product
from pathlib import Path

import pytest

from dm_worker.dumper.chunks import WHOLE
from dm_worker.dumper.copy_plan import plan_copy
from dm_worker.dumper.dump_state import DONE_FILE
from dm_worker.dumper.file_chunk import FileSink
from dm_worker.dumper.file_lane import DumpJob, FileTask, dump_chunks
from dm_worker.dumper.folder import CANNOT_WRITE, FOLDER_IN_USE, PART_MISSING, LocalFolder
from dm_worker.dumper.layout import METADATA
from dm_worker.dumper.runs import SEVERAL_DUMPS
from dm_worker.dumper.source_tables import list_tables, read_structures
from dm_worker.dumper.unit import DumpToFiles
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.dialect import Server
from pkg.crashpoints import CrashpointRaised, arm
from pkg.task.subtask import SubtaskConfig
from tests.cases.dump.dumping import dump_task, load_by_client
from tests.cases.full.migration import assert_same, execute, migrate, outcome, start
from tests.cases.full.test_tables import THOUSAND
from tests.cases.load.loading import fresh, load_task
from tests.cases.sync.test_crashpoints import until
from tests.forks import Forked
from tests.servers import RunningServer

SCHEMA = "thaws"
CHUNKS = 9 + 1
MOMENTS = (
    "dumper.claimed",
    "dumper.plan_stored",
    "dumper.snapshot_held",
    "dumper.statement_written@20",
    "dumper.chunk_done@3",
    "dumper.all_written",
)


@pytest.fixture
def source(mariadb: RunningServer) -> RunningServer:
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(
        mariadb,
        "CREATE TABLE keyed (id INT PRIMARY KEY, v VARCHAR(100))",
        "CREATE TABLE keyless (id INT, v VARCHAR(100))",
        f"INSERT INTO keyed SELECT n, CONCAT(REPEAT('old ', 10), n) FROM ({THOUSAND}) t",
        "INSERT INTO keyless SELECT id % 7, v FROM keyed",
        "ANALYZE TABLE keyed",
        database=SCHEMA,
    )
    return mariadb


def _task(source: RunningServer, place: str, consistency: str) -> SubtaskConfig:
    asked = {"rows": 100, "statement-size": 1000, "consistency": consistency}
    config = dump_task(source, SCHEMA, Path("/"), **asked)
    return config.model_copy(update={"load": config.load.model_copy(update={"dir": place})})


def _frozen(config: SubtaskConfig, moment: str, gate: Path) -> Forked:
    """A run that stands still at ``moment``."""
    gate.touch()
    process = start(config, crashpoints=f"{moment}=hold:{gate}")
    until(lambda: bool(gate.read_text()) or process.poll() is not None)
    assert process.poll() is None, outcome(process)
    os.kill(process.pid, signal.SIGSTOP)
    return process


def _thaw(process: Forked, gate: Path) -> None:
    gate.unlink()
    os.kill(process.pid, signal.SIGCONT)


def _write_anew(source: RunningServer) -> None:
    execute(source, *(f"UPDATE {table} SET v = CONCAT('NEW ', v)" for table in ("keyed", "keyless")), database=SCHEMA)


def _files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {file.name: (file.stat().st_ino, file.read_bytes()) for file in folder.iterdir()}


@pytest.mark.crossed("consistency")
@pytest.mark.parametrize(
    ("moment", "consistency"),
    [one for one in product(MOMENTS, ("auto", "none")) if one != ("dumper.snapshot_held", "none")],  # it has none
)
def test_at_a_url(
    moment: str, consistency: str, source: RunningServer, mariadb2: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    config, gate = _task(source, f"file://{tmp_path}/d", consistency), tmp_path / "gate"
    former = _frozen(config, moment, gate)
    _write_anew(source)
    folder = Path(migrate(config)["dir"].removeprefix("file://"))
    before = _files(folder)
    assert METADATA in before
    _thaw(former, gate)
    ended = outcome(former)
    assert (ended["code"], ended["resumable"]) == (FOLDER_IN_USE.code, True), ended["log"]
    assert _files(folder) == before
    again = migrate(config)
    assert (again["phase"], again["dir"]) == ("finished", f"file://{folder}")
    assert _files(folder) == before
    assert [file.parent for file in (tmp_path / "d").rglob(METADATA)] == [folder]
    load_by_client(mariadb2, folder, SCHEMA)
    if consistency == "auto":  # else rows may be those of the time before
        assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])
        fresh(tidb, SCHEMA)
        migrate(load_task(tidb, SCHEMA, tmp_path / "d"))
        assert_same(source, tidb, SCHEMA, ["keyed", "keyless"])


def test_at_a_url_before_its_last_file(
    source: RunningServer, mariadb2: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """Nothing keeps it from completing its own dump: both are whole, and nobody takes one for the other."""
    config, gate = _task(source, f"file://{tmp_path}/d", "auto"), tmp_path / "gate"
    former = _frozen(config, "dumper.before_metadata", gate)
    _write_anew(source)
    folder = Path(migrate(config)["dir"].removeprefix("file://"))
    before = _files(folder)
    load_by_client(mariadb2, folder, SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])
    _thaw(former, gate)
    ended = outcome(former)
    own = Path(ended["dir"].removeprefix("file://"))
    assert (ended["exit"], own != folder) == (0, True)
    assert _files(folder) == before
    fresh(tidb, SCHEMA)
    for asked in (config, load_task(tidb, SCHEMA, tmp_path / "d")):
        refused = outcome(start(asked))
        assert refused["code"] == SEVERAL_DUMPS.code, refused["log"]
        assert own.name in refused["text"]
    migrate(load_task(tidb, SCHEMA, folder))
    assert_same(source, tidb, SCHEMA, ["keyed", "keyless"])
    execute(source, *(f"UPDATE {table} SET v = SUBSTR(v, 5)" for table in ("keyed", "keyless")), database=SCHEMA)
    load_by_client(mariadb2, own, SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])


def test_what_a_run_that_was_stopped_has_done_is_moved(
    source: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    config, gate = _task(source, f"file://{tmp_path}/d", "none"), tmp_path / "gate"
    gate.touch()
    process = start(config, crashpoints=f"dumper.chunk_done@4=hold:{gate}")
    until(lambda: bool(gate.read_text()) or process.poll() is not None)
    process.stdin.write("stop\n")  # type: ignore[union-attr]
    process.stdin.flush()  # type: ignore[union-attr]
    gate.unlink()
    assert outcome(process)["stopped"]
    [former] = (tmp_path / "d").iterdir()
    done = len((former / DONE_FILE).read_bytes().splitlines())
    inodes = {file.name: file.stat().st_ino for file in former.glob("*.0*.sql")}
    assert len(inodes) == done >= 4
    ended = migrate(config)
    [folder] = (tmp_path / "d").iterdir()
    assert (ended["dir"], folder != former) == (f"file://{folder}", True)
    assert ended["completedChunks"] == CHUNKS
    assert {name: (folder / name).stat().st_ino for name in inodes} == inodes
    load_by_client(mariadb2, folder, SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])


def test_a_load_keeps_to_its_dump(source: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    """Another complete one comes beside it; a load that begins then asks which is meant."""
    first = migrate(_task(source, f"file://{tmp_path}/a", "auto"))["dir"].removeprefix("file://")
    fresh(tidb, SCHEMA)
    config = load_task(tidb, SCHEMA, tmp_path / "a")
    assert outcome(start(config, crashpoints="files.after_commit@2=kill"))["exit"] == -signal.SIGKILL
    _write_anew(source)
    other = Path(migrate(_task(source, f"file://{tmp_path}/b", "auto"))["dir"].removeprefix("file://"))
    other.rename(tmp_path / "a" / other.name)
    assert migrate(config)["dir"] == first
    execute(source, *(f"UPDATE {table} SET v = SUBSTR(v, 5)" for table in ("keyed", "keyless")), database=SCHEMA)
    assert_same(source, tidb, SCHEMA, ["keyed", "keyless"])
    fresh(tidb, SCHEMA)
    ended = outcome(start(config))
    assert ended["code"] == SEVERAL_DUMPS.code, ended["log"]
    assert other.name in ended["text"]


@pytest.mark.parametrize("moment", MOMENTS[3:])
def test_in_a_local_folder_that_was_removed_and_made_anew(
    moment: str, source: RunningServer, mariadb2: RunningServer, tmp_path: Path
) -> None:
    """The lock goes with the folder that it is in; a thawed run must not take the new one for its own."""
    config, gate, folder = _task(source, str(tmp_path / "d"), "auto"), tmp_path / "gate", tmp_path / "d"
    former = _frozen(config, moment, gate)
    ended = outcome(start(config))
    assert (ended["code"], ended["resumable"]) == (FOLDER_IN_USE.code, True)
    _write_anew(source)
    shutil.rmtree(folder)
    migrate(config)
    before = _files(folder)
    _thaw(former, gate)
    ended = outcome(former)
    assert ended["code"] in (CANNOT_WRITE.code, PART_MISSING.code), ended["log"]
    assert _files(folder) == before
    load_by_client(mariadb2, folder, SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])


def test_on_a_disk_that_several_hosts_have(
    source: RunningServer, mariadb2: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path whose lock a server of files may give to another host: runs have folders of their own there, too."""
    monkeypatch.setattr("dm_worker.dumper.folder.is_shared", lambda path: True)
    config, stop = _task(source, str(tmp_path / "d"), "none"), threading.Event()
    folders = []
    for point in ("dumper.chunk_done@3=raise", "dumper.all_written=raise", ""):
        arm(point)
        unit = DumpToFiles(config)
        with pytest.raises(CrashpointRaised) if point else nullcontext():
            unit.run(stop)
        folders.append(Path(str(unit.status()["dir"])))
    assert list((tmp_path / "d").iterdir()) == folders[2:]
    assert len(set(folders)) == 3
    load_by_client(mariadb2, folders[2], SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["keyed", "keyless"])


def test_a_lane_gives_no_file_its_name(source: RunningServer, tmp_path: Path) -> None:
    """An executor may write when the dump is complete: Spark has long run its task elsewhere."""
    config = _task(source, str(tmp_path), "none")
    options = ConnectionOptions.from_config(config.upstream, side="upstream")
    with closing(connect(options, side="upstream")) as upstream:
        session = Server.probe(upstream).upstream_session()
        listed, _ = list_tables(upstream, config.allow_list())
        [table] = [one.structure for one in read_structures(upstream, listed) if one.structure.name == "keyed"]
    folder = LocalFolder(tmp_path)
    job = DumpJob(options, session, FileSink(folder), (plan_copy(table, SCHEMA, "keyed"),))
    tasks = [pickle.dumps(FileTask(0, 0, WHOLE, "file.sql"))] * 2
    first, late = (pickle.loads(done) for done in dump_chunks(pickle.dumps(job), tasks))
    assert (first.rows, first.error, late.error) == (1000, None, None)
    folder.keep(first.part, "file.sql")
    assert folder.sizes().keys() == {"file.sql"}
    assert {file.name for file in tmp_path.iterdir()} == {"file.sql", late.part}
    folder.sweep()
    assert {file.name for file in tmp_path.iterdir()} == {"file.sql"}
