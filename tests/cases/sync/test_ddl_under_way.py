"""A run dies (`kill -9`) while TiDB executes its DDL: the next one finds the job, waits for it and goes on behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dm_worker.syncer import ddl_jobs
from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.servers import RunningServer

ROWS = 1 << 15
SLOWLY = ("tidb_ddl_reorg_worker_cnt", 1), ("tidb_ddl_reorg_batch_size", 32), ("tidb_enable_dist_task", 0)
UNFINISHED = (
    "SELECT job_id, state FROM information_schema.ddl_jobs WHERE db_name = %s AND table_name = 'large' "
    "AND state NOT IN ('synced', 'cancelled', 'rollback done') ORDER BY job_id LIMIT 1"
)


@pytest.fixture
def slow_tidb(tidb: RunningServer) -> Iterator[RunningServer]:
    """It builds indexes slowly, so that one is seen at work."""
    with cursor_on(tidb) as cursor:
        before = {}
        for name, value in SLOWLY:
            cursor.execute(f"SELECT @@GLOBAL.{name}")
            before[name] = cursor.fetchone()[0]
            cursor.execute(f"SET GLOBAL {name} = %s", (value,))
        yield tidb
        for name, was in before.items():
            cursor.execute(f"SET GLOBAL {name} = %s", (was,))


@pytest.fixture
def pair(mariadb: RunningServer, slow_tidb: RunningServer, request: pytest.FixtureRequest) -> Pair:
    pair = made(f"under_way_{abs(hash(request.node.name)) % 10**6}", mariadb, slow_tidb)
    pair.both("CREATE TABLE large (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(120), b INT)")
    doubled = ["INSERT INTO large (a, b) SELECT REPEAT('x', 100), id FROM large"] * (ROWS.bit_length() - 8)
    pair.both("INSERT INTO large (a, b) VALUES " + ", ".join(["('x', 1)"] * 128), *doubled)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    return pair


def killed_in_mid_ddl(pair: Pair, tmp_path: Path, cursor: Any) -> int:
    """The number of the job, which is held up."""
    dying = Run(pair.config(), tmp_path, 1)
    try:
        pair.on(
            ("ALTER TABLE large ADD INDEX ia (a), ADD INDEX ib (b)", "INSERT INTO log VALUES (7, 'after')"),
            pair.upstream,
        )
        until(lambda: bool(cursor.execute(UNFINISHED, (pair.name,))), "TiDB has begun")
        number = int(cursor.fetchone()[0])
        cursor.execute(f"ADMIN PAUSE DDL JOBS {number}")
        until(lambda: cursor.execute(UNFINISHED, (pair.name,)) and cursor.fetchone()[1] == "paused", "it is held up")
        dying.process.kill()
        dying.process.wait()
    finally:
        dying.end()
    return number


def indexes(pair: Pair, server: RunningServer) -> set[str]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SHOW INDEX FROM large")
        return {row[2] for row in cursor.fetchall()}


@pytest.mark.parametrize(("end", "rows"), [("RESUME", 100), ("CANCEL", 1)])
def test_its_job_is_waited_for(
    pair: Pair, tmp_path: Path, end: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ddl_jobs, "_FIRST_ROWS", rows)  # more are read where these are not enough
    with cursor_on(pair.target, pair.name) as cursor:
        number = killed_in_mid_ddl(pair, tmp_path, cursor)
        with running(pair.config()) as syncer:
            until(lambda: f"DDL job {number}" in str(syncer.status()["blockingDDLs"]), "it is shown")
            assert "ADD INDEX `ia`" in str(syncer.status()["blockingDDLs"])
            until(lambda: "paused" in syncer.status()["waitsFor"], "and what state it is in")
            assert not pair.is_equal(), "rows behind the DDL wait for it"
            cursor.execute(f"ADMIN {end} DDL JOBS {number}")
            until(pair.is_equal, "it goes on")
            assert syncer.status()["blockingDDLs"] == []
    assert indexes(pair, pair.target) == {"PRIMARY", "ia", "ib"}


def test_a_stop_does_not_wait_for_it(pair: Pair, tmp_path: Path) -> None:
    with cursor_on(pair.target, pair.name) as cursor:
        number = killed_in_mid_ddl(pair, tmp_path, cursor)
        with running(pair.config()) as syncer:
            until(lambda: f"DDL job {number}" in str(syncer.status()["blockingDDLs"]), "it is shown")
        cursor.execute(f"ADMIN RESUME DDL JOBS {number}")
        with running(pair.config()):
            until(pair.is_equal, "it goes on")
    assert indexes(pair, pair.target) == {"PRIMARY", "ia", "ib"}


def test_of_many_jobs_that_have_ended_few_are_read(pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ddl_jobs, "_FIRST_ROWS", 5)
    for number in range(10):
        pair.on((f"CREATE TABLE made{number} (id INT PRIMARY KEY)",), pair.target)
    with cursor_on(pair.target) as cursor, pair.target.connect() as connection:
        number = killed_in_mid_ddl(pair, tmp_path, cursor)
        cursor.execute("SELECT query FROM information_schema.ddl_jobs WHERE job_id = %s LIMIT 1", (number,))
        (sql,) = cursor.fetchone()
        job = ddl_jobs.running_job(connection, sql)
        assert job is not None
        assert job.number == number
        assert ddl_jobs.state_of(connection, number) == "paused"
        read = ddl_jobs._jobs(connection, lambda rows: rows[-1][2] in ddl_jobs._ENDED)
        assert len(read) <= 5
        assert ddl_jobs.running_job(connection, "CREATE TABLE made1 (id INT PRIMARY KEY)") is None
        cursor.execute(f"ADMIN RESUME DDL JOBS {number}")
        until(lambda: ddl_jobs.state_of(connection, number) == "synced", "it is done")
