"""Simulated lives of the syncer: `./dev soak simulation [--seeds N] [--from N]`.

Each seed is one (tests/simulation): random tables and transactions, runs that die anywhere, an upstream
that is switched.  Two processes share the seeds; one that fails is replayed by
`.venv/bin/python -m tests.simulation SEED --trace`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from tests.simulation.world import play

PROCESSES = 2
PORTION = 250
REPORT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Portion:
    """What some seeds in a row were."""

    seeds: int
    changes: int
    ends: int
    failures: tuple[tuple[int, str], ...]

    def plus(self, other: Portion) -> Portion:
        return Portion(
            self.seeds + other.seeds,
            self.changes + other.changes,
            self.ends + other.ends,
            self.failures + other.failures,
        )


def lives(seeds: range) -> Portion:
    changes = ends = 0
    failures = []
    for seed in seeds:
        try:
            world = play(seed)
        except Exception as problem:
            failures.append((seed, f"{type(problem).__name__}: {problem}"))
            continue
        changes += len(world.workload.changes)
        ends += world.crashes
    return Portion(len(seeds), changes, ends, tuple(failures))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100_000, help="how many (default: 100000)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first one")
    options = parser.parse_args(words)
    end = options.first + options.seeds
    portions = [range(first, min(first + PORTION, end)) for first in range(options.first, end, PORTION)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:  # raises when a process is killed
        ended = as_completed([pool.submit(lives, portion) for portion in portions])
        return 1 if _follow(future.result() for future in ended) else 0


def _follow(portions: Iterable[Portion]) -> int:
    """Add up what comes, and say so from time to time; how many seeds failed."""
    begun = said = time.monotonic()
    total = Portion(0, 0, 0, ())
    for portion in portions:
        total = total.plus(portion)
        for seed, problem in portion.failures:
            print(f"seed {seed} FAILED: {problem}\n  .venv/bin/python -m tests.simulation {seed} --trace", flush=True)
        if time.monotonic() - said >= REPORT_SECONDS:
            said = time.monotonic()
            _say(total, said - begun)
    _say(total, time.monotonic() - begun)
    return len(total.failures)


def _say(total: Portion, seconds: float) -> None:
    rate = total.seeds / seconds if seconds else 0.0
    print(
        f"{total.seeds:,} seeds, {total.changes:,} changes, {total.ends:,} ends of runs, {rate:.0f} seeds/s, "
        f"{len(total.failures)} failed",
        flush=True,
    )
