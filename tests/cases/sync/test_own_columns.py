"""Columns that only the target has keep what they hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair", "sync")

CHANGES = {
    "a key": ("UPDATE counter SET id = 30 WHERE id = 3",),
    "keys that are exchanged": (
        "BEGIN",
        "UPDATE counter SET id = 9 WHERE id = 1",
        "UPDATE counter SET id = 1 WHERE id = 2",
        "UPDATE counter SET id = 2 WHERE id = 9",
        "COMMIT",
    ),
    "all keys at once, and more": (
        "UPDATE counter SET id = id + 1, n = id * 2 ORDER BY id DESC",
        "UPDATE counter SET n = n + 1, id = id - 1 ORDER BY id",
    ),
    "another unique value": (
        "BEGIN",
        "UPDATE counter SET code = 'x' WHERE id = 1",
        "UPDATE counter SET code = 'a' WHERE id = 2",
        "UPDATE counter SET code = 'b' WHERE id = 1",
        "COMMIT",
    ),
    "a key that was given up": (
        "BEGIN",
        "DELETE FROM counter WHERE id = 2",
        "UPDATE counter SET id = 2 WHERE id = 1",
        "INSERT INTO counter VALUES (1, 5, 'new', NULL)",
        "UPDATE counter SET id = 8 WHERE id = 1",
        "COMMIT",
    ),
}


@pytest.fixture(params=["mariadb-tidb", "mysql-mariadb", "mysql-tidb"])
def pair(request: pytest.FixtureRequest, mariadb2: RunningServer) -> Pair:
    source, _, target = request.param.partition("-")
    there = mariadb2 if target == "mariadb" else request.getfixturevalue(target)
    return made(f"own_{abs(hash(request.node.name)) % 10**6}", request.getfixturevalue(source), there)


def _notes(pair: Pair) -> list[tuple[int, int, str, str]]:
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("SELECT id, n, code, note FROM counter ORDER BY id")
        return list(cursor.fetchall())


SETTINGS = {"as they came": {"compact": False}, "compacted": {"compact": True}, "safe mode": {"safe-mode": True}}


@pytest.mark.parametrize("sync", SETTINGS.values(), ids=SETTINGS)
def test_an_update_keeps_them_whatever_it_changes(pair: Pair, sync: dict[str, Any]) -> None:
    """In safe mode rows are written anew, and are the upstream's all the same."""
    is_safe = bool(sync.get("safe-mode"))
    own = "ALTER TABLE counter ADD COLUMN note VARCHAR(9) NOT NULL DEFAULT 'd'"
    pair.on((own, "UPDATE counter SET note = CONCAT('of ', id)"), pair.target)
    pair.both("ALTER TABLE counter ADD COLUMN first_id INT", "UPDATE counter SET first_id = id")
    with running(pair.config(sync)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        for statements in CHANGES.values():
            pair.on(statements, pair.upstream)
    with cursor_on(pair.upstream, pair.name) as cursor:
        cursor.execute("SELECT id, n, code, first_id FROM counter ORDER BY id")
        there = [(*row[:3], f"of {row[3]}" if row[3] and not is_safe else "d") for row in cursor.fetchall()]
    with running(pair.config(sync)):
        until(lambda: _notes(pair) == there, f"{_notes(pair)} is {there}", 20)
