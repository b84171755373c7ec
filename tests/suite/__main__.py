"""The tests on servers: `./dev test [--all] [--workers N] [--remember] [FILES AND OPTIONS OF PYTEST]`.

Cases that are crossed with servers run pairwise, with `--all` in full.  Test files run side by side.  What failed runs once more, alone, at the end: if it passes then, the run is green, and
the test is shown under "flaky" with its log.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.suite.order import write_seconds
from tests.suite.record import Result, read
from tests.suite.report import Verdict, failures, lines

WORKERS = 4  # on two cores: a good part of each test is waiting
TIDB_MEMORY = "2GiB"  # of each worker's TiDB, before Go collects more often; without it each takes 2.8 GiB in time
MOST_AGAIN = 12  # more failures than this are no accident, and running them again would only take time
PLUGINS = ("-p", "tests.suite.record", "-p", "tests.suite.order")
SIDE_BY_SIDE = ("--dist", "loadfile", "--no-loadscope-reorder")  # in the order of the plugin
SLOW = ("-m", "not quick")  # the quick tests are those of `./dev check`, which has run them


def pytest(record: Path, *words: str) -> int:
    command = [sys.executable, "-m", "pytest", *PLUGINS, f"--record={record}", *words]
    return subprocess.run(command).returncode


def again(folder: Path, names: Sequence[str]) -> dict[str, Result]:
    """The tests that failed, alone: one process, one after the other, on servers that nobody else uses."""
    chosen, record = folder / "again.txt", folder / "again.jsonl"
    chosen.write_text("".join(f"{name}\n" for name in names))
    print(f"==> {len(names)} failed; they run once more, alone", flush=True)
    pytest(record, f"@{chosen}")
    return read(record)


def run(words: Sequence[str], workers: int, folder: Path) -> tuple[int, Verdict]:
    """One run of the suite, with its exit code: 0 where everything passed in the end."""
    record = folder / "first.jsonl"
    code = pytest(record, "-n", str(workers), *SIDE_BY_SIDE, *words)
    first = read(record)
    failed = failures(first)
    second = again(folder, failed) if code == 1 and 0 < len(failed) <= MOST_AGAIN else {}
    verdict = Verdict(first, second)
    if code == 1 and failed and not verdict.failed:
        code = 0
    return code, verdict


def cpu_seconds() -> float:
    """Of all processes that the run has started, those that they have started, and so on."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__, allow_abbrev=False)
    parser.add_argument("--workers", type=int, default=WORKERS, help="test files side by side (%(default)s)")
    parser.add_argument("--remember", action="store_true", help="write seconds.txt, for the order of the files, anew")
    chosen, words = parser.parse_known_args(arguments)
    os.environ.setdefault("GOMEMLIMIT", TIDB_MEMORY)
    names_tests = any(Path(word.partition("::")[0]).exists() for word in words)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="spark-dm-suite-") as folder:
        code, verdict = run([*(() if names_tests else SLOW), *words], chosen.workers, Path(folder))
    if chosen.remember and not names_tests:
        write_seconds(verdict.first.values())
    print("\n".join(lines(verdict, time.monotonic() - started, cpu_seconds())), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
