"""DDL locks as people need to see them: who has met the DDL, who is awaited, how far that one is, and what would help.

Pure: from a picture of the cluster to DM's JSON shape, with fields of our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from dm_master.ddl_locks import locks_of
from dm_master.observed import Picture
from dm_master.status import observation_of
from pkg.shardddl.lock import Lock, Stage, TaskLocks
from pkg.task.stage import Stage as TaskStage

Body = dict[str, Any]

_EXEC = (
    "the owner runs the DDL now and all other sources skip it when they come to it; rows that they write in the old "
    "shape until then are applied to the changed table: safe where a column is added with a default or NULL, an error "
    "that pauses them where it is dropped or renamed"
)
_SKIP = "nobody runs the DDL downstream: right when the table was changed there by hand, or shall stay as it is"
_REMOVE = (
    "the lock is forgotten; sources that still wait make a new one at once, so this only helps after the sources were "
    "changed (a DDL replaced or skipped, a source taken out of the task)"
)


def lock_bodies(picture: Picture, task: str, sources: frozenset[str], *, explain: bool = False) -> list[Body]:
    """The locks of one task (or of all), of these sources (or of all), oldest first."""
    names = [task] if task else sorted(picture.cluster.tasks)
    bodies = [body for name in names for body in _of_task(picture, name, explain)]
    return [body for body in bodies if not sources or sources & {*body["synced"], *body["unsynced"]}]


def _of_task(picture: Picture, task: str, explain: bool) -> Iterator[Body]:
    locks = locks_of(picture.cluster, task)
    for lock in locks.locks:
        members = locks.members(lock.target) if lock.stage is Stage.WAITING else lock.parties
        body: Body = {
            "ID": locks.id_of(lock),
            "task": task,
            "mode": "pessimistic",
            "owner": lock.owner,
            "DDLs": list(lock.ddls),
            "synced": sorted(lock.waiting),
            "unsynced": sorted(members - lock.waiting.keys()),
            "target": lock.target,
            "stage": str(lock.stage),
        }
        yield body | _explained(picture, locks, lock, members) if explain else body
    if explain:
        yield from _not_reported(picture, locks)


def _explained(picture: Picture, locks: TaskLocks, lock: Lock, members: frozenset[str]) -> Body:
    parts = [_part(picture, locks, lock, source) for source in sorted(members | lock.waiting.keys())]
    return {"why": _why(picture, locks, lock, parts), "parts": parts, "remedies": _remedies(locks, lock, parts)}


def _part(picture: Picture, locks: TaskLocks, lock: Lock, source: str) -> Body:
    """One source's share in a lock."""
    sync = _sync_of(picture, locks.task, source)
    waiting, group = lock.waiting.get(source), _group_of(sync, lock.target)
    part: Body = _place(picture, locks.task, source, sync)
    if source in lock.done:
        return part | {"state": "done"}
    if waiting is not None:
        since = datetime.fromtimestamp(waiting.since, UTC).isoformat() if waiting.since else ""
        return part | {"state": "waits", "location": waiting.location, "since": since, "met": group.get("synced", [])}
    elsewhere = next((one for one in locks.locks if one is not lock and source in one.waiting.keys() - one.done), None)
    if elsewhere is not None and elsewhere.target == lock.target:
        return part | {"state": "waits with another DDL", "otherDDLs": list(elsewhere.ddls)}
    if source not in locks.targets:
        return part | {"state": "has not said yet which tables it has"}
    met = {
        "met": group.get("synced", []),
        "unmet": group.get("unsynced", []),
        "location": group.get("firstLocation", ""),
    }
    return part | {"state": "awaited", "isNew": _is_new(sync, lock.target), **met}


def _is_new(sync: Mapping[str, Any], target: str) -> bool:
    """Whether the source has had no DDL for the target: its first table may have come with the effect of this one."""
    return any(one["target"] == target and one["number"] == 1 for one in sync.get("shardReports") or ())


def _place(picture: Picture, task: str, source: str, sync: Mapping[str, Any]) -> Body:
    observation = observation_of(picture, source)
    subtask = observation.subtasks.get(task) if observation else None
    return {
        "source": source,
        "worker": picture.cluster.worker_of(source),
        "stage": subtask.stage if subtask else "",
        "readBinlog": sync.get("readBinlog", ""),
        "masterBinlog": sync.get("masterBinlog", ""),
        **({"lagSeconds": float(sync["lagSeconds"])} if sync.get("lagSeconds") is not None else {}),
    }


def _why(picture: Picture, locks: TaskLocks, lock: Lock, parts: list[Body]) -> str:
    """One sentence: what it waits for."""
    if lock.stage is Stage.EXECUTING:
        return f"{lock.owner} is ordered to {lock.action} the DDL"
    left = sorted(part["source"] for part in parts if part["state"] != "done")
    if lock.stage is Stage.SKIPPING:
        return f"the DDL is done downstream; {', '.join(left)} will skip it"
    others = [part for part in parts if part["state"] == "waits with another DDL"]
    if others:
        names = ", ".join(part["source"] for part in others)
        return f"different DDLs, or the same in another order: {names} waits with another one, so neither can go on"
    unbound = [part["source"] for part in parts if part["state"] != "waits" and part["stage"] != TaskStage.RUNNING]
    if unbound:
        text = f"{', '.join(unbound)} does not replicate at present (see `query-status {locks.task}`)"
        return text + _if_new(parts, unbound)
    part = next((one for one in parts if one["state"] != "waits"), None)
    if part is None:
        return "all sources have come"
    missing = ", ".join(part.get("unmet") or []) or "its tables"
    if "lagSeconds" not in part:
        reason = _sync_of(picture, locks.task, part["source"]).get("unknown") or "it has not said so yet"
        return (
            f"how far {part['source']} is behind its upstream is not known: {reason}; the DDL may still come for "
            f"{missing}{_if_new(parts, [part['source']])}"
        )
    if part["lagSeconds"] < 1:
        return (
            f"{part['source']} has read all that its upstream has written, and {missing} has not had the DDL: "
            "run it there, or decide below" + _if_new(parts, [part["source"]])
        )
    return f"{part['source']} is {part['lagSeconds']:.0f} s behind its upstream; the DDL may still come for {missing}"


def _if_new(parts: list[Body], sources: list[str]) -> str:
    """What also may be the case where a source got its first table for the target while the lock was there."""
    new = [part["source"] for part in parts if part["source"] in sources and part.get("isNew")]
    if not new:
        return ""
    return (
        f"; a table that was created in {', '.join(new)} with what the DDL changes will never have it: unlock with "
        "--action exec, then resume-task"
    )


def _remedies(locks: TaskLocks, lock: Lock, parts: list[Body]) -> list[Body]:
    """Commands, and what each would do to the data."""
    lock_id = f'"{locks.id_of(lock)}"'
    remove = {"command": f"dmctl shard-ddl-lock unlock {lock_id} --force-remove", "effect": _REMOVE}
    if lock.stage is not Stage.WAITING:
        return [remove]
    remedies = []
    for part in parts:
        for table in part.get("unmet") or ():
            ddls = "; ".join(lock.ddls)
            effect = f"the best way: the shard comes to be like the others (there: {ddls})"
            remedies.append({"command": f"run the DDL on {table} of {part['source']}", "effect": effect})
        if part["state"] == "waits with another DDL":
            effect = "it then meets the others' DDL next; rows are not touched by this"
            command = f'dmctl binlog replace {locks.task} "…" -s {part["source"]}'
            remedies.append({"command": command, "effect": effect})
    return [
        *remedies,
        {"command": f"dmctl shard-ddl-lock unlock {lock_id} --action exec", "effect": _EXEC},
        {"command": f"dmctl shard-ddl-lock unlock {lock_id} --action skip", "effect": _SKIP},
        remove,
    ]


def _not_reported(picture: Picture, locks: TaskLocks) -> Iterator[Body]:
    """Groups that wait inside one source, of which no lock knows yet."""
    for source in sorted(locks.sources):
        sync = _sync_of(picture, locks.task, source)
        for group in sync.get("unresolvedGroups") or ():
            if any(lock.target == group["target"] and source in lock.waiting for lock in locks.locks):
                continue
            unmet = ", ".join(group["unsynced"])
            part = _place(picture, locks.task, source, sync)
            part |= {"state": "its tables wait", "met": group["synced"], "unmet": group["unsynced"]}
            part["location"] = group["firstLocation"]
            yield {
                "ID": "",
                "task": locks.task,
                "mode": "pessimistic",
                "owner": "",
                "DDLs": group["DDLs"],
                "synced": [],
                "unsynced": [source],
                "target": group["target"],
                "stage": "waiting inside a source",
                "why": f"{unmet} of {source} has not had the DDL that the other tables there have had",
                "parts": [part],
                "remedies": [
                    {"command": f"run the DDL on {unmet}", "effect": "its rows and those that wait are then applied"}
                ],
            }


def _sync_of(picture: Picture, task: str, source: str) -> Mapping[str, Any]:
    observation = observation_of(picture, source)
    subtask = observation.subtasks.get(task) if observation else None
    found: Mapping[str, Any] = (subtask.status.get("sync") or {}) if subtask else {}
    return found


def _group_of(sync: Mapping[str, Any], target: str) -> Mapping[str, Any]:
    return next((group for group in sync.get("unresolvedGroups") or () if group["target"] == target), {})
