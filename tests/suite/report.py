"""What a run of the suite says at its end: the slowest tests, those that are too slow, and the flaky ones.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tests.suite.record import Result

LIMIT = 45.0  # seconds; a test that takes longer says too much at once, or waits for time
SLOWEST = 30


@dataclass(frozen=True, slots=True)
class Verdict:
    """A first run, and the second one of what had failed in it."""

    first: Mapping[str, Result]
    second: Mapping[str, Result]

    @property
    def failed(self) -> list[str]:
        """Those that failed, and again or not again at all."""
        return [name for name in failures(self.first) if not self._passed_again(name)]

    @property
    def flaky(self) -> list[str]:
        return [name for name in failures(self.first) if self._passed_again(name)]

    def _passed_again(self, name: str) -> bool:
        test = self.second.get(name)
        return test is not None and test.outcome == "passed"


def failures(tests: Mapping[str, Result]) -> list[str]:
    return [test.name for test in tests.values() if test.outcome == "failed"]


def slowest(tests: Iterable[Result], number: int = SLOWEST) -> list[Result]:
    return sorted(tests, key=lambda test: -test.seconds)[:number]


def lines(verdict: Verdict, seconds: float, cpu_seconds: float) -> Iterator[str]:
    """The report, for a person."""
    tests = verdict.first.values()
    yield ""
    yield f"The slowest {min(SLOWEST, len(tests))} of {len(tests)} tests:"
    for test in slowest(tests):
        yield f"  {test.seconds:6.1f} s  {test.name}{'  <- too slow' if test.seconds > LIMIT else ''}"
    work = sum(test.seconds for test in tests)
    yield f"{len(tests)} tests, {work:.0f} s of tests in {seconds:.0f} s, with {cpu_seconds:.0f} s of CPU"
    if too_slow := [test.name for test in tests if test.seconds > LIMIT]:
        yield f"over {LIMIT:.0f} s: {len(too_slow)} (split them, or share what they set up)"
    if verdict.flaky:
        yield ""
        yield f"flaky: {len(verdict.flaky)} failed, and passed alone at the end. Each is a defect: mend its cause."
        for name in verdict.flaky:
            yield f"--- flaky: {name} ---"
            yield verdict.first[name].log
    else:
        yield "flaky: none"
    if verdict.failed:
        yield f"failed: {len(verdict.failed)}"
        yield from (f"  {name}" for name in verdict.failed)
    skipped = sum(test.outcome == "skipped" for test in tests)
    yield f"{len(tests) - skipped - len(verdict.failed)} passed, {len(verdict.failed)} failed, {skipped} skipped"
