"""``binlog list``: what is decided about statements of the stream that are still to come."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, is_accepted
from dmctl.views.results import result_view
from dmctl.views.texts import plain_table


def operators_view(answer: Answer) -> list[RenderableType]:
    """One line per decision."""
    if answer.error is not None or not is_accepted(answer.body):
        return result_view(answer)
    table = plain_table("Source", "Statement that ends at", "Decision", "Statements")
    for source in answer.body.get("sources") or ():
        for one in source.get("operators") or ():
            statements = ";\n".join(one.get("sqls") or ()) or "-"
            row = (source.get("source"), one.get("binlogPos"), one.get("op"), statements)
            table.add_row(*(Text(str(cell)) for cell in row))
    return [table] if table.row_count else [Text("nothing is decided about statements to come", style="yellow")]
