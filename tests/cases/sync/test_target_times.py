"""Times that the target fills by itself are in the task's `timezone`; rows keep their moments."""

from __future__ import annotations

from typing import Any

import pytest

from pkg.errors import DMError
from pkg.task.blocks import LoadConfig
from tests.cases.full.migration import migrate, subtask
from tests.cases.sync.pair import SECONDS, Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("target")

ZONE, MINUTES = "Asia/Kolkata", 330
MOMENTS = "'2024-03-31 02:30:00', '1970-01-01 00:00:01'"
CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE, a TIMESTAMP NULL, b TIMESTAMP NULL)"
OWN = (
    "ALTER TABLE t ADD made DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), "
    "ADD changed DATETIME NULL ON UPDATE CURRENT_TIMESTAMP"
)
AHEAD = "TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(), {}) BETWEEN 327 AND 330"


@pytest.fixture(params=["tidb", "mariadb2", "mysql"])
def target(request: pytest.FixtureRequest) -> RunningServer:
    server: RunningServer = request.getfixturevalue(request.param)
    return server


def query(server: RunningServer, schema: str, sql: str) -> tuple[Any, ...]:
    with cursor_on(server, schema) as cursor:
        cursor.execute("SET time_zone = '+00:00'")
        cursor.execute(sql)
        return tuple(cursor.fetchall())


@pytest.fixture
def pair(mariadb: RunningServer, target: RunningServer) -> Pair:
    one = made("own_times", mariadb, target)
    one.both(CREATE)
    one.on([OWN], target)
    return one


def test_replicated_rows_are_made_in_the_tasks_zone(pair: Pair) -> None:
    pair.on(["SET time_zone = '+00:00'", f"INSERT INTO t (id, v, a, b) VALUES (0, 0, {MOMENTS})"], pair.target)
    pair.on(["SET time_zone = '+00:00'", f"INSERT INTO t VALUES (0, 0, {MOMENTS})"], pair.upstream)
    with running(pair.config(timezone=ZONE)) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads")
        pair.on(
            ["SET time_zone = '+00:00'", f"INSERT INTO t VALUES (1, 1, {MOMENTS}), (2, 2, {MOMENTS})",
             "UPDATE t SET v = 10 WHERE id = 0", "UPDATE counter SET n = 5"],
            pair.upstream,
        )  # fmt: skip
        until(
            lambda: pair.is_equal() and len(query(pair.target, pair.name, "SELECT v FROM t WHERE v > 0")) == 3, "rows"
        )
        pair.on(["ALTER TABLE t ADD later INT", "UPDATE t SET later = 1, v = 20 WHERE id = 1"], pair.upstream)
        until(lambda: query(pair.target, pair.name, "SELECT v FROM t WHERE v = 20") == ((20,),), "it goes on")
    rows = "SELECT id, v, a, b FROM t ORDER BY id"
    assert query(pair.target, pair.name, rows) == query(pair.upstream, pair.name, rows)
    shown = f"SELECT id, {AHEAD.format('made')}, {AHEAD.format('changed')} FROM t ORDER BY id"
    assert query(pair.target, pair.name, shown) == ((0, 0, 1), (1, 1, 1), (2, 1, None))


def test_a_row_that_collides_leaves_the_clock_right(pair: Pair) -> None:
    pair.on(["INSERT INTO t (id, v) VALUES (7, 1)"], pair.target)
    with running(pair.config({"on-duplicate": "ignore"}, timezone=ZONE)) as unit:
        until(lambda: "syncerBinlog" in unit.status(), "it reads")
        pair.on(["INSERT INTO t (id, v) VALUES (1, 1), (2, 2), (3, 3)"], pair.upstream)
        until(lambda: len(query(pair.target, pair.name, "SELECT id FROM t WHERE id IN (2, 3)")) == 2, "the others come")
    shown = f"SELECT id, {AHEAD.format('made')} FROM t WHERE id < 5 ORDER BY id"
    assert query(pair.target, pair.name, shown) == ((2, 1), (3, 1))


def test_copied_rows_are_made_in_the_tasks_zone(pair: Pair) -> None:
    rows = [f"({n}, {n}, {MOMENTS})" for n in range(1, 50)]
    pair.on(["SET time_zone = '+00:00'", f"INSERT INTO t VALUES {', '.join(rows)}"], pair.upstream)
    pair.on(["DELETE FROM counter", "DELETE FROM log"], pair.target)
    migrate(subtask(pair.upstream, pair.target, pair.name, timezone=ZONE))
    shown = f"SELECT COUNT(*), SUM({AHEAD.format('made')}), COUNT(changed) FROM t"
    assert query(pair.target, pair.name, shown) == ((49, 49, 0),)
    moments = "SELECT id, a, b FROM t ORDER BY id"
    assert query(pair.target, pair.name, moments) == query(pair.upstream, pair.name, moments)


def test_each_shard_leaves_other_columns_to_the_target(pair: Pair) -> None:
    """The shard that is copied first has them all, with values of its own."""
    pair.on(["CREATE TABLE a LIKE t", OWN.replace("TABLE t", "TABLE a")], pair.upstream)
    pair.on(["INSERT INTO a VALUES (1, 1, NULL, NULL, '2000-01-01', '2000-01-01')"], pair.upstream)
    pair.on(["INSERT INTO t VALUES (2, 2, NULL, NULL)"], pair.upstream)
    pair.on(["DELETE FROM counter", "DELETE FROM log"], pair.target)
    route = {"schema-pattern": pair.name, "table-pattern": "a", "target-schema": pair.name, "target-table": "t"}
    load = LoadConfig(pool_size=1)
    migrate(subtask(pair.upstream, pair.target, pair.name, timezone=ZONE, routes=[route], load=load))
    shown = f"SELECT id, {AHEAD.format('made')} FROM t ORDER BY id"
    assert query(pair.target, pair.name, shown) == ((1, 0), (2, 1))


def test_a_task_cannot_loosen_the_sessions_that_write_rows(pair: Pair) -> None:
    """`sql_mode` and `time_zone` of the target's session would cut values and move moments."""
    config = pair.config()
    session = {"SQL_MODE": "", "time_zone": "+05:00", "innodb_lock_wait_timeout": "60"}
    config = config.model_copy(update={"target": config.target.model_copy(update={"session": session})})
    pair.on(["ALTER TABLE counter MODIFY code VARCHAR(3)"], pair.target)
    replication = Replication(config)
    until(lambda: "syncerBinlog" in replication.unit.status(), "it reads")
    pair.on(["SET time_zone = '+00:00'", f"INSERT INTO t VALUES (1, 1, {MOMENTS})"], pair.upstream)
    until(lambda: len(query(pair.target, pair.name, "SELECT id FROM t")) == 1, "the row comes")
    pair.on(["UPDATE counter SET code = 'too long' WHERE id = 1"], pair.upstream)
    with pytest.raises(DMError, match="too long"):
        replication.end(SECONDS)
    moments = "SELECT id, a, b FROM t ORDER BY id"
    assert query(pair.target, pair.name, moments) == query(pair.upstream, pair.name, moments)
