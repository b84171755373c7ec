"""``check-task`` (the master's precheck) and ``check-config`` (problems in files)."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, is_accepted
from dmctl.views.findings import findings_view
from dmctl.views.results import result_view
from dmctl.views.texts import outcome_text


def check_view(answer: Answer) -> list[RenderableType]:
    """Whether the task may start, and what was found."""
    accepted = is_accepted(answer.body)
    findings = findings_view(str(answer.body.get("msg", "")), accepted=accepted)
    if findings is None:
        return result_view(answer)
    return [Text.assemble(outcome_text(accepted), "  ", (answer.subject, "bold")), *findings]


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
