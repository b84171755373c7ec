"""The worker's end of the stream to dm-master: opened again and again, for as long as it takes.

Nothing here stops work: a worker that cannot reach dm-master goes on, and what another worker has taken
over meanwhile is fenced off in the target.
"""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

import grpc
from google.protobuf.json_format import ParseDict, ParseError

from dm_worker.desired import (
    Desired,
    DesiredRelay,
    DesiredSubtask,
    Observed,
    ObservedRelay,
    ObservedSubtask,
    PurgeOrder,
)
from pkg.adapters.log import fields
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.adapters.rpc.channel import open_channel
from pkg.retry import Backoff
from pkg.shardddl.lock import Action, Order
from pkg.task import WorkerConfig
from pkg.task.stage import Stage
from pkg.version import VERSION

_BACKOFF = Backoff(first=0.2, maximum=3.0)
_HEARTBEAT_SECONDS = 1.0
_REPORTS_AGAIN_MESSAGES = 10

log = logging.getLogger(__name__)


class Session:
    """Sends what is observed, hands on what is desired; a thread of its own."""

    def __init__(
        self, config: WorkerConfig, want: Callable[[Desired], None], look: Callable[[int], None] = lambda number: None
    ) -> None:
        self._config, self._want, self._look = config, want, look
        self._instance = uuid.uuid4().hex[:12]
        self._changed = threading.Condition()  # guards _observed and _said
        self._observed = Observed()
        self._version = 0
        self._stopping = threading.Event()
        self._goodbye_sent = threading.Event()
        self._thread = threading.Thread(target=self._run, name="session", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def publish(self, observed: Observed) -> None:
        """What to tell dm-master: at once when a stage has changed, else with the next heartbeat."""
        with self._changed:
            urgent = _shape(observed) != _shape(self._observed)
            self._observed = observed
            if urgent:
                self._version += 1
                self._changed.notify_all()

    def say_goodbye(self, seconds: float) -> None:
        """Tell dm-master that this worker leaves, if it can be told."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        self._goodbye_sent.wait(seconds)
        self._thread.join(seconds)

    def _run(self) -> None:
        failures = 0
        for address in cycle(self._config.join_addresses):
            if self._stopping.is_set():
                return
            if self._connected(address):
                failures = 0
            failures += 1
            self._stopping.wait(_BACKOFF.delay(failures, random.random()))

    def _connected(self, address: str) -> bool:
        """One stream, to its end; whether dm-master took it."""
        config, taken, over = self._config, False, threading.Event()
        channel = open_channel(address, config.ssl_ca, config.ssl_cert, config.ssl_key)
        try:
            stub = dm_pb2_grpc.WorkerSessionStub(channel)
            for message in stub.Connect(self._messages(over)):
                if not taken:
                    taken = True
                    log.info("connected to dm-master", extra=fields(address=address))
                if message.HasField("desired"):
                    self._want(_desired(message.desired))
                elif message.HasField("look"):
                    self._look(message.look.number)
        except grpc.RpcError as exc:
            code = exc.code() if isinstance(exc, grpc.Call) else None
            details = exc.details() if isinstance(exc, grpc.Call) else str(exc)
            if not self._stopping.is_set():
                log.warning("not connected to dm-master", extra=fields(address=address, code=code, reason=details))
        finally:
            over.set()
            with self._changed:
                self._changed.notify_all()
            channel.close()
        return taken

    def _messages(self, over: threading.Event) -> Iterator[dm_pb2.WorkerMessage]:
        yield dm_pb2.WorkerMessage(hello=self._hello())
        said = -1
        reports = ReportsSent()
        while not over.is_set():
            with self._changed:
                if said == self._version and not self._stopping.is_set():
                    self._changed.wait(_HEARTBEAT_SECONDS)
                said, observed = self._version, self._observed
            if over.is_set():
                return
            yield dm_pb2.WorkerMessage(observed=_observed_message(reports.trimmed(observed)))
            if self._stopping.is_set():
                yield dm_pb2.WorkerMessage(goodbye=dm_pb2.Goodbye())
                self._goodbye_sent.set()
                return

    def _hello(self) -> dm_pb2.Hello:
        config = self._config
        return dm_pb2.Hello(
            name=config.name,
            address=config.advertise_addr,
            revision=self._observed.revision,
            version=VERSION,
            config=config.to_json(),
            instance=self._instance,
            lease_seconds=config.keepalive_ttl,
        )


class ReportsSent:
    """What one stream has told of shard groups, which may be thousands: told at changes, and now and then again."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[object, int]] = {}  # task → reports, messages since

    def trimmed(self, observed: Observed) -> Observed:
        """``observed`` without the reports that need not be told now."""
        return replace(observed, subtasks=tuple(self._trimmed(one) for one in observed.subtasks))

    def _trimmed(self, subtask: ObservedSubtask) -> ObservedSubtask:
        task, sync = subtask.status["name"], subtask.status.get("sync") or {}
        if not sync.get("shardsKnown"):
            return subtask
        told, messages = self._told.get(task, (None, 0))
        said = subtask.revision, sync["epoch"], sync["shardReports"]
        if told == said and messages < _REPORTS_AGAIN_MESSAGES:
            self._told[task] = (told, messages + 1)
            known_there = {**sync, "shardsKnown": False, "shardReports": []}
            return replace(subtask, status={**subtask.status, "sync": known_there})
        self._told[task] = (said, 0)
        return subtask


def _shape(observed: Observed) -> tuple[object, ...]:
    """What is worth telling at once: everything but progress."""
    subtasks = [
        (
            one.revision,
            one.status["name"],
            one.status["stage"],
            one.status["unit"],
            one.status["result"]["errors"],
            one.status.get("sync", {}).get("shardReports"),
            one.status.get("sync", {}).get("looked"),
            bool(one.status.get("sync", {}).get("unknown")),
        )
        for one in observed.subtasks
    ]
    relay = observed.relay
    relay_shape = relay and (
        relay.revision,
        relay.status["stage"],
        relay.status["result"]["errors"],
        relay.status.get("looked"),
        relay.purge,
    )
    place = observed.revision, observed.source, observed.bind_epoch, observed.source_errors
    return *place, observed.looked, subtasks, relay_shape


def _observed_message(observed: Observed) -> dm_pb2.Observed:
    result = dm_pb2.ProcessResult()
    ParseDict({"errors": [dict(error) for error in observed.source_errors]}, result, ignore_unknown_fields=True)
    message = dm_pb2.Observed(
        revision=observed.revision, source=observed.source, bind_epoch=observed.bind_epoch, source_result=result,
        looked=observed.looked,
    )  # fmt: skip
    for one in observed.subtasks:
        message.subtasks.add(revision=one.revision, status=_status_message(one.status))
    if observed.relay is not None:
        message.relay.CopyFrom(_relay_message(observed.relay))
    return message


def _relay_message(observed: ObservedRelay) -> dm_pb2.ObservedRelay:
    status = ParseDict(dict(observed.status), dm_pb2.RelayStatus(), ignore_unknown_fields=True)
    message = dm_pb2.ObservedRelay(revision=observed.revision, status=status)
    if observed.purge is not None:
        answer = observed.purge
        message.purge.CopyFrom(dm_pb2.PurgeAnswer(number=answer.number, result=answer.done, msg=answer.message))
    return message


def _status_message(status: Mapping[str, Any]) -> dm_pb2.SubTaskStatus:
    """The status, without the unit's own part when that cannot be carried: the stage must get through."""
    try:
        return ParseDict(dict(status), dm_pb2.SubTaskStatus(), ignore_unknown_fields=True)
    except ParseError:
        log.warning("a unit's status is left out", exc_info=True, extra=fields(task=status["name"]))
        plain = {name: value for name, value in status.items() if name not in ("dump", "load", "sync")}
        return ParseDict(plain, dm_pb2.SubTaskStatus(), ignore_unknown_fields=True)


def _desired(message: dm_pb2.Desired) -> Desired:
    if not message.HasField("binding"):
        return Desired(message.revision)
    binding = message.binding
    subtasks = (
        DesiredSubtask(one.task, one.revision, Stage(one.expected_stage), one.config, _orders(one))
        for one in binding.subtasks
    )
    relay = _desired_relay(binding.relay) if binding.HasField("relay") else None
    return Desired(message.revision, binding.source, binding.bind_epoch, binding.config, tuple(subtasks), relay)


def _orders(subtask: dm_pb2.DesiredSubtask) -> tuple[Order, ...]:
    return tuple(Order(one.target, one.number, Action(one.action)) for one in subtask.shard_orders)


def _desired_relay(message: dm_pb2.DesiredRelay) -> DesiredRelay:
    order = message.purge
    purge = PurgeOrder(order.number, order.filename, order.sub_dir) if message.HasField("purge") else None
    return DesiredRelay(message.revision, Stage(message.expected_stage), purge)
