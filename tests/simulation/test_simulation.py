"""The syncer's pure core under a seeded scheduler, and that each of its rules is needed: tests/simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from dm_worker.syncer.ahead import AheadByGtid, AheadByPosition
from dm_worker.syncer.applier import last_place
from dm_worker.syncer.checkpoint import Checkpoint
from dm_worker.syncer.queues import Queues
from dm_worker.syncer.replicator import Replicator
from pkg.binlog.position import Position
from pkg.rows import causality, keys
from pkg.rows.causality import Causality
from pkg.rows.compact import TableSegment, segments
from pkg.rows.job import Job, Place
from tests.simulation import process, target, world
from tests.simulation.model import Broken
from tests.simulation.process import Process, Start
from tests.simulation.target import ChannelRow, Target
from tests.simulation.world import World, play

SEEDS = 5000
SAMPLE = 2000  # without --all
SOME = 1500  # among which a seed fails when a rule is broken on purpose


@pytest.mark.parametrize(
    "first",
    [*range(0, SAMPLE, 500), *(pytest.param(one, marks=pytest.mark.thorough) for one in range(SAMPLE, SEEDS, 500))],
)
def test_whatever_dies_the_target_ends_as_serial_execution_leaves_it(first: int) -> None:
    failed = {}
    for seed in range(first, first + 500):
        try:
            play(seed)
        except Exception as problem:
            failed[seed] = f"{type(problem).__name__}: {problem}"
    assert not failed, f"replay one by: .venv/bin/python -m tests.simulation {next(iter(failed))} --trace"


def is_ready(queues: Queues, job: Job) -> bool:
    return True


def has_whole_event(ahead: AheadByPosition, channel: int, job: Job) -> bool:
    applied = ahead._places.get(channel)
    return applied is not None and Position(job.origin.file_name, job.event_end) <= applied[0]


def highest(queues: Queues) -> int:
    heads = [head for head in queues._head if head]
    return max(heads) - 1 if heads else queues._last_seq


def never_applied(self: Target, epoch: int, channel: int, batch: Sequence[Job]) -> bool:
    self._resolve(channel)
    self._fence(epoch, channel)
    return False


def read_without_lock(self: Target, epoch: int, channel: int, batch: Sequence[Job]) -> bool:
    self._fence(epoch, channel)
    return self.channels[channel].place == last_place(batch)


def no_fence(self: Target, epoch: int, channel: int) -> None:
    """Nobody looks at the channel's row."""


def last_job(batch: Sequence[Job]) -> Place:
    return batch[-1].place


def first_job(batch: Sequence[Job]) -> Place:
    return batch[0].place


def without_uniques(batch: Sequence[Job], *, compact: bool) -> list[list[TableSegment]]:
    for job in batch:
        job.uniques = ()
    return list(segments(batch, compact=compact))


def forget_all(self: Causality, low_watermark: int) -> None:
    self._last_touch.clear()


def exact_values(plan: Any, values: list[bytes]) -> list[bytes]:
    return values


def exact_identity(table: object, key: Any) -> Any:
    return key


def is_drained(queues: Queues) -> bool:
    return True


def without_window(*args: Any, **settings: Any) -> Replicator:
    return Replicator(*args, **{**settings, "safe_until": None})


def nothing_is_safe(*args: Any, **settings: Any) -> Replicator:
    return Replicator(*args, **{**settings, "switched": False})


def as_it_is(known: Any) -> Any:
    return known


def at_once(self: World, epoch: int) -> Start:
    known = self.target.checkpoint
    if known is not None and known.channels != self.channels:
        self.target.checkpoint = replace(known, channels=self.channels)
        for channel in range(self.channels):
            self.target.channels.setdefault(channel, ChannelRow(epoch))
    return start(self, epoch)


def with_pins(started: Start, *settings: Any) -> Process:
    made = Process(started, *settings)
    made._pins = dict(made._target.pins)
    return made


def nothing_is_had(ahead: AheadByGtid, channel: int, job: Job) -> bool:
    return False


def never_done(self: Target, table: int, number: int, *, repeated: bool) -> None:
    alter(self, table, number, repeated=False)


def unmarked(self: Process) -> Checkpoint:
    return replace(checkpoint(self), ddl_location="")


start, alter, checkpoint = World._start, Target.alter, Process._checkpoint
BROKEN: dict[str, tuple[Any, str, Any]] = {
    "no job waits for a unique value": (Queues, "_is_ready", is_ready),
    "what an earlier run applied is skipped by whole events": (AheadByPosition, "has", has_whole_event),
    "the checkpoint follows the channel that is first": (Queues, "low_watermark", highest),
    "an uncertain commit is repeated": (Target, "is_applied", never_applied),
    "an uncertain commit is asked for without a lock": (Target, "is_applied", read_without_lock),
    "a run that was replaced writes": (Target, "_fence", no_fence),
    "a replayed job moves its channel": (target, "last_place", last_job),
    "the channel's row is at the batch's first job": (target, "last_place", first_job),
    "a segment may have a unique value twice": (target, "segments", without_uniques),
    "unique values are forgotten before they are applied": (Causality, "forget_applied", forget_all),
    "case does not matter to unique values": (keys, "_folded_values", exact_values),
    "case does not matter to identities": (causality, "fold_identity", exact_identity),
    "a DDL is no barrier": (Queues, "is_drained", property(is_drained)),
    "rows of a copy are not there yet": (process, "Replicator", without_window),
    "rows of the former server are not there yet": (process, "Replicator", nothing_is_safe),
    "a switch that was broken off is forgotten": (world, "without_server", as_it_is),
    "keyless rows of the former server are not there yet": (AheadByGtid, "has", nothing_is_had),
    "what was copied is known by places of the former server": (world, "Process", with_pins),
    "worker-count changes at once": (World, "_start", at_once),
    "a checkpoint before a DDL that was begun forgets that": (Process, "_checkpoint", unmarked),
    "a DDL that was begun was not done": (Target, "alter", never_done),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_seen(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, instead = BROKEN[rule]
    monkeypatch.setattr(where, name, instead)
    assert any(fails(seed) for seed in range(SOME))


def fails(seed: int) -> bool:
    try:
        play(seed)
    except Broken:
        return True
    return False


def test_a_seed_is_the_same_life_each_time() -> None:
    def story(seed: int) -> list[str]:
        told: list[str] = []
        play(seed, told.append)
        return told

    assert [story(seed) for seed in range(20)] == [story(seed) for seed in range(20)]
