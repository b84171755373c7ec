"""Which tasks the relay log takes back that went past it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dm_worker.relay.keeper import RelayKeeper
from dm_worker.relay.log import RelayLog
from dm_worker.subtask import Order, Subtask
from pkg.adapters.clock import Clock
from pkg.task import SourceConfig
from pkg.task.stage import Stage

SOURCE = SourceConfig.model_validate({"source-id": "s1", "from": {"host": "h", "port": 1, "user": "u"}})


def keeper_in(server: str, folder: Path, keeper: RelayKeeper | None = None) -> RelayKeeper:
    """One whose relay log has all of a server's binlog."""
    keeper = keeper or RelayKeeper(Clock(), str(folder), lambda call: None)
    relay = RelayLog(SOURCE, folder, Clock(), lambda call: None, lambda: None)
    status = {"relayCatchUpMaster": True, "relaySubDir": server}
    relay._machine = Subtask("s1", Order(Stage.RUNNING, 1, 1), stage=Stage.RUNNING, status=status)
    keeper._current = relay
    return keeper


def test_a_task_that_goes_past_the_relay_log_is_taken_back_once_for_each_server(tmp_path: Path) -> None:
    order = Order(Stage.RUNNING, 1, 1, relay_folder=str(tmp_path))
    task = Subtask("t", order, unit="Sync", has_child=True, started_relay=str(tmp_path))
    past, there = replace(task, status={"binlogType": "remote"}), replace(task, status={"binlogType": "local"})
    keeper = keeper_in("u.000001", tmp_path)
    assert keeper.late_readers([there]) == []
    assert keeper.late_readers([past]) == ["t"]
    assert keeper.late_readers([past]) == []  # whatever drives it past the relay log again, there is no end to it
    keeper_in("v.000002", tmp_path, keeper)  # the upstream was switched
    assert keeper.late_readers([past]) == ["t"]
    assert keeper.late_readers([past]) == []
