"""What is left of a unit's status when it is not at work: what it has come to, but no speed and no distance.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NUMBERS = frozenset(
    {"bps", "rowsPerSecond", "recentRps", "recentTps", "activeLanes", "upstreamThreadsRunning", "targetThreadsRunning"}
)
_TEXTS = frozenset({"bottleneck", "waitsFor"})
_UNKNOWN = frozenset({"secondsBehindMaster", "lagSeconds", "etaSeconds", "workShares", "channels"})


def at_rest(status: Mapping[str, Any], stage: str, age_seconds: float) -> dict[str, Any]:
    """The last status of a unit that is in ``stage``, not Running, and said it ``age_seconds`` ago.

    Of replication it is not known whether the target has all that the upstream has by now.
    """
    left = {name: _at_rest(name, value) for name, value in status.items() if name not in _UNKNOWN}
    if "tables" in left:
        left["tables"] = [at_rest(table, stage, age_seconds) for table in left["tables"]]
    if "synced" in left:
        left |= {"synced": False, "unknown": f"the subtask is {stage}: it does not replicate"}
        left["masterBinlogAge"] = round(float(left.get("masterBinlogAge", 0.0)) + age_seconds, 3)
    return left


def _at_rest(name: str, value: Any) -> Any:
    if name in _NUMBERS:
        return type(value)(0)
    return "" if name in _TEXTS else value
