"""Stages and modes: the words in which a task's life is told, to users and between the processes."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """The stage of a subtask; the first five may be wanted, the last three are only ever observed."""

    NEW = "New"
    RUNNING = "Running"
    PAUSED = "Paused"
    STOPPED = "Stopped"
    FINISHED = "Finished"
    PAUSING = "Pausing"
    RESUMING = "Resuming"
    STOPPING = "Stopping"

    @property
    def is_expected_kind(self) -> bool:
        """Whether dm-master may ask for this stage; the others are passed through on the way to one of these."""
        return self in (Stage.RUNNING, Stage.PAUSED, Stage.STOPPED)

    @property
    def is_transient(self) -> bool:
        """Whether the subtask is on its way to another stage."""
        return self in (Stage.PAUSING, Stage.RESUMING, Stage.STOPPING)


class TaskMode(StrEnum):
    """What a task does: full migration, replication, the one and then the other, a dump to files, or its load."""

    FULL = "full"
    INCREMENTAL = "incremental"
    ALL = "all"
    DUMP = "dump"
    LOAD = "load"

    @property
    def has_full(self) -> bool:
        """Whether tables are copied from the upstream into the target."""
        return self in (TaskMode.FULL, TaskMode.ALL)

    @property
    def has_dump(self) -> bool:
        """Whether whole tables are read from the upstream."""
        return self.has_full or self is TaskMode.DUMP

    @property
    def has_sync(self) -> bool:
        return self in (TaskMode.INCREMENTAL, TaskMode.ALL)

    @property
    def has_upstream(self) -> bool:
        """Whether the upstream is asked anything at all."""
        return self is not TaskMode.LOAD

    @property
    def has_target(self) -> bool:
        """Whether the target is written to, or asked anything at all."""
        return self is not TaskMode.DUMP


class ShardMode(StrEnum):
    """How DDLs on sharded tables are coordinated."""

    NONE = ""
    PESSIMISTIC = "pessimistic"
