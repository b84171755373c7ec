"""The workers' streams: protobuf on the outside, Hello, Observation and Desired on the inside."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from dm_master.cluster import Desired
from dm_master.coordinator import WORKER_CONNECTED, Coordinator
from dm_master.links import Hello, Link
from dm_master.observed import Observation, ObservedRelay, ObservedSubtask, PurgeAnswer
from pkg.adapters.rpc import dm_pb2, dm_pb2_grpc
from pkg.errors import DMError
from pkg.facts import RelayFact

_DEFAULT_LEASE_SECONDS = 15.0

log = logging.getLogger(__name__)


class WorkerSessions(dm_pb2_grpc.WorkerSessionServicer):
    """One call of ``Connect`` per worker: this thread sends, a second one receives."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def Connect(self, request_iterator: Iterator[dm_pb2.WorkerMessage], context: Any) -> Iterator[dm_pb2.MasterMessage]:
        first = next(request_iterator, None)
        if first is None or first.WhichOneof("message") != "hello":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message must be a Hello")
            return
        link = Link(_hello(first.hello))
        try:
            self._coordinator.attach(link)
        except DMError as exc:
            context.abort(_status_of(exc), str(exc))
        receiver = threading.Thread(
            target=self._receive, args=(link, request_iterator), name=f"receive-{link.hello.name}", daemon=True
        )
        receiver.start()
        while True:
            match link.orders.get():
                case Desired() as desired:
                    yield _master_message(desired)
                case int(number):
                    yield dm_pb2.MasterMessage(look=dm_pb2.Look(number=number))
                case DMError() as reason:
                    context.abort(_status_of(reason), str(reason))
                case _:
                    return

    def _receive(self, link: Link, messages: Iterator[dm_pb2.WorkerMessage]) -> None:
        goodbye = False
        try:
            for message in messages:
                goodbye = message.WhichOneof("message") == "goodbye"
                observed = _observation(message.observed) if message.HasField("observed") else None
                self._coordinator.heard(link, observed)
        except grpc.RpcError:
            pass  # the stream broke: its lease decides what follows
        except Exception:
            log.exception("a message of a worker could not be read")
        self._coordinator.detach(link, goodbye=goodbye)
        link.close()


def _status_of(error: DMError) -> grpc.StatusCode:
    return grpc.StatusCode.ALREADY_EXISTS if error.is_a(WORKER_CONNECTED) else grpc.StatusCode.FAILED_PRECONDITION


def _hello(message: dm_pb2.Hello) -> Hello:
    lease = message.lease_seconds if message.lease_seconds > 0 else _DEFAULT_LEASE_SECONDS
    return Hello(message.name, message.address, lease, message.instance, message.config)


def as_fields(message: Message) -> dict[str, Any]:
    """A message in JSON's shape, defaults included."""
    return MessageToDict(message, always_print_fields_with_no_presence=True)


def _observation(message: dm_pb2.Observed) -> Observation:
    return Observation(
        message.revision,
        message.source,
        message.bind_epoch,
        as_fields(message.source_result),
        {one.status.name: ObservedSubtask(one.revision, as_fields(one.status)) for one in message.subtasks},
        _observed_relay(message.relay) if message.HasField("relay") else None,
        message.looked,
    )


def _observed_relay(message: dm_pb2.ObservedRelay) -> ObservedRelay:
    answer = message.purge
    purge = PurgeAnswer(answer.number, answer.result, answer.msg) if message.HasField("purge") else None
    return ObservedRelay(message.revision, as_fields(message.status), purge)


def _master_message(desired: Desired) -> dm_pb2.MasterMessage:
    if desired.bound is None or desired.source is None:
        return dm_pb2.MasterMessage(desired=dm_pb2.Desired(revision=desired.revision))
    binding = dm_pb2.Binding(
        source=desired.bound.source,
        bind_epoch=desired.bound.bind_epoch,
        config=desired.source.wire,
        subtasks=[
            dm_pb2.DesiredSubtask(
                task=fact.task,
                revision=fact.revision,
                config=fact.wire,
                expected_stage=str(fact.stage),
                shard_orders=[
                    dm_pb2.ShardOrder(target=order.target, number=order.number, action=str(order.action))
                    for task, order in desired.orders
                    if task == fact.task
                ],
            )
            for fact in desired.subtasks
        ],
        relay=_relay_message(desired.relay) if desired.relay is not None else None,
    )
    return dm_pb2.MasterMessage(desired=dm_pb2.Desired(revision=desired.revision, binding=binding))


def _relay_message(fact: RelayFact) -> dm_pb2.DesiredRelay:
    order = fact.purge
    purge = None
    if order is not None:
        purge = dm_pb2.PurgeOrder(number=order.number, filename=order.filename, sub_dir=order.sub_dir)
    return dm_pb2.DesiredRelay(revision=fact.revision, expected_stage=str(fact.stage), purge=purge)
