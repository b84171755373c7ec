"""Dumps to a URL and loads from one, through Hadoop's client."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from dm_worker.dumper.folder import write_file
from dm_worker.dumper.hadoop_folder import HadoopFolder
from dm_worker.dumper.layout import METADATA
from pkg.adapters.hadoop import HADOOP_FAILED, NO_CLIENT, is_url
from pkg.errors import DMError
from tests.cases.dump.dumping import dump_task, load_by_client
from tests.cases.full.migration import assert_same, execute, migrate, outcome, start
from tests.cases.full.test_tables import THOUSAND
from tests.cases.load.loading import fresh, load_task
from tests.servers import RunningServer

SCHEMA = "by_url"
EVERY_BYTE = bytes(range(256)) * 4096


@pytest.fixture(scope="module")
def source(mariadb: RunningServer) -> RunningServer:
    execute(mariadb, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA}")
    execute(
        mariadb,
        "CREATE TABLE t (id INT PRIMARY KEY, v VARBINARY(100))",
        f"INSERT INTO t SELECT n, UNHEX(SHA2(n, 512)) FROM ({THOUSAND}) t",
        database=SCHEMA,
    )
    return mariadb


def test_it_is_killed_goes_on_and_loads(source: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    config = dump_task(source, SCHEMA, tmp_path, rows=100, compress="zstd")
    config = config.model_copy(update={"load": config.load.model_copy(update={"dir": f"file://{tmp_path}/d"})})
    assert outcome(start(config, crashpoints="dumper.chunk_done@3=kill"))["exit"] == -signal.SIGKILL
    [killed] = (tmp_path / "d").iterdir()
    assert METADATA not in {file.name for file in killed.iterdir()}
    ended = migrate(config)
    [folder] = (file for file in (tmp_path / "d").iterdir() if file != killed)
    assert (ended["finishedRows"], ended["jvms"], ended["dir"]) == (1000, ["java"], f"file://{folder}")
    load_by_client(mariadb2, folder, SCHEMA)
    assert_same(source, mariadb2, SCHEMA, ["t"])


def test_a_load_from_there_is_killed_and_goes_on(source: RunningServer, tidb: RunningServer, tmp_path: Path) -> None:
    dump = dump_task(source, SCHEMA, tmp_path, rows=100, compress="zstd")
    assert migrate(dump)["finishedRows"] == 1000
    fresh(tidb, SCHEMA)
    config = load_task(tidb, SCHEMA, tmp_path, load={"dir": f"file://{tmp_path}"})
    assert outcome(start(config, crashpoints="files.after_commit@2=kill"))["exit"] == -signal.SIGKILL
    ended = migrate(config)
    assert (ended["jvms"], ended["dir"]) == (["java"], f"file://{tmp_path}")
    assert_same(source, tidb, SCHEMA, ["t"])


def test_a_load_from_a_url_that_is_not_there_says_so(tidb: RunningServer, tmp_path: Path) -> None:
    fresh(tidb, SCHEMA)
    ended = outcome(start(load_task(tidb, SCHEMA, tmp_path, load={"dir": f"file://{tmp_path}/nowhere"})))
    assert (ended["exit"], ended["code"]) == (1, HADOOP_FAILED.code)
    assert "nowhere" in ended["text"]


def test_bytes_arrive_as_they_are_and_errors_say_what_to_do(tmp_path: Path) -> None:
    folder = HadoopFolder(f"file://{tmp_path}/ä b/c", {})
    folder.claim()
    write_file(folder, "a%2Fb.sql", EVERY_BYTE)
    write_file(folder, "a%2Fb.sql", EVERY_BYTE)
    assert folder.read("a%2Fb.sql") == EVERY_BYTE
    with folder.reading("a%2Fb.sql") as file:
        file.seek(1000)
        assert file.read(3000) + file.read() == EVERY_BYTE[1000:]
    assert (tmp_path / "ä b" / "c" / "a%2Fb.sql").read_bytes() == EVERY_BYTE
    folder.append("journal", b"1\n")
    folder.append("journal", b"2\n")
    folder.release()
    assert folder.read("journal") == b"1\n2\n"
    assert folder.sizes() == {"a%2Fb.sql": len(EVERY_BYTE), "journal": 4}
    (tmp_path / "ä b" / "c" / ".unfinished-x").touch()
    beside = folder.within("../d e")
    beside.claim()
    beside.take("c", "a%2Fb.sql", moves=False)
    beside.take("c", "a%2Fb.sql", moves=False)
    assert beside.read("a%2Fb.sql") == EVERY_BYTE
    beside.take("c", "journal", moves=True)
    assert "journal" not in folder.sizes()
    folder.take("d e", "journal", moves=True)
    around = HadoopFolder(f"file://{tmp_path}/ä b", {})
    assert sorted(around.folders()) == ["c", "d e"]
    write_file(around, "structure", b"x")
    beside.take("", "structure", moves=False)
    assert beside.sizes().keys() == {"a%2Fb.sql", "structure"}
    around.discard("d e")
    assert around.folders() == ["c"]
    folder.sweep()
    folder.remove("journal")
    assert [file.name for file in (tmp_path / "ä b" / "c").iterdir()] == ["a%2Fb.sql"]
    missing: list[tuple[str, Any, str]] = [
        ("s3a://bucket/x", NO_CLIENT, "org.apache.hadoop:hadoop-aws:3."),
        ("hdfs://nowhere.invalid:9000/x", HADOOP_FAILED, "nowhere.invalid"),
        (f"file://{tmp_path}/ä b/c/a%2Fb.sql/d", HADOOP_FAILED, "a%2Fb.sql"),
    ]
    for url, kind, words in missing:
        with pytest.raises(DMError) as refused:
            HadoopFolder(url, {}).claim()
        assert refused.value.is_a(kind)
        assert words in str(refused.value)


def test_what_is_a_url() -> None:
    assert [is_url(text) for text in ("hdfs://a/b", "file:///x", "./a", "/a:b/c", "C:\\dumps")] == [True, True] + [
        False
    ] * 3
