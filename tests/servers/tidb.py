"""TiDB in one process, built from the Go program beside this file."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.servers import go_program
from tests.servers.ports import HOST, free_port
from tests.servers.running import Place, Recipe, RunningServer, Unavailable, cache_folder, make_template

SOURCES = Path(__file__).with_name("tidb")


def lacks() -> str:
    """What this machine lacks for it, found out without building anything; "" where nothing."""
    mounts = Path("/proc/self/mountinfo")
    text = mounts.read_text() if mounts.exists() else ""
    kinds = {line.partition(" - ")[2].split()[0] for line in text.splitlines()}
    if not {"cgroup", "cgroup2"} & kinds:
        return "TiDB asks for the control groups of its process when it starts: /sys/fs/cgroup must be mounted"
    return ""


def recipe() -> Recipe:
    if lacking := lacks():
        raise Unavailable(lacking)
    binary = build()
    base = cache_folder() / "run"
    template = make_template(cache_folder() / "templates" / binary.name, lambda datadir: _initialise(binary, datadir))
    return Recipe("tidb", template, base, base, lambda place: _command(binary, place))


def build() -> Path:
    return go_program.build("tidb", SOURCES, "some eight minutes")


def _initialise(binary: Path, datadir: Path) -> subprocess.CompletedProcess[str]:
    """A first start makes the system tables, which takes seconds; copies of the data start at once."""
    base = cache_folder() / "run"
    base.mkdir(parents=True, exist_ok=True)
    place = Place(datadir.name, datadir, base / f"{binary.name}.sock", free_port())
    server = RunningServer("tidb", HOST, place.port, place.socket, 0, datadir, place.name, _command(binary, place))
    server.owns_data = False  # `make_template` has it
    server._launch()
    server.stop()
    server.log.unlink()
    return subprocess.CompletedProcess(server.command, 0, "", "")


def _command(binary: Path, place: Place) -> list[str]:
    return [str(binary), "-port", str(place.port), "-socket", str(place.socket), "-path", str(place.datadir)]
