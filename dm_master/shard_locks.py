"""The verbs about shard DDL locks; every answer is in DM's JSON shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dm_master.coordinator import Coordinator
from dm_master.ddl_locks import RemoveLock, UnlockShards, locks_of
from dm_master.lock_pictures import lock_bodies
from dm_master.observed import Picture
from dm_master.status import NO_SUCH_TASK
from pkg.shardddl.lock import NO_SUCH_LOCK, Action

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
        task = _task_of(self._coordinator.picture(), lock_id)
        if remove:
            self._coordinator.give(RemoveLock(task, lock_id))
            return {"result": True, "msg": "the lock is removed"}
        after = self._coordinator.give(UnlockShards(task, lock_id, owner, action))
        lock = locks_of(after.cluster, task).find(lock_id)
        what = "runs the DDL" if action is Action.EXEC else "passes over the DDL"
        return {"result": True, "msg": f"{lock.owner} {what}; all other sources skip it when they come to it"}


def _task_of(picture: Picture, lock_id: str) -> str:
    for task in picture.cluster.shards:
        locks = locks_of(picture.cluster, task)
        if any(locks.id_of(lock) == lock_id for lock in locks.locks):
            return task
    raise NO_SUCH_LOCK.error(lock=lock_id)
