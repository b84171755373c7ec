"""What follows from an input: pure decisions about workers, sources and tasks.

``decide(cluster, input, moment)`` gives the cluster afterwards and the changes to store, or raises a
refusal that changes nothing.  Every decision ends with binding what can be bound, so there is no
input after which work is left lying.

1. A worker joins or is heard of: its lease is renewed.  One that comes back while it still has its
   source keeps it with the same epoch.
2. A lease ends (or the worker says goodbye): its source is unbound and, in the same step, bound to a
   free worker with a higher ``bind_epoch``, which fences the old worker off in every target.
3. A free worker is given the source it had last, else any that nobody has.

dm-master that dies after storing the changes and before sending orders sends them when it is back:
orders are the difference between what is stored and what workers observe.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from dm_master import ddl_locks
from dm_master.cluster import Cluster, Moment
from dm_master.ddl_locks import RemoveLock, ShardsReported, UnlockShards
from dm_master.refusals import (
    SOURCE_EXISTS,
    SOURCE_HAS_TASKS,
    SOURCE_IN_USE,
    SOURCE_UNKNOWN,
    SOURCES_UNBOUND,
    SUBTASK_UNKNOWN,
    SUBTASKS_EXIST,
    TASK_UNKNOWN,
    WORKER_NOT_FREE,
    WORKER_UNKNOWN,
)
from dm_master.relay_orders import (
    OperateRelay,
    PurgeAnswered,
    PurgeRelays,
    purge_answered,
    purge_changes,
    relay_changes,
    switched,
)
from pkg.facts import (
    BoundFact,
    Change,
    Put,
    RelayFact,
    Remove,
    RevisionFact,
    SourceFact,
    SubtaskFact,
    TaskFact,
    WorkerFact,
)
from pkg.task.live import with_changes
from pkg.task.stage import Stage


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    """A worker opened its stream."""

    worker: WorkerFact
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker said something."""

    worker: str
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class WorkerLeft:
    """A worker was stopped in order."""

    worker: str


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Nothing happened; leases may have ended."""


@dataclass(frozen=True, slots=True)
class CreateSources:
    sources: tuple[SourceFact, ...]
    worker: str = ""  # bind to this one
    relays: frozenset[str] = frozenset()  # those of the sources that have a relay log


@dataclass(frozen=True, slots=True)
class UpdateSource:
    source: SourceFact
    wires: Mapping[str, str]  # task → its new SubtaskConfig on this source
    relay: bool | None = None  # whether it has a relay log from now on; None: as before


@dataclass(frozen=True, slots=True)
class StopSources:
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StartTask:
    task: TaskFact
    wires: Mapping[str, str]  # source → SubtaskConfig
    is_fresh: bool = False  # those that are not there yet have no checkpoint


class TaskOrder(StrEnum):
    """What operate-task can want."""

    PAUSE = "Pause"
    RESUME = "Resume"
    DELETE = "Delete"


@dataclass(frozen=True, slots=True)
class OperateTask:
    order: TaskOrder
    task: str
    sources: tuple[str, ...] = ()  # empty: all of the task's


@dataclass(frozen=True, slots=True)
class SetTask:
    """Other live settings (pkg/task/live.py)."""

    task: str
    settings: Mapping[str, int]
    sources: tuple[str, ...] = ()  # empty: all of the task's


Input = (
    WorkerJoined
    | WorkerSeen
    | WorkerLeft
    | TimePassed
    | CreateSources
    | UpdateSource
    | StopSources
    | StartTask
    | OperateTask
    | SetTask
    | OperateRelay
    | PurgeRelays
    | PurgeAnswered
    | ShardsReported
    | UnlockShards
    | RemoveLock
)


@dataclass(frozen=True, slots=True)
class Decision:
    """The cluster afterwards, and what a store has to change to agree."""

    cluster: Cluster
    changes: tuple[Change, ...]


def decide(cluster: Cluster, event: Input, moment: Moment) -> Decision:
    """What ``event`` leads to; raises DMError when it is refused."""
    leased = _with_leases(cluster, event, moment)
    revision = cluster.revision + 1
    changes = _unbind_lost(leased)
    changes += _handle(leased.after(changes), event, revision, moment)
    changes += _bind(leased.after(changes), moment)
    if changes:
        changes.append(Put(RevisionFact(revision)))
        leased = leased.after(changes)
    return Decision(leased, tuple(changes))


def next_lease_end(cluster: Cluster) -> float | None:
    """When time alone will change something."""
    return min(cluster.leases.values(), default=None)


def _with_leases(cluster: Cluster, event: Input, moment: Moment) -> Cluster:
    leases = {worker: until for worker, until in cluster.leases.items() if until > moment.monotonic}
    match event:
        case WorkerJoined(fact, seconds):
            leases[fact.worker] = moment.monotonic + seconds
        case WorkerSeen(worker, seconds) if worker in cluster.workers:
            leases[worker] = moment.monotonic + seconds
        case WorkerLeft(worker):
            leases.pop(worker, None)
    return replace(cluster, leases=leases)


def _unbind_lost(cluster: Cluster) -> list[Change]:
    lost = [bound for bound in cluster.bounds.values() if bound.worker and bound.worker not in cluster.leases]
    return [Put(_unbound(bound)) for bound in lost]


def _unbound(bound: BoundFact) -> BoundFact:
    return replace(bound, worker="", last_worker=bound.worker or bound.last_worker)


def _handle(cluster: Cluster, event: Input, revision: int, moment: Moment) -> list[Change]:
    match event:
        case WorkerJoined(worker):
            return [] if cluster.workers.get(worker.worker) == worker else [Put(worker)]
        case CreateSources(sources, worker, relays):
            relay = [change for one in sorted(relays) for change in switched(cluster, one, True, revision)]
            return [*_create_sources(cluster, sources, worker, moment), *relay]
        case UpdateSource(source, wires, relay_wanted):
            changes = _update_source(cluster, source, wires, revision)
            return [*changes, *switched(cluster, source.source, relay_wanted, revision)]
        case StopSources(names):
            return _stop_sources(cluster, names)
        case StartTask():
            return _start_task(cluster, event, revision)
        case OperateTask(order, task_name, names):
            return _operate_task(cluster, order, task_name, names, revision)
        case SetTask(task_name, settings, names):
            return _set_task(cluster, task_name, settings, names, revision)
        case OperateRelay():
            return relay_changes(cluster, event, revision)
        case PurgeRelays():
            return purge_changes(cluster, event, revision)
        case PurgeAnswered():
            return purge_answered(cluster, event)
        case ShardsReported():
            return ddl_locks.reported(cluster, event, moment.unix)
        case UnlockShards() | RemoveLock():
            return ddl_locks.operated(cluster, event)
        case _:
            return []


def _create_sources(cluster: Cluster, sources: tuple[SourceFact, ...], worker: str, moment: Moment) -> list[Change]:
    for fact in sources:
        if fact.source in cluster.sources:
            holder = cluster.worker_of(fact.source)
            raise SOURCE_EXISTS.error(
                source=fact.source, bound=f" and is bound to dm-worker {holder}" if holder else ""
            )
    changes: list[Change] = [Put(fact) for fact in sources]
    if worker:
        _must_be_free(cluster, worker)
        changes.append(Put(_binding(cluster, sources[0].source, worker, moment)))
    return changes


def _must_be_free(cluster: Cluster, worker: str) -> None:
    if worker not in cluster.workers:
        raise WORKER_UNKNOWN.error(worker=worker)
    if worker not in cluster.free_workers():
        raise WORKER_NOT_FREE.error(worker=worker, stage=cluster.stage_of(worker))


def _update_source(cluster: Cluster, source: SourceFact, wires: Mapping[str, str], revision: int) -> list[Change]:
    if source.source not in cluster.sources:
        raise SOURCE_UNKNOWN.error(source=source.source)
    subtasks = cluster.subtasks_of_source(source.source)
    running = [fact.task for fact in subtasks if fact.stage is Stage.RUNNING]
    if running:
        raise SOURCE_IN_USE.error(source=source.source, tasks=_listed(running))
    changed = [replace(fact, wire=wires.get(fact.task, fact.wire), revision=revision) for fact in subtasks]
    return [Put(source), *(Put(fact) for fact in changed)]


def _stop_sources(cluster: Cluster, names: tuple[str, ...]) -> list[Change]:
    changes: list[Change] = []
    for name in names:
        if name not in cluster.sources:
            raise SOURCE_UNKNOWN.error(source=name)
        tasks = [fact.task for fact in cluster.subtasks_of_source(name)]
        if tasks:
            raise SOURCE_HAS_TASKS.error(source=name, tasks=_listed(tasks))
        changes.append(Remove(SourceFact, (name,)))
        if name in cluster.relays:
            changes.append(Remove(RelayFact, (name,)))
        if cluster.worker_of(name):
            changes.append(Put(_unbound(cluster.bounds[name])))
    return changes


def _start_task(cluster: Cluster, event: StartTask, revision: int) -> list[Change]:
    task, wires = event.task, event.wires
    unknown = [source for source in sorted(wires) if source not in cluster.sources]
    if unknown:
        raise SOURCE_UNKNOWN.error(source=_listed(unknown))
    missing = [source for source in sorted(wires) if (task.task, source) not in cluster.subtasks]
    if not missing:
        raise SUBTASKS_EXIST.error(task=task.task, sources=_listed(wires))
    unbound = [source for source in missing if not cluster.worker_of(source)]
    if unbound:
        raise SOURCES_UNBOUND.error(sources=_listed(unbound))
    added = [SubtaskFact(task.task, source, Stage.RUNNING, revision, wires[source]) for source in missing]
    changes: list[Change] = [Put(task), *(Put(fact) for fact in added)]
    fresh = frozenset(missing) if event.is_fresh else frozenset()
    return changes + ddl_locks.moved(cluster.after(changes), task.task, fresh)


def _operate_task(cluster: Cluster, order: TaskOrder, task: str, names: tuple[str, ...], revision: int) -> list[Change]:
    chosen = chosen_subtasks(cluster, task, names)
    if order is not TaskOrder.DELETE:
        stage = Stage.RUNNING if order is TaskOrder.RESUME else Stage.PAUSED
        return [Put(replace(fact, stage=stage, revision=revision)) for fact in chosen]
    removed: list[Change] = [Remove(SubtaskFact, fact.key) for fact in chosen]
    removed += [Remove(TaskFact, (task,))] if len(chosen) == len(cluster.subtasks_of_task(task)) else []
    return removed + ddl_locks.moved(cluster.after(removed), task)


def chosen_subtasks(cluster: Cluster, task: str, names: Collection[str]) -> list[SubtaskFact]:
    """The subtasks of a task on these sources (none named: on all of its).  Raises what is unknown."""
    subtasks = {fact.source: fact for fact in cluster.subtasks_of_task(task)}
    if not subtasks:
        raise TASK_UNKNOWN.error(task=task)
    unknown = sorted(set(names) - set(subtasks))
    if unknown:
        raise SUBTASK_UNKNOWN.error(task=task, sources=_listed(unknown))
    return [subtasks[source] for source in sorted(names or subtasks)]


def _set_task(
    cluster: Cluster, task: str, settings: Mapping[str, int], names: tuple[str, ...], revision: int
) -> list[Change]:
    """A subtask that has these settings already is given no new order."""
    facts = chosen_subtasks(cluster, task, names)
    wires = [with_changes(fact.wire, settings) for fact in facts]
    changed = [(fact, wire) for fact, wire in zip(facts, wires, strict=True) if wire != fact.wire]
    return [Put(replace(fact, wire=wire, revision=revision)) for fact, wire in changed]


def _bind(cluster: Cluster, moment: Moment) -> list[Change]:
    """Bind sources to free workers: first those that were together before, then the rest in order of name."""
    free, unbound = cluster.free_workers(), cluster.unbound_sources()
    pairs: list[tuple[str, str]] = []
    for source in unbound:
        bound = cluster.bounds.get(source)
        if bound and bound.last_worker in free:
            free.remove(bound.last_worker)
            pairs.append((source, bound.last_worker))
    taken = {source for source, _ in pairs}
    pairs += zip((source for source in unbound if source not in taken), free, strict=False)
    return [Put(_binding(cluster, source, worker, moment)) for source, worker in pairs]


def _binding(cluster: Cluster, source: str, worker: str, moment: Moment) -> BoundFact:
    """A new binding; its epoch is at least the calendar's, so that it also outranks a cluster whose store was lost."""
    before = cluster.bounds.get(source)
    epoch = max(before.bind_epoch + 1 if before else 1, moment.unix)
    return BoundFact(source, worker, epoch, before.last_worker if before else "")


def _listed(names: Mapping[str, object] | list[str]) -> str:
    return "[" + " ".join(sorted(names)) + "]"
