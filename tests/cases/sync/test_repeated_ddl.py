"""A DDL that would undo itself when it is run again: the next run asks the target whether it was done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

EXCHANGE = "ALTER TABLE counter RENAME COLUMN n TO m, RENAME COLUMN m TO n"
ROW = "INSERT INTO counter (id, n, m) VALUES (7, 70, 700)"


@pytest.fixture(params=["mysql", "mariadb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mysql: RunningServer) -> Pair:
    """From MySQL to MariaDB, and the other way round."""
    upstream, target = (mariadb, mysql) if request.param == "mysql" else (mysql, mariadb)
    pair = made(f"repeated_{request.param}_{abs(hash(request.node.name)) % 10**6}", upstream, target)
    pair.both("ALTER TABLE counter ADD COLUMN m INT AFTER n", "UPDATE counter SET m = 1000 + id")
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    return pair


def die_at(point: str, pair: Pair, folder: Path, statement: str = EXCHANGE) -> None:
    """The process dies at a point of the statement."""
    dying = Run(pair.config(), folder, 1, f"{point}=kill")
    pair.on((statement, ROW), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    assert dying.process.returncode == -9


def counters(server: RunningServer, name: str) -> list[Any]:
    return values(server, name, "id, n, m")


def values(server: RunningServer, name: str, columns: str) -> list[Any]:
    with cursor_on(server, name) as cursor:
        cursor.execute(f"SELECT {columns} FROM counter ORDER BY id")
        return list(cursor.fetchall())


@pytest.mark.parametrize("point", ["syncer.ddl_executed", "syncer.ddl_marked"])
def test_names_are_exchanged_once(pair: Pair, point: str, tmp_path: Path) -> None:
    die_at(point, pair, tmp_path)
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name)[-1] == (7, 70, 700), "the row behind it")
    assert counters(pair.target, pair.name) == counters(pair.upstream, pair.name)


def test_an_order_that_does_not_tell_pauses_the_task_until_somebody_has_looked(pair: Pair, tmp_path: Path) -> None:
    die_at("syncer.ddl_executed", pair, tmp_path)
    pair.on(("ALTER TABLE counter RENAME COLUMN m TO hidden",), pair.target)
    for _ in range(2):  # also when it is tried again
        with pytest.raises(DMError, match="order of its columns do not tell"):
            Replication(pair.config()).end(SECONDS)
    pair.on(("ALTER TABLE counter RENAME COLUMN hidden TO m",), pair.target)
    with running(pair.config()):
        until(lambda: counters(pair.target, pair.name) == counters(pair.upstream, pair.name), "it goes on")


@pytest.mark.parametrize("clauses", ["CHANGE m n INT, DROP n", "RENAME COLUMN n TO x, RENAME COLUMN m TO n"])
def test_a_name_that_another_column_gives_up_is_taken_once(
    clauses: str, mariadb: RunningServer, tidb: RunningServer, tmp_path: Path
) -> None:
    """In TiDB the statement is one for each clause, and the first of them would take what the last has made."""
    is_dropped = "DROP" in clauses
    columns, row = ("id, n", "7, 70") if is_dropped else ("id, n, x", "7, 70, 700")
    pair = made(f"taken_over_{is_dropped:d}", mariadb, tidb)
    pair.both("ALTER TABLE counter ADD COLUMN m INT AFTER n", "UPDATE counter SET m = 1000 + id")
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    dying = Run(pair.config(), tmp_path, 1, "syncer.ddl_executed=kill")
    pair.on((f"ALTER TABLE counter {clauses}", f"INSERT INTO counter ({columns}) VALUES ({row})"), pair.upstream)
    until(lambda: dying.process.poll() is not None, "it dies")
    dying.end()
    with running(pair.config()):
        until(lambda: values(pair.target, pair.name, columns)[-1][:2] == (7, 70), "the row behind it")
    assert values(pair.target, pair.name, columns) == values(pair.upstream, pair.name, columns)
