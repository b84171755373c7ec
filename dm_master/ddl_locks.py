"""Level 2 of shard DDL in the scheduler: what sources report, what operators decide, what is ordered.

The rules are those of ``pkg.shardddl.lock``; here they meet the cluster: a task's locks are one stored
fact, and its sources are those of its subtasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from dm_master.cluster import Cluster, Desired
from dm_master.observed import Observation
from pkg.facts import RUN_BITS, Change, Put, Remove, ShardFact
from pkg.shardddl.document import from_text, to_text
from pkg.shardddl.lock import Action, Report, Run, TaskLocks


@dataclass(frozen=True, slots=True)
class ShardsReported:
    """What a source said of the tables that it merges into the targets of a task, and who said it."""

    task: str
    source: str
    reports: tuple[Report, ...]
    worker: str
    bind_epoch: int
    run: Run


@dataclass(frozen=True, slots=True)
class UnlockShards:
    """An operator resolves a lock that waits."""

    task: str
    lock: str  # its id
    owner: str = ""  # "": as it is
    action: Action = Action.EXEC
    has_failed: bool = False  # its present owner has paused


@dataclass(frozen=True, slots=True)
class RemoveLock:
    """An operator gives a lock up."""

    task: str
    lock: str


def locks_of(cluster: Cluster, task: str) -> TaskLocks:
    """The task's locks, over its sources of now."""
    fact = cluster.shards.get(task)
    locks = from_text(task, fact.document if fact else "")
    sources = frozenset(subtask.source for subtask in cluster.subtasks_of_task(task))
    return locks.with_sources(sources) if sources != locks.sources else locks


def lock_id_of(cluster: Cluster, task: str, source: str) -> str:
    """The lock in which a source waits; "" when it does not."""
    locks = locks_of(cluster, task)
    waiting = (lock for lock in locks.locks if source in lock.waiting.keys() - lock.done)
    return next((locks.id_of(lock) for lock in waiting), "")


def with_orders(cluster: Cluster, desired: Desired) -> Desired:
    """What a worker should run, with what is ordered of its shard DDL."""
    source = desired.bound.source if desired.bound else ""
    tasks = [fact.task for fact in desired.subtasks if fact.task in cluster.shards]
    orders = ((task, order) for task in tasks for order in locks_of(cluster, task).orders_for(source))
    return replace(desired, orders=tuple(orders)) if tasks else desired


def shard_reports(worker: str, observation: Observation) -> Iterator[ShardsReported]:
    """What a worker's subtasks say; one that has not read its groups yet says nothing.

    A worker that has been given its source anew may still tell what it knew under an earlier binding: the fence of the
    run that found it out says under which one.
    """
    for task, subtask in observation.subtasks.items():
        status = subtask.status.get("sync") or {}
        if status.get("shardsKnown"):
            reports = tuple(
                Report(
                    one["target"],
                    one["number"],
                    tuple(one["ddls"]),
                    one["location"],
                    one.get("meaning", ""),
                    one.get("settings", ""),
                    one.get("mayBeLate", False),
                )
                for one in status["shardReports"]
            )
            fence = int(status.get("epoch", 0))
            bind_epoch = min(observation.bind_epoch, fence >> RUN_BITS)
            run = (subtask.revision, fence)
            yield ShardsReported(task, observation.source, reports, worker, bind_epoch, run)


def reported(cluster: Cluster, event: ShardsReported, unix: int) -> list[Change]:
    """One of a subtask that has left the task since, or of another binding than the present one, counts nothing."""
    subtask, bound = cluster.subtasks.get((event.task, event.source)), cluster.bounds.get(event.source)
    if subtask is None or event.run[0] < subtask.revision or bound is None:
        return []
    if (bound.worker, bound.bind_epoch) != (event.worker, event.bind_epoch):
        return []
    return _stored(cluster, locks_of(cluster, event.task).hear(event.source, event.reports, unix, event.run))


def operated(cluster: Cluster, event: UnlockShards | RemoveLock) -> list[Change]:
    """Raises DMError when there is no such lock, or it is past that."""
    locks = locks_of(cluster, event.task)
    if isinstance(event, RemoveLock):
        return _stored(cluster, locks.remove(event.lock))
    after = locks.unlock(event.lock, owner=event.owner, action=event.action, has_failed=event.has_failed)
    return _stored(cluster, after)


def moved(cluster: Cluster, task: str, fresh: frozenset[str] = frozenset()) -> list[Change]:
    """Sources have left the task or come to it; what is known of ``fresh`` ones says nothing any more."""
    if task not in cluster.shards:
        return []
    locks = locks_of(cluster, task).forget(fresh)
    is_empty = not (locks.locks or locks.targets or locks.away)
    return [Remove(ShardFact, (task,))] if is_empty else _stored(cluster, locks)


def _stored(cluster: Cluster, locks: TaskLocks) -> list[Change]:
    fact, known = ShardFact(locks.task, to_text(locks)), cluster.shards.get(locks.task)
    return [] if fact == known else [Put(fact)]
