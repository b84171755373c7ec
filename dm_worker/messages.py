"""What the daemon and a subtask's process say to each other, over one pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pkg.shardddl.lock import Order
from pkg.task.live import LiveSettings


@dataclass(frozen=True, slots=True)
class Start:
    """Down, once and first: what to run."""

    task: str
    wire: str = field(repr=False)  # SubtaskConfig with secrets: never on a command line, never in the environment
    bind_epoch: int
    log_level: str
    log_file: str
    log_format: str
    log_redact: bool = False
    relay_folder: str = ""  # where the binlog is read; "": from the upstream
    live: LiveSettings | None = None  # over those of `wire`


@dataclass(frozen=True, slots=True)
class Stop:
    """Down: come to an orderly end."""


@dataclass(frozen=True, slots=True)
class Steer:
    """Down: these settings hold from now on."""

    live: LiveSettings


@dataclass(frozen=True, slots=True)
class Orders:
    """Down: what dm-master orders about shard DDL, all that holds."""

    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Down: somebody asks how it stands now."""

    number: int


@dataclass(frozen=True, slots=True)
class Working:
    """Up, about once a second: the unit at work, and its status in DM's JSON shape."""

    unit: str
    status: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """Up, last: all units are done."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Up, last: ended because of Stop."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Up, last: ended by this error (DM's JSON shape, with `resumable`)."""

    error: Mapping[str, Any]
    unit: str = ""  # that failed; "" before the first


Down = Start | Stop | Steer | Orders | Look
Up = Working | Finished | Stopped | Failed
