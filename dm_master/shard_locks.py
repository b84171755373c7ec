"""The verbs about shard DDL locks; every answer is in DM's JSON shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dm_master.coordinator import Coordinator
from dm_master.ddl_locks import RemoveLock, UnlockShards, locks_of
from dm_master.lock_pictures import lock_bodies
from dm_master.observed import Picture
from dm_master.scheduler import OperateTask, TaskOrder
from dm_master.status import NO_SUCH_TASK, observation_of
from pkg.shardddl.lock import NO_SUCH_LOCK, Action
from pkg.task.stage import Stage

Body = dict[str, Any]


class ShardLockVerbs:
    """List, explain, unlock."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator

    def show(self, task: str, sources: Sequence[str], *, explain: bool) -> Body:
        picture = self._coordinator.picture()
        if task and task not in picture.cluster.tasks:
            raise NO_SUCH_TASK.error(task=task)
        locks = lock_bodies(picture, task, frozenset(sources), explain=explain)
        return {"result": True, "msg": "" if locks else "no DDL lock exists", "locks": locks}

    def unlock(self, lock_id: str, *, owner: str, action: Action, remove: bool) -> Body:
        before = self._coordinator.picture()
        task = _task_of(before, lock_id)
        lock = locks_of(before.cluster, task).find(lock_id)
        if remove:
            self._coordinator.give(RemoveLock(task, lock_id))
            left = ", ".join(sorted(lock.waiting.keys() - lock.done))
            again = f"; who still waits with the DDL makes a new one: {left}" if left else ""
            return {"result": True, "msg": f"the lock is removed{again}"}
        failed = _has_failed(before, task, lock.owner)
        after = self._coordinator.give(UnlockShards(task, lock_id, owner, action, failed))
        if failed:
            self._coordinator.give(OperateTask(TaskOrder.RESUME, task, (lock.owner,)))
        lock = locks_of(after.cluster, task).find(lock_id)
        what = "runs the DDL" if action is Action.EXEC else "passes over the DDL"
        return {"result": True, "msg": f"{lock.owner} {what}; all other sources skip it when they come to it"}


def _has_failed(picture: Picture, task: str, source: str) -> bool:
    """Whether the subtask has paused by an error, and stays so."""
    observation = observation_of(picture, source)
    subtask = observation.subtasks.get(task) if observation else None
    if subtask is None or subtask.stage != Stage.PAUSED or not subtask.errors:
        return False
    return not any(error.get("resumable") for error in subtask.errors)


def _task_of(picture: Picture, lock_id: str) -> str:
    for task in picture.cluster.shards:
        locks = locks_of(picture.cluster, task)
        if any(locks.id_of(lock) == lock_id for lock in locks.locks):
            return task
    raise NO_SUCH_LOCK.error(lock=lock_id)
