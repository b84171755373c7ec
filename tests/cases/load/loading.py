"""What the tests of loads share: a subtask that loads a folder, and dumps by mydumper."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from pkg.task.blocks import LoadConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, subtask
from tests.programs import program
from tests.servers import RunningServer


def load_task(target: RunningServer, schema: str, folder: Path, **settings: Any) -> SubtaskConfig:
    """A task whose upstream nobody may ask: there is none."""
    options = {"dir": str(folder), "pool-size": 2} | settings.pop("load", {})
    config = subtask(target, target, schema, **settings)
    return config.model_copy(
        update={
            "task_mode": TaskMode.LOAD,
            "upstream": config.upstream.model_copy(update={"host": "nowhere.invalid"}),
            "load": LoadConfig.model_validate(options),
        }
    )


def fresh(target: RunningServer, schema: str) -> None:
    execute(target, f"DROP DATABASE IF EXISTS `{schema}`", f"DROP DATABASE IF EXISTS `{schema}_meta`")


def mydumper(source: RunningServer, schema: str, folder: Path, *arguments: str) -> None:
    command = [
        program("mydumper"),
        "-h",
        source.host,
        "-P",
        str(source.port),
        "-u",
        "root",
        "-B",
        schema,
        "-o",
        str(folder),
    ]
    done = subprocess.run([*command, "-t", "2", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def write_dump(
    folder: Path, files: dict[str, str | bytes], metadata: str = "Started dump at: 2026-01-02 03:04:05\n"
) -> None:
    """A folder by hand; ``files`` are contents by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"metadata": metadata, **files}.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
