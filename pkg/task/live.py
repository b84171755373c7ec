"""Settings of a task that may change while it runs: which there are, how they are read, where they are kept.  Pure.

They are a part of the subtask's configuration, which dm-master keeps with the desired state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from pydantic.fields import FieldInfo

from pkg.errors import ErrorKind, Level, Scope
from pkg.task.blocks import DumpConfig, LoadConfig, SparkConfig, SyncConfig
from pkg.task.option import about, options_of
from pkg.task.problems import nearest_word
from pkg.task.subtask import SubtaskConfig
from pkg.task.task import MySQLInstance, TaskConfig
from pkg.task.values import parse_size


def _refusal(code: int, message: str, workaround: str) -> ErrorKind:
    return ErrorKind(code, "dm-master", Scope.INTERNAL, Level.MEDIUM, message, workaround)


UNKNOWN_SETTING = _refusal(
    38090,
    "there is no setting {name}{hint}",
    "`task set {task} NAME=VALUE …` changes {live}; docs/configuration.md has all settings of a task file",
)
NOT_LIVE = _refusal(
    38091,
    "{name} cannot be changed while the task is there; {live} can",
    "change it in the task file, then `stop-task {task}` and `start-task FILE`: the task goes on from its checkpoint",
)
BAD_SETTING = _refusal(38092, "{text}", "`task set {task} {example}`")


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """What `task set` changes; each is a field of SyncConfig or LoadConfig."""

    worker_count: int
    batch: int
    max_rows_per_second: int
    max_bytes_per_second: int = LoadConfig().max_bytes_per_second
    max_threads_running: int = LoadConfig().max_threads_running

    @classmethod
    def of(cls, sync: SyncConfig, load: LoadConfig) -> LiveSettings:
        return cls(
            sync.worker_count,
            sync.batch,
            sync.max_rows_per_second,
            load.max_bytes_per_second,
            load.max_threads_running,
        )

    def as_dict(self) -> dict[str, int]:
        """By the names that files have."""
        return {name: getattr(self, one.field) for name, one in LIVE.items()}


@dataclass(frozen=True, slots=True)
class LiveOption:
    """Where a live setting stands in a SubtaskConfig."""

    block: str
    field: str
    info: FieldInfo


LIVE: Mapping[str, LiveOption] = {
    name: LiveOption(block, *found)
    for block, model in (("sync", SyncConfig), ("load", LoadConfig))
    for name, found in options_of(model).items()
    if found[0] in LiveSettings.__dataclass_fields__
}
_MODELS = (SyncConfig, DumpConfig, LoadConfig, SparkConfig, TaskConfig, MySQLInstance)
_ELSEWHERE = frozenset(chain.from_iterable(options_of(model) for model in _MODELS)) - frozenset(LIVE)


def read_changes(words: Sequence[str], task: str) -> dict[str, int]:
    """``["batch=200"]`` as ``{"batch": 200}``.  Raises UNKNOWN_SETTING, NOT_LIVE, BAD_SETTING."""
    changes: dict[str, int] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if name not in LIVE:
            raise _unknown(name, task)
        if not equals:
            raise _bad(name, task, f"{name} needs a value")
        if name in changes:
            raise _bad(name, task, f"{name} is given twice")
        changes[name] = _value(name, text, task)
    return changes


def _unknown(name: str, task: str) -> Exception:
    near = nearest_word(name, LIVE)
    if name in _ELSEWHERE:
        return NOT_LIVE.error(name=name, task=task, live=_listed(LIVE))
    near = near or nearest_word(name, _ELSEWHERE)
    return UNKNOWN_SETTING.error(
        name=repr(name), hint=f"; did you mean {near}?" if near else "", task=task, live=_listed(LIVE)
    )


def _value(name: str, text: str, task: str) -> int:
    lowest, highest = value_range(name)
    try:
        value = parse_size(text) if about(LIVE[name].info).unit == "bytes" else int(text)
    except ValueError:
        value = lowest - 1
    if not lowest <= value <= highest:
        raise _bad(name, task, f"{name} must be a whole number from {lowest} to {highest}, not {text!r}")
    return value


def _bad(name: str, task: str, text: str) -> Exception:
    return BAD_SETTING.error(text=text, task=task, example=f"{name}={LIVE[name].info.get_default()}")


def value_range(name: str) -> tuple[int, int]:
    """The lowest and the highest value of a live setting."""
    bounds: dict[str, Any] = {}
    for one in LIVE[name].info.metadata:
        bounds |= {bound: getattr(one, bound) for bound in ("ge", "le") if hasattr(one, bound)}
    return int(bounds["ge"]), int(bounds["le"])


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}"


def with_changes(wire: str, changes: Mapping[str, int]) -> str:
    """The subtask's configuration with these settings."""
    config = SubtaskConfig.from_wire(wire)
    after = with_live(config, replace(live_of(config), **{LIVE[name].field: value for name, value in changes.items()}))
    return wire if after == config else after.to_wire().decode()


def live_of(config: SubtaskConfig) -> LiveSettings:
    return LiveSettings.of(config.sync, config.load)


def with_live(config: SubtaskConfig, live: LiveSettings) -> SubtaskConfig:
    sync = config.sync.model_copy(update=live_fields(live, "sync"))
    load = config.load.model_copy(update=live_fields(live, "load"))
    return config.model_copy(update={"sync": sync, "load": load})


def live_fields(live: LiveSettings, block: str) -> dict[str, int]:
    """The fields of one block (``sync`` or ``load``) with their values."""
    return {one.field: getattr(live, one.field) for one in LIVE.values() if one.block == block}


def split_live(wire: str) -> tuple[str, LiveSettings]:
    """The configuration with the live settings' defaults, and those settings: the one restarts a subtask, the
    other does not."""
    config = SubtaskConfig.from_wire(wire)
    rest = with_live(config, LiveSettings.of(SyncConfig(), LoadConfig()))
    return rest.to_wire().decode(), live_of(config)
