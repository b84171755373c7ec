"""Processes that are dead, interrupted or out of disk space."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases.bad_input.arena import Arena
from tests.cluster import ROOT, Cluster
from tests.servers.ports import free_port
from tests.servers.running import is_strict

KEYED = "t (id INT PRIMARY KEY, v INT)"


def spawn(module: str, *words: str, group: bool = False) -> subprocess.Popen[str]:
    """One of the programs, with what it says in its pipes."""
    command = [sys.executable, "-m", module, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=group)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code and all that was said."""
    out, err = process.communicate(timeout=90)
    return process.returncode, out + err


def test_a_dead_dm_master(tmp_path: Path) -> None:
    result = Cluster(tmp_path).ask("query-status")
    assert result.code == 1
    assert "[code=48001:class=dmctl" in result.json["msg"]
    assert "no dm-master can be reached: 127.0.0.1:" in result.json["msg"]
    assert "check that dm-master runs" in result.json["msg"]


def test_start_task_while_the_worker_is_dead(arena: Arena) -> None:
    cluster = arena.cluster
    worker, source = arena.fresh("mortal"), arena.fresh("src")
    cluster.start_worker(worker)
    cluster.wait(lambda: f'"{worker}"' in cluster.ask("list-member", "--worker").out, "the worker is there")
    cluster.expect("operate-source", "create", str(arena.source(source)), "--worker", worker)
    task = arena.task(arena.schema(KEYED), source=source)
    # The other free worker would take the source over: it is given another one first.
    filler = arena.fresh("src")
    cluster.expect("operate-source", "create", str(arena.source(filler)))
    try:
        cluster.kill(worker)
        cluster.wait(lambda: '"offline"' in cluster.ask("list-member", "--worker", "--name", worker).out, "lease ends")
        said = arena.refused("start-task", str(task))
        assert f"error 46009 · internal sources [{source}] have not bound" in said
        assert "a free dm-worker is needed for each: start one with `dm-worker --join`" in said
    finally:
        cluster.expect("operate-source", "stop", source)
        cluster.expect("operate-source", "stop", filler)


def test_ctrl_c_while_dmctl_waits(arena: Arena) -> None:
    schema, name = arena.schema(KEYED), arena.fresh("waited")
    arena.schema(KEYED, server=arena.target, name=schema)
    task = arena.task(schema, name, mode="incremental", instance=arena.here())
    address = arena.cluster.master_address
    waiting = spawn("dmctl", "--master-addr", address, "start-task", str(task), "--until", "finished", "--wait")
    try:
        arena.cluster.wait(lambda: arena.cluster.stages(name) == {"Running"}, "the task runs")
        waiting.send_signal(signal.SIGINT)
        code, said = ended(waiting)
        assert code == 130
        # It waits, or on a slow machine for the answer to its order still.
        assert f"stopped waiting; task {name} goes on" in said or "already accepted goes on" in said
        assert "Traceback" not in said
        assert arena.cluster.stages(name) == {"Running"}
    finally:
        arena.cluster.expect("stop-task", name, "--wait")


def loads(process: subprocess.Popen[str], library: str) -> bool:
    """Whether the process has come as far as this library in its start."""
    return library in Path(f"/proc/{process.pid}/maps").read_text()


PROGRAMS = {
    "dm_master": ("--master-addr", "127.0.0.1:{port}", "--data-dir", "{folder}"),
    "dm_worker": ("--name", "w", "--worker-addr", "127.0.0.1:{port}", "--join", "127.0.0.1:1"),
    "dmctl": ("--master-addr", "127.0.0.1:1", "query-status"),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_ctrl_c_while_a_program_starts(program: str, tmp_path: Path) -> None:
    words = [word.format(port=free_port(), folder=tmp_path) for word in PROGRAMS[program]]
    process = spawn(program, *words)
    library = "_json.cpython" if program == "dmctl" else "pydantic_core"
    Cluster(tmp_path).wait(lambda: process.poll() is not None or loads(process, library), "it starts")
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code in (0, 1, 130, -signal.SIGINT)
    assert "Traceback" not in said


def test_ctrl_c_ends_the_daemons_and_their_subtasks_quietly(arena: Arena, tmp_path: Path) -> None:
    """As a terminal sends it: to the process and to all that it started."""
    schema = arena.schema(KEYED)
    arena.schema(KEYED, server=arena.target, name=schema)
    port, log = free_port(), str(tmp_path / "master.log")
    cluster = Cluster(tmp_path)
    cluster.master_address = f"127.0.0.1:{port}"
    words = ("--master-addr", cluster.master_address, "--data-dir", str(tmp_path / "data"), "--log-file", log)
    master = spawn("dm_master", *words, group=True)
    worker_log = str(tmp_path / "worker.log")
    address = f"127.0.0.1:{free_port()}"
    words = ("--name", "w", "--worker-addr", address, "--join", cluster.master_address, "--log-file", worker_log)
    worker = spawn("dm_worker", *words, group=True)
    try:
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        cluster.expect("operate-source", "create", str(arena.source("interrupted")))
        task = arena.task(schema, "interrupted-task", source="interrupted", mode="incremental", instance=arena.here())
        cluster.expect("start-task", str(task), "--wait")
        os.killpg(worker.pid, signal.SIGINT)
        assert ended(worker) == (0, "")
        os.killpg(master.pid, signal.SIGINT)
        assert ended(master) == (0, "")
        logged = Path(log).read_text() + Path(worker_log).read_text()
        assert "Traceback" not in logged
        assert "[ERROR]" not in logged
    finally:
        for process in (worker, master):
            process.kill()
            process.communicate()


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of this size; mounting needs root."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "spark-dm-test", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode:
        text = f"a full disk needs a mount, which is not permitted here: {done.stderr.strip()}"
        pytest.fail(text) if is_strict() else pytest.skip(text)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as full:
            if full.errno != errno.ENOSPC:
                raise
    return ballast


def test_a_full_disk_when_dm_master_starts(tmp_path: Path) -> None:
    with small_disk(tmp_path / "data", "64k") as data:
        master = spawn("dm_master", "--master-addr", f"127.0.0.1:{free_port()}", "--data-dir", str(data))
        code, said = ended(master)
    assert code == 1
    assert f"the metastore sqlite:///{data}/dm-master.db failed: database or disk is full" in said
    assert "check that the database is there, writable and has space" in said
    assert "Traceback" not in said


def test_a_full_disk_under_a_running_dm_master(arena: Arena, tmp_path: Path) -> None:
    """What cannot be stored is refused; with space again, the same command goes through."""
    source = arena.source()
    with small_disk(tmp_path / "master", "1m") as data, Cluster(tmp_path) as cluster:
        cluster.start_master()
        ballast = fill(data)
        result = cluster.ask("operate-source", "create", str(source))
        assert result.code == 1
        message = result.json["msg"]
        assert "dm-master.db failed" in message
        assert "full" in message or "no space" in message.lower()
        assert "writable and has space; dm-master goes on by itself then" in message
        assert "Traceback" not in message
        ballast.unlink()
        cluster.wait(
            lambda: cluster.ask("operate-source", "create", str(source)).code == 0, "the source is created", 30
        )
