"""What dm-master wants of this worker and what it observes: the values between the session and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pkg.task.stage import Stage


@dataclass(frozen=True, slots=True)
class DesiredSubtask:
    task: str
    revision: int
    stage: Stage
    wire: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Desired:
    """The whole picture; without a source nothing should run."""

    revision: int
    source: str = ""
    bind_epoch: int = 0
    source_wire: str = field(repr=False, default="")
    subtasks: tuple[DesiredSubtask, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedSubtask:
    revision: int
    status: Mapping[str, Any]  # DM's SubTaskStatus in JSON's shape


@dataclass(frozen=True, slots=True)
class Observed:
    """All that runs here."""

    revision: int = 0
    source: str = ""
    bind_epoch: int = 0
    source_errors: tuple[Mapping[str, Any], ...] = ()
    subtasks: tuple[ObservedSubtask, ...] = ()
