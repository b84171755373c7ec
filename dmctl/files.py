"""Files named on the command line: read, checked by the rules of ``pkg.task``, written with care."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

from dmctl.errors import FILE_UNREADABLE, FILE_UNWRITABLE
from pkg.task import load_source, load_task


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
        raise FILE_UNREADABLE.error(path=path, reason=reason) from exc


def read_task(path: Path) -> tuple[str, str]:
    """Name and text of a task file; all its problems, with their lines, are one error."""
    text = read_text(path)
    return load_task(text, str(path)).name, text


def read_source(path: Path) -> tuple[str, str]:
    """Source-id and text of a source file; all its problems, with their lines, are one error."""
    text = read_text(path)
    return load_source(text, str(path)).source_id, text


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
