"""The files that are to be shown: opened, or refused with what they are instead."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from dm_binlog.errors import NO_BINLOG, UNREADABLE

STDIN = "-"


def labels(paths: Sequence[str]) -> list[str]:
    """What each file is called in the output: its name, or the path where two have one name."""
    names = ["stdin" if path == STDIN else Path(path).name for path in paths]
    count = Counter(names)
    return [name if count[name] == 1 else path for name, path in zip(names, paths, strict=True)]


@contextmanager
def opened(path: str, label: str) -> Iterator[BinaryIO]:
    """Raises DMError for what is no file that can be read."""
    if path == STDIN:
        yield sys.stdin.buffer
        return
    if Path(path).is_dir():
        raise NO_BINLOG.error(file=path, what="a directory", remedy=_binlogs_in(Path(path)))
    try:
        source = open(path, "rb", buffering=1 << 20)  # noqa: SIM115 - what the caller does with it is not in the try
    except OSError as exc:
        raise UNREADABLE.error(file=path, reason=exc.strerror or str(exc), cause=exc) from exc
    with source:
        yield source


def _binlogs_in(folder: Path) -> str:
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix[1:].isdigit() and path.is_file())
    except OSError:
        found = []
    if not found:
        return "give it binlog files, such as mysql-bin.000001; there is none in the directory"
    return f"give it files, for example {found[-1]}"
