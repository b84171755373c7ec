"""TiDB in one process, built from the Go program beside this file."""

from __future__ import annotations

from pathlib import Path

from tests.servers import go_program
from tests.servers.running import Place, Recipe, cache_folder

SOURCES = Path(__file__).with_name("tidb")


def recipe() -> Recipe:
    binary = build()
    base = cache_folder() / "run"
    return Recipe("tidb", None, base, base, lambda place: _command(binary, place))


def build() -> Path:
    return go_program.build("tidb", SOURCES, "some eight minutes")


def _command(binary: Path, place: Place) -> list[str]:
    return [str(binary), "-port", str(place.port), "-socket", str(place.socket), "-path", str(place.datadir)]
