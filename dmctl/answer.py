"""What a verb gives back: an answer in DM's JSON shape, how to show it on a terminal, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum, auto
from typing import Any

from dmctl.errors import BAD_SETTINGS, NO_MASTER_ADDR
from pkg.errors import DMError

Body = dict[str, Any]


class Exit(IntEnum):
    """dmctl's exit codes."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    INTERRUPTED = 130  # what a shell expects after ^C


class View(StrEnum):
    """Which table shows the answer on a terminal."""

    RESULT = auto()
    STATUS = auto()
    MEMBERS = auto()
    CHECK = auto()
    OPERATORS = auto()
    SETTINGS = auto()
    PROBLEMS = auto()
    LOCKS = auto()
    EXPLAINED = auto()
    WAITED = auto()
    WATCHED = auto()
    ESTIMATE = auto()
    SUMMARY = auto()
    SHOWN = auto()  # nothing is left to print
    CONFIG = auto()  # plain text for people, DM's JSON for scripts
    TEXT = auto()  # plain text for both, unless JSON or YAML was asked for by name


@dataclass(frozen=True, slots=True)
class Answer:
    """``body`` is what ``--output json`` prints; ``subject`` heads the table ("start-task shop")."""

    body: Body
    view: View = View.RESULT
    subject: str = ""
    text: str = ""  # for the views CONFIG and TEXT
    error: DMError | None = field(default=None, compare=False)  # dmctl's own failure, for the panel on a terminal

    interrupted: bool = False  # Ctrl-C ended the waiting, not the work

    @property
    def exit_code(self) -> Exit:
        if self.interrupted:
            return Exit.INTERRUPTED
        if self.error and (self.error.is_a(NO_MASTER_ADDR) or self.error.is_a(BAD_SETTINGS)):
            return Exit.USAGE
        return Exit.DONE if is_accepted(self.body) else Exit.REFUSED


def is_accepted(body: Mapping[str, Any]) -> bool:
    """Whether the request and each part of it were accepted.

    DM leaves the outer ``result`` true when one source refused; a script that looks at the exit code must still see it.
    """
    parts = [part for key in ("sources", "tasks") for part in body.get(key) or () if isinstance(part, Mapping)]
    return bool(body.get("result", True)) and all(part.get("result", True) for part in parts)


def without_late(body: Body) -> Body:
    """The answer for who waits by himself: parts that only take long are accepted."""
    if not body.get("sources"):
        return body
    return {**body, "sources": [_awaited(part) if part.get("late") else part for part in body["sources"]]}


def _awaited(part: Body) -> Body:
    return {**{name: value for name, value in part.items() if name != "late"}, "result": True, "msg": ""}


def text_answer(text: str, **body: Any) -> Answer:
    """A sample, a version, a script: what a user wants to see or to send into a file as it is."""
    return Answer({"result": True, "msg": "", **body}, View.TEXT, text=text)


def failure(error: DMError) -> Answer:
    """An error of dmctl itself, in the shape of a refusal."""
    return Answer({"result": False, "msg": str(error)}, error=error)
