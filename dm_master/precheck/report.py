"""Findings of the checks, and DM's JSON and headline for them.  Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pkg.errors import DMError, ErrorKind, Level, Scope

PASSED = "pre-check is passed. "

CHECK_FAILED = ErrorKind(
    26005,
    "task-check",
    Scope.INTERNAL,
    Level.MEDIUM,
    "fail to check synchronization configuration: {first}{more}",
    workaround="{instruction}",
)


class State(StrEnum):
    """How serious it is: only a failure keeps a task from starting."""

    SUCCESS = "success"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    state: State
    text: str
    where: str = ""  # the server or table
    instruction: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One item, on one source or on all of them."""

    item: str  # its name in ignore-checking-items
    name: str
    description: str
    findings: tuple[Finding, ...] = ()
    extra: str = ""  # what was looked at

    @property
    def state(self) -> State:
        states = {finding.state for finding in self.findings}
        return next((state for state in (State.FAIL, State.WARN) if state in states), State.SUCCESS)


@dataclass(frozen=True, slots=True)
class Report:
    """All checks of one task."""

    checks: tuple[Check, ...] = field(default=())

    @property
    def failures(self) -> list[Finding]:
        return [one for check in self.checks for one in check.findings if one.state is State.FAIL]

    @property
    def warnings(self) -> list[Finding]:
        return [one for check in self.checks for one in check.findings if one.state is State.WARN]

    def failure(self) -> DMError | None:
        """The refusal, headed by the first failure; None when the task may start."""
        failures = self.failures
        if not failures:
            return None
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        return CHECK_FAILED.error(first=failures[0].text, more=more, instruction=failures[0].instruction)

    def detail(self, most_failures: int, most_warnings: int) -> str:
        """DM's JSON: what is not in order, at most so much of it, and the counts of all."""
        left = {State.FAIL: most_failures, State.WARN: most_warnings}
        results = [result for check in self.checks if (result := _shown(check, left)) is not None]
        states = [check.state for check in self.checks]
        summary = {
            "passed": State.FAIL not in states,
            "total": len(states),
            "successful": states.count(State.SUCCESS),
            "failed": states.count(State.FAIL),
            "warning": states.count(State.WARN),
        }
        numbered = [{"id": number, **result} for number, result in enumerate(results)]
        return json.dumps({"results": numbered, "summary": summary}, ensure_ascii=False, indent=2)

    def message(self, most_failures: int = 10, most_warnings: int = 10) -> str:
        """What check-task answers."""
        failure = self.failure()
        if failure is not None:
            return f"{failure}\n detail: {self.detail(most_failures, most_warnings)}"
        if self.warnings and most_warnings:
            return f"{PASSED}\n detail: {self.detail(most_failures, most_warnings)}"
        return PASSED


def _shown(check: Check, left: dict[State, int]) -> dict[str, Any] | None:
    errors = []
    for finding in check.findings:
        if left[finding.state] > 0:
            left[finding.state] -= 1
            errors.append(_error(finding))
    if not errors:
        return None
    return {
        "name": check.name,
        "desc": check.description,
        "state": str(check.state),
        "errors": errors,
        "instruction": "",
        "extra": check.extra,
    }


def _error(finding: Finding) -> dict[str, str]:
    return {
        "severity": str(finding.state),
        "short_error": finding.text,
        "self": finding.where,
        "other": "",
        "instruction": finding.instruction,
    }


def failures_first(checks: Iterable[Check]) -> Report:
    """A report whose headline is the worst."""
    order: Sequence[State] = (State.FAIL, State.WARN, State.SUCCESS)
    return Report(tuple(sorted(checks, key=lambda check: order.index(check.state))))
