"""Rows that a REPLACE of safe mode should remove, and the target's server does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.sync.pair import Pair, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("kind")

HASHED = (
    "CREATE TABLE t (id INT PRIMARY KEY, v BLOB, n INT, UNIQUE KEY u (v))",
    ("INSERT INTO t VALUES (1, 'a', 1), (2, '', 1), (8, 'b', 1)", "INSERT INTO t VALUES (19, 'stale', 1), (20, 'late', 1)"),
    (
        "UPDATE t SET v = 'stale', n = 2 WHERE id = 8",
        "INSERT INTO t VALUES (30, 'late', 3)",
        "UPDATE t SET v = 'x' WHERE id = 30",
    ),
)  # fmt: skip
MANY = (
    "CREATE TABLE t (id INT PRIMARY KEY, v JSON, s VARCHAR(9), UNIQUE KEY u ((CAST(v->'$.a' AS UNSIGNED ARRAY))), "
    "UNIQUE KEY w ((LOWER(s))))",
    (
        """INSERT INTO t VALUES (1, '{"a": [1]}', 'a'), (5, '{"a": [5, 6]}', 'b'), (7, NULL, NULL)""",
        """INSERT INTO t VALUES (19, '{"a": [4, 44]}', 'STALE'), (20, '{"a": [9]}', 'x'), (21, '{"a": [10]}', 'y')""",
    ),
    (
        """UPDATE t SET v = '{"a": [4, 5]}', s = 'stale' WHERE id = 5""",
        """INSERT INTO t VALUES (30, '{"a": [9, 10, 11]}', 'Y')""",
        "UPDATE t SET s = 'Z' WHERE id = 7",
    ),
)


def _rows(pair: Pair, server: RunningServer) -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute("SELECT * FROM t ORDER BY id")
        return list(cursor.fetchall())


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_they_are_removed(kind: str, server_factory: Callable[..., RunningServer]) -> None:
    create, (both, stale), changes = HASHED if kind == "mariadb" else MANY
    pair = made(f"failing_replace_{kind}", server_factory(kind), server_factory(kind))
    config = pair.config({"safe-mode": True})
    pair.both(create, both)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on((stale,), pair.target)
    pair.on(changes, pair.upstream)
    with running(config):
        until(lambda: _rows(pair, pair.target) == _rows(pair, pair.upstream), "the upstream's rows are there alone")
