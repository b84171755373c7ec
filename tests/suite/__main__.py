"""The tests on servers: `./dev test [--all] [--workers N] [FILES AND OPTIONS OF PYTEST]`.

Cases that are crossed with servers run pairwise, with `--all` in full.  Test files run side by side.  What failed runs once more, alone, at the end: if it passes then, the run is green, and
the test is shown under "flaky" with its log.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.suite.record import Result, read
from tests.suite.report import Verdict, failures, lines

WORKERS = 3  # on two cores: a good part of each test is waiting
MOST_AGAIN = 12  # more failures than this are no accident, and running them again would only take time
SLOW = ("-m", "not quick")  # the quick tests are those of `./dev check`, which has run them


def pytest(record: Path, *words: str) -> int:
    command = [sys.executable, "-m", "pytest", "-p", "tests.suite.record", f"--record={record}", *words]
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
    code = pytest(record, "-n", str(workers), "--dist", "loadfile", *words)
    first = read(record)
    failed = failures(first)
    second = again(folder, failed) if code == 1 and 0 < len(failed) <= MOST_AGAIN else {}
    verdict = Verdict(first, second)
    if code == 1 and failed and not verdict.failed:
        code = 0
    return code, verdict


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__, allow_abbrev=False)
    parser.add_argument("--workers", type=int, default=WORKERS, help="test files side by side (%(default)s)")
    chosen, words = parser.parse_known_args(arguments)
    names_tests = any(Path(word.partition("::")[0]).exists() for word in words)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="spark-dm-suite-") as folder:
        code, verdict = run([*(() if names_tests else SLOW), *words], chosen.workers, Path(folder))
    print("\n".join(lines(verdict, time.monotonic() - started)), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
