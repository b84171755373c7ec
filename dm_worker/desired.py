"""What dm-master wants of this worker and what it observes: the values between the session and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pkg.shardddl.lock import Order
from pkg.task.stage import Stage


@dataclass(frozen=True, slots=True)
class DesiredSubtask:
    task: str
    revision: int
    stage: Stage
    wire: str = field(repr=False)
    orders: tuple[Order, ...] = ()  # about its shard DDL


@dataclass(frozen=True, slots=True)
class PurgeOrder:
    """Delete the files before this one from the relay log, but none that is needed."""

    number: int
    filename: str
    sub_dir: str = ""  # "": the latest one


@dataclass(frozen=True, slots=True)
class DesiredRelay:
    revision: int
    stage: Stage  # Running or Paused
    purge: PurgeOrder | None = None  # until dm-master has the answer


@dataclass(frozen=True, slots=True)
class Desired:
    """The whole picture; without a source nothing should run."""

    revision: int
    source: str = ""
    bind_epoch: int = 0
    source_wire: str = field(repr=False, default="")
    subtasks: tuple[DesiredSubtask, ...] = ()
    relay: DesiredRelay | None = None


@dataclass(frozen=True, slots=True)
class ObservedSubtask:
    revision: int
    status: Mapping[str, Any]  # DM's SubTaskStatus in JSON's shape


@dataclass(frozen=True, slots=True)
class PurgeAnswer:
    """What became of the order with this number."""

    number: int
    done: bool
    message: str


@dataclass(frozen=True, slots=True)
class ObservedRelay:
    revision: int
    status: Mapping[str, Any]  # DM's RelayStatus in JSON's shape
    purge: PurgeAnswer | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """All that runs here."""

    revision: int = 0
    source: str = ""
    bind_epoch: int = 0
    source_errors: tuple[Mapping[str, Any], ...] = ()
    subtasks: tuple[ObservedSubtask, ...] = ()
    relay: ObservedRelay | None = None
    looked: int = 0  # the number of the last Look
