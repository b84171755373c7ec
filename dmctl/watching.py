"""``watch``: asks for a task's status again and again, until the task has come to its end.

``ended`` decides and is pure; ``watch`` is the loop, with the clock and the pause as parameters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dmctl.answer import Body

_NO_SUCH_TASK = "[code=38065:"


@dataclass(frozen=True, slots=True)
class End:
    """Why there is nothing more to watch."""

    is_good: bool
    message: str


def ended(status: Body, task: str) -> End | None:
    """None while the task goes on, or may go on by itself or by `resume-task`."""
    if not status.get("result", True):
        gone = str(status.get("msg")).startswith(_NO_SUCH_TASK)
        return End(False, f"task {task} is not there (any more)" if gone else str(status.get("msg")))
    subtasks = [
        (str((source.get("sourceStatus") or {}).get("source", "")), subtask)
        for source in status.get("sources") or ()
        for subtask in source.get("subTaskStatus") or ()
        if subtask.get("name") == task
    ]
    if subtasks and all(subtask.get("stage") == "Finished" for _, subtask in subtasks):
        return End(True, f"task {task} is finished")
    failed = [source for source, subtask in subtasks if _stands_still(subtask)]
    is_over = all(_stands_still(one) or one.get("stage") == "Finished" for _, one in subtasks)
    if failed and is_over and len(subtasks) == len(status.get("sources") or ()):
        return End(False, f"task {task} stands still by an error on {', '.join(failed)}; resume-task {task} goes on")
    return None


def _stands_still(subtask: Mapping[str, Any]) -> bool:
    """Paused by an error that is not tried again by itself."""
    has_failed = bool((subtask.get("result") or {}).get("errors"))
    return subtask.get("stage") == "Paused" and has_failed and not subtask.get("nextTry")


def watch(
    status: Callable[[], Body | None],
    task: str,
    show: Callable[[Body], None],
    seconds: float,
    *,
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[End, Body]:
    """How the task ended, and its last status; ``status`` gives None while the master cannot be asked."""
    while True:
        began = now()
        body = status()
        if body is not None:
            show(body)
            end = ended(body, task)
            if end is not None:
                return end, body
        pause(max(0.0, seconds - (now() - began)))
