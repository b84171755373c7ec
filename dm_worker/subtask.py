"""One subtask's life: what an input means for its stage and for the child process that runs it.  Pure.

    New ──start──▶ (child starts) ──working──▶ Running ──finished──▶ Finished
     ▲                                          │  ▲
     └─ re-bound or changed                     │  └──Resuming── an order, or the back-off after a passing error
                                                ▼
                              Pausing ──child has ended──▶ Paused          (failed or died: Paused at once)

There is at most one child: the next one is started only when the former has ended.  What a child said
last (its outcome) counts when it has ended, unless the source was bound anew meanwhile or the configuration
is another one; a child that ends without one has died.  Live settings are told to the child that is there;
any other change of the configuration replaces it.  A pause that was ordered is never undone by the
back-off, nor is an error that is not resumable: both wait for an order with a new revision, or for a new
binding of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from pkg.errors import ErrorKind, Level, Scope
from pkg.retry import Backoff
from pkg.task.live import LiveSettings
from pkg.task.stage import Stage, TaskMode
from pkg.unit import UnitName

STOP_SECONDS = 20.0  # after which a child that was told to stop is killed; nothing is lost by that
LOADED = "finished"

CHILD_DIED = ErrorKind(
    40101,
    "dm-worker",
    Scope.INTERNAL,
    Level.HIGH,
    "the process of subtask {task} ended unexpectedly: {how}",
    workaround="it is started again by itself; when this repeats, see its log and whether the kernel ran out of memory",
    resumable=True,
)


@dataclass(frozen=True, slots=True)
class Order:
    """What dm-master wants."""

    stage: Stage  # Running or Paused
    revision: int
    bind_epoch: int
    wire: str = field(repr=False, default="")
    relay_folder: str = ""  # where the binlog is read; "": from the upstream
    live: LiveSettings | None = None  # which `wire` leaves out


@dataclass(frozen=True, slots=True)
class Policy:
    """The source file's `checker`."""

    enabled: bool = True
    backoff: Backoff = field(default_factory=Backoff)
    rollback_seconds: float = 300.0


# -- inputs ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ordered:
    order: Order
    policy: Policy = Policy()


@dataclass(frozen=True, slots=True)
class Dropped:
    """dm-master does not name this subtask any more."""


@dataclass(frozen=True, slots=True)
class ChildWorked:
    """The child's unit is at work; also its progress."""

    unit: str
    status: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChildFinished:
    pass


@dataclass(frozen=True, slots=True)
class ChildStopped:
    pass


@dataclass(frozen=True, slots=True)
class ChildFailed:
    error: Mapping[str, Any]  # in DM's JSON shape, with `resumable`
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """The process is gone; ``how`` is for the case that it said nothing before."""

    how: str


@dataclass(frozen=True, slots=True)
class TimePassed:
    pass


@dataclass(frozen=True, slots=True)
class RelayCaughtUp:
    """The relay log has all of the upstream's binlog: who reads from the upstream for it came too late may change."""


Outcome = ChildFinished | ChildStopped | ChildFailed
Input = (
    Ordered
    | Dropped
    | ChildWorked
    | ChildFinished
    | ChildStopped
    | ChildFailed
    | ChildEnded
    | RelayCaughtUp
    | TimePassed
)


class Action(Enum):
    """What the shell has to do; START takes the order's wire and epoch, STEER its live settings."""

    START = auto()
    STEER = auto()
    STOP = auto()
    KILL = auto()


@dataclass(frozen=True, slots=True)
class Subtask:
    """Where a subtask stands."""

    task: str
    order: Order
    policy: Policy = Policy()
    stage: Stage = Stage.NEW
    unit: str = ""
    status: Mapping[str, Any] = field(default_factory=dict)
    errors: tuple[Mapping[str, Any], ...] = ()
    has_child: bool = False
    is_former: bool = False  # the child is of an order before, perhaps of another source: what it says counts no more
    outcome: Outcome | None = None  # of a child that has not ended yet
    kill_at: float | None = None  # set while a child should end
    failures: int = 0  # in a row, less one per rollback_seconds of health
    next_try: float | None = None
    healthy_since: float | None = None
    is_dropped: bool = False
    started_relay: str = ""  # the relay_folder that the child was started with

    @property
    def reads_past_relay(self) -> bool:
        """Whether its child was given a relay log and replicates from the upstream all the same."""
        is_remote = self.unit == UnitName.SYNC and self.status.get("binlogType") == "remote"
        return self.has_child and bool(self.started_relay) and is_remote

    @property
    def is_over(self) -> bool:
        """Whether it can be forgotten."""
        return self.is_dropped and not self.has_child


Step = tuple[Subtask, tuple[Action, ...]]


def units_for(mode: TaskMode, load_status: str) -> tuple[UnitName, ...]:
    """Which units run, in order; ``load_status`` is what the target's meta table says.

    A `full` task ends with the sync unit, too: it brings what changed while the copy was made.
    """
    if mode is TaskMode.DUMP:
        return (UnitName.DUMP,)
    if mode is TaskMode.LOAD:
        return (UnitName.LOAD,)
    needs_load = mode.has_full and load_status != LOADED
    return (UnitName.LOAD, UnitName.SYNC) if needs_load else (UnitName.SYNC,)


def begin(task: str, ordered: Ordered) -> Step:
    """A subtask that was not here before."""
    subtask = Subtask(task, ordered.order, ordered.policy)
    if ordered.order.stage is Stage.RUNNING:
        return _started(subtask)
    return replace(subtask, stage=Stage.PAUSED), ()


def step(subtask: Subtask, event: Input, now: float, chance: float = 1.0) -> Step:
    """The subtask after ``event``, and what to do; ``chance`` in [0, 1) varies the back-off."""
    match event:
        case Ordered(order, policy):
            return _ordered(replace(subtask, policy=policy), order, now)
        case Dropped():
            stage = Stage.STOPPING if subtask.has_child else Stage.STOPPED
            return _ending(replace(subtask, is_dropped=True, stage=stage), now)
        case ChildWorked(unit, status):
            return _on_right_stream(_worked(subtask, unit, status, now), now)
        case ChildFinished() | ChildStopped() | ChildFailed():
            return replace(subtask, outcome=event, kill_at=now + STOP_SECONDS), ()
        case ChildEnded(how):
            return _ended(subtask, how, now, chance)
        case RelayCaughtUp():
            late = subtask.reads_past_relay and subtask.kill_at is None
            return _ending(replace(subtask, stage=Stage.RESUMING), now) if late else (subtask, ())
        case TimePassed():
            return _time_passed(subtask, now)


def _ordered(subtask: Subtask, order: Order, now: float) -> Step:
    before, subtask = subtask.order, replace(subtask, order=order, is_dropped=False)
    changed = (before.bind_epoch, before.wire) != (order.bind_epoch, order.wire)
    if order == before:
        return subtask, ()
    if before.bind_epoch != order.bind_epoch:
        subtask = replace(subtask, unit="", status={}, errors=())
    subtask = replace(subtask, is_former=subtask.has_child and (subtask.is_former or changed))
    if order.stage is Stage.PAUSED:
        if subtask.has_child:
            return _ending(replace(subtask, stage=Stage.PAUSING, next_try=None), now)
        stage = subtask.stage if subtask.stage is Stage.FINISHED else Stage.PAUSED
        return replace(subtask, stage=stage, next_try=None), ()
    if subtask.has_child:
        # A child under an old binding or configuration ends first; _ended starts the next one.
        if changed:
            return _ending(replace(subtask, stage=Stage.RESUMING, failures=0), now)
        if subtask.kill_at is not None:
            return replace(subtask, stage=Stage.RESUMING), ()
        subtask, actions = _on_right_stream(subtask, now)
        return subtask, (*((Action.STEER,) if before.live != order.live else ()), *actions)
    if subtask.stage is Stage.FINISHED and not changed:
        return subtask, ()
    return _started(replace(subtask, failures=0, errors=()))


def _started(subtask: Subtask) -> Step:
    stage = Stage.NEW if subtask.stage is Stage.NEW else Stage.RESUMING
    return replace(
        subtask, stage=stage, has_child=True, is_former=False, outcome=None, kill_at=None, next_try=None,
        healthy_since=None, started_relay=subtask.order.relay_folder,
    ), (Action.START,)  # fmt: skip


def _ending(subtask: Subtask, now: float) -> Step:
    if not subtask.has_child or subtask.kill_at is not None:
        return subtask, ()
    return replace(subtask, kill_at=now + STOP_SECONDS), (Action.STOP,)


def _on_right_stream(subtask: Subtask, now: float) -> Step:
    """A child that replicates and reads the other stream (relay log or upstream) is replaced; a copy goes on."""
    is_right = subtask.started_relay == subtask.order.relay_folder
    if is_right or subtask.unit != UnitName.SYNC or subtask.kill_at is not None:
        return subtask, ()
    return _ending(replace(subtask, stage=Stage.RESUMING), now)


def _worked(subtask: Subtask, unit: str, status: Mapping[str, Any], now: float) -> Subtask:
    if subtask.is_former:
        return subtask
    reported = replace(subtask, unit=unit, status=status)
    if subtask.kill_at is not None:
        return reported  # on its way out; the stage says where to
    since = now if subtask.healthy_since is None else subtask.healthy_since
    return replace(reported, stage=Stage.RUNNING, errors=(), healthy_since=since)


def _ended(subtask: Subtask, how: str, now: float, chance: float) -> Step:
    outcome, was_told = None if subtask.is_former else subtask.outcome, subtask.kill_at is not None
    subtask = replace(subtask, has_child=False, is_former=False, outcome=None, kill_at=None, healthy_since=None)
    if outcome is None and not was_told:
        outcome = ChildFailed(CHILD_DIED.error(task=subtask.task, how=how).as_dict() | {"resumable": True})
    if subtask.is_dropped:
        return replace(subtask, stage=Stage.STOPPED), ()
    match outcome:
        case ChildFinished():
            return replace(subtask, stage=Stage.FINISHED, errors=()), ()
        case ChildFailed(error, unit):
            return _failed(replace(subtask, unit=unit or subtask.unit), error, now, chance), ()
        case _ if subtask.order.stage is Stage.RUNNING:
            return _started(subtask)
        case _:
            return replace(subtask, stage=Stage.PAUSED), ()


def _failed(subtask: Subtask, error: Mapping[str, Any], now: float, chance: float) -> Subtask:
    failures = subtask.failures + 1
    is_tried_again = subtask.order.stage is Stage.RUNNING and subtask.policy.enabled and bool(error.get("resumable"))
    next_try = now + subtask.policy.backoff.delay(failures, chance) if is_tried_again else None
    return replace(subtask, stage=Stage.PAUSED, errors=(error,), failures=failures, next_try=next_try)


def _time_passed(subtask: Subtask, now: float) -> Step:
    if subtask.has_child:
        if subtask.kill_at is not None and now >= subtask.kill_at:
            return replace(subtask, kill_at=now + STOP_SECONDS), (Action.KILL,)
        healthy = subtask.healthy_since is not None and now - subtask.healthy_since >= subtask.policy.rollback_seconds
        if healthy and subtask.failures:
            return replace(subtask, failures=subtask.failures - 1, healthy_since=now), ()
    elif subtask.next_try is not None and now >= subtask.next_try:
        return _started(subtask)
    return subtask, ()
