"""A tool's online DDL on an upstream whose zone turns its clocks back: it copies rows through local times."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pkg.errors import DMError
from tests import servers
from tests.cases.replicate.cases import BERLIN
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

MADE = ("SET time_zone = '+00:00'", "CREATE TABLE z (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT)")
MOVED, KEPT = "'2020-10-25 01:30:00'", "'2020-10-25 00:30:00'"
ONLINE = (
    "CREATE TABLE _z_gho LIKE z",
    "ALTER TABLE _z_gho MODIFY n BIGINT",
    "INSERT INTO _z_gho SELECT * FROM z",
    "RENAME TABLE z TO _z_del, _z_gho TO z",
)


@pytest.fixture(scope="module")
def berlin() -> Iterator[RunningServer]:
    with servers.start("mysql") as server:
        with cursor_on(server) as cursor:
            for one in (*BERLIN, "SET GLOBAL time_zone = 'Europe/Berlin'"):
                cursor.execute(one)
        yield server


def _online(berlin: RunningServer, target: RunningServer, moment: str) -> Pair:
    pair = made("moving_zones", berlin, target)
    pair.both(*MADE, f"INSERT INTO z VALUES (1, {moment}, 1)")
    return pair


def test_the_tool_moves_a_moment(berlin: RunningServer, tidb: RunningServer) -> None:
    pair = _online(berlin, tidb, MOVED)
    replication = Replication(pair.config(online_ddl=True))
    until(lambda: "syncerBinlog" in replication.unit.status(), "it reads")
    pair.on(["SET time_zone = 'Europe/Berlin'", *ONLINE], berlin)
    until(lambda: replication.is_over, "it pauses")
    with pytest.raises(DMError, match=r"code=36311.* is another moment there"):
        replication.end()


def test_the_tool_moves_nothing(berlin: RunningServer, tidb: RunningServer) -> None:
    pair = _online(berlin, tidb, KEPT)
    with running(pair.config(online_ddl=True)) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads")
        pair.on(["SET time_zone = 'Europe/Berlin'", *ONLINE, "UPDATE z SET n = 1 << 40"], berlin)
        until(lambda: _rows(tidb) == _rows(berlin) and _rows(tidb)[0][1] == 1 << 40, "rows")


def test_the_tool_calculates_a_stored_column_anew(berlin: RunningServer, tidb: RunningServer) -> None:
    pair = made("moving_zones", berlin, tidb)
    pair.both("CREATE TABLE z (id INT PRIMARY KEY, a TIMESTAMP NULL, n INT, d DATE AS (DATE(a)) STORED)")
    pair.both("SET time_zone = '+00:00'", "INSERT INTO z (id, a, n) VALUES (1, '2024-07-01 23:30:00', 1)")
    copied = ONLINE[2].replace("SELECT *", "SELECT id, a, n").replace("_z_gho", "_z_gho (id, a, n)")
    replication = Replication(pair.config(online_ddl=True))
    until(lambda: "syncerBinlog" in replication.unit.status(), "it reads")
    pair.on(["SET time_zone = 'Europe/Berlin'", *ONLINE[:2], copied, ONLINE[3]], berlin)
    until(lambda: replication.is_over, "it pauses")
    with pytest.raises(DMError, match=r"code=36313.* calculated d anew"):
        replication.end()


def _rows(server: RunningServer) -> list[tuple[object, ...]]:
    with cursor_on(server, "moving_zones") as cursor:
        cursor.execute("SELECT UNIX_TIMESTAMP(a), n FROM z")
        return list(cursor.fetchall())
