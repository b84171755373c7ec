"""A pytest plugin: writes the report of each test's phases as a line of JSON to the file of `--record`.

Beside pytest-xdist only the controller writes; it gets the reports of all workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

import pytest


@dataclass(frozen=True, slots=True)
class Phase:
    """What one phase (setup, call, teardown) of one test came to."""

    test: str  # its node id
    when: str
    outcome: str  # passed, failed or skipped
    seconds: float
    log: str = ""  # of a failure: the traceback and what was captured


class Recorder:
    """Writes one line as soon as a phase is over, so that a run that is killed leaves what it knew."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        log = ""
        if report.failed:
            captured = (f"--- {title} ---\n{text}" for title, text in report.sections)
            log = "\n".join([report.longreprtext, *captured])
        phase = Phase(report.nodeid, report.when or "", report.outcome, report.duration, log)
        self._out.write(json.dumps(asdict(phase)) + "\n")
        self._out.flush()


@dataclass(slots=True)
class Result:
    """One test of a run."""

    name: str
    seconds: float = 0.0  # of all phases
    outcome: str = "passed"
    log: str = ""
    phases: set[str] = field(default_factory=set)


def read(file: Path) -> dict[str, Result]:
    """The tests of a run by node id, in the order in which they ended; a failed phase, or one missing, makes a failed test."""
    found: dict[str, Result] = {}
    for phase in _phases(file):
        test = found.setdefault(phase.test, Result(phase.test))
        test.seconds += phase.seconds
        test.phases.add(phase.when)
        if phase.outcome == "failed" or (phase.outcome == "skipped" and test.outcome == "passed"):
            test.outcome = phase.outcome
        if phase.log:
            test.log = f"{test.log}\n{phase.log}".strip()
    for test in found.values():
        if "teardown" not in test.phases:
            test.outcome = "failed"
            test.log = test.log or "the process that ran it died"
    return found


def _phases(file: Path) -> Iterator[Phase]:
    with file.open() as lines:
        for line in lines:
            if line.endswith("\n"):  # a run that was killed may leave half a line
                yield Phase(**json.loads(line))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, help="write the report of each test's phases to this file, as JSON lines")


def pytest_configure(config: pytest.Config) -> None:
    file: Path | None = config.getoption("--record")
    if file is not None and not hasattr(config, "workerinput"):
        out = file.open("w")
        config.add_cleanup(out.close)
        config.pluginmanager.register(Recorder(out), "recorder")
