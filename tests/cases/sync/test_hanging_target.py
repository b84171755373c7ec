"""A target that keeps a transaction waiting, or that is gone: a stop does not wait for it, an idle task notices."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dm_worker.syncer import checkpoint, grace, target_connections, target_watch
from pkg.errors import DMError
from pkg.task.live import LiveSettings
from tests.cases.sync.pair import Pair, Replication, cursor_on, made, running, until
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("pair")

KINDS = ("mariadb", "tidb")


@pytest.fixture(params=KINDS)
def pair(request: pytest.FixtureRequest, mariadb: RunningServer, mariadb2: RunningServer) -> Pair:
    target = mariadb2 if request.param == "mariadb" else request.getfixturevalue("tidb")
    return made(f"hang_{abs(hash(request.node.name)) % 10**6}", mariadb, target)


@contextmanager
def lock_held(pair: Pair, statement: str) -> Iterator[Any]:
    """Somebody else's open transaction in the target."""
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("BEGIN")
        cursor.execute(statement)
        yield cursor
        cursor.execute("ROLLBACK")


def _busy(pair: Pair) -> list[str]:
    """What sessions in the target are at."""
    with cursor_on(pair.target) as cursor:
        cursor.execute("SELECT info FROM information_schema.processlist WHERE info IS NOT NULL")
        return [str(row[0]) for row in cursor.fetchall() if "processlist" not in str(row[0])]


def _begun(pair: Pair) -> Replication:
    """Replication in step; each change after it waits for the lock that the test holds."""
    replication = Replication(pair.config())
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    return replication


def test_a_stop_does_not_wait_for_a_lock_of_somebody_else(pair: Pair) -> None:
    replication = _begun(pair)
    with lock_held(pair, "UPDATE counter SET n = 100 WHERE id = 1"):
        pair.on(("UPDATE counter SET n = n + 1", "INSERT INTO log SELECT * FROM log"), pair.upstream)
        until(lambda: bool(_busy(pair)) and not replication.unit.status()["synced"], "a channel waits for the lock")
        replication.end()  # returns, and raises nothing
        until(lambda: _busy(pair) == [], "nobody waits on in the server", seconds=30)  # for a lock: 50 s
    with running(pair.config()) as syncer:
        until(pair.is_equal, "it goes on, each change once")
        assert syncer.status()["missingRows"] == 0


def test_channels_that_are_ahead_stay_so_when_their_number_changes(pair: Pair) -> None:
    replication = Replication(pair.config({"worker-count": 6}))
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    rows = ", ".join(f"({number}, 0, NULL)" for number in range(100, 130))
    with lock_held(pair, "UPDATE counter SET n = 100 WHERE id = 1"):
        once = ("UPDATE counter SET n = n + 1", "INSERT INTO log VALUES (7, 'same')")
        pair.on((f"INSERT INTO counter VALUES {rows}", *once * 20), pair.upstream)
        until(lambda: _applied(pair) >= 40, "most channels go on")
        replication.end()
    for number in (6, 2, 9):
        replication = Replication(pair.config({"worker-count": number}))
        replication.unit.steer(LiveSettings(number + 1, 100, 0))
        pair.on(once, pair.upstream)
        replication.end()
    with running(pair.config()) as syncer:
        until(pair.is_equal, "each change once")
        assert syncer.status()["missingRows"] == 0


def _applied(pair: Pair) -> int:
    """Changes of rows that nobody locks."""
    with cursor_on(pair.target, pair.name) as cursor:
        cursor.execute("SELECT COALESCE(SUM(n), 0) FROM counter WHERE id >= 100")
        return int(cursor.fetchone()[0])


def test_a_stop_does_not_wait_for_a_full_queue(pair: Pair) -> None:
    replication = Replication(pair.config({"worker-count": 1, "batch": 1, "queue-size": 1}))
    until(lambda: bool(replication.unit.status().get("synced")), "it runs")
    with lock_held(pair, "UPDATE counter SET n = 100 WHERE id = 2"):
        pair.on(("UPDATE counter SET n = n + 1",) * 30, pair.upstream)
        until(lambda: replication.unit.status().get("bottleneck") == "target", "the reader waits for room")
        replication.end()
    with running(pair.config({"worker-count": 1})):
        until(pair.is_equal, "it goes on, each change once")


def test_a_stop_does_not_wait_for_a_ddl_behind_a_lock(pair: Pair) -> None:
    replication = _begun(pair)
    with lock_held(pair, "UPDATE counter SET n = 100 WHERE id = 1"):
        pair.on(("ALTER TABLE counter ADD COLUMN more INT", "UPDATE counter SET more = n"), pair.upstream)
        until(lambda: bool(replication.unit.status().get("blockingDDLs")), "the DDL waits")
        replication.end()
    with running(pair.config()):
        until(pair.is_equal, "it goes on")


def test_a_stop_comes_to_the_end_of_what_was_read(pair: Pair) -> None:
    replication = _begun(pair)
    pair.on(("BEGIN", "UPDATE counter SET n = n + 1", "INSERT INTO log SELECT * FROM log", "COMMIT"), pair.upstream)
    until(lambda: replication.unit.status()["totalRows"] > 0, "something is applied")
    replication.end()
    assert pair.is_equal()  # all of the transaction


@pytest.mark.crossed("kind")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_does_not_wait_for_a_dead_server(
    kind: str, mariadb: RunningServer, server_factory: Callable[..., RunningServer]
) -> None:
    pair = made("hang_dead", mariadb, server_factory(kind))
    replication = _begun(pair)
    with frozen(pair.target):
        pair.on(("UPDATE counter SET n = n + 1", "INSERT INTO log SELECT * FROM log"), pair.upstream)
        until(lambda: not replication.unit.status()["synced"], "a channel waits for the server")
        replication.end()
    with running(pair.config()):
        until(pair.is_equal, "it goes on, each change once")


@contextmanager
def frozen(server: RunningServer) -> Iterator[None]:
    """A server that takes connections and says nothing."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


@pytest.mark.crossed("kind")
@pytest.mark.parametrize("kind", KINDS)
def test_an_idle_task_notices_that_the_target_is_gone(
    kind: str, mariadb: RunningServer, server_factory: Callable[..., RunningServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target_watch, "IDLE_SECONDS", 0.5)
    pair = made("hang_gone", mariadb, server_factory(kind))
    replication = _begun(pair)
    pair.target.kill()
    with pytest.raises(DMError) as gone:
        replication.end(60)
    assert gone.value.resumable
    assert "cannot be reached" in gone.value.message
    pair.target.restart()
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it is back")


@pytest.mark.crossed("kind")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changes", [(), ("UPDATE counter SET n = n + 1",)], ids=["idle", "waiting"])
def test_a_task_notices_a_target_that_says_nothing(
    kind: str,
    changes: tuple[str, ...],
    mariadb: RunningServer,
    server_factory: Callable[..., RunningServer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(target_watch, "IDLE_SECONDS", 0.5)
    monkeypatch.setattr(target_connections, "PING_SECONDS", 1)
    monkeypatch.setattr(checkpoint, "ANSWER_SECONDS", 5)  # of a server that is slow, too
    pair = made("hang_mute", mariadb, server_factory(kind))
    replication = _begun(pair)
    pair.on(("UPDATE counter SET n = n + 1",), pair.upstream)
    until(pair.is_equal, "the table is known")
    with frozen(pair.target):
        pair.on(changes, pair.upstream)
        with pytest.raises(DMError) as mute:
            replication.end(60)
    assert mute.value.resumable
    monkeypatch.undo()
    with running(pair.config()):
        until(pair.is_equal, "it is back")


def test_an_error_does_not_wait_for_a_lock_of_somebody_else(pair: Pair) -> None:
    pair.both(f"INSERT INTO counter VALUES {', '.join(f'({number}, 0, NULL)' for number in range(100, 130))}")
    replication = _begun(pair)
    pair.on(("ALTER TABLE counter MODIFY code VARCHAR(3)",), pair.target)
    with lock_held(pair, "UPDATE counter SET n = 100 WHERE id = 1"):
        pair.on(
            ("UPDATE counter SET n = n + 1 WHERE id = 1", "UPDATE counter SET code = CONCAT('long', id) WHERE id > 99"),
            pair.upstream,
        )
        with pytest.raises(DMError, match="does not fit"):
            replication.end(60)


def test_an_idle_task_survives_that_its_connections_are_closed(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_watch, "IDLE_SECONDS", 0.2)
    assert grace.GRACE_SECONDS + grace.LAST_SECONDS < 10  # for how long dm-master waits
    with running(pair.config()) as syncer:
        until(lambda: bool(syncer.status().get("synced")), "it runs")
        killed = _sessions(pair)
        with cursor_on(pair.target) as cursor:
            for number in killed:
                cursor.execute(f"KILL {number}")
        until(lambda: len(_sessions(pair) - killed) >= 2, "the reader has new ones")
        pair.on(("UPDATE counter SET n = n + 1",), pair.upstream)
        until(pair.is_equal, "it goes on")


def _sessions(pair: Pair) -> set[int]:
    """The sessions of others in the target, by number."""
    with cursor_on(pair.target) as cursor:
        cursor.execute("SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'")
        return {int(row[0]) for row in cursor.fetchall()}
