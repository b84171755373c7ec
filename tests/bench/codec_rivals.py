"""What others need for the same binlog file: python-mysql-replication, go-mysql's parser, the server's own program.

Each gives row images per second, or None where the program is not on this machine.  Seconds are of CPU
time, since other work on the machine is none of theirs; go-mysql, whose garbage collector has threads
of its own, is given the better one of CPU time and the clock.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

from tests.bench.codec_streams import Recording
from tests.servers import RunningServer, Unavailable, go_program
from tests.servers.running import cache_folder, say

REPETITIONS = 3
ENOUGH_IMAGES = 20_000  # for python-mysql-replication, which does some ten thousand a second


def mysql_replication(server: RunningServer, recording: Recording) -> float:
    """python-mysql-replication on the first images of the file; it can read none but from a server."""
    stream = BinLogStreamReader(
        connection_settings={"host": server.host, "port": server.port, "user": "root", "passwd": ""},
        server_id=4711,
        log_file=recording.path.name,
        log_pos=4,
        only_events=[WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
    )  # is_mariadb would make it start at a GTID, in whichever file, not in this one
    images, began = 0, time.process_time()
    try:
        for event in stream:
            images += len(event.rows) * (2 if isinstance(event, UpdateRowsEvent) else 1)
            if images >= ENOUGH_IMAGES:
                break
    finally:
        stream.close()
    return images / (time.process_time() - began)


def go_mysql(recording: Recording, images: int) -> float | None:
    """go-mysql's parser; it must find the same number of images."""
    try:
        program = go_program.build("go-mysql-parser", Path(__file__).with_name("go_parser"), "seconds")
    except Unavailable as problem:
        say(f"no go-mysql: {problem}")
        return None

    def once() -> float:
        command = [str(program), recording.flavor, str(recording.path)]
        found, *seconds = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert int(found) == images, f"go-mysql finds {found} row images and the codec {images}"
        return min(map(float, seconds))

    return images / _best(once)


def binlog_program(recording: Recording, images: int) -> float | None:
    """`mysqlbinlog -vv` or `mariadb-binlog -vv`, whose output nobody reads."""
    command = _command(recording)
    if command is None:
        return None

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return images / _best(once)


def _best(once: Callable[[], float]) -> float:
    return min(once() for _ in range(REPETITIONS))


def _command(recording: Recording) -> list[str] | None:
    if recording.flavor == "mysql":
        root = cache_folder() / "mysql-root"
        inside = "/" + str(recording.path.relative_to(root))
        return ["chroot", str(root), "mysqlbinlog", "--no-defaults", "-vv", inside]
    program = shutil.which("mariadb-binlog")
    return [program, "--no-defaults", "-vv", str(recording.path)] if program else None
