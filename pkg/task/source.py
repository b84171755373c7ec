"""The source file: one upstream server (or replica group) and how we replicate from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pkg.task import problems
from pkg.task.blocks import EventFilter
from pkg.task.connection import ConnectionConfig
from pkg.task.option import Model, option, refused, tuning
from pkg.task.values import Duration

MAX_SOURCE_ID_LENGTH = 32


class PurgeConfig(Model):
    """When old relay log files are deleted; one that a task still needs never is."""

    interval: int = option(3600, "time between looks; 0: never by itself", unit="seconds", ge=0, sample=3600)
    expires: int = option(0, "age at which a file is deleted; 0: no file grows too old", unit="hours", ge=0, sample=0)
    remain_space: int = option(
        15, "free disk below which the oldest files are deleted; 0: do not look", unit="GB", ge=0, sample=15
    )


class CheckerConfig(Model):
    """How a subtask that paused with a passing error is resumed by itself."""

    check_enable: bool = option(True, "resume by itself", sample=True)
    backoff_rollback: Duration = option("5m", "time without errors after which the wait grows shorter", sample="5m")
    backoff_max: Duration = option("5m", "longest wait before a resume", sample="5m")
    check_interval: Duration = option("5s", "time between looks")
    backoff_min: Duration = option("1s", "shortest wait before a resume")
    backoff_jitter: bool = option(True, "vary the wait at random")
    backoff_factor: float = option(2.0, "how much longer each wait is than the one before", ge=1.0, le=100.0)


class SourceConfig(Model):
    """One upstream: a MySQL or MariaDB server, or a group of them that replicate to each other."""

    source_id: str = option(
        ...,
        f"name of the source, unique, at most {MAX_SOURCE_ID_LENGTH} characters",
        sample="mysql-replica-01",
        kind=problems.NO_SOURCE_ID,
        min_length=1,
    )
    enable: bool = refused(
        True, "whether its tasks run", "a source that is switched off is not in this version; use pause-task"
    )
    enable_gtid: bool = option(False, "replicate by GTID instead of by file and position", sample=False)
    flavor: Literal["", "mysql", "mariadb"] = option("", "kind of server; empty: asked from the server", sample="mysql")
    server_id: int = option(
        0,
        "server id under which we replicate, unique among the upstream's replicas; 0: chosen at random",
        sample=101,
        ge=0,
        le=2**32 - 1,
    )
    case_sensitive: bool = option(False, "schema and table names differ by case (lower_case_table_names=0)")
    from_: ConnectionConfig = option(..., "how to log in to the upstream", alias="from")
    checker: CheckerConfig = option(CheckerConfig, "automatic resume")
    enable_relay: bool = option(
        False,
        "keep a copy of the binlog (the relay log), which the tasks then read; start-relay and stop-relay change it",
        sample=False,
    )
    relay_binlog_name: str = option(
        "", "binlog file at which a new relay log starts when no task says what it needs; empty: the present one"
    )
    relay_binlog_gtid: str = option("", "the same as a GTID set, for a source with enable-gtid")
    relay_dir: str = option(
        "relay-dir",
        "folder of the relay logs on the worker's host, one folder per source in it; `relay-dir` of the worker wins",
        min_length=1,
    )
    purge: PurgeConfig = option(PurgeConfig, "deleting old relay log files")
    filters: list[EventFilter] = option(
        [], "binlog event filters of every task on this source, before the task's own", kind=problems.BAD_EVENT_FILTER
    )
    charset: str = tuning("", "character set of connections", "it is always utf8mb4", deprecated="nothing")
    meta_dir: str = tuning("", "folder of the relay's state", "it is kept in relay-dir", deprecated="nothing")
    auto_fix_gtid: bool = tuning(False, "repair GTID sets", "locations are never guessed", deprecated="nothing")
    tracer: dict[str, Any] = tuning({}, "event tracing", "there is none", deprecated="nothing")

    def decrypted(self, key: bytes | None) -> SourceConfig:
        """The same with a plain password."""
        return self.model_copy(update={"from_": self.from_.decrypted(key, f"source {self.source_id}")})

    def embedded(self, read_file: Callable[[str], str]) -> SourceConfig:
        """The same with the certificates inside, to be used on another host."""
        return self.model_copy(update={"from_": self.from_.embedded(read_file)})
