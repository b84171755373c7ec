"""dm-binlog on files of real servers, against what the servers and their own tools say about the same files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.programs import program
from tests.servers import RunningServer
from tests.servers.running import cache_folder

OPTIONS = {
    "mysql": ["--binlog-row-metadata=FULL", "--binlog-rows-query-log-events=ON"],
    "mariadb": ["--binlog-row-metadata=FULL", "--log-bin-compress-min-len=10"],
}
COMPRESSED = {"mysql": "SET SESSION binlog_transaction_compression = {}", "mariadb": "SET GLOBAL log_bin_compress = {}"}
_CHANGE = re.compile(r"^### (INSERT INTO|UPDATE|DELETE FROM) `(\w+)`\.`(\w+)`", re.MULTILINE)
_KINDS = {"INSERT INTO": "insert", "UPDATE": "update", "DELETE FROM": "delete"}


class Workload:
    """Statements on a server, and how many rows each changed by the server's own word."""

    def __init__(self, server: RunningServer, flavor: str) -> None:
        self.changed: Counter[tuple[str, str]] = Counter()
        self._flavor = flavor
        self._cursor: Any = None
        with closing(server.connect()) as connection, connection.cursor() as cursor:
            self._cursor = cursor
            cursor.execute("FLUSH BINARY LOGS")
            cursor.execute("SHOW BINARY LOGS")
            self.file = Path(server.datadir) / cursor.fetchall()[-1][0]
            self._run()
            cursor.execute(f"SHOW BINLOG EVENTS IN '{self.file.name}'")
            self.listed = [(int(row[1]), int(row[4])) for row in cursor.fetchall()]

    def _change(self, kind: str, table: str, sql: str) -> None:
        self._cursor.execute(sql)
        self.changed[f"shop.{table}", kind] += self._cursor.rowcount

    def _run(self) -> None:
        execute = self._cursor.execute
        execute("CREATE DATABASE shop")
        execute(
            "CREATE TABLE shop.orders (region INT, id INT, name VARCHAR(50), amount DECIMAL(10,2), PRIMARY KEY (id))"
        )
        execute("CREATE TABLE shop.log (at TIMESTAMP(3) NULL, text TEXT, n BIGINT UNSIGNED)")
        self._changes()
        execute("SET SESSION binlog_row_image = 'MINIMAL'")
        self._change("update", "orders", "UPDATE shop.orders SET name = 'minimal' WHERE id = 2")
        self._change("delete", "orders", "DELETE FROM shop.orders WHERE id = 3")
        execute("SET SESSION binlog_row_image = 'FULL'")
        execute(COMPRESSED[self._flavor].format("ON"))
        self._change("insert", "log", "INSERT INTO shop.log SELECT NOW(), REPEAT('packed ', 100), id FROM shop.orders")
        self._change("update", "orders", "UPDATE shop.orders SET amount = amount + 1, name = 'packed' WHERE id % 2 = 0")
        execute(COMPRESSED[self._flavor].format("OFF"))
        execute("XA START 'x1'")
        self._change("insert", "log", "INSERT INTO shop.log VALUES (NOW(), 'xa', 1)")
        execute("XA END 'x1'")
        execute("XA PREPARE 'x1'")
        execute("XA COMMIT 'x1'")

    def _changes(self) -> None:
        rows = ", ".join(f"(7, {n}, 'order {n}', {n}.50)" for n in range(1, 501))
        self._cursor.execute("BEGIN")
        self._change("insert", "orders", f"INSERT INTO shop.orders VALUES {rows}")
        self._change("insert", "log", "INSERT INTO shop.log VALUES (NULL, 'it''s\\n', 18446744073709551615)")
        self._change("update", "orders", "UPDATE shop.orders SET name = 'changed' WHERE id <= 40")
        self._cursor.execute("COMMIT")
        self._change("delete", "orders", "DELETE FROM shop.orders WHERE id > 480")


@pytest.fixture(params=("mysql", "mariadb"))
def work(request: pytest.FixtureRequest, server_factory: Callable[..., RunningServer]) -> Workload:
    return Workload(server_factory(request.param, options=OPTIONS[request.param]), request.param)


def dm_binlog(*words: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """As a process of its own, since its output's encoding and its end are the process's."""
    command = [sys.executable, "-m", "dm_binlog", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=os.environ)


def objects(*words: object) -> list[dict[str, Any]]:
    shown = dm_binlog(*words, "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    return [json.loads(line) for line in shown.stdout.splitlines()]


def counted(found: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    return Counter((row["table"], row["type"]) for row in found if row["type"] in ("insert", "update", "delete"))


def of_the_servers_tool(file: Path, flavor: str) -> Counter[tuple[str, str]]:
    """What the server's own program counts."""
    if flavor == "mysql":
        root = cache_folder() / "mysql-root"
        command = ["chroot", str(root), "/usr/bin/mysqlbinlog", "-vv", f"/{file.relative_to(root)}"]
    else:
        command = [program("mariadb-binlog"), "-vv", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, errors="replace").stdout
    return Counter((f"{schema}.{table}", _KINDS[kind]) for kind, schema, table in _CHANGE.findall(text))


def test_rows_are_those_that_the_server_changed_and_its_tool_counts(
    work: Workload, request: pytest.FixtureRequest
) -> None:
    found = objects(work.file)
    assert counted(found) == work.changed
    assert counted(found) == of_the_servers_tool(work.file, request.node.callspec.params["work"])
    (stats,) = objects(work.file, "--stats")
    tables = {(table, kind): stats["tables"][table][kind] for table, kind in work.changed}
    assert tables == work.changed


def test_events_are_those_that_the_server_lists(work: Workload) -> None:
    found = objects(work.file, "--raw-events")
    ours = [(event["position"], event["position"] + event["size"]) for event in found if not event["inside"]]
    # Events of a compressed transaction have no place of their own.
    assert ours == [place for place in work.listed if place[0] != place[1]]
    assert len(found) == len(work.listed)


def test_values_and_names_are_the_servers(work: Workload) -> None:
    found = objects(work.file)
    rows = [row for row in found if row["type"] in ("insert", "update", "delete")]
    assert rows[0]["after"] == {"region": 7, "id": 1, "name": "order 1", "amount": "1.50"}
    log = next(row for row in rows if row["table"] == "shop.log")
    assert log["after"] == {"at": None, "text": "it's\n", "n": 18446744073709551615}
    minimal = next(row for row in rows if row["type"] == "update" and row["after"].get("name") == "minimal")
    assert minimal["before"] == {"id": 2}
    assert minimal["after"] == {"name": "minimal"}
    packed = [row for row in rows if row["type"] == "insert" and (row["after"].get("text") or "").startswith("packed")]
    assert len(packed) == 479


def test_a_file_that_its_server_still_writes_is_shown(work: Workload) -> None:
    shown = dm_binlog(work.file)
    assert shown.returncode == 0
    assert "not closed by its server" in shown.stdout
    assert "~ id=1  name 'order 1' → 'changed'" in shown.stdout
    assert "prepared, not yet committed" in shown.stdout


def test_a_reader_that_goes_away_ends_it_quietly(work: Workload) -> None:
    command = f"{sys.executable} -m dm_binlog {work.file} | head -1"
    shown = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=120)
    assert shown.stdout.startswith(work.file.name)
    assert shown.stderr == ""
