"""``config task|source|master|worker NAME``: what is stored, with passwords hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from dm_master.cluster import Cluster
from dm_master.settings import settings_of, with_settings
from pkg.errors import ErrorKind, Level, Scope
from pkg.task import load_source, load_task

NO_SUCH_CONFIG = ErrorKind(
    38068,
    "dm-master",
    Scope.INTERNAL,
    Level.MEDIUM,
    "{kind} {name} not found",
    workaround="see `query-status`, `operate-source show` and `list-member` for the names",
)


def task_text(cluster: Cluster, name: str) -> str:
    fact = cluster.tasks.get(name)
    if fact is None:
        raise NO_SUCH_CONFIG.error(kind="task", name=name)
    task = load_task(fact.text)
    settings = {one.source: settings_of(one) for one in cluster.subtasks_of_task(name)}
    return _as_yaml(with_settings(task, task.model_dump(mode="json", by_alias=True, exclude_unset=True), settings))


def source_text(cluster: Cluster, name: str) -> str:
    fact = cluster.sources.get(name)
    if fact is None:
        raise NO_SUCH_CONFIG.error(kind="source", name=name)
    config = load_source(fact.text)
    values = config.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if config.enable_relay != (name in cluster.relays):  # start-relay and stop-relay change it
        values["enable-relay"] = name in cluster.relays
    return _as_yaml(values)


def worker_text(cluster: Cluster, name: str) -> str:
    fact = cluster.workers.get(name)
    if fact is None:
        raise NO_SUCH_CONFIG.error(kind="worker", name=name)
    return toml_text(fact.config)


def toml_text(as_json: str) -> str:
    """A daemon's configuration, which is flat, as its TOML file; what is empty is left out."""
    values = json.loads(as_json)
    # JSON's strings, numbers, booleans and lists are TOML's, too.
    return "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items() if _says(value)
    )


def _says(value: object) -> bool:
    return not isinstance(value, dict) and value not in ("", [], None)


def _as_yaml(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True)
