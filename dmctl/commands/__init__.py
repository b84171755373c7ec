"""The verbs, one file per noun; importing this package registers them all, in the order in which help lists them."""

from __future__ import annotations

# isort: off
from dmctl.cli import root
from dmctl.commands import (
    source,
    task,
    task_settings,
    rules,
    estimate,
    status,
    watch,
    binlog,
    binlog_schema,
    shard_ddl_lock,
    relay,
    member,
    config,
    check,
    encrypt,
    shell,
)
# isort: on

__all__ = [
    "binlog", "binlog_schema", "check", "config", "encrypt", "estimate", "member", "relay", "root", "rules",
    "shard_ddl_lock", "shell", "source", "status", "task", "task_settings", "watch",
]  # fmt: skip
