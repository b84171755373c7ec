"""A relay log that cannot hold the next event: the task says that it waits for it, and the error the way out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from dm_worker.relay.errors import DISK_FULL
from dm_worker.relay.notices import Notices
from tests.cases.relay.pulls import Pull, has_all, source
from tests.cases.robust.test_switched_upstream import RelayTask
from tests.cases.sync.pair import made, until
from tests.servers import RunningServer
from tests.unit.relay.disks import small_disk


def test_an_event_that_is_larger_than_the_disk(mariadb: RunningServer, mariadb2: RunningServer, tmp_path: Path) -> None:
    pair = made("relay_stuck", mariadb, mariadb2)
    pair.on(("FLUSH BINARY LOGS",), mariadb)
    name, offset, _ = pair.here()
    config = pair.config(meta={"binlog-name": name, "binlog-pos": offset})
    with ExitStack() as stack:
        folder = stack.enter_context(small_disk(tmp_path / "disk")) / "relay"
        folder.mkdir()
        notices = Notices(folder)
        notices.start()
        stack.callback(notices.close)
        pull = Pull(source(mariadb, relay_binlog_name=name), folder, notices=notices)
        stack.callback(pull.end)
        until(lambda: has_all(folder, mariadb), "pulled")
        task = RelayTask(config, folder)
        stack.callback(task.end)
        until(lambda: bool(task.unit.status().get("synced")), "it reads the relay log")
        assert task.unit.status()["binlogType"] == "local"
        assert not task.unit.status()["waitsFor"].startswith("the relay log")
        pair.on(("ALTER TABLE log MODIFY b LONGTEXT", "INSERT INTO log VALUES (2, REPEAT('y', 3000000))"), mariadb)
        until(lambda: pull.is_over, "the disk is full")
        error = pull.error
        assert error is not None
        assert error.is_a(DISK_FULL)
        assert "stop-relay" in error.workaround
        until(lambda: task.unit.status()["waitsFor"].startswith("the relay log"), f"it says so: {task.unit.status()}")
        assert not task.unit.status()["synced"]
