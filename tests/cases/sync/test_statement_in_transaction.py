"""A statement in a transaction that goes on behind it: only the transaction's end moves the checkpoint.

`CREATE TABLE … SELECT` writes the statement and then its rows.  A checkpoint that had the transaction's GTID behind
the statement lost the rows when the process died.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.conftest import start_or_report
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("upstream")

SEED = (
    "INSERT INTO log VALUES (2, 'y'), (3, 'z')",
    *("INSERT INTO log SELECT a + 7, CONCAT(b, a) FROM log" for _ in range(9)),
)
DIED_AT = {
    "the statement is marked": "syncer.ddl_marked=kill",
    "it has run": "syncer.ddl_executed=kill",
    "it is stored": "syncer.ddl_stored=kill",
    "some of its rows are there": "syncer.after_apply_before_ack@2=kill",
}
COMPRESSED = "SET binlog_transaction_compression = 1"  # all its events have one place


@pytest.fixture(params=["mysql", "mysql compressed", "mariadb"])
def upstream(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def pair(upstream: str, mariadb2: RunningServer, request: pytest.FixtureRequest) -> Pair:
    server = request.getfixturevalue(upstream.partition(" ")[0])
    pair = made(f"inside_{abs(hash(request.node.name)) % 10**6}", server, mariadb2)
    pair.both(*SEED)
    return pair


def config_of(pair: Pair, *, by_gtid: bool) -> Any:
    return pair.config({"worker-count": 2, "batch": 50}, enable_gtid=by_gtid)


def rows_of(pair: Pair, server: RunningServer, *tables: str) -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SHOW TABLES")
        there = {name for (name,) in cursor.fetchall()}
        found = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {table}" if table in there else "SELECT 1 WHERE FALSE")
            found.append(sorted(cursor.fetchall()))
        return found


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
@pytest.mark.parametrize("died_at", DIED_AT)
def test_rows_behind_it_arrive_once(pair: Pair, upstream: str, died_at: str, by_gtid: bool, tmp_path: Path) -> None:
    config = config_of(pair, by_gtid=by_gtid)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    dying = Run(config, tmp_path, 1, DIED_AT[died_at])
    first = (COMPRESSED,) if "compressed" in upstream else ()
    last = "INSERT INTO made VALUES (-1, 'last')"
    pair.on((*first, "CREATE TABLE made SELECT * FROM log", last), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    assert dying.process.returncode == -9
    with running(config):
        until(lambda: (-1, "last") in rows_of(pair, pair.target, "made")[0], "the row behind it")
    assert rows_of(pair, pair.target, "made", "log") == rows_of(pair, pair.upstream, "made", "log")


@pytest.fixture
def dying_upstream() -> Iterator[RunningServer]:
    with start_or_report("mariadb") as server:
        yield server


@pytest.mark.parametrize("by_gtid", [True, False], ids=["gtid", "position"])
def test_a_transaction_that_the_upstream_did_not_write_to_its_end(
    dying_upstream: RunningServer, mariadb2: RunningServer, by_gtid: bool
) -> None:
    """MariaDB leaves its events in the file of before its death; the GTID may come again."""
    pair = made(f"half_{by_gtid:d}", dying_upstream, mariadb2)
    config = config_of(pair, by_gtid=by_gtid)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(
        ("BEGIN", "INSERT INTO log VALUES (50, 'half')", "INSERT INTO log VALUES (51, 'half')", "COMMIT"), pair.upstream
    )
    with cursor_on(pair.upstream) as cursor:
        cursor.execute("SHOW MASTER STATUS")
        name = str(cursor.fetchone()[0])
        cursor.execute(f"SHOW BINLOG EVENTS IN '{name}'")
        first_rows = [event[4] for event in cursor.fetchall() if "Write_rows" in event[2]][-2]
    dying_upstream.kill()
    with (dying_upstream.datadir / name).open("r+b") as file:
        file.truncate(first_rows)
    server = dying_upstream.restart()
    pair.on(("SET sql_log_bin = 0", "DELETE FROM log WHERE a >= 50"), server)  # which no transaction of the binlog made
    pair.on(("INSERT INTO log VALUES (60, 'whole')",), server)
    with running(config):
        until(lambda: any(row[0] >= 60 for row in rows_of(pair, pair.target, "log")[0]), "the row behind it")
    assert rows_of(pair, pair.target, "log") == rows_of(pair, server, "log")
