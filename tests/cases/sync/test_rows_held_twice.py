"""Rows that two tables of a merge hold at the same time, in safe mode: they are inserted in one before they are deleted
in the other.
"""

from __future__ import annotations

import pytest

from tests.cases.sync.pair import cursor_on, made, running, until
from tests.servers import RunningServer

TABLE = "CREATE TABLE {} (id INT PRIMARY KEY, v VARCHAR(9), n INT)"
MOVES = {
    "in one transaction": (
        "BEGIN",
        "INSERT INTO o2 SELECT id, 'moved', n FROM o1 WHERE id < 3",
        "DELETE FROM o1 WHERE id < 3",
        "COMMIT",
    ),
    "in two, unchanged": ("INSERT INTO o2 SELECT * FROM o1 WHERE id < 3", "DELETE FROM o1 WHERE id < 3"),
    "marked before it is deleted": (
        "INSERT INTO o2 SELECT * FROM o1 WHERE id < 3",
        "UPDATE o1 SET v = 'gone' WHERE id < 3",
        "DELETE FROM o1 WHERE id < 3",
    ),
    "there and back": (
        "INSERT INTO o2 SELECT * FROM o1 WHERE id < 3",
        "UPDATE o1 SET n = 7 WHERE id < 3",
        "DELETE FROM o2 WHERE id < 3",
        "INSERT INTO o2 VALUES (3, 'c', 1)",
        "DELETE FROM o1 WHERE id = 3",
    ),
    "by a change of the key": (
        "INSERT INTO o2 VALUES (9, 'z', 1)",
        "UPDATE o2 SET id = 1",
        "DELETE FROM o1 WHERE id = 1",
        "UPDATE o2 SET n = n + 1",
    ),
    "taken back": (
        "BEGIN",
        "SAVEPOINT a",
        "INSERT INTO o2 SELECT * FROM o1 WHERE id < 3",
        "ROLLBACK TO SAVEPOINT a",
        "DELETE FROM o1 WHERE id < 3",
        "COMMIT",
    ),
}


@pytest.mark.parametrize("ends", ["mariadb-tidb", "mysql-mariadb"])
@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
def test_the_row_of_the_table_that_has_it_stays(
    ends: str, moves: tuple[str, ...], request: pytest.FixtureRequest, mariadb2: RunningServer
) -> None:
    source, _, target = ends.partition("-")
    upstream = request.getfixturevalue(source)
    pair = made("held_twice", upstream, mariadb2 if target == "mariadb" else request.getfixturevalue(target))
    pair.on((TABLE.format("o1"), TABLE.format("o2")), pair.upstream)
    pair.on((TABLE.format("o"),), pair.target)
    route = {"schema-pattern": pair.name, "table-pattern": "o?", "target-schema": pair.name, "target-table": "o"}
    config = pair.config({"safe-mode": True, "worker-count": 4}, routes=(route,))
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        pair.on(("INSERT INTO o1 VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4)", *moves), pair.upstream)
        with cursor_on(pair.upstream, pair.name) as cursor:
            cursor.execute("SELECT * FROM o1 UNION ALL SELECT * FROM o2 ORDER BY id")
            there = list(cursor.fetchall())

        def rows() -> list[tuple[object, ...]]:
            with cursor_on(pair.target, pair.name) as cursor:
                cursor.execute("SELECT * FROM o ORDER BY id")
                return list(cursor.fetchall())

        until(lambda: rows() == there and bool(syncer.status().get("synced")), f"{rows()} is {there}", 20)
