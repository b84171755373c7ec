"""What this worker runs: the bound source, its relay log and its subtasks, kept as dm-master wants them.

One thread (the daemon's main thread) owns all of it and takes everything in turn from one inbox: orders
of dm-master, words of the subtasks' processes, time.  The subtasks decide (``subtask.step``); this
carries out what they decide.
"""

from __future__ import annotations

import logging
import queue
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from dm_worker import subtask as machine
from dm_worker.at_rest import at_rest
from dm_worker.child import Child, Ended
from dm_worker.desired import Desired, DesiredSubtask, Observed, ObservedSubtask
from dm_worker.messages import Failed, Finished, Start, Stopped, Up, Working
from dm_worker.relay.keeper import RelayKeeper
from dm_worker.source import Errors, SourceWatch
from dm_worker.subtask import Action, Order, Ordered, Policy, Subtask
from pkg.adapters.clock import Clock, rfc3339
from pkg.adapters.log import fields
from pkg.retry import Backoff
from pkg.task import SourceConfig, WorkerConfig
from pkg.task.live import split_live
from pkg.task.stage import Stage

TICK_SECONDS = 0.25

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How the processes of subtasks log: like the daemon, each into a file of its own."""

    level: str
    file: str
    style: str
    redact: bool

    @classmethod
    def of(cls, config: WorkerConfig) -> LogSettings:
        return cls(config.log_level, config.log_file, config.log_format, config.redact_info_log)

    def file_of(self, task: str) -> str:
        """Two processes cannot rotate one file."""
        if not self.file:
            return ""
        path = Path(self.file)
        return str(path.with_name(f"{path.stem}.{task}{path.suffix}"))


class Supervisor:
    """Owns binding, subtasks and their processes; only ``tell`` may be called by other threads."""

    def __init__(
        self, clock: Clock, logs: LogSettings, publish: Callable[[Observed], None], relay_dir: str = ""
    ) -> None:
        self._clock, self._logs, self._publish = clock, logs, publish
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._desired = Desired(0)
        self._policy = Policy()
        self._subtasks: dict[str, Subtask] = {}
        self._children: dict[str, Child] = {}
        self._watch: SourceWatch | None = None
        self._source_errors: Errors = ()
        self._looked = 0  # the last question of dm-master
        self._heard_at: dict[str, float] = {}  # when a task's process said something last
        self._relay = RelayKeeper(clock, relay_dir, self._inbox.put)

    # -- for any thread ---------------------------------------------------------------------------

    def want(self, desired: Desired) -> None:
        """dm-master has sent this."""
        self._inbox.put(lambda: self._adopt(desired))

    def look(self, number: int) -> None:
        """dm-master asks how it stands now."""
        self._inbox.put(lambda: self._look(number))

    def wake(self) -> None:
        self._inbox.put(lambda: None)

    # -- for the owner's thread -------------------------------------------------------------------

    def turn(self) -> None:
        """Take what is in the inbox (or wait a tick for it), let time pass, publish."""
        try:
            self._inbox.get(timeout=TICK_SECONDS)()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            pass
        for task in list(self._subtasks):
            self._step(task, machine.TimePassed())
        self._relay.tick(self._subtasks.values())
        for task in self._relay.late_readers(self._subtasks.values()):
            self._step(task, machine.RelayCaughtUp())
        self._publish(self._observed())

    def shut_down(self, seconds: float) -> None:
        """Stop everything in order; what does not stop in time is killed."""
        deadline = self._clock.monotonic() + seconds
        self._adopt(Desired(self._desired.revision))
        while (self._children or not self._relay.is_idle) and self._clock.monotonic() < deadline:
            self.turn()
        for child in self._children.values():
            child.kill()

    def _adopt(self, desired: Desired) -> None:
        before, self._desired = self._desired, desired
        if (before.source, before.bind_epoch) != (desired.source, desired.bind_epoch):
            log.info(
                "bound to a source" if desired.source else "bound to no source",
                extra=fields(source=desired.source or before.source, bind_epoch=desired.bind_epoch),
            )
        if (before.source, before.source_wire) != (desired.source, desired.source_wire):
            self._follow_source(desired)
        self._relay.follow(desired, self._policy)
        wanted = {one.task: one for one in desired.subtasks}
        for task in [task for task in self._subtasks if task not in wanted]:
            self._step(task, machine.Dropped())
        for one in wanted.values():
            self._order(one)
            child = self._children.get(one.task)
            if child is not None:
                child.order(one.orders)

    def _follow_source(self, desired: Desired) -> None:
        if self._watch is not None:
            self._watch.request_stop()
            self._watch, self._source_errors = None, ()
        if desired.source:
            config = SourceConfig.model_validate_json(desired.source_wire)
            self._policy = policy_of(config)
            self._watch = SourceWatch(config, lambda errors: self._inbox.put(lambda: self._found(config, errors)))
            self._watch.start()

    def _found(self, config: SourceConfig, errors: Errors) -> None:
        if config.source_id == self._desired.source:
            self._source_errors = errors

    def _order(self, wanted: DesiredSubtask) -> None:
        wire, live = split_live(wanted.wire)
        order = Order(wanted.stage, wanted.revision, self._desired.bind_epoch, wire, self._relay.folder, live)
        ordered = Ordered(order, self._policy)
        if wanted.task in self._subtasks:
            self._step(wanted.task, ordered)
        else:
            self._carry_out(*machine.begin(wanted.task, ordered))

    def _look(self, number: int) -> None:
        self._looked = number
        for child in self._children.values():
            child.look(number)
        self._relay.look(number)

    def _step(self, task: str, event: machine.Input) -> None:
        before = self._subtasks[task]
        after, actions = machine.step(before, event, self._clock.monotonic(), random.random())
        if after.stage is not before.stage:
            log.info("subtask stage", extra=fields(task=task, stage=after.stage, before=before.stage, unit=after.unit))
        self._carry_out(after, actions)

    def _carry_out(self, subtask: Subtask, actions: tuple[Action, ...]) -> None:
        task = subtask.task
        if subtask.is_over:
            self._subtasks.pop(task, None)
            self._heard_at.pop(task, None)
            return
        self._subtasks[task] = subtask
        for action in actions:
            match action:
                case Action.START:
                    self._start(subtask)
                case Action.STEER:
                    self._steer(subtask)
                case Action.STOP:
                    self._children[task].stop()
                case Action.KILL:
                    log.warning("subtask process does not stop and is killed", extra=fields(task=task))
                    self._children[task].kill()

    def _start(self, subtask: Subtask) -> None:
        task, order = subtask.task, subtask.order
        logs = self._logs
        start = Start(
            task, order.wire, order.bind_epoch, logs.level, logs.file_of(task), logs.style, log_redact=logs.redact,
            relay_folder=order.relay_folder, live=order.live,
        )  # fmt: skip

        def heard(message: Up | Ended) -> None:
            self._inbox.put(lambda: self._heard(task, message))

        child = self._children[task] = Child(start, self._desired.source, heard)
        child.order(next((one.orders for one in self._desired.subtasks if one.task == task), ()))
        child.look(self._looked)

    def _steer(self, subtask: Subtask) -> None:
        live = subtask.order.live
        assert live is not None, "an order from dm-master has them"
        log.info("subtask steered", extra=fields(task=subtask.task, settings=live.as_dict()))
        self._children[subtask.task].steer(live)

    def _heard(self, task: str, message: Up | Ended) -> None:
        self._heard_at[task] = self._clock.monotonic()
        match message:
            case Working(unit, status):
                event: machine.Input = machine.ChildWorked(unit, status)
            case Finished():
                event = machine.ChildFinished()
            case Stopped():
                event = machine.ChildStopped()
            case Failed(error, unit):
                log.error("subtask failed", extra=fields(task=task, code=error["ErrCode"], message=error["Message"]))
                event = machine.ChildFailed(error, unit)
            case Ended(how):
                del self._children[task]
                log.info("subtask process ended", extra=fields(task=task, how=how))
                event = machine.ChildEnded(how)
        self._step(task, event)

    def _observed(self) -> Observed:
        desired = self._desired
        subtasks = tuple(self._observed_subtask(one) for one in self._subtasks.values())
        return Observed(
            desired.revision, desired.source, desired.bind_epoch, self._source_errors, subtasks,
            self._relay.observed(), self._looked,
        )  # fmt: skip

    def _observed_subtask(self, subtask: Subtask) -> ObservedSubtask:
        next_try = ""
        if subtask.next_try is not None:
            wait = max(0.0, subtask.next_try - self._clock.monotonic())
            next_try = rfc3339(self._clock.utc() + timedelta(seconds=wait))
        now = self._clock.monotonic()
        age = now - self._heard_at.get(subtask.task, now)
        return ObservedSubtask(subtask.order.revision, status_of(subtask, next_try, age))


def status_of(subtask: Subtask, next_try: str, age_seconds: float = 0.0) -> dict[str, Any]:
    """DM's SubTaskStatus; ``age_seconds`` have passed since its process said something."""
    status: dict[str, Any] = {
        "name": subtask.task,
        "stage": str(subtask.stage),
        "unit": subtask.unit,
        "result": {"isCanceled": False, "errors": [dict(error) for error in subtask.errors]},
        "epoch": subtask.order.bind_epoch,
        "nextTry": next_try,
        "ageSeconds": round(age_seconds, 3) if subtask.has_child else 0.0,
    }
    if subtask.unit and subtask.status:
        is_at_work = subtask.stage is Stage.RUNNING
        unit = dict(subtask.status) if is_at_work else at_rest(subtask.status, str(subtask.stage), age_seconds)
        status[subtask.unit.lower()] = unit
    return status


def policy_of(config: SourceConfig) -> Policy:
    """The source file's `checker` as a policy."""
    checker = config.checker
    backoff = Backoff(
        _seconds(checker.backoff_min), _seconds(checker.backoff_max), checker.backoff_factor, checker.backoff_jitter
    )
    return Policy(checker.check_enable, backoff, _seconds(checker.backoff_rollback))


def _seconds(value: timedelta | Mapping[str, Any]) -> float:
    assert isinstance(value, timedelta)
    return value.total_seconds()
