"""DDL locks as people need to see them: who has met the DDL, who is awaited, how far that one is, and what would help.

Pure: from a picture of the cluster to DM's JSON shape, with fields of our own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from dm_master.ddl_locks import locks_of
from dm_master.observed import Picture
from dm_master.status import observation_of
from pkg.shardddl.lock import Lock, Stage, TaskLocks
from pkg.shardddl.overlap import overlap
from pkg.shardddl.sameness import does_the_same, same_ddl
from pkg.shardddl.settings import apart
from pkg.task.stage import Stage as TaskStage

Body = dict[str, Any]

_EXEC = (
    "the owner runs the DDL now and all other sources skip it when they come to it; rows that they write in the old "
    "shape until then are applied to the changed table: safe where a column is added with a default or NULL, an error "
    "that pauses them where it is dropped or renamed"
)
_SKIP = "nobody runs the DDL downstream: right when the table was changed there by hand, or shall stay as it is"
_UNSURE = "another one has run since that may have undone it"
_IS_LATE = (
    "right where the other tables have had it, or were created with what it does: nothing runs, and the rows that the "
    "source has written before it keep the target's values in what it adds"
)
_IF_LEFT_OUT = "; where an event filter leaves it out, it does not count as had, and to run it again helps nothing"
_REMOVE = (
    "the lock is forgotten; sources that still wait make a new one at once, so this only helps after the sources were "
    "changed (a DDL replaced or skipped, a source taken out of the task)"
)

_UNTOLD = frozenset({"waitsIn", "isNew", "isMade"})  # of a part: the reason and the remedies say it


def lock_bodies(picture: Picture, task: str, sources: frozenset[str], *, explain: bool = False) -> list[Body]:
    """The locks of one task (or of all), of these sources (or of all), oldest first."""
    names = [task] if task else sorted(picture.cluster.tasks)
    bodies = [body for name in names for body in _of_task(picture, name, explain)]
    return [body for body in bodies if not sources or sources & {*body["synced"], *body["unsynced"]}]


def _of_task(picture: Picture, task: str, explain: bool) -> Iterator[Body]:
    locks = locks_of(picture.cluster, task)
    for lock in locks.locks if explain else locks.current:
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
    shown = [{name: value for name, value in part.items() if name not in _UNTOLD} for part in parts]
    return {"why": _why(picture, locks, lock, parts), "parts": shown, "remedies": _remedies(locks, lock, parts)}


def _part(picture: Picture, locks: TaskLocks, lock: Lock, source: str) -> Body:
    """One source's share in a lock."""
    sync = _sync_of(picture, locks.task, source)
    waiting, group = lock.waiting.get(source), _group_of(sync, lock.target)
    part: Body = _place(picture, locks.task, source, sync)
    if source in lock.done:
        return part | {"state": "done"}
    if waiting is not None:
        since = datetime.fromtimestamp(waiting.since, UTC).isoformat() if waiting.since else ""
        waits = {"state": "waits", "location": waiting.location, "since": since, "met": group.get("synced", [])}
        return part | waits | {"isMade": group.get("isMade", False)}
    if elsewhere := _other_lock(locks, lock, source):
        return part | {"state": "waits with another DDL", "otherDDLs": list(elsewhere.ddls)}
    if elsewhere := locks.waits_elsewhere(source, lock):
        return part | {"state": "waits in another lock", "waitsIn": locks.id_of(elsewhere)}
    if source not in locks.sources:
        return part | {"state": "has left the task"}
    if source not in locks.targets:
        return part | {"state": "has not said yet which tables it has"}
    met = {
        "met": group.get("synced", []),
        "unmet": group.get("unsynced", []),
        "location": group.get("firstLocation", ""),
    }
    is_new = locks.targets[source].get(lock.target) == 1  # its first table may have come with the effect of this one
    return part | {"state": "awaited", "isNew": is_new, **met}


def _all_late(lock: Lock, parts: list[Body]) -> list[str]:
    """Who waits, if the target has what all of them wait with: others may have had it before."""
    waits = [part for part in parts if part["state"] == "waits"]
    is_late = lock.stage is Stage.WAITING and all(part["isMade"] for part in waits)
    return [part["source"] for part in waits] if is_late else []


def _other_lock(locks: TaskLocks, lock: Lock, source: str) -> Lock | None:
    """The lock of another DDL of the target in which the source waits, unless it waits elsewhere first."""
    found = next((one for one in locks.locks if one is not lock and source in one.waiting.keys() - one.done), None)
    return found if found is not None and found.target == lock.target else None


def _settings_apart(locks: TaskLocks, lock: Lock, sources: Iterable[str]) -> str:
    """What is to be said where only settings make the others' DDL another one; "" else."""
    others = {source: other for source in sources if (other := _other_lock(locks, lock, source)) is not None}
    if not all(does_the_same(lock, other) for other in others.values()):
        return ""
    told = []
    for source, other in others.items():
        ours, theirs = apart(lock.settings, other.settings)
        told.append(f"{ours} in {lock.owner}, {theirs} in {source}")
    return (
        "the same DDL under settings with which it gives rows other values, or means something else "
        f"({'; '.join(told)}), so neither can go on: let one count as the other's by `binlog replace`, and write the "
        "values of its rows by hand afterwards"
    )


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
        failed = f", and its subtask is paused (see `query-status {locks.task}`)" if _has_failed(lock, parts) else ""
        return f"{lock.owner} is ordered to {lock.action} the DDL{failed}"
    left = sorted(part["source"] for part in parts if part["state"] != "done")
    if lock.stage is Stage.SKIPPING:
        will = f"the DDL is done downstream; {', '.join(left)} will skip it"
        unsure = sorted(lock.unsure.intersection(left))
        return f"{will}; of {', '.join(unsure)} it is asked whether it is this one: {_UNSURE}" if unsure else will
    if mistaken := _mistakable(locks, lock):
        source, other = mistaken
        return f"{source} was to skip such a DDL (lock {locks.id_of(other)}), but {_UNSURE}: decide below"
    others = [part for part in parts if part["state"] == "waits with another DDL"]
    if others:
        names = ", ".join(part["source"] for part in others)
        if settings := _settings_apart(locks, lock, [part["source"] for part in others]):
            return settings
        text = f"different DDLs, or the same in another order: {names} waits with another one, so neither can go on"
        return text + _if_independent(locks, lock)
    if circle := _circle(locks, lock):
        return circle
    late = _all_late(lock, parts)
    parts = [part for part in parts if part["state"] not in ("done", "waits")]
    unbound = [part["source"] for part in parts if part["stage"] != TaskStage.RUNNING]
    if unbound:
        text = f"{', '.join(unbound)} does not replicate at present (see `query-status {locks.task}`)"
        return text + _if_new(parts, unbound)
    if not parts:
        return "all sources have come"
    if "waitsIn" in (part := parts[0]):
        return f"{part['source']} waits in the lock {part['waitsIn']}, and comes here when that is resolved: see there"
    unmet = part.get("unmet") or []
    missing = ", ".join(unmet) or "its tables"
    if late and not unmet:
        name = part["source"]
        return (
            f"{lock.target} has what the DDL does already: where the tables of {name} have had it, or were created "
            f"with it, {', '.join(late)} comes late and is to pass it (`binlog skip`); run it in {name} only on tables "
            "that lack it"
        )
    if "lagSeconds" not in part:
        reason = _sync_of(picture, locks.task, part["source"]).get("unknown") or "it has not said so yet"
        return (
            f"how far {part['source']} is behind its upstream is not known: {reason}; the DDL may still come for "
            f"{missing}{_if_new(parts, [part['source']])}"
        )
    if part["lagSeconds"] < 1:
        return (
            f"{part['source']} has read all that its upstream has written, and {missing} {_have(unmet)} not had the "
            f"DDL: run it there, or decide below{_IF_LEFT_OUT}" + _if_new(parts, [part["source"]])
        )
    return f"{part['source']} is {part['lagSeconds']:.0f} s behind its upstream; the DDL may still come for {missing}"


def _circle(locks: TaskLocks, lock: Lock) -> str:
    """Who waits for whom where sources have had the DDL of several targets in another order; "" where they have not."""
    there = sorted(source for source in lock.waiting if lock in locks.circle_of(source))
    if not there:
        return ""
    members = locks.members(lock.target) - lock.waiting.keys()
    others = [(one, locks.waits_elsewhere(one, lock)) for one in sorted(members)]
    named = ", ".join(f"{source}, which waits in {locks.id_of(other)}" for source, other in others if other is not None)
    return (
        f"the sources have altered the tables in another order and wait for each other: {', '.join(there)} here for "
        f"{named}; all of them read on with these tables held back, until they have met the others' DDL"
    )


def _mistakable(locks: TaskLocks, lock: Lock) -> tuple[str, Lock] | None:
    """A source whose DDL may be that of another lock, which was resolved without it."""
    for other in locks.locks:
        if other.target == lock.target and same_ddl(other, lock):
            for source in sorted(other.unsure & lock.waiting.keys() - lock.done):
                return source, other
    return None


def _if_independent(locks: TaskLocks, lock: Lock) -> str:
    others = [one for one in locks.locks if one is not lock and one.target == lock.target and one.stage is lock.stage]
    if any(overlap(one, lock) for one in others):
        return ""
    return (
        "; they are about different columns or keys: where each source shall have both, unlock both locks, and each "
        "DDL runs once and is skipped where it comes later"
    )


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
    if lock.stage is Stage.EXECUTING and _has_failed(lock, parts):
        return [*_ways_of_the_refused(locks, lock), remove]
    if lock.stage is not Stage.WAITING:
        return [remove]
    remedies = []
    if mistaken := _mistakable(locks, lock):
        effect = f"right when it is the DDL of lock {locks.id_of(mistaken[1])}, which {mistaken[0]} has only now"
        remedies.append({"command": f"dmctl shard-ddl-lock unlock {lock_id} --action skip", "effect": effect})
    for source in _all_late(lock, parts):
        remedies.append({"command": f"dmctl binlog skip {locks.task} -s {source}", "effect": _IS_LATE})
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


def _has_failed(lock: Lock, parts: list[Body]) -> bool:
    return any(part["source"] == lock.owner and part["stage"] == TaskStage.PAUSED for part in parts)


def _ways_of_the_refused(locks: TaskLocks, lock: Lock) -> Iterator[Body]:
    lock_id, where = f'"{locks.id_of(lock)}"', f"{locks.task} -s {lock.owner}"
    others = sorted(lock.waiting.keys() - lock.done - {lock.owner})
    yield {"command": f"dmctl resume-task {where}", "effect": "it is tried again: right when the reason is mended"}
    yield {
        "command": f'dmctl binlog replace|inject {where} "…"',
        "effect": "other statements run in its place, or before it; the other sources skip theirs",
    }
    if others:
        command = f"dmctl shard-ddl-lock unlock {lock_id} --owner {others[0]}"
        yield {"command": command, "effect": f"{others[0]} tries it"}
    yield {"command": f"dmctl binlog skip {where}", "effect": _SKIP}


def _have(tables: Sequence[str]) -> str:
    return "has" if len(tables) == 1 else "have"


def _not_reported(picture: Picture, locks: TaskLocks) -> Iterator[Body]:
    """Groups that wait inside one source, of which no lock knows yet."""
    for source in sorted(locks.sources):
        sync = _sync_of(picture, locks.task, source)
        for group in sync.get("unresolvedGroups") or ():
            if any(lock.target == group["target"] and source in lock.waiting for lock in locks.locks):
                continue
            unmet, have = ", ".join(group["unsynced"]), _have(group["unsynced"])
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
                "why": f"{unmet} of {source} {have} not had the DDL that the other tables there have had{_IF_LEFT_OUT}",
                "parts": [part],
                "remedies": [
                    {"command": f"run the DDL on {unmet}", "effect": "its rows and those that wait are then applied"},
                    {
                        "command": f"dmctl binlog skip {locks.task} -s {source} -b '{group['firstLocation']}'",
                        "effect": "those that have met it pass it, and nothing runs: right where it was skipped for "
                        f"{unmet} before, or {unmet} {have} what it does already, and the target, too",
                    },
                ],
            }


def _sync_of(picture: Picture, task: str, source: str) -> Mapping[str, Any]:
    observation = observation_of(picture, source)
    subtask = observation.subtasks.get(task) if observation else None
    found: Mapping[str, Any] = (subtask.status.get("sync") or {}) if subtask else {}
    return found


def _group_of(sync: Mapping[str, Any], target: str) -> Mapping[str, Any]:
    return next((group for group in sync.get("unresolvedGroups") or () if group["target"] == target), {})
