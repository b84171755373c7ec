"""What the workers say they run, and whether that is what was ordered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dm_master.cluster import Cluster
from pkg.facts import Leader, RelayFact, SubtaskFact
from pkg.task.stage import Stage

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ObservedSubtask:
    """A subtask as its worker sees it; ``status`` is DM's SubTaskStatus in JSON's shape."""

    revision: int  # of the order that was acted on
    status: Fields

    @property
    def stage(self) -> str:
        return str(self.status.get("stage", ""))

    @property
    def errors(self) -> list[Fields]:
        return list((self.status.get("result") or {}).get("errors") or ())


@dataclass(frozen=True, slots=True)
class PurgeAnswer:
    """What became of an order to purge."""

    number: int
    done: bool
    message: str


@dataclass(frozen=True, slots=True)
class ObservedRelay:
    """A relay log as its worker sees it; ``status`` is DM's RelayStatus in JSON's shape."""

    revision: int  # of the order that was acted on
    status: Fields
    purge: PurgeAnswer | None = None  # the last one

    @property
    def stage(self) -> str:
        return str(self.status.get("stage", ""))

    @property
    def errors(self) -> list[Fields]:
        return list((self.status.get("result") or {}).get("errors") or ())


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one worker runs."""

    revision: int = 0
    source: str = ""
    bind_epoch: int = 0
    source_result: Fields = field(default_factory=dict)
    subtasks: Mapping[str, ObservedSubtask] = field(default_factory=dict)  # by task
    relay: ObservedRelay | None = None
    looked: int = 0  # the last question that the worker has heard


@dataclass(frozen=True, slots=True)
class Picture:
    """All that dm-master knows at one moment."""

    cluster: Cluster = field(default_factory=Cluster)
    observed: Mapping[str, Observation] = field(default_factory=dict)  # by worker
    leader: Leader | None = None
    ages: Mapping[str, float] = field(default_factory=dict)  # seconds since each worker said what is observed


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an order on one source."""

    done: bool
    message: str = ""
    is_late: bool = False  # not done yet, and the order stands


def outcome_of(ordered: SubtaskFact, observed: ObservedSubtask | None) -> Outcome | None:
    """The outcome of an order to run or to pause; None while it is open."""
    if observed is None or observed.revision < ordered.revision:
        return None
    if observed.stage == Stage.FINISHED:
        return Outcome(True, "the subtask has finished")
    if observed.stage == ordered.stage:
        return Outcome(True)
    return _failure(ordered.stage, observed)


def outcome_of_relay(ordered: RelayFact, observed: ObservedRelay | None) -> Outcome | None:
    """The same of an order about a relay log."""
    if observed is None or observed.revision < ordered.revision:
        return None
    return Outcome(True) if observed.stage == ordered.stage else _failure(ordered.stage, observed)


def _failure(ordered: Stage, observed: ObservedSubtask | ObservedRelay) -> Outcome | None:
    if ordered is Stage.RUNNING and observed.stage == Stage.PAUSED and observed.errors:
        return Outcome(False, "; ".join(error_text(error) for error in observed.errors))
    return None


def error_text(error: Fields) -> str:
    """An error of a status, as the log writes it."""
    head = "[code={ErrCode}:class={ErrClass}:scope={ErrScope}:level={ErrLevel}], Message: {Message}".format_map(
        {"ErrCode": 0, "ErrClass": "", "ErrScope": "", "ErrLevel": "", "Message": ""} | dict(error)
    )
    tail = [f"{label}: {error[label]}" for label in ("RawCause", "Workaround") if error.get(label)]
    return ", ".join([head, *tail])
