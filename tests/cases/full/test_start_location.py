"""Where a copy without a lock starts: what the binlog has up to there is visible to whoever copies.

A semi-synchronous upstream writes a transaction to its binlog and shows it when a replica has answered.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cases.dump.dumping import dump_task, text_of
from tests.cases.full.migration import execute, migrate, outcome, query, start, subtask
from tests.cases.sync.pair import running, until
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

UPSTREAMS = {
    "mariadb": (),
    "mysql": (),
    "mysql without GTIDs": ("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"),
}
WAIT_MS = 6000  # nobody answers, and the upstream then goes on


@pytest.fixture(scope="module", params=UPSTREAMS)
def upstream(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with start_or_report(request.param.partition(" ")[0], options=UPSTREAMS[request.param]) as server:
        if server.kind == "mysql":
            execute(server, "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'")
        yield server


@contextmanager
def committing(server: RunningServer, statement: str) -> Iterator[None]:
    """The statement's transaction is in the binlog and not visible, for some seconds."""
    name = "source" if server.kind == "mysql" else "master"
    execute(
        server,
        f"SET GLOBAL rpl_semi_sync_{name}_enabled = 0",
        f"SET GLOBAL rpl_semi_sync_{name}_wait_point = AFTER_SYNC",
        f"SET GLOBAL rpl_semi_sync_{name}_timeout = {WAIT_MS}",
        f"SET GLOBAL rpl_semi_sync_{name}_enabled = 1",
    )
    before = position(server)
    thread = threading.Thread(target=execute, args=(server, statement))
    thread.start()
    while position(server) == before:
        time.sleep(0.01)
    try:
        yield
    finally:
        thread.join()
        execute(server, f"SET GLOBAL rpl_semi_sync_{name}_enabled = 0")


def position(server: RunningServer) -> Any:
    return query(server, "SHOW BINARY LOG STATUS" if server.kind == "mysql" else "SHOW MASTER STATUS")[0][:2]


@pytest.fixture
def schema(upstream: RunningServer, mariadb2: RunningServer, request: pytest.FixtureRequest) -> str:
    name = f"visible_{abs(hash(request.node.name)) % 10**6}"
    for server in (upstream, mariadb2):
        execute(server, f"DROP DATABASE IF EXISTS {name}", f"DROP DATABASE IF EXISTS {name}_meta")
    execute(upstream, f"CREATE DATABASE {name}", f"CREATE TABLE {name}.t (id INT PRIMARY KEY, v VARCHAR(20))")
    execute(upstream, f"INSERT INTO {name}.t VALUES (1, 'before')")
    return name


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
def test_a_transaction_that_waits_for_a_replica_is_copied_or_replicated(
    upstream: RunningServer, mariadb2: RunningServer, schema: str, by_gtid: bool
) -> None:
    config = subtask(upstream, mariadb2, schema, enable_gtid=by_gtid)
    with committing(upstream, f"INSERT INTO {schema}.t VALUES (2, 'on its way')"):
        migrate(config)
    execute(upstream, f"INSERT INTO {schema}.t VALUES (3, 'behind')")
    rows = f"SELECT * FROM {schema}.t ORDER BY id"
    with running(config):
        until(lambda: (3, "behind") in query(mariadb2, rows), "what was written after the copy")
    assert query(mariadb2, rows) == query(upstream, rows)


def test_it_is_dumped_or_behind_the_location_of_the_dump(upstream: RunningServer, schema: str, tmp_path: Path) -> None:
    before = position(upstream)
    with committing(upstream, f"INSERT INTO {schema}.t VALUES (2, 'on its way')"):
        migrate(dump_task(upstream, schema, tmp_path))
    said = (tmp_path / "metadata").read_text()
    is_dumped = any(b"on its way" in text_of(file) for file in tmp_path.iterdir())
    assert is_dumped or f"Pos: {before[1]}" in said, said


@pytest.mark.parametrize("upstream", ["mysql without GTIDs"], indirect=True)
def test_without_gtids_and_privileges_it_is_refused(
    upstream: RunningServer, mariadb2: RunningServer, schema: str
) -> None:
    execute(
        upstream,
        "CREATE USER IF NOT EXISTS poor@'%' IDENTIFIED BY ''",
        f"GRANT SELECT ON {schema}.* TO poor@'%'",
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO poor@'%'",
    )
    ended = outcome(start(subtask(upstream, mariadb2, schema, user="poor")))
    assert ended["code"] == 32018
    assert "LOCK TABLES" in ended["text"]
