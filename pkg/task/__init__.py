"""Configuration: strict loading of the four kinds of files, samples, secrets, stages and subtasks.

::

    load_task(text, filename) -> TaskConfig          load_source(text, filename) -> SourceConfig
    read_task / read_source(text, filename) -> Loaded(config, kind, warnings)
    check_config(text, filename) -> Loaded           any of the four kinds, recognised by its content
    load_master_config(argv, read_file, hostname) -> LoadedFlags(config, action, warnings)
    load_worker_config(argv, read_file) -> LoadedFlags
    sample("task" | "source" | "master" | "worker") -> str
    split_task(task, sources, key=...) -> list[SubtaskConfig]

A configuration that is not valid raises one ``DMError``: its message is the whole report, its
``fields["problems"]`` the ``Problem`` values.  Nothing here reads a file: ``read_file`` is the caller's.
"""

from __future__ import annotations

from pkg.task.connection import ConnectionConfig, Security
from pkg.task.flags import usage
from pkg.task.load import (
    ConfigFileKind,
    Loaded,
    LoadedFlags,
    check_config,
    load_master_config,
    load_source,
    load_task,
    load_worker_config,
    read_source,
    read_task,
)
from pkg.task.problems import Problem
from pkg.task.sample import sample
from pkg.task.secret import Secret, decrypt, encrypt, parse_key
from pkg.task.server_config import MasterConfig, WorkerConfig, redact_url
from pkg.task.source import SourceConfig
from pkg.task.stage import ShardMode, Stage, TaskMode
from pkg.task.subtask import SubtaskConfig, split_task
from pkg.task.task import TaskConfig

__all__ = [
    "ConfigFileKind",
    "ConnectionConfig",
    "Loaded",
    "LoadedFlags",
    "MasterConfig",
    "Problem",
    "Secret",
    "Security",
    "ShardMode",
    "SourceConfig",
    "Stage",
    "SubtaskConfig",
    "TaskConfig",
    "TaskMode",
    "WorkerConfig",
    "check_config",
    "decrypt",
    "encrypt",
    "load_master_config",
    "load_source",
    "load_task",
    "load_worker_config",
    "parse_key",
    "read_source",
    "read_task",
    "redact_url",
    "sample",
    "split_task",
    "usage",
]
