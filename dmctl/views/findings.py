"""The findings of dm-master's checks, which DM puts as JSON into a message, after ``detail:``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.views.texts import message_panel, plain_table

_STATES = {"success": "green", "warn": "yellow", "fail": "red"}


def findings_view(message: str, *, accepted: bool) -> list[RenderableType] | None:
    """Headline, table and counts; None where the message holds no findings."""
    headline, _, detail = message.partition("detail:")
    findings = _findings(detail)
    if findings is None:
        return None
    table = plain_table("Check", "State", "What", "To do")
    for item in findings.get("results") or ():
        table.add_row(*_finding(item))
    head = Text(headline.strip()) if accepted else message_panel(headline.strip())
    return [head, table, _summary(findings.get("summary") or {})]


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
