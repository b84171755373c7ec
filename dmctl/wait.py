"""``--wait``: asks for the status again and again until what was ordered has come true.

``judge`` decides and is pure; ``wait_for`` is the loop around it, with the clock and the pause as parameters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dmctl.answer import Body

POLL_SECONDS = 0.5
TELL_SECONDS = 5.0  # before it is said what is waited for


class Goal(StrEnum):
    """What a verb waits for."""

    RUNNING = "running"
    SYNCED = "synced"
    FINISHED = "finished"
    PAUSED = "paused"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Pending:
    """Not there yet."""

    missing: str


@dataclass(frozen=True, slots=True)
class Reached:
    """Every subtask is as asked."""


@dataclass(frozen=True, slots=True)
class Failed:
    """It will not come true by itself."""

    reason: str


Verdict = Pending | Reached | Failed


def judge(status: Body, task: str, sources: Collection[str], goal: Goal) -> Verdict:
    """Where ``task`` stands; ``status`` is the master's answer about this task, ``sources`` narrows the question."""
    subtasks = _subtasks(status, task, sources)
    if goal is Goal.GONE:
        return Pending(", ".join(subtasks) + " still there") if subtasks else Reached()
    expected = set(sources) or _source_names(status)
    if not expected:
        return Pending(f"no worker reports task {task} yet")
    missing = [source for source in sorted(expected) if source not in subtasks or not _is_there(subtasks[source], goal)]
    failed = [source for source in missing if _has_failed(subtasks.get(source, {}), goal)]
    if failed:
        return Failed(f"task {task} is paused by an error on {', '.join(failed)}")
    ended = [source for source in missing if _has_ended(subtasks.get(source, {}), goal)]
    if ended:
        return Failed(f"task {task} ended on {', '.join(ended)} without being {goal}")
    return Pending(f"not yet {goal}: {', '.join(missing)}") if missing else Reached()


def _source_names(status: Body) -> set[str]:
    """Every source of the task, also one whose worker has not begun yet."""
    return {str((source.get("sourceStatus") or {}).get("source", "")) for source in status.get("sources") or ()}


def _subtasks(status: Body, task: str, sources: Collection[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for source in status.get("sources") or ():
        name = str((source.get("sourceStatus") or {}).get("source", ""))
        for subtask in source.get("subTaskStatus") or ():
            is_there = subtask.get("name") == task and not subtask.get("msg")
            if is_there and (not sources or name in sources):
                found[name] = subtask
    return found


def _is_there(subtask: Mapping[str, Any], goal: Goal) -> bool:
    stage = subtask.get("stage")
    match goal:
        case Goal.RUNNING:
            return stage == "Finished" or (stage == "Running" and _has_begun(subtask))
        case Goal.SYNCED:
            return stage == "Finished" or (stage == "Running" and bool((subtask.get("sync") or {}).get("synced")))
        case Goal.FINISHED:
            return stage == "Finished"
        case Goal.PAUSED:
            return stage in ("Paused", "Finished")
        case _:
            return False


def _has_begun(subtask: Mapping[str, Any]) -> bool:
    """Whether replication knows its place, so that what is written upstream from now on arrives.

    What waits for something that an earlier run has begun goes on from that run's place.
    """
    sync = subtask.get("sync") or {}
    return subtask.get("unit") != "Sync" or any(sync.get(word) for word in ("startBinlog", "waitsFor"))


def _has_failed(subtask: Mapping[str, Any], goal: Goal) -> bool:
    """Paused by an error; on the long way to being in step, one that is tried again by itself is no failure."""
    is_failed = subtask.get("stage") == "Paused" and bool((subtask.get("result") or {}).get("errors"))
    is_tried_again = bool(subtask.get("nextTry")) and goal in (Goal.SYNCED, Goal.FINISHED)
    return is_failed and goal is not Goal.PAUSED and not is_tried_again


def _has_ended(subtask: Mapping[str, Any], goal: Goal) -> bool:
    return goal is not Goal.GONE and subtask.get("stage") == "Stopped"


def wait_for(
    status: Callable[[], Body | None],
    verdict: Callable[[Body], Verdict],
    show: Callable[[Body], None],
    tell: Callable[[str], None],
    *,
    limit_seconds: float | None = None,
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[Verdict, Body | None]:
    """The last verdict and the status it was made from; ``Failed`` when ``limit_seconds`` went by.

    ``status`` gives None while the master cannot be asked.  ``tell`` gets what is missing, once, when it has been
    missing for a while.
    """
    started = now()
    missing, since, told = "", started, ""
    while True:
        body = status()
        if body is not None:
            show(body)
        found = verdict(body) if body is not None else Pending("dm-master does not answer")
        if not isinstance(found, Pending):
            return found, body
        if limit_seconds is not None and now() - started >= limit_seconds:
            return Failed(f"gave up after {limit_seconds:g} s: {found.missing}"), body
        if found.missing != missing:
            missing, since = found.missing, now()
        elif missing != told and now() - since >= TELL_SECONDS:
            tell(missing)
            told = missing
        pause(POLL_SECONDS)
