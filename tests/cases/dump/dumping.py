"""What the tests of dumps share: a subtask that dumps one schema, and loading its files by other programs."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import zstandard

from dm_worker.dumper.listing import DumpFolder, read_listing
from pkg.task.blocks import DumpConfig, LoadConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import execute, subtask
from tests.programs import program
from tests.servers import RunningServer


def dump_task(source: RunningServer, schema: str, folder: Path, **settings: Any) -> SubtaskConfig:
    """A task whose target nobody may touch: there is none."""
    nowhere = settings.pop("connection", {})
    options = {"threads": 2} | settings
    config = subtask(source, source, schema)
    return config.model_copy(
        update={
            "task_mode": TaskMode.DUMP,
            "target": config.target.model_copy(update={"host": "nowhere.invalid"}),
            "upstream": config.upstream.model_copy(update=nowhere),
            "dump": DumpConfig.model_validate(options),
            "load": LoadConfig.model_validate({"dir": str(folder)}),
        }
    )


def listed(folder: Path) -> DumpFolder:
    return read_listing(((file.name, file.stat().st_size) for file in folder.iterdir()), str(folder))


def text_of(file: Path) -> bytes:
    data = file.read_bytes()
    return zstandard.ZstdDecompressor().decompressobj().decompress(data) if file.suffix == ".zst" else data


def load_by_client(target: RunningServer, folder: Path, schema: str) -> None:
    """Run all files through the MariaDB client, as a user without any tool would."""
    execute(target, f"DROP DATABASE IF EXISTS `{schema}`")
    dump = listed(folder)
    for database in filter(None, dump.databases.values()):
        _client(target, text_of(folder / database.name))
    for table in dump.tables.values():
        for file in (table.structure, *table.rows):
            if file is not None:
                _client(target, text_of(folder / file.name), table.schema)
    for table in dump.tables.values():
        if table.view is not None:
            _client(target, text_of(folder / table.view.name), table.schema)


def _client(target: RunningServer, text: bytes, schema: str = "") -> None:
    command = [
        program("mariadb"),
        "--no-defaults",
        f"--host={target.host}",
        f"--port={target.port}",
        "--user=root",
        "--skip-ssl",
    ]
    done = subprocess.run([*command, *([schema] if schema else [])], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
