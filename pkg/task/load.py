"""Loading: text of a file (or a command line) → a validated configuration, or one error that tells all problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from pkg.errors import ErrorKind
from pkg.task.checks import check_source, check_task
from pkg.task.daemon_checks import MASTER_KINDS, WORKER_KINDS, DaemonKinds, check_daemon, with_derived
from pkg.task.document import Document, parse_toml, parse_yaml
from pkg.task.flags import Flags, parse_flags
from pkg.task.option import options_of
from pkg.task.problems import BAD_YAML, CANNOT_READ, Problem, report_error
from pkg.task.reading import Reader
from pkg.task.server_config import MasterConfig, WorkerConfig
from pkg.task.source import SourceConfig
from pkg.task.task import TaskConfig

_LIKE_TOML = re.compile(r"(?:\s*(?:#.*)?\n)*\s*(?:\[[\w.-]+\]|[\w.-]+\s*=)")  # after comments: a section or `key =`

M = TypeVar("M", bound=BaseModel)


class ConfigFileKind(StrEnum):
    """The four kinds of configuration files."""

    TASK = "task"
    SOURCE = "source"
    MASTER = "master"
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class Loaded(Generic[M]):
    """A valid configuration, and what is worth a warning."""

    config: M
    kind: ConfigFileKind
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedFlags(Generic[M]):
    """A daemon's configuration, or what it shall print instead of running ("version", "sample", "help")."""

    config: M | None
    action: str = ""
    warnings: tuple[Problem, ...] = ()


def load_task(text: str, filename: str = "task.yaml") -> TaskConfig:
    """The task of a task file; DMError with all problems."""
    return read_task(text, filename).config


def load_source(text: str, filename: str = "source.yaml") -> SourceConfig:
    """The source of a source file; DMError with all problems."""
    return read_source(text, filename).config


def read_task(text: str, filename: str = "task.yaml") -> Loaded[TaskConfig]:
    """As load_task, with the warnings."""
    return _loaded(parse_yaml(text, filename), TaskConfig, ConfigFileKind.TASK, check_task)


def read_source(text: str, filename: str = "source.yaml") -> Loaded[SourceConfig]:
    """As load_source, with the warnings."""
    return _loaded(parse_yaml(text, filename), SourceConfig, ConfigFileKind.SOURCE, check_source)


def load_master_config(
    argv: Sequence[str], read_file: Callable[[str], str], hostname: str = "localhost"
) -> LoadedFlags[MasterConfig]:
    """dm-master's configuration from its flags and the file that `--config` names; flags win."""
    return _from_flags(argv, read_file, MasterConfig, MASTER_KINDS, hostname)


def load_worker_config(argv: Sequence[str], read_file: Callable[[str], str]) -> LoadedFlags[WorkerConfig]:
    """dm-worker's configuration from its flags and the file that `--config` names; flags win."""
    return _from_flags(argv, read_file, WorkerConfig, WORKER_KINDS, "")


def check_config(text: str, filename: str) -> Loaded[Any]:
    """The configuration in any of the four kinds of files; the kind is recognised by what is in it."""
    if filename.endswith(".toml") or (not filename.endswith((".yaml", ".yml")) and _LIKE_TOML.match(text)):
        document = parse_toml(text, filename)
        if _is_like(document, WorkerConfig, MasterConfig):
            return _loaded_daemon(document, WorkerConfig, ConfigFileKind.WORKER, WORKER_KINDS)
        return _loaded_daemon(document, MasterConfig, ConfigFileKind.MASTER, MASTER_KINDS)
    document = parse_yaml(text, filename)
    if _is_like(document, SourceConfig, TaskConfig):
        return _loaded(document, SourceConfig, ConfigFileKind.SOURCE, check_source)
    return _loaded(document, TaskConfig, ConfigFileKind.TASK, check_task)


def _is_like(document: Document, one: type[BaseModel], other: type[BaseModel]) -> bool:
    """Whether more of the document's options are only in ``one`` than only in ``other``."""
    found, first, second = set(document.data), set(options_of(one)), set(options_of(other))
    return len(found & (first - second)) > len(found & (second - first))


def _loaded(
    document: Document,
    model: type[M],
    kind: ConfigFileKind,
    check: Callable[[dict[str, Any], Reader], None],
    fallback: ErrorKind = BAD_YAML,
    unknown: ErrorKind | None = None,
) -> Loaded[M]:
    reader = Reader(document, unknown)
    data = reader.read(model)
    check(data, reader)
    config = reader.validate(model, data)
    if reader.problems or not isinstance(config, model):
        raise report_error(reader.problems, fallback)
    return Loaded(config, kind, tuple(reader.warnings))


def _loaded_daemon(document: Document, model: type[M], kind: ConfigFileKind, kinds: DaemonKinds) -> Loaded[M]:
    def check(data: dict[str, Any], reader: Reader) -> None:
        check_daemon(data, reader, kinds)

    return _loaded(document, model, kind, check, kinds.decode, kinds.unknown)


def _from_flags(
    argv: Sequence[str], read_file: Callable[[str], str], model: type[M], kinds: DaemonKinds, hostname: str
) -> LoadedFlags[M]:
    flags = parse_flags(argv, model, kinds.program)
    if flags.action:
        return LoadedFlags(None, flags.action)
    document = _document(flags, read_file, kinds)
    loaded = _loaded_daemon(document, model, ConfigFileKind(kinds.program.removeprefix("dm-")), kinds)
    return LoadedFlags(with_derived(loaded.config, kinds, hostname), "", loaded.warnings)


def _document(flags: Flags, read_file: Callable[[str], str], kinds: DaemonKinds) -> Document:
    """The file's values with the flags' over them; a flag's place is its name."""
    if flags.config_file:
        try:
            text = read_file(flags.config_file)
        except (OSError, UnicodeDecodeError) as exc:
            raise CANNOT_READ.error(path=flags.config_file, cause=exc) from exc
        document = parse_toml(text, flags.config_file, kinds.decode)
    else:
        document = Document(f"{kinds.program} flags", {}, is_yaml=False)
    for name, value in flags.values.items():
        document.data[name] = value
        document.marks[(name,)] = (0, 0)
        document.origins[name] = f"{kinds.program} flags"
    return document
