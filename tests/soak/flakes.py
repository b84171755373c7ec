"""The whole suite again and again until a test fails: `./dev soak flakes [--runs N] [--load all|half|none]`.

A test that fails, also one that passes when it runs again alone, ends the campaign; its log is kept in
`soak-flakes-RUN.log`.  With load, a process for each core does nothing but burn time beside the tests, as a busy
machine would: what waits for a time instead of a state fails then.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests.suite.__main__ import WORKERS, cpu_seconds, run
from tests.suite.report import lines

BURN = "while True: pass"


@contextmanager
def busy_cores(number: int) -> Iterator[None]:
    """Takes the time of this many cores, as far as the system shares it out evenly."""
    command = ["setpriv", "--pdeathsig", "KILL", "--", sys.executable, "-c", BURN]
    burners = [subprocess.Popen(command) for _ in range(number)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def is_loaded(load: str, number: int) -> bool:
    return load == "all" or (load == "half" and number % 2 == 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak flakes", description=__doc__, allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=0, help="end well after so many runs (default: never)")
    parser.add_argument(
        "--load", choices=("all", "half", "none"), default="all", help="runs with busy cores (%(default)s)"
    )
    parser.add_argument("--workers", type=int, default=WORKERS, help="test files side by side (%(default)s)")
    chosen, words = parser.parse_known_args(arguments)
    for number in range(1, chosen.runs + 1) if chosen.runs else count(1):
        loaded = is_loaded(chosen.load, number)
        started, used = time.monotonic(), cpu_seconds()
        with tempfile.TemporaryDirectory(prefix="spark-dm-flakes-") as folder:
            with busy_cores((os.cpu_count() or 1) if loaded else 0):
                code, verdict = run(words, chosen.workers, Path(folder))
            text = "\n".join(lines(verdict, time.monotonic() - started, cpu_seconds() - used))
        how = "loaded" if loaded else "quiet"
        print(f"==> run {number} ({how}): {len(verdict.first)} tests, {time.monotonic() - started:.0f} s", flush=True)
        if code or verdict.flaky:
            kept = Path(f"soak-flakes-{number}.log")
            kept.write_text(text + "\n")
            print(text)
            print(f"run {number} ({how}) was not clean; kept: {kept}", file=sys.stderr)
            return 1
    print(f"{chosen.runs} runs, every test passed in each")
    return 0
