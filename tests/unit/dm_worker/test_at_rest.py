"""The last status of a unit that is not at work."""

from __future__ import annotations

from dm_worker.at_rest import at_rest


def test_replication_that_stands_still_has_no_speed_no_lag_and_is_not_synced() -> None:
    said = {
        "synced": True, "unknown": "", "secondsBehindMaster": 0, "lagSeconds": 0.0, "recentRps": 70, "recentTps": 7,
        "totalRows": 900, "syncerBinlog": "(b.1, 4)", "masterBinlogAge": 0.5, "bottleneck": "upstream", "waitsFor": "it",
        "workShares": {"upstream": 1.0}, "channels": [{"channel": 0, "queuedJobs": 3}], "blockingDDLs": ["ALTER"],
    }  # fmt: skip
    assert at_rest(said, "Paused", 9.0) == {
        "synced": False, "unknown": "the subtask is Paused: it does not replicate", "recentRps": 0, "recentTps": 0,
        "totalRows": 900, "syncerBinlog": "(b.1, 4)", "masterBinlogAge": 9.5, "bottleneck": "", "waitsFor": "",
        "blockingDDLs": ["ALTER"],
    }  # fmt: skip


def test_a_copy_that_stands_still_has_no_speed_and_no_time_left() -> None:
    said = {
        "bps": 100, "rowsPerSecond": 2.5, "etaSeconds": 7.0, "progress": "30.00 %", "activeLanes": 4,
        "tables": [{"table": "t", "bps": 100, "etaSeconds": 7.0, "finishedRows": 5}],
    }  # fmt: skip
    assert at_rest(said, "Paused", 9.0) == {
        "bps": 0, "rowsPerSecond": 0.0, "progress": "30.00 %", "activeLanes": 0,
        "tables": [{"table": "t", "bps": 0, "finishedRows": 5}],
    }  # fmt: skip
