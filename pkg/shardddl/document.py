"""A task's locks as JSON text, and back: that is what the metastore keeps of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from pkg.shardddl.lock import Action, Lock, Numbers, Stage, TaskLocks, Waiting


def to_text(locks: TaskLocks) -> str:
    """The same locks give the same text."""
    document = {
        "sources": sorted(locks.sources),
        "targets": _plain(locks.targets),
        "away": _plain(locks.away),
        "runs": {source: list(run) for source, run in sorted(locks.runs.items())},
        "locks": [_lock_document(lock) for lock in locks.locks],
        "past": [_lock_document(lock) for lock in locks.past],
    }
    return json.dumps(document, ensure_ascii=False)


@lru_cache(maxsize=256)
def from_text(task: str, text: str) -> TaskLocks:
    """The locks of ``task``; "" is a task that has none yet."""
    if not text:
        return TaskLocks(task)
    document = json.loads(text)
    locks = tuple(_lock(one) for one in document["locks"])
    runs = {source: (revision, epoch) for source, (revision, epoch) in document.get("runs", {}).items()}
    targets, away = _numbers(document["targets"]), _numbers(document.get("away", {}))
    past = tuple(_lock(one) for one in document.get("past", ()))
    return TaskLocks(task, frozenset(document["sources"]), targets, locks, away, MappingProxyType(runs), past)


def _plain(by_source: Mapping[str, Numbers]) -> dict[str, dict[str, int]]:
    return {source: dict(sorted(numbers.items())) for source, numbers in sorted(by_source.items())}


def _numbers(document: Mapping[str, Any]) -> Mapping[str, Numbers]:
    """An older version has stored lists of targets."""
    return MappingProxyType(
        {
            source: MappingProxyType(dict(numbers) if isinstance(numbers, dict) else dict.fromkeys(numbers, 0))
            for source, numbers in document.items()
        }
    )


def _lock_document(lock: Lock) -> dict[str, Any]:
    return {
        "target": lock.target,
        "ordinal": lock.ordinal,
        "ddls": list(lock.ddls),
        "owner": lock.owner,
        "waiting": {name: [one.number, one.location, one.since] for name, one in sorted(lock.waiting.items())},
        "stage": str(lock.stage),
        "done": sorted(lock.done),
        "action": str(lock.action),
        "parties": sorted(lock.parties),
        "unsure": sorted(lock.unsure),
        "meaning": lock.meaning,
        "settings": lock.settings,
        "late": sorted(lock.late),
    }


def _lock(document: Mapping[str, Any]) -> Lock:
    return Lock(
        document["target"],
        document["ordinal"],
        tuple(document["ddls"]),
        document["owner"],
        MappingProxyType({name: Waiting(*one) for name, one in document["waiting"].items()}),
        Stage(document["stage"]),
        frozenset(document["done"]),
        Action(document["action"]),
        frozenset(document["parties"]),
        frozenset(document.get("unsure", ())),
        document.get("meaning", ""),
        document.get("settings", ""),
        frozenset(document.get("late", ())),
    )
