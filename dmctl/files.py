"""Files named on the command line: read, checked by the rules of ``pkg.task``, written with care."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dmctl.arguments import names_a_file
from dmctl.errors import FILE_UNREADABLE, FILE_UNWRITABLE
from pkg.task import Loaded, load_source, load_task
from pkg.task import read_source as source_in
from pkg.task import read_task as task_in


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A valid file: what it calls its task or source, its text for dm-master, and what is worth a warning."""

    name: str
    text: str
    warnings: tuple[str, ...]


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
        raise FILE_UNREADABLE.error(path=path, reason=reason) from exc


def read_task(path: Path) -> LocalFile:
    """A task file; all its problems, with their lines, are one error."""
    text = read_text(path)
    loaded = task_in(text, str(path))
    return LocalFile(loaded.config.name, text, _warnings(loaded))


def read_source(path: Path) -> LocalFile:
    """A source file; all its problems, with their lines, are one error."""
    text = read_text(path)
    loaded = source_in(text, str(path))
    return LocalFile(loaded.config.source_id, text, _warnings(loaded))


def _warnings(loaded: Loaded[Any]) -> tuple[str, ...]:
    return tuple(str(warning) for warning in loaded.warnings)


def named(argument: str, key: str = "name") -> str:
    """A task's or source's name: ``argument`` itself, or what the file that it names calls it under ``key``."""
    return name_in(Path(argument), key) if names_a_file(argument) else argument


def name_in(path: Path, key: str) -> str:
    """What a file calls its task or source (``key``), also where the rest of the file is not valid any more."""
    text = read_text(path)
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        found = None
    if isinstance(found, dict) and isinstance(found.get(key), str):
        return str(found[key])
    loaded = load_task(text, str(path)).name if key == "name" else load_source(text, str(path)).source_id
    return str(loaded)


def write_private(path: Path, text: str) -> None:
    """Write a configuration so that only its owner can read it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(descriptor, 0o600)
            file.write(text)
    except OSError as exc:
        raise FILE_UNWRITABLE.error(path=path, reason=exc.strerror or exc) from exc
