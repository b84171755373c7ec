"""The limit that figures are compared with: multi-row × 1000 INSERT on 4 connections, measured in the same run."""

from __future__ import annotations

import threading
import time
from typing import Any

import pymysql

from tests.servers import RunningServer

CONNECTIONS = 4
ROWS_PER_STATEMENT = 1000


def connect(server: RunningServer, **arguments: Any) -> Any:
    """A root connection, autocommit on."""
    return pymysql.connect(
        host=server.host, port=server.port, user="root", **{"autocommit": True, "ssl_disabled": True, **arguments}
    )


def rows_per_second(server: RunningServer, create: str, values: list[str], table: str = "ceiling.t") -> float:
    """Rows/s of the server for ready `(…)` texts; `create` makes the table that `table` names."""
    with connect(server).cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS ceiling")
        cursor.execute("CREATE DATABASE ceiling DEFAULT CHARACTER SET utf8mb4")
        cursor.execute(create)
    statements = [
        f"INSERT INTO {table} VALUES {','.join(values[at : at + ROWS_PER_STATEMENT])}".encode()
        for at in range(0, len(values), ROWS_PER_STATEMENT)
    ]

    def write(number: int) -> None:
        connection = connect(server)
        for statement in statements[number::CONNECTIONS]:
            connection.query(statement)
        connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    with connect(server).cursor() as cursor:
        cursor.execute("DROP DATABASE ceiling")
    return len(values) / seconds
