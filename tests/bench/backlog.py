"""Binlogs to catch up with, and whether source and target then hold the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pymysql.constants import CLIENT

from tests.bench.ceiling import connect
from tests.bench.loads import Load, Statements
from tests.servers import RunningServer

STATEMENTS_PER_PACKET = 200


@dataclass(frozen=True, slots=True)
class Backlog:
    """What was written from the binlog position on, and where it ends: row changes, and bytes of binlog."""

    name: str
    offset: int
    changes: int
    size_bytes: int
    end: tuple[str, int]


def make_schema(server: RunningServer, load: Load) -> None:
    """The schema `bench` anew, as it is before the backlog begins."""
    connection = connect(server)
    with connection.cursor() as cursor:
        for database in ("bench", "dm_meta"):
            cursor.execute(f"DROP DATABASE IF EXISTS {database}")
        cursor.execute("CREATE DATABASE bench DEFAULT CHARACTER SET utf8mb4")
        for statement in load.prepare():
            cursor.execute(statement)
    connection.close()


def write(server: RunningServer, load: Load, changes: int, seed: int = 1) -> Backlog:
    """Write at least `changes` row changes of `load`."""
    make_schema(server, load)
    connection = connect(server, client_flag=CLIENT.MULTI_STATEMENTS)
    name, offset = position(connection)
    written = 0
    packets = _packets(load, random.Random(seed))
    with connection.cursor() as cursor:
        while written < changes:
            packet, count = next(packets)
            cursor.execute(packet)
            while cursor.nextset():
                pass
            written += count
    end = position(connection)
    size = binlog_bytes(connection, (name, offset), end)
    connection.close()
    return Backlog(name, offset, written, size, end)


def position(connection: Any) -> tuple[str, int]:
    """Where the server's binlog ends."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW MASTER STATUS" if "MariaDB" in connection.server_version else "SHOW BINARY LOG STATUS")
        row = cursor.fetchone()
    return str(row[0]), int(row[1])


def _packets(load: Load, rng: random.Random) -> Iterator[tuple[str, int]]:
    """Several statements to a packet, since round trips would take most of the time; (text, row changes)."""
    statements = load.statements(rng)
    while True:
        if load.per_transaction == 1:
            taken, count = _take(statements, STATEMENTS_PER_PACKET)
            yield ";".join(taken), count
        else:
            taken, count = _take(statements, load.per_transaction)
            yield ";".join(["BEGIN", *taken, "COMMIT"]), count


def _take(statements: Statements, changes: int) -> tuple[list[str], int]:
    taken, count = [], 0
    while count < changes:
        text, made = next(statements)
        taken.append(text)
        count += made
    return taken, count


def binlog_bytes(connection: Any, start: tuple[str, int], end: tuple[str, int]) -> int:
    """How much binlog there is between two positions."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW BINARY LOGS")
        whole = sum(int(row[1]) for row in cursor.fetchall() if start[0] <= row[0] < end[0])
    return whole + end[1] - start[1]


def is_equal(one: RunningServer, other: RunningServer, load: Load) -> bool:
    """Whether both have the same rows in the load's tables."""
    return content(one, load) == content(other, load)


def content(server: RunningServer, load: Load) -> list[tuple[int, int]]:
    """Rows and checksum of each table."""
    connection = connect(server)
    found = []
    with connection.cursor() as cursor:
        for table in load.tables:
            cursor.execute(f"SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|',{load.check}))) FROM {table}")
            row = cursor.fetchone()
            found.append((int(row[0]), int(row[1] or 0)))
    connection.close()
    return found
