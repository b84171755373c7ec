"""``check-task`` (the master's precheck) and ``check-config`` (problems in files)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, is_accepted
from dmctl.views.results import result_view
from dmctl.views.texts import outcome_text, plain_table

_STATES = {"success": "green", "warn": "yellow", "fail": "red"}


def check_view(answer: Answer) -> list[RenderableType]:
    """DM puts the findings as JSON into the message, after ``detail:``; they are shown as a table."""
    headline, _, detail = str(answer.body.get("msg", "")).partition("detail:")
    findings = _findings(detail)
    if findings is None:
        return result_view(answer)
    head = Text.assemble(outcome_text(is_accepted(answer.body)), "  ", (answer.subject, "bold"))
    table = plain_table("Check", "State", "What", "To do")
    for item in findings.get("results") or ():
        table.add_row(*_finding(item))
    return [head, Text(headline.strip()), table, _summary(findings.get("summary") or {})]


def _findings(detail: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(detail)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _finding(item: Mapping[str, Any]) -> list[Text]:
    state = str(item.get("state", ""))
    errors = "\n".join(str(error.get("short_error", "")) for error in item.get("errors") or ())
    to_do = [str(error.get("instruction") or "") for error in item.get("errors") or ()] + [
        str(item.get("instruction") or "")
    ]
    return [
        Text(str(item.get("name", ""))),
        Text(state, style=_STATES.get(state, "")),
        Text(errors),
        Text("\n".join(dict.fromkeys(text for text in to_do if text))),
    ]


def _summary(summary: Mapping[str, Any]) -> Text:
    names = ("total", "successful", "failed", "warning")
    return Text("  ".join(f"{name} {summary.get(name, 0)}" for name in names), style="dim")


def problems_view(answer: Answer) -> list[RenderableType]:
    """One line per file, then every problem with its place."""
    parts: list[RenderableType] = []
    for file in answer.body.get("files") or ():
        accepted = bool(file.get("result"))
        verdict = Text("✓ valid  ", style="green") if accepted else Text("✗ invalid", style="red")
        parts.append(
            Text.assemble(verdict, " ", (str(file.get("file", "")), "bold"), (f"  {file.get('kind', '')}", "dim"))
        )
        parts += [_problem(problem["text"], "red") for problem in file.get("problems") or ()]
        parts += [_problem(warning["text"], "yellow") for warning in file.get("warnings") or ()]
    return parts


def _problem(text: str, colour: str) -> Text:
    return Text.assemble((" • ", colour), str(text))
