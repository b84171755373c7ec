"""TiDB in one process, built from the Go program beside this file."""

from __future__ import annotations

from pathlib import Path

from tests.servers import go_program
from tests.servers.running import Place, Recipe, Unavailable, cache_folder

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
    return Recipe("tidb", None, base, base, lambda place: _command(binary, place))


def build() -> Path:
    return go_program.build("tidb", SOURCES, "some eight minutes")


def _command(binary: Path, place: Place) -> list[str]:
    return [str(binary), "-port", str(place.port), "-socket", str(place.socket), "-path", str(place.datadir)]
