"""``estimate``: what a full migration would move, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer, is_accepted
from dmctl.views.results import result_view
from dmctl.views.texts import human_bytes, human_number, human_seconds, integer, plain_table

Fields = Mapping[str, Any]
_COLOURS = {"copied": "green", "mapped": "yellow", "refused": "red", "left out": "dim"}
_MOST_TABLES = 30


def estimate_view(answer: Answer) -> list[RenderableType]:
    """For each source a line of sums, then its tables, the largest first."""
    if answer.error is not None or not is_accepted(answer.body):
        return result_view(answer)
    return [part for source in answer.body.get("sources") or () for part in _source(source)]


def _source(source: Fields) -> Iterator[RenderableType]:
    seconds, tables = source.get("seconds"), source.get("tables") or ()
    yield Text.assemble(
        (str(source.get("source")), "bold"),
        f"  {len(tables)} tables, about {human_number(integer(source.get('rows')))} rows, "
        f"{human_bytes(integer(source.get('bytes')))}, {integer(source.get('chunks'))} chunks",
    )
    if seconds is not None:
        rate = human_bytes(integer(source.get("bytesPerSecond")))
        yield Text(f"about {human_seconds(float(seconds))} at {rate}/s", style="bold")
    yield Text(str(source.get("how")), style="dim")
    for note in source.get("notes") or ():
        yield Text(f"! {note}", style="yellow")
    if tables:
        yield _tables(tables)
    if len(tables) > _MOST_TABLES:
        yield Text(f"and {len(tables) - _MOST_TABLES} smaller tables; `--output json` has them", style="dim")


def _tables(tables: Any) -> RenderableType:
    """Those with something to say are shown, however small."""
    view = plain_table("Table", "Goes to", "Rows", "Bytes", "Chunks", "")
    shown = [one for number, one in enumerate(tables) if number < _MOST_TABLES or one.get("verdict") == "refused"]
    for one in shown:
        verdict = str(one.get("verdict"))
        goes = f"{one.get('targetSchema')}.{one.get('targetTable')}" if one.get("targetTable") else "-"
        text = Text(verdict, style=_COLOURS.get(verdict, ""))
        for note in one.get("notes") or ():
            text.append(f"\n{note}", style="")
        view.add_row(
            Text(f"{one.get('schema')}.{one.get('table')}"),
            Text(goes),
            Text(human_number(integer(one.get("rows")))),
            Text(human_bytes(integer(one.get("bytes")))),
            Text(str(integer(one.get("chunks")))),
            text,
        )
    return view
