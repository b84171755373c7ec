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
from dataclasses import dataclass

from tests.simulation.world import play

PROCESSES = 2
PORTION = 250
SHOWN = 20
REPORT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Portion:
    """What some seeds in a row were."""

    seeds: int
    changes: int
    ends: int
    failures: tuple[tuple[int, str], ...]


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
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        failures = _follow(pool.imap_unordered(lives, portions))
    for seed, problem in failures[:SHOWN]:
        print(f"seed {seed} FAILED: {problem}\n  .venv/bin/python -m tests.simulation {seed} --trace")
    return 1 if failures else 0


def _follow(portions: Iterable[Portion]) -> list[tuple[int, str]]:
    """Add up what comes, and say so from time to time."""
    begun = said = time.monotonic()
    seeds = changes = ends = 0
    failures: list[tuple[int, str]] = []
    for portion in portions:
        seeds, changes, ends = seeds + portion.seeds, changes + portion.changes, ends + portion.ends
        failures += portion.failures
        if time.monotonic() - said >= REPORT_SECONDS:
            said = time.monotonic()
            _say(seeds, changes, ends, failures, said - begun)
    _say(seeds, changes, ends, failures, time.monotonic() - begun)
    return sorted(failures)


def _say(seeds: int, changes: int, ends: int, failures: Sequence[object], seconds: float) -> None:
    rate = seeds / seconds if seconds else 0.0
    print(
        f"{seeds:,} seeds, {changes:,} changes, {ends:,} ends of runs, {rate:.0f} seeds/s, {len(failures)} failed",
        flush=True,
    )
