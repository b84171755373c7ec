"""One source's relay log on this worker: its folder, the thread that pulls it, the socket that its readers hear.

    following ──▶ pulling, or paused ──▶ let go (dropped) ──▶ its readers have left ──▶ closed

The stages are decided by the machine that decides those of subtasks (``subtask.step``); the thread that
pulls is to it what a process is there.  The readers' socket outlives the pulling: while the relay log is
paused its subtasks read what there is and wait.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dm_worker import subtask as machine
from dm_worker.subtask import Action, Order, Ordered, Policy, Subtask
from pkg.adapters.clock import Clock
from pkg.adapters.log import fields
from pkg.binlog.position import Location
from pkg.errors import ErrorKind, Level, Scope, as_dm_error
from pkg.task import SourceConfig

if TYPE_CHECKING:
    from dm_worker.relay.notices import Notices
    from dm_worker.relay.unit import Relay

UNIT = "Relay"
_SETTLED_SECONDS = 0.5  # one that fails in its first moment was never running
_STATUS_SECONDS = 1.0

FOLDER_UNUSABLE = ErrorKind(
    40102,
    "dm-worker",
    Scope.INTERNAL,
    Level.HIGH,
    "the folder {path} of the relay log cannot be used: {reason}",
    workaround="make space there, correct the rights on it, or set `relay-dir` of the worker or the source file",
    resumable=True,
)

Post = Callable[[Callable[[], None]], None]
log = logging.getLogger(__name__)


def folder_of(relay_dir: str, source: str) -> Path:
    """``<relay-dir>/<source-id>``, whatever characters the source-id has."""
    name = quote(source, safe=" ")
    return Path(relay_dir).absolute() / (name if name.strip(".") else name.replace(".", "%2E"))


class RelayLog:
    """Owned by one thread, the supervisor's; what other threads have to say goes through ``post``."""

    def __init__(
        self, config: SourceConfig, folder: Path, clock: Clock, post: Post, start: Callable[[], Location | None]
    ) -> None:
        self._config, self.folder, self._clock, self._post, self._start_at = config, folder, clock, post, start
        self._machine: Subtask | None = None
        self._notices: Notices | None = None
        self._pull: _Pull | None = None
        self.failed = False  # since the last look of the keeper

    @property
    def state(self) -> Subtask:
        assert self._machine is not None
        return self._machine

    @property
    def config(self) -> SourceConfig:
        return self._config

    @property
    def is_over(self) -> bool:
        return self._machine is not None and self._machine.is_over

    def order(self, config: SourceConfig, order: Order, policy: Policy) -> None:
        """What dm-master wants of it; also after it was dropped."""
        self._config = config
        ordered = Ordered(order, policy)
        if self._machine is None or self._machine.is_over:
            self._carry_out(*machine.begin(config.source_id, ordered))
        else:
            self._step(ordered)

    def drop(self) -> None:
        if self._machine is not None and not self._machine.is_dropped:
            self._step(machine.Dropped())

    def tick(self) -> None:
        pull, now = self._pull, self._clock.monotonic()
        if pull is not None and (now >= pull.next_report or pull.has_answered):
            pull.next_report = now + _STATUS_SECONDS
            self._step(machine.ChildWorked(UNIT, pull.status()))
        self._step(machine.TimePassed())

    def look(self, number: int) -> None:
        if self._pull is not None:
            self._pull.look(number)

    def readers(self) -> list[tuple[str, str]]:
        """(sub-directory, file) that each connected reader is in."""
        return self._notices.readers() if self._notices is not None else []

    def close(self) -> None:
        """Let the last readers go."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    # -- below: carrying out ----------------------------------------------------------------------

    def _step(self, event: machine.Input) -> None:
        before = self.state
        after, actions = machine.step(before, event, self._clock.monotonic(), random.random())
        if after.stage is not before.stage:
            log.info("relay stage", extra=fields(source=before.task, stage=after.stage, before=before.stage))
        self._carry_out(after, actions)

    def _carry_out(self, state: Subtask, actions: tuple[Action, ...]) -> None:
        self._machine = state
        for action in actions:
            match action:
                case Action.START:
                    self._begin()
                case Action.STOP if self._pull is not None:
                    self._pull.stop.set()
                case Action.KILL:
                    log.warning("the relay log does not stop; it is waited for", extra=fields(source=state.task))
                case _:
                    pass

    def _begin(self) -> None:
        def ended(outcome: machine.Input) -> None:
            self._post(lambda: self._ended(outcome))

        report_at = self._clock.monotonic() + _SETTLED_SECONDS
        self._pull = _Pull(self._config.source_id, self._make, ended, report_at)
        self._pull.thread.start()

    def _make(self) -> Relay:
        """Called by the thread that will pull, of which there is one at a time."""
        from dm_worker.relay.notices import Notices
        from dm_worker.relay.unit import Relay

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if self._notices is None:
                notices = Notices(self.folder)
                notices.start()
                self._notices = notices
        except OSError as exc:
            raise FOLDER_UNUSABLE.error(path=self.folder, reason=exc.strerror or exc) from exc
        return Relay(self._config, self.folder, self._notices, self._start_at)

    def _ended(self, outcome: machine.Input) -> None:
        self._pull = None
        if isinstance(outcome, machine.ChildFailed):
            self.failed = True
            error = outcome.error
            source = self._config.source_id
            log.error("relay failed", extra=fields(source=source, code=error["ErrCode"], message=error["Message"]))
        self._step(outcome)
        self._step(machine.ChildEnded("its thread ended"))


class _Pull:
    """The thread that pulls, and how to stop it."""

    def __init__(
        self,
        source: str,
        make: Callable[[], Relay],
        ended: Callable[[machine.Input], None],
        next_report: float,
    ) -> None:
        self._source, self._make, self._ended = source, make, ended
        self._relay: Relay | None = None
        self.stop = threading.Event()
        self.next_report = next_report
        self.thread = threading.Thread(target=self._run, name=f"relay-{source}", daemon=True)
        self._asked, self._answered = 0, 0

    def look(self, number: int) -> None:
        self._asked = number
        if self._relay is not None:
            self._relay.look(number)

    @property
    def has_answered(self) -> bool:
        """Whether a question is answered by now that was not when the status was read last."""
        return self._asked != self._answered and self._relay is not None and self._relay.looked == self._asked

    def status(self) -> Mapping[str, Any]:
        try:
            status = dict(self._relay.status()) if self._relay is not None else {}
        except Exception:
            log.exception("the relay log's status could not be read")
            return {}
        self._answered = status.get("looked", 0)
        return status

    def _run(self) -> None:
        try:
            self._relay = self._make()
            self._relay.look(self._asked)
            self._relay.run(self.stop)
            outcome: machine.Input = machine.ChildStopped()
        except Exception as exc:
            error = as_dm_error(exc)
            log.error("the relay log has failed", exc_info=exc, extra=fields(source=self._source))
            outcome = machine.ChildFailed(error.as_dict() | {"resumable": error.resumable}, UNIT)
        self._ended(outcome)
