"""``task summary``: what a full migration came to, source by source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.results import result_view
from dmctl.views.texts import human_bytes, human_number, human_seconds, plain_table

Fields = Mapping[str, Any]
_SHOWN_WARNINGS = 10
_COLOURS = {"finished": "green", "stopped": "yellow", "failed": "red"}


def summary_view(answer: Answer) -> list[RenderableType]:
    """A block for each source; refusals as ever."""
    sources = answer.body.get("sources") or ()
    if answer.error is not None or not sources or not answer.body.get("result", True):
        return result_view(answer)
    parts: list[RenderableType] = []
    for source in sources:
        if not source.get("summary"):
            parts.append(Text(f"{source.get('source')}: {source.get('msg')}", style="yellow"))
            continue
        parts += _block(source["summary"])
    return parts


def _block(summary: Fields) -> Iterator[RenderableType]:
    outcome = str(summary.get("outcome"))
    yield Text.assemble(
        (str(summary.get("source")), "bold"),
        "  ",
        (outcome, _COLOURS.get(outcome, "")),
        (f"  {summary.get('started')} to {summary.get('ended')}, {_runs(int(summary.get('runs', 1)))}", "dim"),
    )
    if summary.get("error"):
        yield Text(str(summary["error"]), style="red")
    yield Text(
        f"{summary.get('completedTables')} of {summary.get('tables')} tables, "
        f"{human_number(summary.get('rows', 0))} rows, {human_bytes(summary.get('bytes', 0))}, "
        f"{summary.get('chunks')} chunks in {human_seconds(summary.get('seconds', 0))}: "
        f"{human_number(summary.get('rowsPerSecond', 0))} rows/s, {human_bytes(summary.get('bytesPerSecond', 0))}/s"
    )
    phases = summary.get("phases") or {}
    yield Text("phases   " + ", ".join(f"{name} {human_seconds(seconds)}" for name, seconds in phases.items()))
    snapshot = summary.get("snapshot") or {}
    if snapshot:
        place = " ".join(filter(None, (str(snapshot.get("location")), str(snapshot.get("gtid") or ""))))
        held = f"commits held off for {float(snapshot.get('lockHeldMs') or 0):.0f} ms by {snapshot.get('by')}"
        yield Text(f"snapshot {place}, {held}")
    yield from _slowest(summary.get("slowestTables") or ())
    verify = summary.get("verify") or {}
    if verify:
        compared = f"{verify.get('comparedChunks')} of {summary.get('chunks')} chunks compared by checksum"
        yield Text(f"verify   {compared}, {human_seconds(verify.get('seconds', 0))} of all connections")
        yield from _texts("not compared", verify.get("notCompared") or (), 0)
    yield from _texts("left out", summary.get("leftOut") or (), 0)
    yield from _texts("warnings", summary.get("warnings") or (), int(summary.get("moreWarnings", 0)))


def _runs(number: int) -> str:
    return "one run" if number == 1 else f"{number} runs"


def _slowest(tables: Any) -> Iterator[RenderableType]:
    if not tables:
        return
    view = plain_table("Slowest tables", "Time of all connections", "Rows", "Bytes", "Chunks")
    for one in tables[:_SHOWN_WARNINGS]:
        view.add_row(
            Text(f"{one['schema']}.{one['table']}"),
            Text(human_seconds(one["seconds"])),
            Text(human_number(one["rows"])),
            Text(human_bytes(one["bytes"])),
            Text(str(one["chunks"])),
        )
    yield view


def _texts(what: str, texts: Any, more: int) -> Iterator[RenderableType]:
    if not texts:
        return
    yield Text(what, style="yellow")
    for text in texts[:_SHOWN_WARNINGS]:
        yield Text(f"  {text}")
    more += max(0, len(texts) - _SHOWN_WARNINGS)
    if more:
        yield Text(f"  and {more} more; `--output json` and the worker's log have them", style="dim")
