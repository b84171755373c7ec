"""The relay logs of this worker, kept as dm-master wants them: at most one is wanted, others are leaving.

Owned by the supervisor's thread.  Purging runs in a thread of its own, for it asks targets and deletes
large files; there is one at a time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from dm_worker.desired import Desired, DesiredRelay, ObservedRelay, PurgeAnswer, PurgeOrder
from dm_worker.relay.log import Post, RelayLog, folder_of
from dm_worker.relay.needed import Reader, all_needed, least_needed
from dm_worker.relay.purging import carry_out
from dm_worker.subtask import Order, Policy, Subtask
from pkg.adapters.clock import Clock, rfc3339
from pkg.adapters.log import fields
from pkg.binlog.position import Location
from pkg.errors import as_dm_error
from pkg.task import SourceConfig
from pkg.task.stage import Stage
from pkg.unit import UnitName

log = logging.getLogger(__name__)


class RelayKeeper:
    """Only ``post`` is called by other threads."""

    def __init__(self, clock: Clock, relay_dir: str, post: Post) -> None:
        self._clock, self._relay_dir, self._post = clock, relay_dir, post
        self._logs: dict[str, RelayLog] = {}  # by source
        self._current: RelayLog | None = None
        self._desired: DesiredRelay | None = None
        self._readers: tuple[Reader, ...] = ()  # replaced as a whole: other threads read it
        self._purging = False
        self._answer: PurgeAnswer | None = None
        self._next_look = 0.0
        self._told: set[tuple[str, str]] = set()  # tasks that were told once that a server's relay log has caught up

    @property
    def folder(self) -> str:
        """Where the subtasks find the relay log; "": there is none, they read from the upstream."""
        return str(self._current.folder) if self._current is not None else ""

    @property
    def is_idle(self) -> bool:
        return not self._logs

    def follow(self, desired: Desired, policy: Policy) -> None:
        """Keep the relay log that is wanted, and let go of any other."""
        wanted = desired.source if desired.relay is not None else ""
        for source in [source for source in self._logs if source != wanted]:
            self._logs[source].drop()
        self._desired = desired.relay
        if desired.relay is None:
            self._current, self._answer = None, None
            return
        config = SourceConfig.model_validate_json(desired.source_wire)
        before, self._current = self._current, self._log_of(config)
        if before is not self._current:
            self._answer, self._next_look = None, self._clock.monotonic() + config.purge.interval
            self._told.clear()
            self._readers = tuple(Reader(one.task, one.wire) for one in desired.subtasks)
        order = Order(desired.relay.stage, desired.relay.revision, desired.bind_epoch, desired.source_wire)
        self._current.order(config, order, policy)

    def tick(self, subtasks: Iterable[Subtask]) -> None:
        """Time passes; ``subtasks`` are all that are here."""
        present = list(subtasks)
        self._readers = tuple(_reader(one) for one in present if one.stage is not Stage.FINISHED)
        for source, relay in list(self._logs.items()):
            relay.tick()
            in_use = any(one.has_child and one.started_relay == str(relay.folder) for one in present)
            if relay.is_over and not in_use:
                relay.close()
                del self._logs[source]
        self._purge_when_due()

    def look(self, number: int) -> None:
        """Somebody asks how it stands now."""
        if self._current is not None:
            self._current.look(number)

    def late_readers(self, subtasks: Iterable[Subtask]) -> list[str]:
        """Tasks that went past the relay log while it was not far enough, now that it is; named once for a server."""
        state = self._current.state if self._current is not None else None
        if state is None or state.stage is not Stage.RUNNING or not state.status.get("relayCatchUpMaster"):
            return []
        server = str(state.status.get("relaySubDir"))
        late = [one.task for one in subtasks if one.reads_past_relay and (one.task, server) not in self._told]
        self._told.update((task, server) for task in late)
        return late

    def observed(self) -> ObservedRelay | None:
        """What dm-master is told; a relay log that is leaving is told, too, until it has left."""
        relay = self._current or next(iter(self._logs.values()), None)
        if relay is None:
            return None
        return ObservedRelay(relay.state.order.revision, self._status(relay.state), self._answer)

    def _log_of(self, config: SourceConfig) -> RelayLog:
        folder = folder_of(self._relay_dir or config.relay_dir, config.source_id)
        known = self._logs.get(config.source_id)
        if known is not None and known.folder == folder:
            return known
        if known is not None:  # relay-dir was changed: the old place is left behind
            known.drop()
            self._logs[f"{config.source_id} in {known.folder}"] = known
        self._logs[config.source_id] = RelayLog(config, folder, self._clock, self._post, self._start_location)
        return self._logs[config.source_id]

    def _start_location(self) -> Location | None:
        """For the thread that pulls."""
        return least_needed(self._readers)

    # -- purging ----------------------------------------------------------------------------------

    def _purge_when_due(self) -> None:
        relay, desired = self._current, self._desired
        if relay is None or desired is None or self._purging:
            return
        order = desired.purge
        if order is not None and (self._answer is None or self._answer.number != order.number):
            self._start_purge(relay, order)
        elif self._clock.monotonic() >= self._next_look or relay.failed:
            relay.failed = False  # the disk may be full
            interval = relay.config.purge.interval
            self._next_look = self._clock.monotonic() + interval
            if interval:
                self._start_purge(relay, None)

    def _start_purge(self, relay: RelayLog, order: PurgeOrder | None) -> None:
        self._purging = True
        thread = threading.Thread(target=self._purge, args=(relay, order), name="relay-purge", daemon=True)
        thread.start()

    def _purge(self, relay: RelayLog, order: PurgeOrder | None) -> None:
        """For the purge's own thread."""
        try:
            needed = all_needed(self._readers)
            # Asked for last: a reader that has come meanwhile needs what it has opened.
            readers = relay.readers()
            message = carry_out(relay.folder, relay.config.purge, readers, needed, self._clock.unix(), order)
            done = True
        except Exception as exc:
            error = as_dm_error(exc)
            message, done = str(error), False
            log.warning("the relay log is not purged", exc_info=exc, extra=fields(folder=relay.folder))
        self._post(lambda: self._purged(relay, order, done, message))

    def _purged(self, relay: RelayLog, order: PurgeOrder | None, done: bool, message: str) -> None:
        self._purging = False
        if done and message:
            log.info("relay log purged", extra=fields(folder=relay.folder, what=message))
        if order is not None and relay is self._current:
            self._answer = PurgeAnswer(order.number, done, message)

    def _status(self, state: Subtask) -> dict[str, Any]:
        next_try = ""
        if state.next_try is not None:
            wait = max(0.0, state.next_try - self._clock.monotonic())
            next_try = rfc3339(self._clock.utc() + timedelta(seconds=wait))
        is_at_work = state.stage is Stage.RUNNING
        return {
            **state.status,
            **({} if is_at_work else {"relayCatchUpMaster": False}),  # where the upstream is by now is not known
            "stage": str(state.stage),
            "result": {"isCanceled": False, "errors": [dict(error) for error in state.errors]},
            "nextTry": next_try,
        }


def _reader(subtask: Subtask) -> Reader:
    status = subtask.status if subtask.unit == UnitName.SYNC else {}
    needed = "neededBinlog" if status.get("neededBinlog") else "checkpointBinlog"
    checkpoint, gtid = str(status.get(needed, "")), str(status.get(f"{needed}Gtid", ""))
    return Reader(subtask.task, subtask.order.wire, checkpoint, gtid)
