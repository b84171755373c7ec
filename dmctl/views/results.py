"""What a verb that changes something answers: one line per source, refusals as panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, is_accepted
from dmctl.views.findings import findings_view
from dmctl.views.status import status_view
from dmctl.views.texts import error_panel, message_panel, outcome_text, plain_table


def result_view(answer: Answer) -> list[RenderableType]:
    """The head line, then the sources, then what was refused and why."""
    if answer.error is not None:
        return [error_panel(answer.error.as_dict())]
    body = answer.body
    parts: list[RenderableType] = [_head(answer)]
    parts += _message(body)
    sources = [
        (task.get("task", ""), source) for task in body.get("tasks") or () for source in task.get("sources") or ()
    ]
    sources += [("", source) for source in body.get("sources") or ()]
    if sources:
        parts.append(_source_table(sources))
    parts += [
        message_panel(source.get("msg", ""), _place(source))
        for _, source in sources
        if not source.get("result", True) and source.get("msg")
    ]
    if body.get("checkResult"):
        checked = str(body["checkResult"])
        parts += findings_view(checked, accepted=True) or [Text(checked, style="dim")]
    return parts


def waited_view(answer: Answer) -> list[RenderableType]:
    """A verb with ``--wait``: whether it came true, then how it stands now."""
    body = answer.body
    outcome = Text("✓ done", style="green") if body["waited"]["reached"] else Text("✗ not yet", style="yellow")
    outcome = outcome if body["result"] else Text("✗ failed", style="red")
    parts: list[RenderableType] = [Text.assemble(outcome, "  ", (answer.subject, "bold"))]
    parts += [Text(str(body["msg"]), style="yellow")] if body.get("msg") else []
    status = body["waited"].get("status")
    return parts + (status_view(Answer(status)) if status else [])


def _head(answer: Answer) -> Text:
    partly = bool(answer.body.get("result")) and not is_accepted(answer.body)
    outcome = Text("✗ refused in part", style="red") if partly else outcome_text(is_accepted(answer.body))
    return Text.assemble(outcome, "  ", (answer.subject, "bold"))


def _message(body: Mapping[str, Any]) -> list[RenderableType]:
    message = str(body.get("msg") or "")
    if not message:
        return []
    accepted = bool(body.get("result", True))
    findings = findings_view(message, accepted=accepted)
    if findings is not None:
        return findings
    return [Text(message)] if accepted else [message_panel(message)]


def _source_table(sources: list[tuple[str, Mapping[str, Any]]]) -> RenderableType:
    with_task = any(task for task, _ in sources)
    table = plain_table(*(["Task"] if with_task else []), "Source", "Worker", "Result", "Message")
    for task, source in sources:
        accepted = bool(source.get("result", True))
        worker = str(source.get("worker") or "-")
        message = str(source.get("msg") or "") if accepted else "see below"
        row: list[RenderableType] = [Text(task)] if with_task else []
        row += [Text(str(source.get("source") or "-")), Text(worker), outcome_text(accepted), Text(message)]
        table.add_row(*row)
    return table


def _place(source: Mapping[str, Any]) -> str:
    worker = f" on {source['worker']}" if source.get("worker") else ""
    return f"{source.get('source') or 'source'}{worker}"
