"""Named points at which a test may kill, fail or delay a process (DESIGN.md §4.19).

``crashpoint("syncer.applied")`` costs one global read when nothing is armed.  The environment
variable ``SPARK_DM_CRASHPOINT`` arms points: ``name=kill``, ``name=raise``, ``name=delay:0.5`` or
``name=hold:FILE`` (as long as the file is there; each that is held writes the point's name into it), with ``@n``
for the n-th pass (``name@3=kill``); several are separated by commas.

``SPARK_DM_CRASHPOINT=@FILE`` reads that from a file at each pass; a point that was passed leaves the
file before anything is done, so that the process that is started next goes on.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "SPARK_DM_CRASHPOINT"
_LOOK_SECONDS = 0.02


class CrashpointRaised(RuntimeError):
    """What an armed ``raise`` point throws."""


@dataclass(slots=True)
class _Armed:
    action: str
    how: str  # what stands behind the action
    passes_left: int


def _parse(text: str) -> dict[str, _Armed]:
    armed: dict[str, _Armed] = {}
    for entry in filter(None, text.split(",")):
        point, _, action = entry.partition("=")
        name, _, nth = point.partition("@")
        verb, _, how = action.partition(":")
        if verb not in ("kill", "raise", "delay", "hold"):
            raise ValueError(f"{VARIABLE}: {entry!r} names no action: use kill, raise, delay:SECONDS or hold:FILE")
        armed[name] = _Armed(verb, how, int(nth or 1))
    return armed


def _file(text: str) -> Path | None:
    return Path(text[1:]) if text.startswith("@") else None


_armed_file: Path | None
_armed: dict[str, _Armed] | None
_is_on: bool


def crashpoint(name: str) -> None:
    """Do what was armed for ``name``, if anything was."""
    if _is_on:
        _pass(name, _armed or {} if _armed_file is None else _read(_armed_file, name))


def arm(text: str) -> None:
    """Arm points in this process as the environment variable would; an empty text disarms all."""
    global _armed, _armed_file, _is_on
    _armed_file = _file(text)
    _armed = None if _armed_file else _parse(text) or None
    _is_on = bool(_armed or _armed_file)


arm(os.environ.get(VARIABLE, ""))


def _read(file: Path, name: str) -> dict[str, _Armed]:
    """What the file arms for ``name``, which is then gone from there; an n-th pass is counted down in it."""
    armed = _parse(file.read_text().strip()) if file.exists() else {}
    point = armed.pop(name, None)
    if point is None:
        return {}
    left = [_text(other, one) for other, one in armed.items()]
    if point.passes_left > 1:
        left.append(_text(name, point, passed=1))
    fresh = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}")  # others may pass the point at the same time
    fresh.write_text(",".join(left))
    fresh.replace(file)
    return {name: point}


def _text(name: str, point: _Armed, passed: int = 0) -> str:
    how = f":{point.how}" if point.how else ""
    return f"{name}@{point.passes_left - passed}={point.action}{how}"


def _pass(name: str, armed: dict[str, _Armed]) -> None:
    point = armed.get(name)
    if point is None:
        return
    point.passes_left -= 1
    if point.passes_left > 0:
        return
    if point.action not in ("delay", "hold"):
        del armed[name]
    if point.action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if point.action == "raise":
        raise CrashpointRaised(name)
    if point.action == "delay":
        time.sleep(float(point.how))
    if point.action == "hold":
        _hold(Path(point.how), name)


def _hold(file: Path, name: str) -> None:
    with suppress(FileNotFoundError):
        told = os.open(file, os.O_WRONLY | os.O_APPEND)  # which does not make it anew
        os.write(told, f"{name}\n".encode())
        os.close(told)
    while file.exists():
        time.sleep(_LOOK_SECONDS)
