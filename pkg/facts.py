"""The facts that the control plane stores, and how they change.

dm-master's scheduler gives changes back, the metastore carries them out in one transaction, and
both rebuild the same picture from the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pkg.task.stage import Stage


@dataclass(frozen=True, slots=True)
class SourceFact:
    """An upstream server that operate-source made known."""

    source: str
    text: str = field(repr=False)  # the file as it was given
    wire: str = field(repr=False)  # the SourceConfig for the worker, JSON with secrets

    @property
    def key(self) -> tuple[str, ...]:
        return (self.source,)


@dataclass(frozen=True, slots=True)
class TaskFact:
    """A task that start-task made known."""

    task: str
    text: str = field(repr=False)

    @property
    def key(self) -> tuple[str, ...]:
        return (self.task,)


@dataclass(frozen=True, slots=True)
class SubtaskFact:
    """A task on one source, and what it should do."""

    task: str
    source: str
    stage: Stage  # expected: Running or Paused
    revision: int  # of the last order about it
    wire: str = field(repr=False)  # the SubtaskConfig for the worker, JSON with secrets

    @property
    def key(self) -> tuple[str, ...]:
        return (self.task, self.source)


@dataclass(frozen=True, slots=True)
class WorkerFact:
    """A dm-worker that has registered; it stays known while it is away."""

    worker: str
    address: str
    config: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.worker,)


RUN_BITS = 20
"""The fence of a run in a target: its binding's ``bind_epoch`` above so many bits that count the runs."""


@dataclass(frozen=True, slots=True)
class BoundFact:
    """Who has a source, and who had it last.

    It outlives the source: ``bind_epoch`` fences runs in targets, so it must never go back.
    """

    source: str
    worker: str  # "": nobody
    bind_epoch: int  # grows with every binding
    last_worker: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        return (self.source,)


@dataclass(frozen=True, slots=True)
class PurgeOrder:
    """Files older than ``filename`` are to be deleted from a relay log, but none that is needed."""

    number: int  # the revision of the order: grows, so that a repeated order is known as one
    filename: str
    sub_dir: str = ""  # "": the latest one


@dataclass(frozen=True, slots=True)
class RelayFact:
    """A source that has a relay log, which its worker pulls; one without has no such fact."""

    source: str
    stage: Stage  # expected: Running or Paused
    revision: int  # of the last order about it
    purge: PurgeOrder | None = None  # until the worker has answered it

    @property
    def key(self) -> tuple[str, ...]:
        return (self.source,)


@dataclass(frozen=True, slots=True)
class ShardFact:
    """The locks by which a task's sources coordinate DDL of merged tables."""

    task: str
    document: str = field(repr=False)  # pkg.shardddl.document

    @property
    def key(self) -> tuple[str, ...]:
        return (self.task,)


@dataclass(frozen=True, slots=True)
class RevisionFact:
    """The number of the last change; orders carry it, so that a repeated order is known as one."""

    revision: int

    @property
    def key(self) -> tuple[str, ...]:
        return ("revision",)


@dataclass(frozen=True, slots=True)
class Leader:
    """The dm-master that leads, and until when if nothing renews it; no fact, for it is nobody's to change."""

    name: str
    address: str
    epoch: int
    expires_at: float


Fact = SourceFact | TaskFact | SubtaskFact | WorkerFact | BoundFact | RelayFact | ShardFact | RevisionFact


@dataclass(frozen=True, slots=True)
class Put:
    """The fact is so from now on."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Remove:
    """The fact of this kind and key is no more."""

    kind: type[Fact]
    key: tuple[str, ...]


Change = Put | Remove
