"""``explain-rules``: a table of tables, and of the parts of a statement."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, Body, is_accepted
from dmctl.views.results import result_view
from dmctl.views.texts import plain_table

_STYLES = {"Do": "green", "Ignore": "yellow", "Error": "red"}


def explained_view(answer: Answer) -> list[RenderableType]:
    """Tables first, then the statement as each source would have it."""
    if answer.error is not None or not is_accepted(answer.body):
        return result_view(answer)
    tables, statements = answer.body.get("tables") or (), answer.body.get("statements") or ()
    parts: list[RenderableType] = [_tables(tables)] if tables else []
    for statement in statements:
        parts += _statement(statement)
    return parts or [Text("no source of the task has a table", style="yellow")]


def _tables(tables: Iterable[Body]) -> RenderableType:
    view = plain_table("Source", "Table", "Goes to", "Route", "Columns", "Left out")
    for one in tables:
        target = f"{one.get('targetSchema')}.{one.get('targetTable')}"
        goes = Text(target) if one.get("migrated") else Text(f"✗ {one.get('note')}", style="yellow")
        view.add_row(
            Text(str(one.get("source"))),
            Text(f"{one.get('schema')}.{one.get('table')}"),
            goes,
            Text(str(one.get("route") or "-")),
            Text("\n".join(one.get("columns") or ()) or "-"),
            Text("\n".join(one.get("filters") or ()) or "-"),
        )
    return view


def _statement(statement: Body) -> list[RenderableType]:
    lines: list[RenderableType] = [
        Text.assemble((str(statement.get("source")), "bold"), ": ", str(statement.get("outcome")))
    ]
    view = plain_table("Part", "Type", "Table", "Action", "Filter")
    for part in statement.get("parts") or ():
        action = str(part.get("action"))
        name = f"{part.get('schema')}.{part.get('table')}".rstrip(".")
        view.add_row(
            Text(str(part.get("text") or "-")),
            Text(str(part.get("type"))),
            Text(name),
            Text(action, style=_STYLES.get(action, "")),
            Text(str(part.get("rule") or "-")),
        )
    if view.row_count:
        lines.append(view)
    lines += [Text(f"  {sql}", style="dim") for sql in statement.get("runs") or ()]
    return lines
