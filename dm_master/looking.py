"""What of a status was measured for the question that is answered, and what is older.  Pure.

A status is pushed by the workers about once a second.  Whoever asks for it wants to know how it stands *now*:
the question gets a number, the workers measure anew, and what they say bears the number (``looked``).  What
bears an older one is shown with its age, and claims nothing about the upstream.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dm_master.observed import Observation, ObservedRelay, ObservedSubtask, Picture
from pkg.task.stage import Stage
from pkg.unit import UnitName

Body = dict[str, Any]
QUESTIONS = 1 << 22  # that one dm-master numbers: each begins at a random multiple, so that no two meet

_DISTANCES = ("secondsBehindMaster", "lagSeconds")


def answers(looked: Any, number: int) -> bool:
    """Whether what bears ``looked`` was measured after the question ``number`` of the same dm-master."""
    return 0 <= int(looked or 0) - number < QUESTIONS


def is_answered(picture: Picture, number: int, sources: Collection[str]) -> bool:
    """Whether there is nothing to wait for: the worker of each of the sources that has one has said how it stands."""
    cluster = picture.cluster
    return all(
        _has_answered(picture.observed.get(worker), source, number)
        for source in sources
        if (worker := cluster.worker_of(source))
    )


def _has_answered(observed: Observation | None, source: str, number: int) -> bool:
    if observed is None or observed.source != source or not answers(observed.looked, number):
        return False
    relay = observed.relay
    is_relay_known = relay is None or relay.stage != Stage.RUNNING or answers(relay.status.get("looked"), number)
    return is_relay_known and all(_is_measured(one, number) for one in observed.subtasks.values())


def _is_measured(subtask: ObservedSubtask, number: int) -> bool:
    """A subtask that does not replicate compares with nobody."""
    if (subtask.stage, subtask.status.get("unit")) != (Stage.RUNNING, UnitName.SYNC):
        return True
    return answers((subtask.status.get("sync") or {}).get("looked"), number)


def silence(observed: Observation, number: int, age_seconds: float) -> str:
    """Why all that a worker said is old; "" when it has answered."""
    if answers(observed.looked, number):
        return ""
    return f"it has not answered for {age_seconds:.0f} s"


def subtask_now(subtask: ObservedSubtask, number: int, age_seconds: float, silent: str) -> Body:
    """The status of a subtask; ``age_seconds`` ago its worker told it, and ``silent`` says why it is old."""
    status = dict(subtask.status)
    age = float(status.get("ageSeconds") or 0.0) + (age_seconds if silent else 0.0)
    status["ageSeconds"] = age
    sync = status.get("sync")
    if sync and (silent or not _is_measured(subtask, number)):
        known = {name: value for name, value in sync.items() if name not in _DISTANCES}
        reason = silent or sync.get("unknown") or f"the subtask has not said it for this answer; it is {age:.0f} s old"
        seen_before = float(sync.get("masterBinlogAge") or 0.0)
        status["sync"] = known | {"synced": False, "unknown": reason, "masterBinlogAge": seen_before + age}
    return status


def relay_now(relay: ObservedRelay, number: int, age_seconds: float) -> Body:
    """The status of a relay log, which has all of the upstream only if it was asked for this answer."""
    if answers(relay.status.get("looked"), number):
        return dict(relay.status)
    seen_before = float(relay.status.get("masterBinlogAge") or 0.0)
    return {**relay.status, "relayCatchUpMaster": False, "masterBinlogAge": seen_before + age_seconds}
