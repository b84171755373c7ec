"""MariaDB's old ways with moments, which no event names: GLOBAL values of an upstream, and how it keeps columns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pymysql
import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer, start


@pytest.fixture(scope="module")
def old() -> Iterator[RunningServer]:
    """An upstream whose GLOBAL values nobody else sees."""
    with start("mariadb") as server:
        yield server


@contextlib.contextmanager
def globally(server: RunningServer, variable: str, value: str) -> Iterator[None]:
    """With the value for all sessions that begin meanwhile."""
    with cursor_on(server) as cursor:
        cursor.execute(f"SET GLOBAL {variable} = {value}")
    try:
        yield
    finally:
        with cursor_on(server) as cursor:
            cursor.execute(f"SET GLOBAL {variable} = DEFAULT")


def rows(server: RunningServer, pair: Pair, table: str) -> list[tuple[object, ...]]:
    with cursor_on(server, pair.name) as cursor, contextlib.suppress(pymysql.ProgrammingError):  # not there yet
        cursor.execute(f"SELECT * FROM `{table}` ORDER BY 1")
        return list(cursor.fetchall())
    return []


def pauses(pair: Pair, statements: tuple[str, ...], code: int, words: str) -> None:
    replication = Replication(pair.config())
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    pair.on(statements, pair.upstream)
    until(lambda: replication.is_over, "it pauses")
    with pytest.raises(DMError, match=words) as caught:
        replication.end()
    assert caught.value.code == code


NO_DAY = "CONCAT(@@old_mode, ',ZERO_DATE_TIME_CAST')"
TIMES = (
    "CREATE TABLE t (id INT PRIMARY KEY, a TIME)",
    "INSERT INTO t VALUES (1, '10:11:12')",
    "ALTER TABLE t MODIFY a DATETIME",
    "CREATE TABLE u (id INT PRIMARY KEY, a TIME)",
    "INSERT INTO u VALUES (1, '10:11:12')",
    "ALTER TABLE u ADD b DATETIME DEFAULT (a), ADD c DATE DEFAULT (CAST(a AS DATE))",
    "CREATE TABLE v (id INT PRIMARY KEY, a TIME, b DATETIME AS (CAST(a AS DATETIME)) STORED)",
    "INSERT INTO v (id, a) VALUES (1, '10:11:12')",
)


def test_a_time_that_becomes_a_moment_has_no_day_in_mariadb(old: RunningServer, mariadb: RunningServer) -> None:
    pair = made("old_zero_cast", old, mariadb)
    with globally(old, "old_mode", NO_DAY), running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(TIMES, old)
        until(lambda: all(rows(old, pair, one) == rows(mariadb, pair, one) for one in "tuv"), "it arrives")
        assert "0000-00-00" in str(rows(mariadb, pair, "t"))


@pytest.mark.parametrize(("number", "code"), [(2, 36117), (5, 36197), (6, 36197)])
def test_no_other_target_can_be_told_that(old: RunningServer, mysql: RunningServer, number: int, code: int) -> None:
    pair = made(f"old_zero_cast_{number}", old, mysql)
    with globally(old, "old_mode", NO_DAY):
        known = (TIMES[0], TIMES[1], TIMES[3], TIMES[4])
        pauses(pair, (*known, TIMES[number]), code, "ZERO_DATE_TIME_CAST|a time")


def test_a_target_in_that_mode_gives_times_their_day(old: RunningServer, mariadb: RunningServer) -> None:
    pair = made("old_zero_there", mariadb, old)
    with globally(old, "old_mode", NO_DAY), running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("SET timestamp = 1500000000", *TIMES[:3]), mariadb)
        until(lambda: rows(old, pair, "t") == rows(mariadb, pair, "t"), "it arrives")
        assert "2017" in str(rows(old, pair, "t"))


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_partitions_by_key_of_the_old_format_hold_other_rows(
    old: RunningServer, kind: str, request: pytest.FixtureRequest
) -> None:
    pair = made(f"old_format_{kind}", old, request.getfixturevalue(kind))
    with globally(old, "mysql56_temporal_format", "OFF"):
        statements = (
            "CREATE TABLE k (d DATETIME PRIMARY KEY) PARTITION BY KEY (d) PARTITIONS 4",
            "INSERT INTO k VALUES ('2020-01-01'), ('2020-01-02'), ('2020-01-03')",
            "ALTER TABLE k TRUNCATE PARTITION p1",
        )
        pauses(pair, statements, 36195, "old temporal format")
