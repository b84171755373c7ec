"""What follows from an order about relay logs: pure decisions, part of the scheduler's.

A relay log belongs to a source and runs on the worker that the source is bound to; it goes with the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from dm_master.cluster import Cluster
from dm_master.refusals import NO_RELAY, PURGE_IN_PROGRESS, RELAY_ELSEWHERE, SOURCE_UNKNOWN, WORKER_UNKNOWN
from pkg.facts import Change, PurgeOrder, Put, RelayFact, Remove
from pkg.task.stage import Stage


class RelayOrder(StrEnum):
    """What can be wanted of relay logs; the values are DM's names."""

    START = "StartRelay"
    STOP = "StopRelay"
    PAUSE = "PauseRelay"
    RESUME = "ResumeRelay"


@dataclass(frozen=True, slots=True)
class OperateRelay:
    order: RelayOrder
    sources: tuple[str, ...]
    workers: tuple[str, ...] = ()  # for START and STOP: where the user thinks that it runs


@dataclass(frozen=True, slots=True)
class PurgeRelays:
    sources: tuple[str, ...]
    filename: str
    sub_dir: str = ""


@dataclass(frozen=True, slots=True)
class PurgeAnswered:
    """A worker has carried out an order to purge."""

    source: str
    number: int


def relay_changes(cluster: Cluster, event: OperateRelay, revision: int) -> list[Change]:
    """Raises a refusal."""
    for source in event.sources:
        if source not in cluster.sources:
            raise SOURCE_UNKNOWN.error(source=source)
        _must_run_there(cluster, source, event.workers)
    match event.order:
        case RelayOrder.START:
            known = [cluster.relays.get(source) or RelayFact(source, Stage.RUNNING, 0) for source in event.sources]
            return [Put(replace(fact, stage=Stage.RUNNING, revision=revision)) for fact in known]
        case RelayOrder.STOP:
            return [Remove(RelayFact, (source,)) for source in event.sources if source in cluster.relays]
        case _:
            stage = Stage.RUNNING if event.order is RelayOrder.RESUME else Stage.PAUSED
            facts = _relays(cluster, event.sources)
            return [Put(replace(fact, stage=stage, revision=revision)) for fact in facts]


def purge_changes(cluster: Cluster, event: PurgeRelays, revision: int) -> list[Change]:
    """Raises a refusal; one order at a time for each relay log."""
    facts = _relays(cluster, event.sources)
    order = PurgeOrder(revision, event.filename, event.sub_dir)
    for fact in facts:
        if fact.purge is not None and (fact.purge.filename, fact.purge.sub_dir) != (event.filename, event.sub_dir):
            raise PURGE_IN_PROGRESS.error(source=fact.source, filename=fact.purge.filename)
    return [Put(replace(fact, purge=fact.purge or order)) for fact in facts]


def purge_answered(cluster: Cluster, event: PurgeAnswered) -> list[Change]:
    """An answer may come again, and after a newer order."""
    fact = cluster.relays.get(event.source)
    is_open = fact is not None and fact.purge is not None and fact.purge.number == event.number
    return [Put(replace(fact, purge=None))] if fact is not None and is_open else []


def switched(cluster: Cluster, source: str, wanted: bool | None, revision: int) -> list[Change]:
    """What a source file that was given says: its relay log on, off, or (None) as it is."""
    if wanted is None or wanted == (source in cluster.relays):
        return []
    return [Put(RelayFact(source, Stage.RUNNING, revision)) if wanted else Remove(RelayFact, (source,))]


def _relays(cluster: Cluster, sources: Sequence[str]) -> list[RelayFact]:
    for source in sources:
        if source not in cluster.sources:
            raise SOURCE_UNKNOWN.error(source=source)
        if source not in cluster.relays:
            raise NO_RELAY.error(source=source)
    return [cluster.relays[source] for source in sources]


def _must_run_there(cluster: Cluster, source: str, workers: Sequence[str]) -> None:
    holder = cluster.worker_of(source)
    for worker in workers:
        if worker not in cluster.workers:
            raise WORKER_UNKNOWN.error(worker=worker)
        if worker != holder:
            where = f"dm-worker {holder}" if holder else "no dm-worker yet"
            raise RELAY_ELSEWHERE.error(source=source, worker=worker, where=where)
