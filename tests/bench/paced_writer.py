"""A stream of inserts at a given rate, written by a process of its own: the reader's work does not slow it down."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.connection import Connection

import pymysql

from tests.bench.loads import narrow
from tests.servers import RunningServer

TABLE = "bench.orders"


class PacedWriter:
    """Commits `rows_per_commit` rows at a time; times are of `time.monotonic`, which all processes share."""

    def __init__(self, server: RunningServer, rows_per_second: int, rows_per_commit: int, seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.commits = int(rows_per_second * seconds / rows_per_commit)
        self._pipe, theirs = context.Pipe()
        interval = rows_per_commit / rows_per_second
        arguments = (server.host, server.port, self.commits, rows_per_commit, interval, theirs)
        self._process = context.Process(target=_write, args=arguments)
        self._process.start()
        theirs.close()

    def wait_until_it_writes(self) -> None:
        """Block until its first commit is due."""
        self._pipe.recv()

    def times(self) -> list[float]:
        """Wait for the last commit; when each had returned."""
        committed: list[float] = self._pipe.recv()
        self._process.join()
        return committed


def _write(host: str, port: int, commits: int, rows: int, interval: float, pipe: Connection) -> None:
    connection = pymysql.connect(host=host, port=port, user="root", autocommit=True, ssl_disabled=True)
    rng = random.Random(1)
    texts = [_insert(number, rows, rng) for number in range(commits)]
    committed = []
    pipe.send("writing")
    began = time.monotonic()
    for number, text in enumerate(texts):
        delay = began + number * interval - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        connection.query(text)
        committed.append(time.monotonic())
    pipe.send(committed)
    connection.close()


def _insert(commit: int, rows: int, rng: random.Random) -> bytes:
    first = commit * rows
    return f"INSERT INTO {TABLE} VALUES {','.join(narrow(first + row, rng) for row in range(rows))}".encode()
