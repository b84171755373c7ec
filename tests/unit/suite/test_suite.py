"""What `./dev test` makes of failures: once more alone, green and flaky, or red."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite.order import LISTED, longest_first, read_seconds, write_seconds
from tests.suite.record import Result, read
from tests.suite.report import Verdict, lines

ROOT = Path(__file__).parents[3]
ONCE = """
from pathlib import Path
def test_good(): pass
def test_once():
    mark = Path(__file__).with_name("mark")
    if not mark.exists():
        mark.touch()
        print("what it printed")
        raise AssertionError("the first time")
"""


def suite(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "tests.suite", "--workers", "1", "test_it.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_what_passes_alone_is_green_and_shown_as_flaky_with_its_log(tmp_path: Path) -> None:
    done = suite(tmp_path, ONCE)
    assert done.returncode == 0, done.stdout
    report = done.stdout.rpartition("flaky: 1 failed")[2]
    assert "test_it.py::test_once" in report
    assert "the first time" in report
    assert "what it printed" in report


@pytest.mark.slow
def test_what_fails_again_is_red(tmp_path: Path) -> None:
    done = suite(tmp_path, "def test_bad(): raise AssertionError('always')")
    assert done.returncode == 1
    assert "flaky: none" in done.stdout
    assert done.stdout.rstrip().endswith("test_it.py::test_bad\n0 passed, 1 failed, 0 skipped")


@pytest.mark.slow
def test_a_file_that_cannot_be_collected_is_red(tmp_path: Path) -> None:
    done = suite(tmp_path, "import nothing_of_this_name")
    assert done.returncode not in (0, 5)


@pytest.mark.slow
def test_a_worker_that_dies_is_a_failure_of_its_test(tmp_path: Path) -> None:
    done = suite(tmp_path, "import os\ndef test_dies(): os._exit(3)")
    assert done.returncode == 1
    assert "test_it.py::test_dies" in done.stdout


def result(name: str, outcome: str = "passed", seconds: float = 1.0) -> Result:
    return Result(name, seconds, outcome, log=f"log of {name}" if outcome == "failed" else "")


def verdict(first: list[Result], second: list[Result]) -> Verdict:
    return Verdict({one.name: one for one in first}, {one.name: one for one in second})


@pytest.mark.parametrize("again", [[], [result("a", "failed")], [result("a", "skipped")]])
def test_only_what_passed_again_is_flaky(again: list[Result]) -> None:
    found = verdict([result("a", "failed"), result("b")], again)
    assert (found.failed, found.flaky) == (["a"], [])


def test_the_report_names_what_is_too_slow() -> None:
    text = "\n".join(lines(verdict([result("quick"), result("slow", seconds=46.0)], []), 50.0, 30.0))
    assert text.index("46.0 s  slow  <- too slow") < text.index("1.0 s  quick")
    assert "over 45 s: 1" in text


def test_of_a_run_that_was_killed_half_a_line_is_left_out_and_half_a_test_has_failed(tmp_path: Path) -> None:
    lines = [
        '{"test": "a", "when": "call", "outcome": "passed", "seconds": 2.0}',
        '{"test": "a", "when": "teardown", "outcome": "passed", "seconds": 1.0}',
        '{"test": "b", "when": "setup", "outcome": "passed", "seconds": 1.0}',
        '{"test": "c", "wh',
    ]
    file = tmp_path / "record"
    file.write_text("\n".join(lines))
    found = {name: (one.outcome, one.seconds) for name, one in read(file).items()}
    assert found == {"a": ("passed", 3.0), "b": ("failed", 1.0)}


def test_the_files_that_take_longest_begin_first(tmp_path: Path) -> None:
    listed = tmp_path / "seconds.txt"
    write_seconds([result("a::one", seconds=15), result("b::one"), result("c::one[x::y]", seconds=30)], listed)
    assert listed.read_text() == "30 c\n15 a\n"
    names = ["a::one", "b::one", "c::one", *(f"d::test[{number}]" for number in range(50))]
    assert longest_first(names, read_seconds(listed)) == ["c", "d", "a", "b"]


def test_every_listed_file_is_there() -> None:
    assert [name for name in read_seconds() if not (LISTED.parents[2] / name).exists()] == []
