"""Pulling a relay log: `python -m tests.bench.bench_relay_pull [mariadb] [mysql] [--scale 1.0]`.

Two streams, pulled from each server by the relay unit in a process of its own (every group durable, checksums
verified) and by `mysqlbinlog --raw` or `mariadb-binlog --raw`, which waits for no disk and verifies nothing:
transactions of one row, and events of many.  Megabytes a second of wall time, the best of runs by turns; server
and reader share the machine.  "disk" is what remains when only the disk works: the same bytes written and
made durable in groups as large as the unit's largest; no copy that waits for the disk is faster.
"""

from __future__ import annotations

import argparse
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dm_worker.relay.unit import GROUP_BYTES, Relay
from pkg.binlog import COMPILED
from pkg.task import SourceConfig
from tests.servers import RunningServer, Unavailable, start
from tests.servers.running import cache_folder

GOAL = 0.8
REPETITIONS = 5
SMALL_TRANSACTIONS, LARGE_INSERTS = 250_000, 40
PROCEDURE = """CREATE PROCEDURE bench.small(n INT) BEGIN
  WHILE n > 0 DO INSERT INTO bench.t (b, c) VALUES (CONCAT('note ', n, ' für den Kunden'), n); SET n = n - 1; END WHILE;
END"""


@dataclass(frozen=True, slots=True)
class Stream:
    """A binlog file of one kind, and the file behind it."""

    kind: str
    path: Path
    end: str


@dataclass(frozen=True, slots=True)
class Pulled:
    """One run of the relay unit."""

    seconds: float
    memory: int  # bytes, at most


def record(server: RunningServer, scale: float) -> list[Stream]:
    """Both streams, each in a binlog file of its own."""
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE bench")
        cursor.execute("CREATE TABLE bench.t (id INT AUTO_INCREMENT PRIMARY KEY, b TEXT, c INT)")
        cursor.execute(PROCEDURE)
        files = [_next_file(cursor)]
        cursor.execute(f"CALL bench.small({int(SMALL_TRANSACTIONS * scale)})")
        files.append(_next_file(cursor))
        for _ in range(int(LARGE_INSERTS * scale)):
            cursor.execute("INSERT INTO bench.t (b, c) SELECT b, c FROM bench.t LIMIT 200000")
        files.append(_next_file(cursor))
    folder = Path(server.datadir)
    return [
        Stream("one-row transactions", folder / files[0], files[1]),
        Stream("multi-row events", folder / files[1], files[2]),
    ]


def _next_file(cursor: Any) -> str:
    cursor.execute("FLUSH BINARY LOGS")
    cursor.execute("SHOW BINARY LOGS")
    return str(cursor.fetchall()[-1][0])


def events_in(path: Path) -> int:
    """Counted by their headers."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        count, at = 0, 4
        while at < len(content):
            at += int.from_bytes(content[at + 9 : at + 13], "little")
            count += 1
    return count


class Nobody:
    """No reader: when the file `end` is reached the pulling stops."""

    def __init__(self, end: str, stop: threading.Event) -> None:
        self._end, self._stop = end, stop

    def publish(self, sub_dir: str, file: str, size: int) -> None:
        if file == self._end:
            self._stop.set()


def pull(folder: str, source: str, end: str) -> None:
    """What the process of its own does: it prints seconds and bytes."""
    stop = threading.Event()
    relay = Relay(SourceConfig.model_validate_json(source), Path(folder), Nobody(end, stop), lambda: None)
    began = time.perf_counter()
    relay.run(stop)
    seconds = time.perf_counter() - began
    print(seconds, peak_memory())


def peak_memory() -> int:
    """Of this program: ru_maxrss would have its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def relay_pull(server: RunningServer, stream: Stream, disk: Path) -> Pulled:
    config = SourceConfig.model_validate(
        {
            "source-id": "bench",
            "relay-binlog-name": stream.path.name,
            "from": {"host": server.host, "port": server.port, "user": "root"},
        }
    )
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        command = [sys.executable, "-m", __spec__.name, "--pull", folder, config.model_dump_json(by_alias=True)]
        said = subprocess.run([*command, stream.end], check=True, capture_output=True, text=True).stdout.split()
        return Pulled(float(said[0]), int(said[1]))


def program_seconds(server: RunningServer, stream: Stream, disk: Path) -> float | None:
    """The server's own program; None when it is not on this machine."""
    root = cache_folder() / "mysql-root" if server.kind == "mysql" else Path("/")
    program = "mysqlbinlog" if server.kind == "mysql" else shutil.which("mariadb-binlog")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        inside = "/" + os.path.relpath(folder, root)
        command = [program, "--no-defaults", "--read-from-remote-server", "--raw", f"--result-file={inside}/"]
        command += [f"--host={server.host}", f"--port={server.port}", "--user=root", stream.path.name]
        began = time.perf_counter()
        subprocess.run(["chroot", str(root), *command], check=True, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        assert (Path(folder) / stream.path.name).stat().st_size == stream.path.stat().st_size
        return seconds


def disk_seconds(stream: Stream, disk: Path) -> float:
    content = memoryview(stream.path.read_bytes())
    with tempfile.NamedTemporaryFile(dir=disk, buffering=0) as file:
        began = time.perf_counter()
        for at in range(0, len(content), GROUP_BYTES):
            file.write(content[at : at + GROUP_BYTES])
            os.fdatasync(file.fileno())
        return time.perf_counter() - began


def measure(kind: str, scale: float) -> None:
    with start(kind, options=["--max-binlog-size=1G"]) as server:
        disk = Path(server.datadir).parent  # everything on one disk, and where a chroot can write
        for stream in record(server, scale):
            pulled: list[Pulled] = []
            theirs: list[float] = []
            disks: list[float] = []
            for _ in range(REPETITIONS):
                pulled.append(relay_pull(server, stream, disk))
                if (seconds := program_seconds(server, stream, disk)) is not None:
                    theirs.append(seconds)
                disks.append(disk_seconds(stream, disk))
            _print(kind, stream, pulled, min(theirs, default=None), min(disks))


def _print(kind: str, stream: Stream, pulled: list[Pulled], theirs: float | None, disk: float) -> None:
    size, events = stream.path.stat().st_size / 1e6, events_in(stream.path)
    ours, memory = min(one.seconds for one in pulled), max(one.memory for one in pulled)
    rival = "  no program         " if theirs is None else f"{size / theirs:>9,.0f} MB/s {theirs / ours:>6.2f}"
    verdict = f"  below {GOAL}" if theirs is not None and theirs / ours < GOAL else ""
    print(
        f"{kind:<8} {stream.kind:<20} {size:>5.0f} MB {size / ours:>7,.0f} MB/s {events / ours / 1e3:>6,.0f}k/s "
        f"{memory / 1e6:>5.0f} MB {rival} {size / disk:>7,.0f} MB/s{verdict}",
        flush=True,
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("servers", nargs="*", default=["mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    arguments.add_argument("--pull", nargs=3, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.pull:
        pull(*options.pull)
        return
    print(f"raw events: {'compiled' if COMPILED else 'plain Python'}; goal: {GOAL}")
    print("server   stream                   size    relay pull    events   memory   binlog --raw  ratio         disk")
    for kind in options.servers:
        try:
            measure(kind, options.scale)
        except Unavailable as problem:
            print(f"no {kind} on this machine: {problem}")


if __name__ == "__main__":
    main()
