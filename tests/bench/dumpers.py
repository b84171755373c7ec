"""mydumper and myloader, with the options that make them a fair rival: as many threads, one table in parts."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from tests.bench import copies
from tests.servers import RunningServer


def mydumper(server: RunningServer, folder: Path, threads: int, rows_per_file: int, *more: str) -> float:
    """Seconds to dump the schema `bench` into ``folder``."""
    command = ["mydumper", *_address(server), "-B", "bench", "-o", str(folder), "-r", str(rows_per_file), *more]
    return _seconds([*command, "-t", str(threads)])


def myloader(target: RunningServer, folder: Path, threads: int, *, binlog: bool) -> float:
    """Seconds to load ``folder`` into a target that has nothing of it, with or without the target's own binlog."""
    copies.forget(target)
    logged = ["--enable-binlog"] if binlog else []
    return _seconds(["myloader", *_address(target), "-d", str(folder), "-t", str(threads), *logged])


def _address(server: RunningServer) -> list[str]:
    return ["-h", server.host, "-P", str(server.port), "-u", "root"]


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began
