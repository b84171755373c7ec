"""An upstream and a target with equal tables, and the sync unit between them in a thread of this process."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.json_format import ParseDict

from dm_worker.syncer.unit import Syncer
from pkg.adapters.rpc.dm_pb2 import SyncStatus
from pkg.errors import DMError
from pkg.task.connection import ConnectionConfig
from pkg.task.subtask import SubtaskConfig
from tests.cases.sync.dm_left import DmLeft, Place
from tests.servers import RunningServer

TABLES = (
    "CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL, code VARCHAR(20) UNIQUE)",
    "CREATE TABLE log (a INT, b VARCHAR(20))",
)
FIRST = (
    "INSERT INTO counter VALUES (1, 0, 'a'), (2, 0, 'b'), (3, 0, 'c')",
    "INSERT INTO log VALUES (1, 'x'), (1, 'x')",
)
SECONDS = 150


@contextlib.contextmanager
def cursor_on(server: RunningServer, database: str | None = None) -> Iterator[Any]:
    with server.connect(database) as connection, connection.cursor() as cursor:
        yield cursor


@dataclass
class Pair:
    """An upstream and a target with the same rows until now."""

    name: str
    upstream: RunningServer
    target: RunningServer

    def on(self, statements: Sequence[str], *servers: RunningServer) -> None:
        for server in servers:
            with cursor_on(server, self.name) as cursor:
                for statement in statements:
                    cursor.execute(statement)

    def both(self, *statements: str) -> None:
        """What DM has applied."""
        self.on(statements, self.upstream, self.target)

    def here(self) -> Place:
        """The end of the upstream's binlog, as DM would note it."""
        mysql = self.upstream.kind == "mysql"
        with cursor_on(self.upstream) as cursor:
            cursor.execute("SHOW BINARY LOG STATUS" if mysql else "SHOW MASTER STATUS")
            name, offset, *more = cursor.fetchone()
            if mysql:
                return str(name), int(offset), str(more[-1])
            cursor.execute("SELECT @@GLOBAL.gtid_binlog_pos")
            return str(name), int(offset), str(cursor.fetchone()[0])

    def config(self, sync: dict[str, Any] | None = None, **more: Any) -> SubtaskConfig:
        return SubtaskConfig(
            **{"task_mode": "incremental", "block_allow_list": {"do-dbs": [self.name]}, **more},
            task_name=self.name,
            source_id="one",
            meta_schema=f"{self.name}_meta",
            upstream=ConnectionConfig(host=self.upstream.host, port=self.upstream.port, user="root"),
            target=ConnectionConfig(host=self.target.host, port=self.target.port, user="root"),
            sync={"worker-count": 3, "checkpoint-flush-interval": 1} | (sync or {}),
        )

    @contextlib.contextmanager
    def left(self) -> Iterator[DmLeft]:
        with cursor_on(self.target) as cursor:
            yield DmLeft(cursor, f"{self.name}_meta", self.name)

    def rows(self, server: RunningServer) -> list[Any]:
        with cursor_on(server, self.name) as cursor:
            found = []
            for table in ("counter", "log"):
                cursor.execute(f"SELECT * FROM {table}")
                found.append(sorted(cursor.fetchall()))
            return found

    def is_equal(self) -> bool:
        return self.rows(self.target) == self.rows(self.upstream)


class Replication:
    """The sync unit in a thread; what it raises is raised by `end`."""

    def __init__(self, config: SubtaskConfig) -> None:
        self.unit = Syncer(config, 1)
        self._stop = threading.Event()
        self._failures: list[DMError] = []
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            self.unit.run(self._stop)
        except DMError as exc:
            self._failures.append(exc)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def end(self, wait: float = 0) -> None:
        """Stop it, if it has not ended by itself within `wait` seconds."""
        self._thread.join(wait)
        ParseDict(dict(self.unit.status()), SyncStatus())  # fails for what no message carries to dm-master
        self._stop.set()
        self._thread.join(SECONDS)
        if self._failures:
            raise self._failures[0]


@contextlib.contextmanager
def running(config: SubtaskConfig) -> Iterator[Syncer]:
    replication = Replication(config)
    try:
        yield replication.unit
    finally:
        replication.end()


def until(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def made(name: str, upstream: RunningServer, target: RunningServer) -> Pair:
    for server in (upstream, target):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"DROP DATABASE IF EXISTS {name}_meta")
            cursor.execute(f"CREATE DATABASE {name} DEFAULT CHARACTER SET utf8mb4")
    pair = Pair(name, upstream, target)
    pair.both(*TABLES, *FIRST)
    return pair
