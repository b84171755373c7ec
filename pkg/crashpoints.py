"""Named points at which a test may kill, fail or delay a process (DESIGN.md §4.19).

``crashpoint("syncer.applied")`` costs one global read when nothing is armed.  The environment
variable ``SPARK_DM_CRASHPOINT`` arms points: ``name=kill``, ``name=raise`` or ``name=delay:0.5``,
with ``@n`` for the n-th pass (``name@3=kill``); several are separated by commas.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

VARIABLE = "SPARK_DM_CRASHPOINT"


class CrashpointRaised(RuntimeError):
    """What an armed ``raise`` point throws."""


@dataclass(slots=True)
class _Armed:
    action: str
    delay_seconds: float
    passes_left: int


def _parse(text: str) -> dict[str, _Armed]:
    armed: dict[str, _Armed] = {}
    for entry in filter(None, text.split(",")):
        point, _, action = entry.partition("=")
        name, _, nth = point.partition("@")
        verb, _, seconds = action.partition(":")
        if verb not in ("kill", "raise", "delay"):
            raise ValueError(f"{VARIABLE}: {entry!r} names no action: use kill, raise or delay:SECONDS")
        armed[name] = _Armed(verb, float(seconds or 0), int(nth or 1))
    return armed


_armed: dict[str, _Armed] | None = _parse(os.environ.get(VARIABLE, "")) or None


def crashpoint(name: str) -> None:
    """Do what was armed for ``name``, if anything was."""
    if _armed is not None:
        _pass(name, _armed)


def arm(text: str) -> None:
    """Arm points in this process as the environment variable would; an empty text disarms all."""
    global _armed
    _armed = _parse(text) or None


def _pass(name: str, armed: dict[str, _Armed]) -> None:
    point = armed.get(name)
    if point is None:
        return
    point.passes_left -= 1
    if point.passes_left > 0:
        return
    if point.action != "delay":
        del armed[name]
    if point.action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if point.action == "raise":
        raise CrashpointRaised(name)
    time.sleep(point.delay_seconds)
