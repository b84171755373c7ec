"""How the options of a dump to files fit together."""

from __future__ import annotations

from typing import Any

from pkg.task.blocks import LoadConfig
from pkg.task.problems import REFUSED_OPTION, Path
from pkg.task.reading import Reader

DUMP = "dump"
LOAD = "load"
_RENAMING = ("route-rules", "column-mapping-rules")  # an instance's options; what is dumped keeps its names


def check_dump_block(block: dict[str, Any], path: Path, mode: Any, reader: Reader) -> None:
    """A `mydumpers` block."""
    if mode == DUMP:
        return
    if block.get("where"):
        text = f"rows can be chosen in task-mode dump alone, and this is task-mode {mode}: the target would lack rows"
        reader.problem((*path, "where"), text, REFUSED_OPTION)
    for name in ("compress", "statement-size"):
        if block.get(name) not in (None, "none", 0):
            reader.warn((*path, name), f"has no effect with task-mode {mode}: it writes no files")


def check_load_block(block: dict[str, Any], path: Path, mode: Any, reader: Reader) -> None:
    """A `loaders` block."""
    if mode in ("full", "all", "incremental") and block.get("dir", LoadConfig().dir) != LoadConfig().dir:
        reader.warn((*path, "dir"), "has no effect here: tables pass through Spark without dump files", show=False)


def check_dump_task(data: dict[str, Any], instances: list[tuple[int, dict[str, Any]]], reader: Reader) -> None:
    """What has no effect on a dump, and what a load does not know."""
    for index, instance in instances:
        if data.get("task-mode") == LOAD and instance.get("column-mapping-rules"):
            text = "rows from files are not mapped: use task-mode full or all, where the upstream calculates the values"
            reader.problem(("mysql-instances", index, "column-mapping-rules"), text, REFUSED_OPTION)
    if data.get("task-mode") != DUMP:
        return
    for index, instance in instances:
        for name in _RENAMING:
            if instance.get(name):
                path = ("mysql-instances", index, name)
                reader.warn(path, "has no effect with task-mode dump: files have the upstream's names and values")
