"""The settings of a task's sources, one column for each."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.results import result_view
from dmctl.views.texts import plain_table


def settings_view(answer: Answer) -> list[RenderableType]:
    """What became of the request, then the table of settings."""
    sources = [one for one in answer.body.get("sources") or () if one.get("settings")]
    parts = [] if sources and answer.subject.startswith("task show") else result_view(answer)
    if not sources:
        return parts
    table = plain_table("Source", *(str(one["name"]) for one in sources[0]["settings"]))
    for source in sources:
        table.add_row(Text(str(source["source"])), *(Text(str(one["value"])) for one in source["settings"]))
    return [*parts, table]
