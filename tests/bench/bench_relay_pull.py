"""Pulling a relay log: `python -m tests.bench.bench_relay_pull [mariadb] [mysql] [--scale 1.0]`.

Two streams, pulled from each server by the relay unit (every group durable, checksums verified) and by
`mysqlbinlog --raw` or `mariadb-binlog --raw`, which waits for no disk: transactions of one row, and events of
many.  Megabytes a second of wall time, the best of runs by turns; server and reader share the machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from dm_worker.relay.unit import Relay
from pkg.binlog import COMPILED
from pkg.task import SourceConfig
from tests.servers import RunningServer, Unavailable, start
from tests.servers.running import cache_folder

GOAL = 0.8
REPETITIONS = 5
SMALL_TRANSACTIONS, LARGE_INSERTS = 200_000, 24
PROCEDURE = """CREATE PROCEDURE bench.small(n INT) BEGIN
  WHILE n > 0 DO INSERT INTO bench.t (b, c) VALUES (CONCAT('note ', n, ' für den Kunden'), n); SET n = n - 1; END WHILE;
END"""


class Streams:
    """A server with a binlog file of each kind."""

    def __init__(self, server: RunningServer, scale: float) -> None:
        self._server = server
        self._run("CREATE DATABASE bench", "CREATE TABLE bench.t (id INT AUTO_INCREMENT PRIMARY KEY, b TEXT, c INT)")
        self._run(PROCEDURE)
        self.first: dict[str, str] = {"one-row transactions": self._next_file()}
        self._run(f"CALL bench.small({int(SMALL_TRANSACTIONS * scale)})")
        self.first["multi-row events"] = self._next_file()
        for _ in range(int(LARGE_INSERTS * scale)):
            self._run("INSERT INTO bench.t (b, c) SELECT b, c FROM bench.t LIMIT 200000")
        last = self._next_file()
        self.end = {"one-row transactions": self.first["multi-row events"], "multi-row events": last}

    def size(self, kind: str) -> int:
        return {str(row[0]): int(row[1]) for row in self._run("SHOW BINARY LOGS")}[self.first[kind]]

    def _next_file(self) -> str:
        self._run("FLUSH BINARY LOGS")
        return str(self._run("SHOW BINARY LOGS")[-1][0])

    def _run(self, *statements: str) -> list[tuple[Any, ...]]:
        with self._server.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())


class Nobody:
    """No reader: when the file `end` is reached the pulling stops."""

    def __init__(self, end: str, stop: threading.Event) -> None:
        self._end, self._stop = end, stop

    def publish(self, sub_dir: str, file: str, size: int) -> None:
        if file == self._end:
            self._stop.set()


def pull_seconds(server: RunningServer, first: str, end: str) -> float:
    config = SourceConfig.model_validate(
        {
            "source-id": "bench",
            "relay-binlog-name": first,
            "from": {"host": server.host, "port": server.port, "user": "root"},
        }
    )
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        stop = threading.Event()
        relay = Relay(config, Path(folder), Nobody(end, stop), lambda: None)
        began = time.perf_counter()
        relay.run(stop)
        return time.perf_counter() - began


def program_seconds(server: RunningServer, first: str) -> float | None:
    root = cache_folder() / "mysql-root" if server.kind == "mysql" else Path("/")
    program = "mysqlbinlog" if server.kind == "mysql" else shutil.which("mariadb-binlog")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(dir=cache_folder() if server.kind != "mysql" else root / "tmp") as folder:
        inside = "/" + os.path.relpath(folder, root)
        command = [program, "--no-defaults", "--read-from-remote-server", "--raw"]
        command += [f"--host={server.host}", f"--port={server.port}", "--user=root", f"--result-file={inside}/", first]
        began = time.perf_counter()
        subprocess.run(["chroot", str(root), *command], check=True, stderr=subprocess.DEVNULL)
        return time.perf_counter() - began


def measure(kind: str, scale: float) -> None:
    with start(kind, options=["--max-binlog-size=1G"]) as server:
        streams = Streams(server, scale)
        for stream, first in streams.first.items():
            size = streams.size(stream)
            ours: list[float] = []
            theirs: list[float | None] = []
            for _ in range(REPETITIONS):
                ours.append(pull_seconds(server, first, streams.end[stream]))
                theirs.append(program_seconds(server, first))
            _print(kind, stream, size, min(ours), min((one for one in theirs if one is not None), default=None))


def _print(kind: str, stream: str, size: int, ours: float, theirs: float | None) -> None:
    rival = "      no program" if theirs is None else f"{size / theirs / 1e6:>8,.0f} MB/s {theirs / ours:>6.2f}"
    verdict = f"  below {GOAL}" if theirs is not None and theirs / ours < GOAL else ""
    print(f"{kind:<8} {stream:<20} {size / 1e6:>6.0f} MB {size / ours / 1e6:>8,.0f} MB/s {rival}{verdict}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("servers", nargs="*", default=["mariadb", "mysql"])
    arguments.add_argument("--scale", type=float, default=1.0)
    options = arguments.parse_args()
    print(f"raw events: {'compiled' if COMPILED else 'plain Python'}; goal: {GOAL}")
    print("server   stream               size      relay pull   binlog --raw   ratio")
    for kind in options.servers:
        try:
            measure(kind, options.scale)
        except Unavailable as problem:
            print(f"no {kind} on this machine: {problem}")


if __name__ == "__main__":
    main()
