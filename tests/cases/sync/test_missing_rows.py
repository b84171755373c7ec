"""Updates and deletes whose row the target does not have."""

from __future__ import annotations

from typing import Any

import pytest

from pkg.errors import DMError
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")


@pytest.fixture(params=["mariadb", "tidb"])
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mariadb2: RunningServer) -> Pair:
    target = mariadb2 if request.param == "mariadb" else request.getfixturevalue("tidb")
    return made(f"miss_{abs(hash(request.node.name)) % 10**6}", mariadb, target)


def _in_step(pair: Pair, sync: dict[str, Any] | None = None, **more: Any) -> None:
    with running(pair.config(sync, **more)) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")


def _paused(pair: Pair, **more: Any) -> DMError:
    with pytest.raises(DMError) as paused:
        Replication(pair.config(**more)).end(60)
    return paused.value


CHANGES = [
    pytest.param(
        ("UPDATE counter SET n = id + 10",),
        ("DELETE FROM counter WHERE id = 2",),
        ("INSERT INTO counter VALUES (2, 0, 'b')",),
        ("an UPDATE from (", ".counter of the target", "`id`=2, `n`=0, `code`='b'", "`n`=12", "WHERE `id`=2"),
        id="one of the rows of an update",
    ),
    pytest.param(
        ("DELETE FROM counter",),
        ("UPDATE counter SET id = 20 WHERE id = 2",),
        ("UPDATE counter SET id = 2 WHERE id = 20",),
        ("a DELETE from (", ".counter of the target", "`id`=2, `n`=0, `code`='b'", "WHERE `id`=2"),
        id="one of the rows of a delete",
    ),
    pytest.param(
        ("UPDATE log SET b = 'y' LIMIT 1",),
        ("DELETE FROM log",),
        ("INSERT INTO log VALUES (1, 'x'), (1, 'x')",),
        ("an UPDATE from (", ".log of the target", "`a`=1, `b`='x'", "`b`='y'", "WHERE `a`=1 AND "),
        id="a table without a key",
    ),
]


@pytest.mark.parametrize(("upstream", "lost", "back", "words"), CHANGES)
def test_the_task_pauses_and_shows_the_change(
    pair: Pair, upstream: tuple[str, ...], lost: tuple[str, ...], back: tuple[str, ...], words: tuple[str, ...]
) -> None:
    _in_step(pair)
    pair.on(lost, pair.target)
    pair.on(upstream, pair.upstream)
    error = _paused(pair)
    assert error.code == 36121
    for word in words:
        assert word in error.message
    assert "on-missing-row: ignore" in error.workaround
    pair.on(back, pair.target)
    with running(pair.config()) as syncer:
        until(pair.is_equal, "it goes on, each change once")
        assert syncer.status()["missingRows"] == 0


@pytest.mark.parametrize("sync", [{"on-missing-row": "ignore"}, {"on-duplicate": "replace"}])
def test_such_changes_may_be_passed_over(pair: Pair, sync: dict[str, Any]) -> None:
    _in_step(pair, sync)
    pair.on(("DELETE FROM counter WHERE id = 2",), pair.target)
    pair.on(("UPDATE counter SET n = n + 1", "INSERT INTO counter VALUES (4, 0, 'd')"), pair.upstream)
    with running(pair.config(sync)) as syncer:
        until(lambda: pair.rows(pair.target)[0] == [(1, 1, "a"), (3, 1, "c"), (4, 0, "d")], "the others are applied")
        until(lambda: syncer.status()["missingRows"] == 1, "it is counted")


def test_safe_mode_writes_the_row(pair: Pair) -> None:
    _in_step(pair, {"safe-mode": True})
    pair.on(("DELETE FROM counter WHERE id > 1",), pair.target)
    pair.on(("UPDATE counter SET n = n + 1", "DELETE FROM counter WHERE id = 3"), pair.upstream)
    with running(pair.config({"safe-mode": True, "compact": False})) as syncer:
        until(pair.is_equal, "it is written")
        assert syncer.status()["missingRows"] == 0


def test_rows_that_a_rule_left_out_are_missed_without_a_pause(pair: Pair) -> None:
    rule = {"filters": {"no-inserts": {"schema-pattern": pair.name, "events": ["insert"], "action": "Ignore"}}}
    _in_step(pair, **rule)
    pair.on(("INSERT INTO counter VALUES (4, 0, 'd'), (5, 0, 'e')", "UPDATE counter SET n = n + 1"), pair.upstream)
    with running(pair.config(**rule)) as syncer:
        until(lambda: syncer.status().get("missingRows") == 2, "two rows are not there")
        until(lambda: bool(syncer.status()["synced"]), "in step")
    assert pair.rows(pair.target)[0] == [(1, 1, "a"), (2, 1, "b"), (3, 1, "c")]


def test_an_update_to_what_is_there_finds_its_row(pair: Pair) -> None:
    """Somebody has made the same change already: the row is what the stream says."""
    _in_step(pair)
    pair.on(("UPDATE counter SET n = 7",), pair.target)
    pair.on(("UPDATE counter SET n = 7",), pair.upstream)
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")) and syncer.status()["totalRows"] == 3, "in step")
        assert syncer.status()["missingRows"] == 0
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("SELECT SUM(n) FROM counter")
        assert cursor.fetchone()[0] == 21
