"""Commented sample files, generated from the models: what is active is a sensible start, the rest are comments."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pkg.task.option import Status, about, options_of
from pkg.task.reading import inner_model, plain_type
from pkg.task.secret import Secret
from pkg.task.server_config import MasterConfig, WorkerConfig
from pkg.task.source import SourceConfig
from pkg.task.task import TaskConfig
from pkg.task.values import format_duration, parse_duration

SampleKind = Literal["task", "source", "master", "worker"]
MODELS: dict[str, type[BaseModel]] = {
    "task": TaskConfig,
    "source": SourceConfig,
    "master": MasterConfig,
    "worker": WorkerConfig,
}

_WIDTH = 110
_HEADS = {
    "task": "A task: what is migrated from which sources into which target. Start it by `dmctl start-task task.yaml`.",
    "source": "A source: one upstream server. Make it known by `dmctl operate-source create source.yaml`.",
    "master": "Configuration of dm-master: `dm-master --config dm-master.toml`. Flags come over this file.",
    "worker": "Configuration of dm-worker: `dm-worker --config dm-worker.toml`. Flags come over this file.",
}
_FOOT = "docs/configuration.md describes every option."
# the named blocks of the sample, and what differs in them from the options' own sample values
_NAMED: dict[str, dict[str, dict[str, Any]]] = {
    "routes": {"orders": {}, "shop": {"table-pattern": None, "target-table": None}},
    "block-allow-list": {"shop-only": {}},
    "filters": {"no-truncate": {}},
    "expression-filter": {"old-orders": {}},
    "mydumpers": {"global": {}},
    "loaders": {"global": {}},
    "syncers": {"global": {}},
}
_PORTS = {"target-database": {"port": 4000}}


def sample(kind: str) -> str:
    """A commented sample file: ``kind`` is task, source, master or worker."""
    toml = kind in ("master", "worker")
    lines = _comment(f"{_HEADS[kind]} {_FOOT}")
    for block in _blocks(MODELS[kind], {}, toml):
        lines += ["", *block]
    return "\n".join(lines) + "\n"


def _blocks(
    model: type[BaseModel], values: Mapping[str, Any], toml: bool = False, only_active: bool = False
) -> Iterator[list[str]]:
    """The lines of each option that is worth showing."""
    for name, (_, field) in options_of(model).items():
        option = about(field)
        value = values.get(name, option.sample)
        unusual = option.deprecated or option.status is Status.TUNING
        if unusual or (value is None and (only_active or option.status is Status.REFUSED)):
            continue
        lines = _toml_option(name, field, value) if toml else _yaml_option(name, field, value)
        if lines:
            yield lines


def _toml_option(name: str, field: FieldInfo, value: Any) -> list[str]:
    return [*_described(field), _assignment(f"{name} =", field, value)]


def _yaml_option(name: str, field: FieldInfo, value: Any) -> list[str]:
    block, element = inner_model(field.annotation), _element(field)
    is_named = name in _NAMED and get_origin(plain_type(field.annotation)) is dict
    if element is not None and (is_named or about(field).required):
        return [*_described(field), f"{name}:", *_entries(name, element)]
    if block is None:
        is_without_effect = element is not None and not list(_blocks(element, {}))
        return [] if is_without_effect else [*_described(field), _assignment(f"{name}:", field, value)]
    is_optional = type(None) in get_args(field.annotation)
    body = [line for lines in _blocks(block, _PORTS.get(name, {}), only_active=is_optional) for line in lines]
    if not body:
        return []
    lines = [f"{name}:", *_indented(body, 2)]
    return [*_described(field), *([f"# {line}" for line in lines] if is_optional else lines)]


def _entries(name: str, element: type[BaseModel]) -> Iterator[str]:
    """The named blocks of the sample, or one item of a list of blocks."""
    for entry, values in _NAMED.get(name, {"": {}}).items():
        yield f"  {entry}:" if entry else "  -"
        for lines in _blocks(element, values):
            yield from _indented(lines, 4)


def _described(field: FieldInfo) -> list[str]:
    unit = f" ({about(field).unit})" if about(field).unit else ""
    return _comment(f"{field.description}{unit}")


def _assignment(start: str, field: FieldInfo, value: Any) -> str:
    """One option: active when it has a sample value, else its default in a comment."""
    return f"# {start} {_scalar(_default(field))}" if value is None else f"{start} {_scalar(value)}"


def _element(field: FieldInfo) -> type[BaseModel] | None:
    """The model in a list or mapping of blocks."""
    plain = plain_type(field.annotation)
    return inner_model(get_args(plain)[-1]) if get_origin(plain) in (list, dict) else None


def _default(field: FieldInfo) -> Any:
    value = field.get_default(call_default_factory=True)
    if plain_type(field.annotation) is timedelta and isinstance(value, str):
        return format_duration(parse_duration(value))
    return "" if value is None else value


def _scalar(value: Any) -> str:
    """The value as both YAML and TOML have it."""
    if isinstance(value, Secret):
        return '""'
    return json.dumps(value if isinstance(value, (bool, int, float, list, dict)) else str(value), ensure_ascii=False)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _indented(lines: list[str], spaces: int) -> list[str]:
    return [f"{' ' * spaces}{line}" for line in lines]
