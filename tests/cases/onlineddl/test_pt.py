"""The real pt-online-schema-change (Debian's percona-toolkit, which `./dev test` installs), under writes."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pymysql
import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.programs import program
from tests.servers import RunningServer

DEADLOCK = 1213
TOOL = "pt-online-schema-change"
SCHEMA = "realtool"
TABLE = "items"
CREATE = (
    f"CREATE TABLE {TABLE} (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, price DECIMAL(8,2), "
    "KEY by_name (name))"
)
FILL = f"INSERT INTO {TABLE} (name, price) SELECT CONCAT('n', seq), seq / 4 FROM seq_1_to_4000"
CHANGES = (
    "ADD COLUMN note VARCHAR(30) NOT NULL DEFAULT 'none' AFTER name, ADD KEY by_price (price)",
    "MODIFY price DECIMAL(12,3) NOT NULL DEFAULT 1, DROP KEY by_name",
    "CHANGE COLUMN note remark TEXT CHARACTER SET latin1",
)


@pytest.fixture
def pair(mariadb: RunningServer, mariadb2: RunningServer) -> Iterator[Pair]:
    pair = made(SCHEMA, mariadb, mariadb2)
    pair.both(CREATE)
    pair.on((FILL,), pair.upstream)
    with cursor_on(pair.upstream, SCHEMA) as cursor:
        cursor.execute(f"SELECT * FROM {TABLE}")
        rows = cursor.fetchall()
    with cursor_on(pair.target, SCHEMA) as cursor:
        cursor.executemany(f"INSERT INTO {TABLE} VALUES (%s, %s, %s)", rows)
    yield pair
    for server in (mariadb, mariadb2):
        with cursor_on(server) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
            cursor.execute(f"DROP DATABASE IF EXISTS {SCHEMA}_meta")


def change(server: RunningServer, alter: str, *options: str) -> None:
    dsn = f"h={server.host},P={server.port},u=root,D={SCHEMA},t={TABLE}"
    command = [
        program(TOOL), "--execute", "--alter", alter, "--chunk-size", "300", "--recursion-method", "none", "--sleep", "0.01",
        "--no-version-check", "--no-check-alter", *options, dsn,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def writes(server: RunningServer) -> Iterator[None]:
    """Rows are inserted, changed and deleted until the block ends."""
    stop = threading.Event()

    def work() -> None:
        with cursor_on(server, SCHEMA) as cursor:
            number = 0
            while not stop.is_set():
                number += 1
                try:
                    cursor.execute(f"INSERT INTO {TABLE} (name, price) VALUES (%s, 1)", (f"w{number}",))
                    cursor.execute(f"UPDATE {TABLE} SET price = price + 1 WHERE id = %s", (number * 7 % 4000,))
                    cursor.execute(f"DELETE FROM {TABLE} WHERE id = %s", (number * 11 % 4000,))
                except pymysql.err.OperationalError as exc:
                    if exc.args[0] != DEADLOCK:  # with the tool's triggers, as its manual warns
                        raise

    writer = threading.Thread(target=work)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def state(server: RunningServer) -> Any:
    """The table as it is: columns, indexes, rows."""
    with cursor_on(server, SCHEMA) as cursor:
        cursor.execute(
            "SELECT column_name, column_type, is_nullable, column_default FROM information_schema.columns "
            f"WHERE table_schema = '{SCHEMA}' AND table_name = '{TABLE}' ORDER BY ordinal_position"
        )
        columns = list(cursor.fetchall())
        cursor.execute(
            "SELECT index_name, column_name, seq_in_index FROM information_schema.statistics "
            f"WHERE table_schema = '{SCHEMA}' AND table_name = '{TABLE}' ORDER BY 1, 3"
        )
        indexes = list(cursor.fetchall())
        cursor.execute(f"SELECT * FROM {TABLE} ORDER BY id")
        return columns, indexes, list(cursor.fetchall())


def test_changes_under_writes(pair: Pair) -> None:
    with running(pair.config()) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads the stream")
        with writes(pair.upstream):
            change(pair.upstream, CHANGES[0])
            change(pair.upstream, CHANGES[1], "--no-drop-old-table")  # _items_old stays
            change(pair.upstream, CHANGES[2])  # … so the next one's trash has another name
        until(lambda: state(pair.target) == state(pair.upstream), "the target has it all")
    with cursor_on(pair.target, SCHEMA) as cursor:
        cursor.execute("SHOW TABLES")
        assert {name for (name,) in cursor.fetchall()} == {"counter", TABLE, "log"}
