"""Somebody else writes the target: rows that have a unique value which a change needs."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.cases.sync.test_crashpoints import Run
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

EXPRESSION = "CREATE TABLE made (id INT PRIMARY KEY, a INT NOT NULL, b VARCHAR(9), UNIQUE KEY e ((a + 1)))"
PREFIX = "CREATE TABLE named (a INT, b VARCHAR(20), UNIQUE KEY p (b(3)))"


@pytest.fixture(params=["mariadb", "tidb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mariadb2: RunningServer) -> Pair:
    target = mariadb2 if request.param == "mariadb" else request.getfixturevalue("tidb")
    return made(f"dup_{abs(hash(request.node.name)) % 10**6}", mariadb, target)


def _in_step(pair: Pair, policy: str) -> None:
    with running(pair.config({"on-duplicate": policy})) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")


def _table(pair: Pair, server: RunningServer, table: str) -> list[Any]:
    with cursor_on(server, pair.name) as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall())


def test_the_task_pauses_and_shows_both_rows(pair: Pair) -> None:
    _in_step(pair, "error")
    pair.on(("INSERT INTO counter VALUES (70, 7, 'taken')",), pair.target)
    pair.on(
        (
            "INSERT INTO counter VALUES (11, 0, 'k'), (12, 0, 'l'), (13, 0, 'taken'), (14, 0, 'm')",
            "UPDATE counter SET n = n + 1",
        ),
        pair.upstream,
    )
    replication = Replication(pair.config())
    with pytest.raises(DMError) as paused:
        replication.end(60)
    error = paused.value
    assert error.code == 36120
    assert f"{pair.name}.counter" in error.message
    assert "`id`=13, `n`=0, `code`='taken'" in error.message
    assert "`id`=70, `n`=7, `code`='taken'" in error.message
    assert str(error.fields["place"]).startswith("(")
    assert "WHERE `code`='taken'" in error.workaround
    pair.on(("DELETE FROM counter WHERE id = 70",), pair.target)
    with running(pair.config()) as syncer:
        until(pair.is_equal, "it goes on, each change once")
        assert syncer.status()["replacedRows"] == syncer.status()["ignoredChanges"] == 0


def test_a_row_that_a_filter_has_kept_is_told(pair: Pair) -> None:
    rule = {"schema-pattern": pair.name, "events": ["delete"], "action": "Ignore"}
    config = pair.config(filters={"keeps": rule})
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    pair.on(("DELETE FROM counter WHERE id = 1", "INSERT INTO counter VALUES (1, 5, 'new')"), pair.upstream)
    with pytest.raises(DMError) as paused:
        Replication(config).end(60)
    assert paused.value.code == 36120
    assert "an event filter has kept the row by leaving out its DELETE" in paused.value.workaround
    pair.on(("DELETE FROM counter WHERE id = 1",), pair.target)
    with running(config):
        until(pair.is_equal, "it goes on")


@pytest.mark.parametrize("by", ["other_source", "same_source"])
def test_a_row_that_another_table_may_have_does_not_give_way(pair: Pair, by: str) -> None:
    """Else its DELETE, which comes later, would remove the new row."""
    pair.on(("CREATE TABLE t1 (id INT PRIMARY KEY, a INT)", "CREATE TABLE t2 LIKE t1"), pair.upstream)
    pair.on(("CREATE TABLE merged (id INT PRIMARY KEY, a INT)",), pair.target)
    route = {
        "schema-pattern": pair.name, "table-pattern": "t?", "target-schema": pair.name, "target-table": "merged"
    }  # fmt: skip
    allowed = {"do-tables": [{"db-name": pair.name, "tbl-name": "t1"}]} if by == "other_source" else None
    other = {"source_id": "two", "routes": [route], "block_allow_list": {"do-dbs": [pair.name]}}
    more = {"other_sources": [other], "source_count": 2} if by == "other_source" else {}
    more |= {"block_allow_list": allowed} if allowed else {}
    config = pair.config({"on-duplicate": "replace"}, routes=(route,), **more)
    with running(config) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
    if by == "other_source":  # whose row comes first
        pair.on(("INSERT INTO merged VALUES (1, 1)",), pair.target)
    else:
        pair.on(("INSERT INTO t2 VALUES (1, 1)",), pair.upstream)
    pair.on(("INSERT INTO t1 VALUES (1, 2)",), pair.upstream)
    with pytest.raises(DMError) as paused:
        Replication(config).end(60)
    assert paused.value.code == 36188
    assert _table(pair, pair.target, "merged") in ([(1, 1)], [])


def test_the_targets_row_gives_way(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    _in_step(pair, "replace")
    pair.on(("INSERT INTO counter VALUES (70, 7, 'taken'), (13, 1, NULL), (71, 1, 'moved')",), pair.target)
    pair.on(
        (
            "INSERT INTO counter VALUES (11, 0, 'k'), (13, 0, 'taken'), (14, 0, 'm')",
            "UPDATE counter SET n = n + 1",
            "UPDATE counter SET code = 'moved', n = n + 1 WHERE id = 1",
        ),
        pair.upstream,
    )
    with caplog.at_level(logging.WARNING), running(pair.config({"on-duplicate": "replace"})) as syncer:
        until(pair.is_equal, "the upstream's rows win")
        until(lambda: syncer.status()["replacedRows"] == 3, "it is counted")
    assert "gives way" in caplog.text
    assert "`code`='taken'" in caplog.text


def test_our_change_is_passed_over(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    _in_step(pair, "ignore")
    pair.on(("INSERT INTO counter VALUES (70, 7, 'taken')",), pair.target)
    pair.on(
        (
            "INSERT INTO counter VALUES (13, 0, 'taken')",
            "UPDATE counter SET code = 'taken2', n = 5 WHERE id = 13",
            "INSERT INTO counter VALUES (14, 0, 'after')",
        ),
        pair.upstream,
    )
    with caplog.at_level(logging.WARNING), running(pair.config({"on-duplicate": "ignore", "compact": False})) as syncer:
        until(lambda: any(row[0] == 14 for row in _table(pair, pair.target, "counter")), "it goes on")
        until(lambda: bool(syncer.status()["synced"]), "in step")
        status = syncer.status()
    assert status["ignoredChanges"] == 1
    assert status["missingRows"] == 1, "the UPDATE of the row that is not there"
    assert [row[0] for row in _table(pair, pair.target, "counter")] == [1, 2, 3, 14, 70]
    assert "passed over" in caplog.text


def test_a_table_without_identity(pair: Pair) -> None:
    """Its unique key may be NULL, and sees three characters."""
    pair.both(PREFIX, "INSERT INTO named VALUES (1, 'one'), (2, NULL)")
    _in_step(pair, "replace")
    pair.on(("INSERT INTO named VALUES (9, 'fourteen'), (9, 'fivefold')",), pair.target)
    pair.on(
        ("INSERT INTO named VALUES (4, 'four')", "UPDATE named SET b = 'five' WHERE a = 1"),
        pair.upstream,
    )
    with running(pair.config({"on-duplicate": "replace"})) as syncer:
        until(lambda: _table(pair, pair.target, "named") == _table(pair, pair.upstream, "named"), "they gave way")
        until(lambda: syncer.status()["replacedRows"] == 2, "it is counted")


def test_a_key_over_an_expression_is_left_to_the_target(mysql: RunningServer, tidb: RunningServer) -> None:
    pair = made("dup_expression", mysql, tidb)
    pair.both(EXPRESSION, "INSERT INTO made VALUES (1, 1, 'a'), (2, 2, 'b')")
    _in_step(pair, "replace")
    pair.on(("INSERT INTO made VALUES (8, 8, 'x'), (9, 9, 'y')",), pair.target)
    pair.on(("INSERT INTO made VALUES (3, 8, 'c')", "UPDATE made SET a = 9 WHERE id = 1"), pair.upstream)
    with running(pair.config({"on-duplicate": "replace"})) as syncer:
        until(lambda: _table(pair, tidb, "made") == _table(pair, mysql, "made"), "they gave way")
        until(lambda: syncer.status()["replacedRows"] == 2, "it is counted")


@pytest.mark.parametrize("point", ["syncer.before_commit", "syncer.after_apply_before_ack"])
def test_a_run_that_dies_with_such_a_batch_applies_it_once(
    mariadb: RunningServer, tidb: RunningServer, tmp_path: Path, point: str
) -> None:
    pair = made(f"dup_dies_{point.split('.')[1]}", mariadb, tidb)
    _in_step(pair, "replace")
    pair.on(("INSERT INTO counter VALUES (70, 7, 'taken')",), tidb)
    pair.on(
        (
            "BEGIN",
            "INSERT INTO counter VALUES (13, 0, 'taken')",
            "UPDATE counter SET n = n + 1",
            "INSERT INTO log VALUES (5, 'once')",
            "COMMIT",
        ),
        mariadb,
    )
    config = pair.config({"on-duplicate": "replace", "worker-count": 1})
    dying = Run(config, tmp_path, 1, f"{point}=kill")
    try:
        dying.process.wait(60)
    finally:
        dying.end()
    assert dying.process.returncode == -9
    with running(config):
        until(pair.is_equal, "each change once")
